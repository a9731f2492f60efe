import type { runReasons } from '../../../src/checks/reasons/run.ts';
import type { Examples } from './examples.ts';

export const runExamples: Examples<typeof runReasons> = {
  'unanswered-left-out': { requests: 12, endpoints: ['interact', 'create-session'] },
  'left-out': { why: 'the budget is too short.' },
  'shards-lost': { lost: [3], of: 4, verdict: 'fail' },
  'history-recovered': { cut: [{ file: 'requests.bin', bytes: 12 }], leftOut: 3 },
  'run-ended': { how: 'cap', detail: '1,000 requests' },
};
