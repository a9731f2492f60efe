import { z } from 'zod';
import { counted, number } from '../../amounts.ts';
import type { History } from '../../history/history.ts';
import { oncePerHistory } from '../../history/tables.ts';
import type { LossReason, NotSentReason } from '../../vocabulary/requests.ts';
import {
  type ChartColour,
  foreign,
  joined,
  lines,
  nothing,
  paragraph,
  queried,
  quiet,
  type ReportFigure,
  strong,
  type Text,
  t,
  table,
} from '../figure.ts';
import type { Section } from '../section.ts';
import { instant, utcMs } from '../text.ts';

/** The ends of requests that reports tell apart, in the order in which they are shown. */
export const outcomeNames = ['2xx', '429', '402', '4xx', '5xx', 'other', 'lost', 'not-sent'] as const;
export type SeriesOutcome = (typeof outcomeNames)[number];
export const outcomes: Readonly<
  Record<SeriesOutcome, { readonly label: string; readonly colour: ChartColour }>
> = {
  '2xx': { label: 'admitted (2xx)', colour: 'ok' },
  '429': { label: 'rejected (429)', colour: 'limited' },
  '402': { label: 'over quota (402)', colour: 'over-quota' },
  '4xx': { label: 'other 4xx', colour: 'client-error' },
  '5xx': { label: '5xx', colour: 'server-error' },
  other: { label: '1xx and 3xx', colour: 'other' },
  lost: { label: 'lost (no answer)', colour: 'lost' },
  'not-sent': { label: 'not sent', colour: 'not-sent' },
};
export const outcomeColumn = z.enum(outcomeNames);

export const outcomeSql = `CASE
  WHEN not_sent IS NOT NULL THEN 'not-sent' WHEN lost IS NOT NULL OR status IS NULL THEN 'lost'
  WHEN status = 429 THEN '429' WHEN status = 402 THEN '402'
  WHEN status BETWEEN 200 AND 299 THEN '2xx' WHEN status BETWEEN 400 AND 499 THEN '4xx'
  WHEN status BETWEEN 500 AND 599 THEN '5xx' ELSE 'other' END`;

/** SQL: the instant at which a request belongs on the time axis: when it was sent, or was to be. */
export const at = 'coalesce(sent_ns, intended_ns)';

const countRow = z.object({
  stage: z.string(),
  phase: z.string(),
  is_probe: z.boolean(),
  outcome: outcomeColumn,
  n: z.number(),
  from_ns: z.number(),
  to_ns: z.number(),
});
export type PhaseOutcome = z.output<typeof countRow>;

/** What became of every request, by phase in the order in which the phases began. */
export const outcomeCounts = oncePerHistory(
  (history): Promise<PhaseOutcome[]> =>
    history.rows(
      countRow,
      `WITH one AS (
         SELECT stage, phase, probe IS NOT NULL AS is_probe, ${outcomeSql} AS outcome, ${at} AS at_ns,
           min(intended_ns) OVER (PARTITION BY stage, phase) AS began_ns, min(seq) OVER (PARTITION BY stage, phase) AS first
         FROM requests
       )
       SELECT stage, phase, is_probe, outcome, count(*) AS n, min(at_ns) AS from_ns, max(at_ns) AS to_ns
       FROM one GROUP BY stage, phase, is_probe, outcome, began_ns, first ORDER BY began_ns, first`,
    ),
);

export function sumOf(counts: readonly PhaseOutcome[], ...wanted: readonly SeriesOutcome[]): number {
  return counts.reduce((sum, { n, outcome }) => sum + (wanted.includes(outcome) ? n : 0), 0);
}

/** Why a request was not sent, or got no answer. */
export const whyNoAnswer: Readonly<Record<NotSentReason | LossReason, string>> = {
  'no-session': 'its session was rejected or never answered',
  patience: 'the shopper had left, since answers were slow',
  'in-flight-bound': 'as many requests were in flight as the profile allows',
  'no-connection': 'the target took no connection',
  'no-address': 'the name of the target was not resolved, or not in time',
  'no-socket': 'this machine had no port or file descriptor left for a connection',
  'no-channel': 'the target has no interaction channel',
  'bad-header': 'no header can carry a value that it needs, such as the token of the session',
  'no-key': 'no key was given for the role',
  stopped: 'the run ended first',
  timeout: 'no answer within the profile’s time-outs',
  reset: 'the connection broke before the answer was complete',
  'closed-idle':
    'the target closed the idle connection as the request was sent; it may have read the request',
  protocol: 'the answer was not HTTP',
  'too-long': 'the head of the answer was over 64 KiB, or its body over 64 MiB',
  'no-room': 'the bodies under way filled the memory that tryon gives them',
};

/** Each kind of failure with its first and last request: answers other than 2xx, but for probes; lost; not sent. */
export async function failureTable(history: History): Promise<ReportFigure> {
  const kind = `CASE WHEN not_sent IS NOT NULL THEN 'not sent: ' WHEN status IS NULL THEN 'lost: ' ELSE '' END`;
  const what = `coalesce(not_sent, CAST(status AS VARCHAR), lost, 'no outcome recorded')`;
  const when = (value: string | number | null): Text => {
    const ns = Number(value);
    return lines(instant(ns), quiet(`${utcMs(history.run.zero_epoch_ms + ns / 1e6)} UTC`));
  };
  const found = await queried(
    history,
    'Answers other than 2xx (without probes), requests without an answer, and requests not sent',
    [
      ['Kind', `${kind} || ${what}`, (value) => kindOfFailure(String(value))],
      ['Endpoint', 'endpoint', 'text'],
      ['Requests', 'count(*)', 'count'],
      ['First', `min(${at})`, when],
      ['Last', `max(${at})`, when],
    ],
    {
      from: 'requests WHERE status IS NULL OR (probe IS NULL AND status NOT BETWEEN 200 AND 299)',
      time: [`min(${at})`, `max(${at})`],
      after: `GROUP BY ${kind}, ${what}, endpoint ORDER BY min(${at}), ${what}, endpoint LIMIT 200`,
    },
  );
  return found ?? paragraph('Every request was sent, and every request but probes got a 2xx answer.');
}

function kindOfFailure(text: string): Text {
  const reason = text.replace(/^(lost|not sent): /, '');
  const meaning = Object.entries(whyNoAnswer).find(([name]) => name === reason)?.[1];
  return t`${foreign(text)}${meaning !== undefined && t` ${quiet(meaning)}`}`;
}

/** What became of every request: due = sent + not sent, and sent = answers by status + lost. */
export const booksSection: Section = {
  id: 'books',
  title: 'Accounting of requests',
  about: [],
  make: async ({ history }) => {
    const counts = await outcomeCounts(history);
    if (counts.length === 0) return [nothing('The history holds no requests.')];
    const [sent, notSent] = [outcomeNames.filter((name) => name !== 'not-sent'), ['not-sent'] as const];
    const load = counts.filter(({ stage }) => stage === 'load');
    const [due, sum] = [
      (of: readonly PhaseOutcome[]) => number(sumOf(of, ...outcomeNames)),
      (name: SeriesOutcome) => sumOf(counts, name),
    ];
    const phases = [...Map.groupBy(counts, ({ phase, stage }) => `${stage} ${phase}`).values()];
    const columns: readonly (readonly [label: string, of: (own: readonly PhaseOutcome[]) => string])[] = [
      ['recorded', due],
      ['not sent', (own) => number(sumOf(own, ...notSent))],
      ['sent', (own) => number(sumOf(own, ...sent))],
      ...sent
        .filter((name) => name === '2xx' || sum(name) > 0)
        .map(
          (name) =>
            [outcomes[name].label, (own: readonly PhaseOutcome[]) => number(sumOf(own, name))] as const,
        ),
    ];
    const [row] = await history.rows(
      z.object({ again: z.number() }),
      'SELECT count(first_sent_ns) AS again FROM requests',
    );
    const again = row?.again ?? 0;
    return [
      {
        kind: 'list',
        look: 'equations',
        items: [
          `Load: planned ${number(history.run.planned_requests)}; recorded ${due(load)} = ${number(sumOf(load, ...sent))} sent + ${number(sumOf(load, ...notSent))} not sent`,
          t`All stages: sent ${number(sumOf(counts, ...sent))} = ${joined(
            sent
              .filter((name) => sum(name) > 0)
              .map((name) => t`${number(sum(name))} ${quiet(`(${outcomes[name].label})`)}`),
            ' + ',
          )}`,
        ],
      },
      again === 0
        ? undefined
        : paragraph(
            `${counted(again, 'GET request')} ${again === 1 ? 'was' : 'were'} repeated, since the target had closed the idle connection. Each counts once above.`,
          ),
      table(
        'Requests by phase and outcome',
        [...phases, counts],
        [
          ['phase', ([first], row) => (row === phases.length ? strong('All') : foreign(first?.phase ?? ''))],
          ['stage', ([first], row) => row < phases.length && first?.stage],
          ...columns.map(
            ([label, of]) =>
              [
                label,
                (own: readonly PhaseOutcome[], row: number) =>
                  row === phases.length ? strong(of(own)) : of(own),
                'number',
              ] as const,
          ),
        ],
        (own) => ({
          time:
            own === counts
              ? undefined
              : {
                  fromNs: Math.min(...own.map(({ from_ns }) => from_ns)),
                  toNs: Math.max(...own.map(({ to_ns }) => to_ns)),
                },
        }),
      ),
    ];
  },
};
