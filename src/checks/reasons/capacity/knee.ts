import { counted, number, percent, verb } from '../../../amounts.ts';

/** The load of a search: requests per second of the open model, or connections of the closed loop. */
export type LoadUnit = 'rate' | 'connections';
interface Load {
  readonly unit: LoadUnit;
  readonly load: number;
}

const models: Readonly<Record<LoadUnit, string>> = { rate: 'the open model', connections: 'the closed loop' };

function loadText({ load, unit }: Load): string {
  return unit === 'rate' ? `${counted(load, 'request')} per second` : counted(load, 'connection');
}

/** Reasons for the highest load at which the target keeps its promise. */
export const kneeReasons = {
  'knee-untried': ({ unit }: { unit: LoadUnit }) => `No step of ${models[unit]} was run.`,
  'knee-limited': (at: Load) => `A limit is in the way at ${loadText(at)}. Give a pool of keys (\`pool\`).`,
  'knee-unfinished': 'The run was ended before the knee was found.',
  'knee-first-broke': (at: Load) => `Already the first step, ${loadText(at)}, broke the promise.`,
  'knee-start-lower': 'The knee is below the first step, so the study has to start lower.',
  'knee-not-reached': (at: Load) =>
    `The knee was not reached: ${loadText(at)} kept the promise, and the scenario goes no higher.`,
  'knee-promise-kept': ({ promised }: { promised: number }) =>
    `Every step at or above the promised ${counted(promised, 'request')} per second kept the promise.`,
  'knee-generator-late': ({ steps, unclear, unit }: { unit: LoadUnit; unclear: number; steps: number }) =>
    `Of ${counted(steps, 'step')} of ${models[unit]}, ${number(unclear)} ${verb(unclear, 'is', 'are')} unclear: too many requests were sent late or held back by the generator (\`in_flight\`). The target may not be the cause.`,
  'knee-without-repeats': 'The time of the study ended before a step near the knee was repeated.',
  'knee-few-repeats': ({ repeats }: { repeats: number }) =>
    `The study needs more than ${counted(repeats, 'repeat')} to be certain. The promise is sometimes kept and sometimes broken over too wide a range, or the time of the study ended.`,
  'knee-keeps': (at: Load) =>
    `It is certain that ${loadText(at)} ${verb(at.load, 'keeps', 'keep')} the promise.`,
  'knee-breaks': (at: Load) =>
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
} as const;
