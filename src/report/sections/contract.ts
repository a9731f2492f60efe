import { counted, number, percent } from '../../amounts.ts';
import { exploredFindings } from '../../checks/contract/explored/findings.ts';
import { exploredPower } from '../../checks/contract/explored/power.ts';
import { reasonOf } from '../../checks/contract/openapi/openapi.ts';
import { dataOf } from '../../checks/core/check-data.ts';
import { reasonText } from '../../checks/reasons/reason.ts';
import type { NotShown } from '../../model/faults/power.ts';
import type { FreedomName, FreedomOption } from '../../model/freedoms.ts';
import type { OperationCoverage } from '../../target/openapi/coverage.ts';
import { code, details, foreign, nothing, paragraph, prose, type ReportFigure, t, table } from '../figure.ts';
import type { Section } from '../section.ts';

/** What the run reached of the target's own description; left out of runs without one. */
export const openApiSection: Section = {
  id: 'openapi',
  title: 'OpenAPI',
  make: async ({ history, judgement }) => {
    const { openapi: given } = history.run;
    if (given === undefined) return undefined;
    const data = dataOf(judgement.checks, 'contract.openapi');
    if (data === undefined)
      return [nothing('The answers were not held against the description; the check says why.')];
    const { contradictions, operations } = data;
    const described = operations.filter((each) => each.described);
    const called = described.filter(({ answers }) => answers > 0);
    return [
      paragraph(
        t`The run called ${number(called.length)} of ${counted(described.length, 'operation')} of ${code(given.from)}, and found ${counted(contradictions.length, 'contradiction')}.`,
      ),
      contradictions.length === 0
        ? undefined
        : table('Contradictions', contradictions, [
            ['Contradiction', (each) => prose(reasonText(reasonOf(each)))],
            ['Answers', ({ answers }) => number(answers), 'number'],
            ['First requests', ({ seqs }) => seqs.slice(0, 3).join(', ')],
          ]),
      ...operations.map(operationTable),
    ];
  },
};

function operationTable({
  answers,
  contradictions,
  described,
  operation,
  statuses,
}: OperationCoverage): ReportFigure {
  const state = !described ? 'not described' : answers === 0 ? 'never called' : counted(answers, 'answer');
  const found = contradictions > 0 ? `, ${counted(contradictions, 'contradiction')}` : '';
  return details(
    t`${foreign(operation)}: ${state}${found}`,
    table(operation, statuses, [
      ['Described', ({ described: isDescribed, status }) => (isDescribed ? status : 'no')],
      ['Got', ({ seen }) => (seen.length === 0 ? 'none' : seen.join(', '))],
      ['Answers', ({ answers: got }) => number(got), 'number'],
      [
        'Bodies compared',
        (each) => each.has_schema && each.answers > 0 && `${number(each.bodies)} of ${number(each.answers)}`,
        'number',
      ],
    ]),
  );
}

const whyWords: Readonly<Record<NotShown, string>> = {
  untouched: 'no call of its kind was sent',
  'no difference': 'no answer would have differed',
  uncertain: 'it shows at times only, or too little was certain',
};

/** What a pass of the contract excludes, measured: known faults planted into the model, and this run's calls replayed. */
export const powerSection: Section = {
  id: 'power',
  title: 'Power of the run',
  isFolded: true,
  make: async ({ history }) => {
    const findings = await exploredFindings(history);
    if (findings === undefined) return undefined;
    const power = await exploredPower(history);
    const settled = table('What the interface leaves open', findings.settled, [
      ['Question', ({ freedom }) => prose(freedomWords[freedom].question)],
      ['Answer of this target', ({ freedom, option }) => prose(answerText(freedom, option))],
      ['Shown by', ({ call }) => (call === undefined ? 'the profile' : `seq ${number(call)}`)],
    ]);
    if (power === undefined)
      return [nothing('Some answers of the explorer are wrong, so a pass excludes nothing.'), settled];
    const { faults, missed, shown } = power;
    return [
      paragraph(
        t`The run sent ${counted(findings.calls.length, 'call')} to tell a sound service from a faulty one. With them it would have shown ${number(shown)} of ${counted(faults, 'known fault')} (${percent(shown / faults)}). More calls show more (${code('explore')} in the scenario).`,
      ),
      details(
        `Not shown: ${number(missed.length)}`,
        table('Known faults that these calls would not have shown', missed, [
          ['Fault', ({ text }) => text],
          ['Why not', ({ why }) => whyWords[why]],
          ['Cause', ({ cause }) => cause],
        ]),
      ),
      details(`What the interface leaves open, and the answers of this target`, settled),
    ];
  },
};

interface FreedomWords<Option extends string> {
  readonly question: string;
  readonly answers: Readonly<Record<Option, string>>;
}

/** What the interface leaves open, as a question, and its answers. */
const freedomWords: { readonly [Name in FreedomName]: FreedomWords<FreedomOption<Name>> } = {
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
function answerText(freedom: FreedomName, option: string): string {
  const answers: Readonly<Record<string, string>> = freedomWords[freedom].answers;
  return answers[option] ?? option;
}
