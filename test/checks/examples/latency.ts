import type { latencyReasons } from '../../../src/checks/reasons/latency.ts';
import type { Examples } from './examples.ts';

export const latencyExamples: Examples<typeof latencyReasons> = {
  'latency-table-impossible': { unmeasured: 1, impossible: 2 },
  'latency-table-measured': { answers: 11 },
  'latency-grows': { endpoint: 'create-session', beforeMs: 2, afterMs: 180, z: 4.5 },
  'latency-grows-not': { endpoints: ['create-session', 'list-shades'] },
  'slo-too-few': { samples: 12, percentile: 'p99', needed: 100 },
  'slo-over': { percentile: 'p99', atMs: 2000, boundMs: 1000 },
  'slo-unanswered': { percentile: 'p99', boundMs: 1000 },
  'slo-kept': { percentile: 'p99', samples: 400, atMs: 5, boundMs: 1000 },
  'slo-lost': { requests: 2 },
  'slo-stood-still': { forMs: 3050, fromMs: 5000, held: 41, over: 41 },
  'slo-grew': { mediansMs: [488, 1448, 2408, 3368, 4328] },
  'slo-single': { single: 7, over: 7 },
  'latency-periodic': {
    every: 100,
    of: 'accepted request',
    medianMs: 2000,
    hits: 11,
    events: 11,
    chance: 12,
  },
  'latency-not-periodic': { slow: 3, answers: 400 },
  'large-list-cut': { shades: 20, imported: 500 },
  'large-list-slow': {
    list: { shades: 500, pageOf: null },
    fastestMs: 1001,
    medianMs: 1004,
    lists: 5,
    boundMs: 500,
  },
  'large-list-in-doubt': { list: { shades: 500, pageOf: null }, fastestMs: 20, medianMs: 800, boundMs: 500 },
  'large-list-kept': { list: { shades: 500, pageOf: null }, medianMs: 42, lists: 5, boundMs: 500 },
  'large-list-pages': { pages: 5, tookMs: 150 },
  'large-list-ordinary': { shades: 50, medianMs: 4 },
};
