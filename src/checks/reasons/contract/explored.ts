import { counted, number } from '../../../amounts.ts';
import type { Endpoint } from '../../../vocabulary/requests.ts';
import { requestText } from '../words/requests.ts';

/** A wrong answer of the explorer's calls, as data. `expected` and `got`: in JSON, cut to what can be read. */
export interface WrongAnswer {
  readonly seq: number;
  readonly endpoint: Endpoint;
  readonly kind: string;
  readonly of: string;
  readonly expected: string;
  readonly got: string;
}

const wrongTexts: Readonly<Record<string, (answer: Omit<WrongAnswer, 'seq'>) => string>> = {
  status: ({ expected, got }) => `expected ${expected}, got ${got}`,
  missing: ({ expected, of }) => `expected ${of}${expected === '' ? '' : ` (${expected})`} in it, got none`,
  extra: ({ got, of }) => `expected no ${of} in it, got ${got}`,
  twice: ({ of }) => `expected ${of} once, got it twice`,
  order: ({ expected, got }) => `expected events in the order ${expected}, got ${got}`,
  size: ({ expected, got }) => `expected ${expected} entries, got ${got}`,
  'id twice': ({ got, of }) => `expected a new ${of}, got ${got}`,
};

/** `expected 4xx, got 200`. */
export function wrongText(answer: Omit<WrongAnswer, 'seq'>): string {
  return wrongTexts[answer.kind]?.(answer) ?? `expected ${answer.of} ${answer.expected}, got ${answer.got}`;
}

/** Reasons of the checks that the explorer's calls decide. */
export const exploredReasons = {
  'explored-differs': (answer: WrongAnswer) =>
    `${requestText(answer.endpoint)} (seq ${number(answer.seq)}): ${wrongText(answer)}.`,
  'explored-share': ({ answers, wrong }: { wrong: number; answers: number }) =>
    `Of ${counted(answers, 'answer')} that could show it, ${number(wrong)} ${wrong === 1 ? 'is' : 'are'} wrong.`,
  /** `faults`: known ones that would have failed the check, at least; 0 where that was not looked at. */
  'explored-agrees': ({ answers, faults }: { answers: number; faults: number }) =>
    `No wrong answer is among ${counted(answers, 'answer')} to the explorer that could show it.${
      faults === 0 ? '' : ` At least ${counted(faults, 'known fault')} would have failed it.`
    }`,
  'explored-none': ({ calls }: { calls: number }) =>
    calls === 0
      ? 'The run sent no call of the explorer.'
      : `Of ${counted(calls, 'call')} of the explorer, none that could show it was answered.`,
  'explored-catalogs-shared':
    'Accounts share their catalogs and nothing else. Whether they may is not promised (`data_scope`).',
  'explored-left-out':
    'Left out: {answers:count answer} of an outage, or 5xx that the profile allows (`server_errors`).',
} as const;
