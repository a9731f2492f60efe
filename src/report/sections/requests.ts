import { z } from 'zod';
import { counted, number, span } from '../../amounts.ts';
import { interactionsLookCounted } from '../../checks/rate-limit/traces/streams.ts';
import type { History } from '../../history/history.ts';
import { oncePerHistory } from '../../history/tables.ts';
import type { LossReason, NotSentReason } from '../../vocabulary/requests.ts';
import {
  type Chart,
  type ChartColour,
  chartOf,
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
import { type Buckets, bucketStarts, chooseBuckets, type Section, type SectionInput } from '../section.ts';
import { instant, perWindow, utcMs, windowName } from '../text.ts';

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
const outcomeColumn = z.enum(outcomeNames);

const outcomeSql = `CASE
  WHEN not_sent IS NOT NULL THEN 'not-sent' WHEN lost IS NOT NULL OR status IS NULL THEN 'lost'
  WHEN status = 429 THEN '429' WHEN status = 402 THEN '402'
  WHEN status BETWEEN 200 AND 299 THEN '2xx' WHEN status BETWEEN 400 AND 499 THEN '4xx'
  WHEN status BETWEEN 500 AND 599 THEN '5xx' ELSE 'other' END`;

/** SQL: the instant at which a request belongs on the time axis: when it was sent, or was to be. */
const at = 'coalesce(sent_ns, intended_ns)';

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

/** `limited`: requests that spend the rate limit of the main key; the limit line belongs to these alone. */
type Lane = 'limited' | 'other';

/** SQL: the request carries the main key (or one that shares its limit) and is one that the limit counts. */
async function limitedLane(history: History): Promise<string> {
  const { limit_scope: scope } = history.profile;
  const credentials = scope === 'shared' ? "'load', 'quota', 'twin', 'bystander'" : "'load'";
  return (await interactionsLookCounted(history))
    ? `(credential IN (${credentials}) OR endpoint = 'interact')`
    : `(credential IN (${credentials}) AND endpoint <> 'interact')`;
}

const trafficRow = z.object({
  lane: z.enum(['limited', 'other']),
  outcome: outcomeColumn,
  bucket: z.number(),
  n: z.number(),
});
type TrafficPoint = z.output<typeof trafficRow>;

/** How often each kind of end came, by lane and bucket. */
export async function traffic(history: History, buckets: Buckets): Promise<TrafficPoint[]> {
  return history.rows(
    trafficRow,
    `SELECT CASE WHEN ${await limitedLane(history)} THEN 'limited' ELSE 'other' END AS lane, ${outcomeSql} AS outcome,
       CAST(${at} // ${buckets.widthMs * 1e6} AS BIGINT) AS bucket, count(*) AS n
     FROM requests WHERE ${at} >= 0 GROUP BY ALL ORDER BY ALL`,
  );
}

/**
 * The most requests admitted in the rate limit's window up to any instant of each bucket, by the instants they were
 * sent. The target saw them a little later, each by its own delay: the check allows for that, a curve cannot.
 */
export const admittedInWindow = oncePerHistory(async (history): Promise<number[]> => {
  const buckets = await chooseBuckets(history);
  const [sentNs = new Float64Array()] = await history.columns(
    `SELECT CAST(sent_ns AS DOUBLE) FROM requests
     WHERE ${await limitedLane(history)} AND sent_ns >= 0 AND status BETWEEN 200 AND 299 ORDER BY sent_ns`,
  );
  return mostInTrailing(sentNs, history.profile.rate_limit.windowMs * 1e6, buckets);
});

/** The instants ascend. A window holds its end and not its beginning; a bucket without instants has the value at its beginning. */
function mostInTrailing(instantsNs: Float64Array, windowNs: number, { count, widthMs }: Buckets): number[] {
  const widthNs = widthMs * 1e6;
  const most = new Array<number>(count).fill(0);
  let upTo = 0;
  let gone = 0;
  const visit = (ns: number, bucket: number): void => {
    while (upTo < instantsNs.length && (instantsNs[upTo] as number) <= ns) upTo++;
    while (gone < upTo && (instantsNs[gone] as number) <= ns - windowNs) gone++;
    most[bucket] = Math.max(most[bucket] ?? 0, upTo - gone);
  };
  for (let bucket = 0; bucket < count; bucket++) {
    visit(bucket * widthNs, bucket);
    while (upTo < instantsNs.length && (instantsNs[upTo] as number) < (bucket + 1) * widthNs)
      visit(instantsNs[upTo] as number, bucket);
  }
  return most;
}

/** Requests by outcome with the limit line, and admissions in the limit's trailing window. */
export const trafficSection: Section = {
  id: 'traffic',
  title: 'Requests over time',
  make: async (input) => {
    const { buckets, history } = input;
    const points = await traffic(history, buckets);
    if (points.length === 0) return [nothing('The history holds no requests.')];
    const { requests, windowMs } = history.profile.rate_limit;
    const peak = (await admittedInWindow(history)).reduce((a, b) => Math.max(a, b), 0);
    // A run whose work is done on other keys: curves on the floor of a chart that the limit line is the top of.
    const isIdle = history.run.phases.length === 0 && peak < leastShare * requests;
    const limited = isIdle ? [] : [laneChart(input, 'limited', points), await windowChart(input, peak)];
    const charts = [...limited, laneChart(input, 'other', points)].filter((chart) => chart !== undefined);
    return [
      isIdle
        ? nothing(
            `The load key was hardly used: at most ${counted(peak, 'request')} ${peak === 1 ? 'was' : 'were'} admitted in any ${windowName(windowMs)}, of a limit of ${number(requests)}. There is no chart of it.`,
          )
        : undefined,
      paragraph(
        `Each step is ${span(buckets.widthMs)}. A request counts at the time at which it was sent, or was due if it was not sent. Drag across a chart to choose a part of the run: all charts show it, and tables of requests show its rows alone; double-click for the whole run. The target saw each request a little after it was sent, so its count in a window may differ from the curve by a few requests. The rate-limit verdicts give the range of what the target can have counted.${history.run.phases.some(({ unit }) => unit === 'connections') ? ' Requests of a closed loop have no records; they are under Capacity.' : ''}`,
      ),
      ...charts.map(chartOf),
      await failureTable(history),
    ];
  },
};

/** Less than this part of the limit is not worth a chart with the limit in it. */
const leastShare = 0.1;

function laneChart(
  { buckets, history, phases }: SectionInput,
  lane: Lane,
  points: readonly TrafficPoint[],
): Chart | undefined {
  const own = points.filter((point) => point.lane === lane && point.bucket < buckets.count);
  if (own.length === 0) return undefined;
  const { limit_scope: scope, rate_limit: limit } = history.profile;
  const isLimited = lane === 'limited';
  const series = outcomeNames
    .filter((name) => own.some(({ outcome }) => outcome === name))
    .map((name) => {
      const counts = new Array<number>(buckets.count).fill(0);
      for (const { bucket, n, outcome } of own) if (outcome === name) counts[bucket] = n;
      return {
        ...outcomes[name],
        draw: 'stack' as const,
        values: counts.map((n) => Math.round((n * 1e5) / buckets.widthMs) / 100),
        summary: number(counts.reduce((sum, n) => sum + n, 0)),
      };
    });
  const perSecond = (limit.requests * 1_000) / limit.windowMs;
  return {
    id: `traffic-${lane}`,
    title: isLimited
      ? `Requests that spend the ${scope === 'shared' ? 'shared limit' : 'limit of the load key'}`
      : 'Other requests: other keys, shoppers’ events, probes without a key',
    unit: 'requests per second',
    summary: `Requests per second over the run, stacked by outcome. Totals: ${series.map(({ label, summary }) => `${label} ${summary}`).join(', ')}.`,
    x: bucketStarts(buckets),
    series,
    ...(isLimited && {
      limits: [
        {
          value: perSecond,
          label: `limit, ${perWindow(limit.requests, limit.windowMs)} (${number(Math.round(perSecond * 100) / 100)} per second)`,
        },
      ],
    }),
    bands: phases.filter((phase) => (phase.role === 'load') === isLimited),
  };
}

async function windowChart(
  { buckets, history, phases }: SectionInput,
  peak: number,
): Promise<Chart | undefined> {
  if (peak === 0) return undefined;
  const { requests, windowMs } = history.profile.rate_limit;
  const values = await admittedInWindow(history);
  return {
    id: 'trailing-window',
    title: `Admitted in the trailing ${windowName(windowMs)}`,
    unit: '2xx answers, by the time of sending; checks allow for the time of arrival',
    summary: `Requests admitted within any ${span(windowMs)} so far; at most ${number(peak)}, against a limit of ${number(requests)}.`,
    x: bucketStarts(buckets),
    series: [
      {
        label: 'admitted',
        colour: 'ok',
        draw: 'line',
        values,
        summary: `at most ${number(peak)} by send times`,
      },
    ],
    limits: [{ value: requests, label: `limit, ${number(requests)}` }],
    bands: phases.filter(({ role }) => role === 'load'),
  };
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
  isFolded: true,
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
    const again = await sentAgain(history);
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

/** How many requests were sent a second time. */
async function sentAgain(history: History): Promise<number> {
  const [row] = await history.rows(
    z.object({ n: z.number() }),
    'SELECT count(first_sent_ns) AS n FROM requests',
  );
  return row?.n ?? 0;
}
