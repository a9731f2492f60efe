import { counted, number, span, times, verb } from '../../amounts.ts';
import type { Inferred, InferredConventions } from '../../checks/analytics/compare/inferred.ts';
import type { FactCounts } from '../../checks/analytics/expect/summary.ts';
import { type Freshness, freshnessOf } from '../../checks/analytics/freshness/freshness.ts';
import type { Reconciliation } from '../../checks/analytics/record/reconcile.ts';
import { analyticsTable } from '../../checks/analytics/results/table.ts';
import { conventionNames } from '../../checks/reasons/analytics/conventions.ts';
import { reason, reasonText } from '../../checks/reasons/reason.ts';
import type { ConventionName } from '../../vocabulary/analytics.ts';
import {
  type Chart,
  chartOf,
  code,
  details,
  foreign,
  heading,
  long,
  nothing,
  paragraph,
  quiet,
  type ReportFigure,
  strong,
  type Text,
  t,
  table,
} from '../figure.ts';
import { checkLine, nothingIf, type Section, type SectionInput } from '../section.ts';
import { agreement, answersPart, asksForOwnShoppers } from './analytics-answers.ts';

/** Analytics answers with their expected values, the conventions that follow, and where differences arose. */
export const analyticsSection: Section = {
  id: 'analytics',
  title: 'Analytics',
  about: ['analytics'],
  make: async ({ history, judgement, phases }) => {
    const age = await freshnessOf(history);
    const { conventions, facts, questions, reconciliation, rows } = await analyticsTable(history);
    const { checks } = history.run;
    if (rows.length === 0)
      return nothingIf(
        checks.includes('analytics'),
        asksForOwnShoppers(history.run)
          ? 'No analytics answer could be compared with a session of this run.'
          : 'The run had no shoppers, so its record has nothing to compare with the answers. The verdicts say whether the answers are consistent.',
      );
    return [
      agreement(rows),
      heading('All answers', 'analytics-answers'),
      ...answersPart(rows, history.run, questions.judged),
      heading('Conventions'),
      checkLine(judgement, 'analytics.conventions'),
      folded('The conventions that the answers show', conventionsPart(conventions)),
      heading('From events to analytics'),
      checkLine(judgement, 'analytics.sessions'),
      folded('Sessions and events, step by step', stepsPart(facts, reconciliation)),
      heading('Freshness'),
      checkLine(judgement, 'analytics.freshness'),
      ...freshnessPart(age, phases),
    ];
  },
};

function folded(summary: string, figures: readonly (ReportFigure | undefined)[]): ReportFigure {
  return details(summary, ...figures.filter((each) => each !== undefined));
}

const compared = 'The interface shows none of these. Every combination was compared with every answer';
const sentences: Readonly<Record<InferredConventions['kind'], string>> = {
  fits: `${compared}; these values fit all answers.`,
  contradicts: `${compared}. One fits all answers, and the profile says another:`,
  none: `${compared}, and none fits all answers. The nearest:`,
};

/** Values of one convention that the page names; all of a hundred zones would tell a reader no more. */
const mostValues = 4;
/** Values that do not fit, by name. */
const mostBreaks = 8;

/** The conventions that the answers show, with the profile's, and what would decide the open ones. */
function conventionsPart(inferred: InferredConventions | null): (ReportFigure | undefined)[] {
  if (inferred === null) return [nothing('No answer could tell conventions apart.')];
  const { breaks, conventions, kind } = inferred;
  return [
    paragraph(sentences[kind]),
    table(
      kind === 'none' ? 'The nearest set of conventions' : 'Conventions that fit every answer',
      conventions,
      [
        ['Convention', ({ name }) => (name === 'account' ? 'data_scope' : conventionNames[name])],
        ['Profile', ({ profile }) => profileCell(profile)],
        ['Answers show', shownCell],
        ['What would tell them apart', ({ name, values }) => kind === 'fits' && separation(name, values)],
      ],
    ),
    breaks.length === 0
      ? undefined
      : paragraph(
          t`${counted(breaks.length, 'value')} ${verb(breaks.length, 'does', 'do')} not fit it: ${foreign(
            breaks
              .slice(0, mostBreaks)
              .map(({ field, query, seq }) => `${query}: ${field} (request ${seq})`)
              .join('; '),
          )}${breaks.length > mostBreaks && ` and ${number(breaks.length - mostBreaks)} more`}`,
        ),
  ];
}

function separation(convention: ConventionName, { length }: readonly string[]): Text {
  if (length < 2 || convention === 'date_format') return false;
  return long(foreign(reasonText(reason('separation-session', { convention }))));
}

function profileCell(profile: string | null): Text {
  if (profile === null) return quiet('says nothing');
  return profile === 'discover' ? quiet('leaves it open') : foreign(profile);
}

function shownCell({ profile, values }: Inferred): Text {
  if (values.length === 0) return quiet('nothing');
  const more = values.length - mostValues;
  const text = foreign(
    `${values.slice(0, mostValues).join(' or ')}${more > 0 ? ` or ${number(more)} more` : ''}`,
  );
  const isOther = profile !== null && profile !== 'discover' && values.length === 1 && values[0] !== profile;
  return isOther ? strong(text) : text;
}

/** How far sessions and events got, step by step: each count is of those before it that got there too. */
function stepsPart(
  { accepted, acknowledged, asked, granted, sent }: FactCounts,
  { actsExpected, actsFound, agree, illegible, readBack }: Reconciliation,
): (ReportFigure | undefined)[] {
  return [
    paragraph(
      t`There are two sources of truth: this run’s record, and ${code('GET /sessions/{id}')}. They are compared session by session, and each with analytics. Only some sessions are read back.`,
    ),
    funnelTable('Sessions', [
      ['requests for a new session', asked, asked],
      ['sessions created: 2xx with a new session_id', granted, asked],
      ['sessions read back', readBack, granted],
      ['read back with the values of this run’s record', agree, readBack],
    ]),
    sent === 0
      ? undefined
      : funnelTable('Events', [
          ['events sent', sent, sent],
          ['events whose request got 2xx', acknowledged, sent],
          ...(accepted === null
            ? []
            : [['events accepted, as the answers say', accepted, acknowledged] as const]),
          ['events of sessions that were read back', actsExpected, acknowledged],
          ['events that GET /sessions/{id} shows', actsFound, actsExpected],
        ]),
    illegible.length === 0
      ? undefined
      : nothing(t`Not everything could be compared. ${foreign(illegible.map(reasonText).join(' '))}`),
  ];
}

type CountedStep = readonly [what: string, count: number, of: number];

function funnelTable(name: string, steps: readonly CountedStep[]): ReportFigure {
  return table(`${name}, step by step`, steps, [
    [name, ([what]) => what],
    ['Count', ([, count]) => number(count), 'number'],
    ['Of the step before', ([, count, of]) => ({ span: 'share', share: of === 0 ? 0 : count / of })],
  ]);
}

/** Sessions opened and sessions shown, poll by poll, and how long one took to become the other. */
function freshnessPart(freshness: Freshness, bands: SectionInput['phases']): (ReportFigure | undefined)[] {
  const { boundMs, lag, polls, productId } = freshness;
  if (productId === null || polls.length === 0) return [nothing('Analytics were not polled.')];
  return [
    paragraph(
      t`One query, for product ${code(productId)}, was sent ${times(polls.length)} during the load and after it. The profile promises new sessions within ${span(boundMs)}. The horizontal distance of the two curves is the lag.`,
    ),
    polls.length < 2 ? undefined : chartOf({ ...freshnessChart(freshness), bands }),
    lag === null
      ? undefined
      : table(
          `Lag of ${counted(lag.sessions, 'session')} from creation until visible; the bound is ${span(boundMs)}`,
          Object.entries({ Median: lag.p50Ms, '99th percentile': lag.p99Ms, Longest: lag.maxMs }),
          [
            ['Lag', ([what]) => what],
            ['At least', ([, { min = 0 }]) => `${number(Math.floor(min))} ms`],
            [
              'At most',
              ([, { max }]) => (max === undefined ? 'never visible' : `${number(Math.ceil(max))} ms`),
            ],
          ],
        ),
  ];
}

function freshnessChart({ boundMs, polls }: Freshness): Chart {
  const last = polls.at(-1);
  const [shown, created] = [number(last?.shown ?? 0), number(last?.opened.min ?? 0)];
  // At each poll, the sessions that had been created at an earlier poll, by at least the promised time.
  const promised = polls.map(({ atNs }) =>
    polls.reduce((most, poll) => (atNs - poll.atNs >= boundMs * 1e6 ? poll.opened.min : most), 0),
  );
  return {
    id: 'analytics-freshness',
    title: 'Sessions created, and sessions that analytics show',
    unit: 'sessions of the product, at each poll',
    summary: `Sessions of one product that had been created and that analytics showed, over ${counted(polls.length, 'poll')}; at the last, ${shown} of ${created} were visible.`,
    x: polls.map(({ atNs }) => Math.round(atNs / 1e7) / 100),
    series: [
      {
        label: 'created',
        colour: 'line-b',
        draw: 'line',
        dashed: true,
        values: polls.map(({ opened }) => opened.min),
        summary: created,
      },
      {
        label: 'shown',
        colour: 'line-a',
        draw: 'line',
        values: polls.map((poll) => poll.shown),
        summary: shown,
      },
      {
        label: `promised: created at least ${span(boundMs)} before, at an earlier poll`,
        colour: 'limit',
        draw: 'steps',
        dashed: true,
        values: promised,
      },
    ],
  };
}
