import type { latencyReasons } from '../../../src/checks/reasons/latency.ts';
import type { Examples } from './examples.ts';

export const latencyExamples: Examples<typeof latencyReasons> = {
  'neighbours-free': { pairs: 10, mostWaitMs: 2.3 },
  'connections-slow-at-first': {
    connections: 6,
    fastestFirstMs: 405,
    slowestFirstMs: 412,
    slowestNextMs: 3,
  },
  'connections-alike': { connections: 6, fastestFirstMs: 2.1, slowestFirstMs: 4.2, slowestNextMs: 3 },
  'connections-none-slow': { connections: 8, fewest: 480 },
  'outside-load-slow': { slow: 4, others: 300, trait: 'credential', values: ['bystander'] },
  'opening-kept': { boundMs: 200, connections: 64, over: 0, longestMs: 12.4 },
  'slo-pauses': { pauses: 6, longestMs: 1500, everyMs: 20_000, held: 190, over: 195 },
  'slo-grew': { mediansMs: [488, 1448, 2408, 3368, 4328] },
  'slo-value': { slow: 16, others: 69, trait: 'product_id', values: ['p02'] },
  'latency-not-periodic': { slow: 3, answers: 400 },
  'large-list-slow': {
    list: { shades: 500, pageOf: null },
    fastestMs: 1001,
    medianMs: 1004,
    lists: 5,
    boundMs: 500,
  },
  'large-list-in-doubt': { list: { shades: 500, pageOf: null }, fastestMs: 20, medianMs: 800, boundMs: 500 },
  'large-list-kept': { list: { shades: 500, pageOf: null }, medianMs: 42, lists: 5, boundMs: 500 },
};
