import type { titlesWithFigures } from '../../../src/checks/catalogue/check-catalogue.ts';
import type { Examples } from './examples.ts';

export const titleExamples: Examples<typeof titlesWithFigures> = {
  'rate-limit.enforced': { requests: 1000, windowMs: 60_000 },
  'rate-limit.admitted': { windowMs: 60_000 },
  'latency.large-list': { isPaged: false, boundMs: 250 },
  'latency.slo': { endpoint: 'list-shades', phase: null, percentile: 'p99', maxMs: 250 },
  '<group>.error': { group: 'quota' },
  '<group>.left-out': { question: 'The limiter study is run' },
};
