import { z } from 'zod';
import { number, span } from '../../amounts.ts';
import { type LimiterFindings, limiterFindings } from '../../checks/rate-limit/study/findings.ts';
import { studySlots, type TimeSlots, trailingAdmitted } from '../../checks/rate-limit/study/time-slots.ts';
import { kindText } from '../../checks/reasons/words/limits.ts';
import type { History } from '../../history/history.ts';
import { sqlText } from '../../history/tables.ts';
import type { Interval } from '../../vocabulary/bounds.ts';
import type { CheckId } from '../../vocabulary/check-ids.ts';
import { studyPhases } from '../../vocabulary/phases.ts';
import {
  type Band,
  type Chart,
  chartOf,
  foreign,
  heading,
  nothing,
  paragraph,
  quiet,
  type ReportFigure,
  strong,
  type Text,
  table,
} from '../figure.ts';
import { checkBadge, checkLine, type Section, type SectionInput } from '../section.ts';
import { intervalText } from '../shown.ts';
import { windowName } from '../text.ts';
import { kindsPart, percent, scopePart } from './limiter-evidence.ts';
import { inWords } from './results.ts';

type ShownSurvivor = LimiterFindings['inference']['survivors'][number];

/** Points of a curve over the study. */
const mostPoints = 600;

/** The result of a study of the limiter; absent from the reports of other runs. */
export const limiterSection: Section = {
  id: 'limiter',
  title: 'The limiter',
  about: ['rate-limit'],
  make: async (input) => {
    const { history, judgement } = input;
    const findings = await limiterFindings(history);
    if (findings === undefined) return undefined;
    const slots = await studySlots(history, mostPoints);
    if (slots === undefined) return [nothing('The study of the limiter sent no requests.')];
    const bands = await studyBands(history);
    const trailing = await trailingChart(history, findings, slots, bands);
    const part = (summary: string, body: readonly (ReportFigure | undefined)[]): ReportFigure => ({
      kind: 'details',
      summary,
      body: body.filter((each) => each !== undefined),
      isOpen: judgement.verdict !== 'pass',
    });
    return [
      ...foundPart(findings, input),
      heading('Admitted against the limit'),
      trailing === undefined ? nothing('Nothing was admitted.') : chartOf(trailing),
      checkLine(judgement, 'rate-limit.admitted'),
      heading('Kinds of limiter'),
      ...kindsPart(findings.inference),
      part('Scope of the limit', await scopePart(history, findings, judgement)),
      part('Rate-limit headers', [
        checkLine(judgement, 'rate-limit.headers'),
        checkLine(judgement, 'rate-limit.headers-remaining'),
        checkLine(judgement, 'rate-limit.headers-reset'),
        checkLine(judgement, 'rate-limit.retry-after'),
      ]),
    ];
  },
};

const phases: Readonly<Record<NonNullable<ShownSurvivor['phase']>, string>> = {
  'clock-aligned': 'by the clock',
  unaligned: 'on another grid',
  'first-request': 'at a key’s first request, and then evenly',
  'each-first-request': 'each with a request',
};
const unsaid = quiet('not stated');
const unknown = quiet('not known');

/** The result in a sentence, and next to the profile's promises. */
function foundPart(findings: LimiterFindings, { history, judgement }: SectionInput): ReportFigure[] {
  const { inference, keysDiffer, refusalStatus, scope } = findings;
  const { admitted, limited, requests, survivors } = inference;
  const { limit_endpoints, limit_scope, limiter, rate_limit } = history.profile;
  const [best] = survivors;
  const others = requests - admitted - limited;
  const clause = inWords(findings);
  const measured = <Value>(value: Value | null | undefined, text: (value: Value) => string): Text =>
    value == null ? unknown : text(value);
  const either = (value: boolean | null, yes: string, no: string): Text =>
    measured(value, (is) => (is ? yes : no));
  const stated = (value: string): Text => (value === 'discover' ? unsaid : value);
  type Fact = readonly [what: string, promised: Text, measured: Text, possible?: Text, check?: CheckId];
  const rows: readonly (Fact | false)[] = [
    [
      'Kind',
      limiter === 'unspecified' ? unsaid : kindText(limiter),
      measured(best, ({ name }) => name),
      '',
      'rate-limit.algorithm',
    ],
    [
      'Limit',
      number(rate_limit.requests),
      measured(best?.limit, number),
      best?.limitBounds && intervalText(best.limitBounds),
      'rate-limit.limit',
    ],
    [
      'Window',
      span(rate_limit.windowMs),
      measured(best?.windowMs, span),
      wholeMs(best?.windowMsBounds),
      'rate-limit.window',
    ],
    ['Burst from idle', unsaid, measured(best?.burst, number)],
    best?.refillPerS != null && [
      'Refill',
      unsaid,
      `${number(Math.round(best.refillPerS * 100) / 100)} a second`,
    ],
    best?.blockMs !== undefined && [
      'Block after a rejection',
      unsaid,
      span(best.blockMs),
      wholeMs(best.blockMsBounds),
    ],
    best?.phase != null && ['Windows begin', unsaid, phases[best.phase]],
    [
      'Rejected requests count',
      unsaid,
      best?.rejectsCount == null ? 'cannot be seen from outside' : best.rejectsCount ? 'yes' : 'no',
    ],
    [
      'Keys',
      stated(limit_scope),
      either(scope.per_key, 'a separate limit each', 'one limit for all'),
      '',
      'rate-limit.scope',
    ],
    ['Client addresses', unsaid, either(scope.per_address, 'a separate limit each', 'make no difference')],
    [
      'Endpoints',
      stated(limit_endpoints),
      either(scope.per_endpoint, 'a separate limit each', 'one limit for all'),
    ],
    [
      'Requests without a valid key',
      unsaid,
      either(scope.unauthenticated_counted, 'limited, too', 'not limited'),
    ],
    ['Confidence', '', measured(best?.confidence, percent)],
  ];
  return [
    paragraph(strong(foreign(`${clause.charAt(0).toUpperCase()}${clause.slice(1)}.`))),
    paragraph(
      `${number(requests)} requests with the run’s keys were compared with every kind of limiter: ${number(admitted)} admitted, ${number(limited)} rejected${refusalStatus === 429 ? '' : ` (with status ${String(refusalStatus)})`}${others > 0 ? `, ${number(others)} with another answer or none` : ''}. Requests without a valid key are not among them, nor are events with a session token.${keysDiffer ? ' The keys seem to have different limits; the table is about the load key.' : ''} The limit and the window were measured, not taken from the profile.`,
    ),
    table<Fact>(
      'Measured, and promised by the profile',
      rows.filter((row) => row !== false),
      [
        ['Fact', ([what]) => what],
        ['Promised', ([, promised]) => promised],
        ['Measured', ([, , found]) => found],
        ['Possible range', ([, , , possible]) => possible],
        ['Verdict', ([, , , , check]) => check && checkBadge(judgement, check)],
      ],
    ),
  ];
}

function wholeMs(bounds: Interval | null | undefined): Text {
  const ends = Object.entries(bounds ?? {}).map(([end, ms]) => [end, Math.round(ms)]);
  return bounds != null && `${intervalText(Object.fromEntries(ends))} ms`;
}

const colours = ['line-a', 'line-b', 'other', 'over-quota'] as const;

/** What each key was admitted in the trailing window over the study, against the promised limit. */
async function trailingChart(
  history: History,
  findings: LimiterFindings,
  slots: TimeSlots,
  bands: readonly Band[],
): Promise<Chart | undefined> {
  const { requests, windowMs } = history.profile.rate_limit;
  const used = (await trailingAdmitted(history, findings, slots))
    .map(({ label, most }) => ({ label, most, peak: most.reduce<number>((a, b) => Math.max(a, b ?? 0), 0) }))
    .filter(({ peak }) => peak > 0);
  if (used.length === 0) return undefined;
  return {
    id: 'limiter-trailing',
    title: `Admitted in the trailing ${windowName(windowMs)}, by key`,
    unit: '2xx answers during the study, by the time of sending; the verdict covers the whole run',
    summary: `Requests admitted within any ${span(windowMs)} that ends in the study: ${used.map(({ label, peak }) => `${label} at most ${number(peak)}`).join(', ')}; the limit promised is ${number(requests)}.`,
    x: Array.from(
      { length: slots.count },
      (_, slot) => Math.round((slots.fromNs + slot * slots.widthNs) / 1e7) / 100,
    ),
    series: used.map(({ label, most, peak }, at) => ({
      label,
      colour: colours[at % colours.length] ?? 'other',
      draw: 'line',
      values: most,
      summary: `at most ${number(peak)} during the study`,
    })),
    limits: [{ value: requests, label: `promised limit, ${number(requests)}` }],
    bands,
  };
}

const stretchRow = z.object({ phase: z.string(), from_ns: z.number(), to_ns: z.number() });

const ofLimits = 'limits: ';
const atTheLimit = 'at the limit';
/**
 * A pause this much longer than the promised window ends a probe: within a probe there are none, after each there is
 * one.
 */
const pauseWindows = 1.2;

/** When a study of the limiter did what: everything at the limit is one stretch, probes that ran side by side are another. */
export async function studyBands(history: History): Promise<Band[]> {
  const pauseNs = pauseWindows * history.profile.rate_limit.windowMs * 1e6;
  const rows = await history.rows(
    stretchRow,
    `WITH gaps AS (
       SELECT phase, sent_ns, coalesce(answered_ns, sent_ns) AS answered_ns,
         sent_ns - lag(sent_ns) OVER (PARTITION BY phase ORDER BY sent_ns) > ${pauseNs} AS begins
       FROM requests WHERE stage = 'study' AND starts_with(phase, ${sqlText(ofLimits)}) AND sent_ns IS NOT NULL
     ), parts AS (
       SELECT *, count(*) FILTER (begins) OVER (PARTITION BY phase ORDER BY sent_ns) AS part FROM gaps
     )
     SELECT phase, min(sent_ns) AS from_ns, max(answered_ns) AS to_ns FROM parts GROUP BY phase, part ORDER BY from_ns`,
  );
  const stretches: { readonly names: Set<string>; readonly fromS: number; toS: number }[] = [];
  for (const { from_ns, phase, to_ns } of rows) {
    const name = phase.startsWith(studyPhases.probe) ? phase.slice(ofLimits.length) : atTheLimit;
    const [fromS, toS] = [from_ns / 1e9, to_ns / 1e9];
    const before = stretches.at(-1);
    const pauseS = name === atTheLimit && before?.names.has(name) ? pauseNs / 1e9 : 0;
    if (before !== undefined && fromS < before.toS + pauseS) {
      before.names.add(name);
      before.toS = Math.max(before.toS, toS);
    } else stretches.push({ names: new Set([name]), fromS, toS });
  }
  return stretches.map(({ fromS, names, toS }) => ({ name: [...names].join(' + '), fromS, toS }));
}
