import { counted, number, percent, verb } from '../../amounts.ts';

/** The load of a search: requests per second of the open model, or connections of the closed loop. */
export type LoadUnit = 'rate' | 'connections';
interface LoadLevel {
  readonly unit: LoadUnit;
  readonly load: number;
}

const models: Readonly<Record<LoadUnit, string>> = { rate: 'the open model', connections: 'the closed loop' };

function loadText({ load, unit }: LoadLevel): string {
  return unit === 'rate' ? `${counted(load, 'request')} per second` : counted(load, 'connection');
}

/** Reasons of the capacity checks. */
export const capacityReasons = {
  'step-limited': ({ rejected }: { rejected: number }) =>
    `A limit rejected ${counted(rejected, 'request')} (429 or 402) in this step.`,
  'step-stopped': 'The run was ended during this step.',
  'step-failed': ({ failed, judged }: { failed: number; judged: number }) =>
    `Of ${counted(judged, 'request')} in this step, ${number(failed)} failed.`,
  'step-over': (params: { over: number; judged: number; allowed: number; boundMs: number }) =>
    `Of ${counted(params.judged, 'request')} in this step, ${number(params.over)} took longer than ${number(params.boundMs)} ms; the promise allows ${number(params.allowed)}.`,
  'step-late': ({ late }: { late: number }) =>
    `The generator may be the cause: up to ${number(late)} of these ${verb(late, 'was', 'were')} sent late or held back.`,
  'step-silent': 'Nothing was answered in this step.',
  'knee-untried': ({ unit }: { unit: LoadUnit }) => `No step of ${models[unit]} was run.`,
  'knee-limited': (at: LoadLevel) =>
    `A limit is in the way at ${loadText(at)}. Give a pool of keys (\`pool\`).`,
  'knee-unfinished': 'The run was ended before the knee was found.',
  'knee-first-broke': (at: LoadLevel) => `Already the first step, ${loadText(at)}, broke the promise.`,
  'knee-start-lower': 'The knee is below the first step, so the study has to start lower.',
  'knee-not-reached': (at: LoadLevel) =>
    `The knee was not reached: ${loadText(at)} kept the promise, and the scenario goes no higher.`,
  'knee-promise-kept': ({ promised }: { promised: number }) =>
    `Every step at or above the promised ${counted(promised, 'request')} per second kept the promise.`,
  'knee-generator-late': ({ steps, unclear, unit }: { unit: LoadUnit; unclear: number; steps: number }) =>
    `Of ${counted(steps, 'step')} of ${models[unit]}, ${number(unclear)} ${verb(unclear, 'is', 'are')} unclear: too many requests were sent late or held back by the generator (\`in_flight\`). The target may not be the cause.`,
  'knee-without-repeats': 'The time of the study ended before a step near the knee was repeated.',
  'knee-few-repeats': ({ repeats }: { repeats: number }) =>
    `The study needs more than ${counted(repeats, 'repeat')} to be certain. The promise is sometimes kept and sometimes broken over too wide a range, or the time of the study ended.`,
  'knee-keeps': (at: LoadLevel) =>
    `It is certain that ${loadText(at)} ${verb(at.load, 'keeps', 'keep')} the promise.`,
  'knee-breaks': (at: LoadLevel) =>
    `It is certain that ${loadText(at)} ${verb(at.load, 'breaks', 'break')} the promise.`,
  'knee-contradiction': ({ breaks, keeps, unit }: { unit: LoadUnit; keeps: number; breaks: number }) =>
    `The repeats contradict each other: ${loadText({ unit, load: keeps })} certainly kept the promise, and ${loadText({ unit, load: breaks })} certainly broke it. The target was not the same throughout.`,
  'knee-found': (params: {
    unit: LoadUnit;
    keeps: number;
    breaks: number;
    confidence: number;
    repeats: number;
  }) =>
    `The knee is between ${loadText({ unit: params.unit, load: params.keeps })} (promise kept) and ${loadText({ unit: params.unit, load: params.breaks })} (promise broken), with ${percent(params.confidence)} confidence from ${counted(params.repeats, 'repeat')}.`,
  'knee-below': ({ promised }: { promised: number }) =>
    `Expected the promise to be kept at ${counted(promised, 'request')} per second.`,
  'knee-either-side': ({ promised }: { promised: number }) =>
    `The promised ${counted(promised, 'request')} per second may be below or above the knee.`,
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
