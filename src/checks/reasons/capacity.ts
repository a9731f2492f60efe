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
  'step-limited': 'A limit rejected {rejected:count request} (429 or 402) in this step.',
  'step-stopped': 'The run was ended during this step.',
  'step-failed': 'Of {judged:count request} in this step, {failed} failed.',
  'step-over':
    'Of {judged:count request} in this step, {over} took longer than {boundMs} ms; the promise allows {allowed}.',
  'step-late':
    'The generator may be the cause: up to {late} of these {late:was|were} sent late or held back.',
  'step-silent': 'Nothing was answered in this step.',
  'knee-untried': ({ unit }: { unit: LoadUnit }) => `No step of ${models[unit]} was run.`,
  'knee-limited': (at: LoadLevel) =>
    `A limit is in the way at ${loadText(at)}. Give a pool of keys (\`pool\`).`,
  'knee-unfinished': 'The run was ended before the knee was found.',
  'knee-first-broke': (at: LoadLevel) => `Already the first step, ${loadText(at)}, broke the promise.`,
  'knee-start-lower': 'The knee is below the first step, so the study has to start lower.',
  'knee-not-reached': (at: LoadLevel) =>
    `The knee was not reached: ${loadText(at)} kept the promise, and the scenario goes no higher.`,
  'knee-promise-kept':
    'Every step at or above the promised {promised:count request} per second kept the promise.',
  'knee-generator-late': ({ steps, unclear, unit }: { unit: LoadUnit; unclear: number; steps: number }) =>
    `Of ${counted(steps, 'step')} of ${models[unit]}, ${number(unclear)} ${verb(unclear, 'is', 'are')} unclear: too many requests were sent late or held back by the generator (\`in_flight\`). The target may not be the cause.`,
  'knee-without-repeats': 'The time of the study ended before a step near the knee was repeated.',
  'knee-few-repeats':
    'The study needs more than {repeats:count repeat} to be certain. The promise is sometimes kept and sometimes broken over too wide a range, or the time of the study ended.',
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
  'knee-below': 'Expected the promise to be kept at {promised:count request} per second.',
  'knee-either-side': 'The promised {promised:count request} per second may be below or above the knee.',
  'knee-not-studied': 'The scenario has no study of capacity.',
} as const;
