import { counted, number } from '../../../amounts.ts';
import { wording } from '../wording.ts';

/** Reasons for the knee of a closed-loop climb. */
export const climbReasons = {
  'climb-untried': wording({}, () => 'No step of a `saturate` phase was run.'),
  'climb-unbounded': wording(
    {},
    () => 'The scenario has no latency bound (p50, p90, p99 or maximum) that a step could break.',
  ),
  'climb-kept': wording(
    { connections: 2, perSecond: 90 },
    ({ connections, perSecond }) =>
      `With ${counted(connections, 'connection')}, the bounds were kept at ${counted(perSecond, 'request')} per second.`,
  ),
  'climb-failed': wording(
    { connections: 2, failed: 3 },
    ({ connections, failed }) =>
      `With ${counted(connections, 'connection')}, ${counted(failed, 'request')} failed.`,
  ),
  'climb-rejected': wording(
    { connections: 2, rejected: 50, answers: 450 },
    ({ answers, connections, rejected }) =>
      `With ${counted(connections, 'connection')}, a limit rejected ${number(rejected)} of ${counted(answers, 'request')}.`,
  ),
  'climb-unsuccessful': wording(
    { connections: 2, others: 50, answers: 450 },
    ({ answers, connections, others }) =>
      `With ${counted(connections, 'connection')}, ${number(others)} of ${counted(answers, 'answer')} had a status other than 2xx.`,
  ),
  'climb-silent': wording(
    { connections: 2 },
    ({ connections }) => `With ${counted(connections, 'connection')}, nothing was answered.`,
  ),
  'climb-slow': wording(
    { connections: 4, percentile: 'p99', atMs: 150, boundMs: 100 },
    ({ atMs, boundMs, connections, percentile }) =>
      `With ${counted(connections, 'connection')}, the ${percentile} was ${number(atMs)} ms, over the bound of ${number(boundMs)} ms.`,
  ),
  'climb-not-reached': wording({}, () => 'The knee was not reached: no step with more connections was run.'),
  'climb-limited': wording({}, () => 'A limit ended the climb. To find the knee, the run needs more keys.'),
  'climb-first-broke': wording({}, () => 'Already the first step broke a bound.'),
  'climb-below': wording(
    { promised: 16.7, best: 8 },
    ({ best, promised }) =>
      `Expected at least ${counted(promised, 'request')} per second within the bounds, got ${number(best)}.`,
  ),
  'climb-found': wording(
    { promised: 16.7, best: 90 },
    ({ best, promised }) =>
      `The knee was found: ${counted(best, 'request')} per second within the bounds, of ${number(promised)} promised.`,
  ),
} as const;
