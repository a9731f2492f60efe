import type { FreedomName, FreedomOption } from '../../model/freedoms.ts';

interface FreedomWords<Option extends string> {
  readonly question: string;
  readonly answers: Readonly<Record<Option, string>>;
}

/** What the interface leaves open, as a question, and its answers. */
export const freedomWords: { readonly [Name in FreedomName]: FreedomWords<FreedomOption<Name>> } = {
  reimport: {
    question: 'Which import of a SKU is shown?',
    answers: { last: 'the latest', first: 'the first' },
  },
  duplicate: {
    question: 'Which of several shades with one SKU in one import is shown?',
    answers: { last: 'the last', first: 'the first' },
  },
  unknownSku: {
    question: 'What becomes of an event with a SKU outside the catalog?',
    answers: { refused: 'its batch is rejected', taken: 'it is stored', dropped: 'it alone is left out' },
  },
  unnamedShade: {
    question: 'What is a shade without a SKU in an import that is accepted?',
    answers: { 'left out': 'left out', 'given a SKU': 'listed under a SKU that it is given' },
  },
  refusedImport: {
    question: 'What does a rejected import store?',
    answers: {
      nothing: 'nothing',
      'before the bad': 'what comes before the bad shade',
      'all good': 'all good shades',
    },
  },
  refusedEvents: {
    question: 'What does a rejected batch of events store?',
    answers: {
      nothing: 'nothing',
      'before the bad': 'what comes before the bad event',
      'all good': 'all good events',
    },
  },
  repeatedId: {
    question: 'What is an event whose id its session has?',
    answers: { once: 'the same event', each: 'another event' },
  },
  idInBatch: {
    question: 'What is an event whose id is twice in its batch?',
    answers: { once: 'the same event', each: 'another event' },
  },
  order: {
    question: 'In which order is a history?',
    answers: {
      arrival: 'by arrival',
      at: 'by `at`',
      'newest arrival': 'by arrival, the newest first',
      'newest at': 'by `at`, the newest first',
    },
  },
  shadeCount: {
    question: 'Which shades does `shade_count` of a session count?',
    answers: { creation: 'those at its creation', live: 'those of now' },
  },
  skus: {
    question: 'Which SKUs may the events of a session name?',
    answers: { live: 'those of its catalog now', creation: 'those at its creation' },
  },
  accepted: {
    question: 'What does `accepted` count?',
    answers: { new: 'new events', all: 'all events of the batch' },
  },
  shadesPerSession: {
    question: 'What does `avg_shades_per_session` count of a session?',
    answers: { distinct: 'its different shades', selections: 'its selections' },
  },
  sessionsAveraged: {
    question: 'Over which sessions is `avg_shades_per_session` averaged?',
    answers: { all: 'all', 'with-shades': 'those with a shade' },
  },
  cartIntent: {
    question: 'Which sessions does `cart_intent_rate` count?',
    answers: { ever: 'those with a cart intent', last: 'those that end with a cart intent' },
  },
  cartOver: {
    question: 'Of which sessions is `cart_intent_rate` a fraction?',
    answers: { all: 'of all', 'with-shades': 'of those with a shade' },
  },
  otherToken: {
    question: 'What becomes of the token of another session?',
    answers: { refused: 'it is rejected', taken: 'it is accepted' },
  },
  expired: {
    question: 'What becomes of events for a session that is over?',
    answers: { refused: 'they are rejected', taken: 'they are accepted' },
  },
  keyOnChannel: {
    question: 'What becomes of an API key on the channel of the tokens?',
    answers: { refused: 'it is rejected', taken: 'it is accepted' },
  },
};

/** The answer of a target. */
export function answerText(freedom: FreedomName, option: string): string {
  const answers: Readonly<Record<string, string>> = freedomWords[freedom].answers;
  return answers[option] ?? option;
}
