import { counted, number } from '../../../amounts.ts';

/** Reasons for the knee of a closed-loop climb. */
export const climbReasons = {
  'climb-untried': 'No step of a `saturate` phase was run.',
  'climb-unbounded': 'The scenario has no latency bound (p50, p90, p99 or maximum) that a step could break.',
  'climb-kept': ({ connections, perSecond }: { connections: number; perSecond: number }) =>
    `With ${counted(connections, 'connection')}, the bounds were kept at ${counted(perSecond, 'request')} per second.`,
  'climb-failed': ({ connections, failed }: { connections: number; failed: number }) =>
    `With ${counted(connections, 'connection')}, ${counted(failed, 'request')} failed.`,
  'climb-rejected': (params: { connections: number; rejected: number; answers: number }) =>
    `With ${counted(params.connections, 'connection')}, a limit rejected ${number(params.rejected)} of ${counted(params.answers, 'request')}.`,
  'climb-unsuccessful': (params: { connections: number; others: number; answers: number }) =>
    `With ${counted(params.connections, 'connection')}, ${number(params.others)} of ${counted(params.answers, 'answer')} had a status other than 2xx.`,
  'climb-silent': ({ connections }: { connections: number }) =>
    `With ${counted(connections, 'connection')}, nothing was answered.`,
  'climb-slow': (params: { connections: number; percentile: string; atMs: number; boundMs: number }) =>
    `With ${counted(params.connections, 'connection')}, the ${params.percentile} was ${number(params.atMs)} ms, over the bound of ${number(params.boundMs)} ms.`,
  'climb-not-reached': 'The knee was not reached: no step with more connections was run.',
  'climb-limited': 'A limit ended the climb. To find the knee, the run needs more keys.',
  'climb-first-broke': 'Already the first step broke a bound.',
  'climb-below': ({ best, promised }: { promised: number; best: number }) =>
    `Expected at least ${counted(promised, 'request')} per second within the bounds, got ${number(best)}.`,
  'climb-found': ({ best, promised }: { promised: number; best: number }) =>
    `The knee was found: ${counted(best, 'request')} per second within the bounds, of ${number(promised)} promised.`,
} as const;
