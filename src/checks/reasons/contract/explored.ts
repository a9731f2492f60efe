import { counted, number } from '../../../amounts.ts';
import type { Endpoint } from '../../../vocabulary/requests.ts';
import { requestText } from '../words/requests.ts';

/** A wrong answer of the explorer's calls, as data. `expected` and `got`: in JSON, cut to where they differ. */
export interface WrongAnswer {
  readonly seq: number;
  readonly endpoint: Endpoint;
  readonly kind: string;
  readonly of: string;
  readonly expected: string;
  readonly got: string;
}

type WrongTexts = (answer: Omit<WrongAnswer, 'seq'>) => readonly [expected: string, got: string];

const wrongTexts: Readonly<Record<string, WrongTexts>> = {
  status: ({ expected, got }) => [expected, got],
  missing: ({ expected, of }) => [`${of}${expected === '' ? '' : ` (${expected})`} in it`, 'none'],
  extra: ({ got, of }) => [`no ${of} in it`, got],
  twice: ({ of }) => [`${of} once`, 'it twice'],
  order: ({ expected, got }) => [`events in the order ${expected}`, got],
  size: ({ expected, got }) => [`${expected} entries`, got],
  'id twice': ({ got, of }) => [`a new ${of}`, got],
};

/** What was expected and what came: `4xx` and `200`. */
export function wrongSides(answer: Omit<WrongAnswer, 'seq'>): readonly [expected: string, got: string] {
  return wrongTexts[answer.kind]?.(answer) ?? [`${answer.of} ${answer.expected}`, answer.got];
}

/** `expected 4xx, got 200`. */
export function wrongText(answer: Omit<WrongAnswer, 'seq'>): string {
  const [expected, got] = wrongSides(answer);
  return `expected ${expected}, got ${got}`;
}

/** `POST /sessions (seq 12)`. */
export function answerName({ endpoint, seq }: Pick<WrongAnswer, 'endpoint' | 'seq'>): string {
  return `${requestText(endpoint)} (seq ${number(seq)})`;
}

/** Reasons of the checks that the explorer's calls decide. */
export const exploredReasons = {
  'explored-differs': (answer: WrongAnswer) => `${answerName(answer)}: ${wrongText(answer)}.`,
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
  'explored-no-events':
    'No request with events was accepted. The interface shows no channel: say in the profile where it is and what a request holds (`channel.path`, `channel.body`).',
  'explored-left-out':
    'Left out: {answers:count answer} of an outage, or 5xx that the profile allows (`server_errors`).',
} as const;
