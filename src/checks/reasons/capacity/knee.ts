import { counted, number, percent, verb } from '../../../amounts.ts';
import { wording } from '../wording.ts';

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

const example: Load = { unit: 'rate', load: 118.9 };

/** Reasons for the highest load at which the target keeps its promise. */
export const kneeReasons = {
  'knee-untried': wording<{ unit: LoadUnit }>(
    { unit: 'rate' },
    ({ unit }) => `No step of ${models[unit]} was run.`,
  ),
  'knee-limited': wording<Load>(
    example,
    (at) => `A limit is in the way at ${loadText(at)}. Give a pool of keys (\`pool\`).`,
  ),
  'knee-unfinished': wording({}, () => 'The run was ended before the knee was found.'),
  'knee-first-broke': wording<Load>(
    example,
    (at) => `Already the first step, ${loadText(at)}, broke the promise.`,
  ),
  'knee-start-lower': wording({}, () => 'The knee is below the first step, so the study has to start lower.'),
  'knee-not-reached': wording<Load>(
    example,
    (at) => `The knee was not reached: ${loadText(at)} kept the promise, and the scenario goes no higher.`,
  ),
  'knee-promise-kept': wording(
    { promised: 100 },
    ({ promised }) =>
      `Every step at or above the promised ${counted(promised, 'request')} per second kept the promise.`,
  ),
  'knee-generator-late': wording<{ unit: LoadUnit; unclear: number; steps: number }>(
    { unit: 'rate', unclear: 6, steps: 13 },
    ({ steps, unclear, unit }) =>
      `Of ${counted(steps, 'step')} of ${models[unit]}, ${number(unclear)} ${verb(unclear, 'is', 'are')} unclear: too many requests were sent late or held back by the generator (\`in_flight\`). The target may not be the cause.`,
  ),
  'knee-without-repeats': wording(
    {},
    () => 'The time of the study ended before a step near the knee was repeated.',
  ),
  'knee-few-repeats': wording(
    { repeats: 9 },
    ({ repeats }) =>
      `The study needs more than ${counted(repeats, 'repeat')} to be certain. The promise is sometimes kept and sometimes broken over too wide a range, or the time of the study ended.`,
  ),
  'knee-keeps': wording<Load>(
    example,
    (at) => `It is certain that ${loadText(at)} ${verb(at.load, 'keeps', 'keep')} the promise.`,
  ),
  'knee-breaks': wording<Load>(
    example,
    (at) => `It is certain that ${loadText(at)} ${verb(at.load, 'breaks', 'break')} the promise.`,
  ),
  'knee-contradiction': wording<{ unit: LoadUnit; keeps: number; breaks: number }>(
    { unit: 'rate', keeps: 118.9, breaks: 100 },
    ({ breaks, keeps, unit }) =>
      `The repeats contradict each other: ${loadText({ unit, load: keeps })} certainly kept the promise, and ${loadText({ unit, load: breaks })} certainly broke it. The target was not the same throughout.`,
  ),
  'knee-found': wording<{
    unit: LoadUnit;
    keeps: number;
    breaks: number;
    confidence: number;
    repeats: number;
  }>(
    { unit: 'rate', keeps: 109.1, breaks: 118.9, confidence: 0.9, repeats: 10 },
    ({ breaks, confidence, keeps, repeats, unit }) =>
      `The knee is between ${loadText({ unit, load: keeps })} (promise kept) and ${loadText({ unit, load: breaks })} (promise broken), with ${percent(confidence)} confidence from ${counted(repeats, 'repeat')}.`,
  ),
  'knee-below': wording(
    { promised: 150 },
    ({ promised }) => `Expected the promise to be kept at ${counted(promised, 'request')} per second.`,
  ),
  'knee-either-side': wording(
    { promised: 105 },
    ({ promised }) =>
      `The promised ${counted(promised, 'request')} per second may be below or above the knee.`,
  ),
} as const;
