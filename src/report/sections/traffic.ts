import { z } from 'zod';
import { counted, number, span } from '../../amounts.ts';
import { interactionsLookCounted } from '../../checks/rate-limit/traces/streams.ts';
import type { History } from '../../history/history.ts';
import { oncePerHistory } from '../../history/tables.ts';
import { type Chart, chartOf, details, nothing, paragraph } from '../figure.ts';
import { type Buckets, bucketStarts, chooseBuckets, type Section, type SectionInput } from '../section.ts';
import { perWindow, windowName } from '../text.ts';
import { at, failureTable, outcomeColumn, outcomeNames, outcomeSql, outcomes } from './requests.ts';

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
  about: ['rate-limit', 'generator'],
  make: async (input) => {
    const { buckets, history } = input;
    const points = await traffic(history, buckets);
    if (points.length === 0) return [nothing('The history holds no requests.')];
    const { requests, windowMs } = history.profile.rate_limit;
    const peak = (await admittedInWindow(history)).reduce((a, b) => Math.max(a, b), 0);
    // A run whose work is done on other keys: curves on the floor of a chart that the limit line is the top of.
    const isIdle = history.run.phases.length === 0 && peak < leastShare * requests;
    const limited = isIdle ? [] : [laneChart(input, 'limited', points), await windowChart(input, peak)];
    const other = laneChart(input, 'other', points);
    return [
      isIdle
        ? nothing(
            `The load key was hardly used: at most ${counted(peak, 'request')} ${peak === 1 ? 'was' : 'were'} admitted in any ${windowName(windowMs)}, of a limit of ${number(requests)}. There is no chart of it.`,
          )
        : undefined,
      ...limited.flatMap((chart) => (chart === undefined ? [] : [chartOf(chart)])),
      isIdle && other !== undefined ? chartOf(other) : undefined,
      isIdle || other === undefined ? undefined : details(other.title, chartOf(other)),
      details('Answers other than 2xx, by kind and endpoint', await failureTable(history)),
      details(
        'How these charts count',
        paragraph(
          `Each step is ${span(buckets.widthMs)}. A request counts at the time at which it was sent, or was due if it was not sent. Drag across a chart to choose a part of the run: all charts show it, and tables of requests show its rows alone; double-click for the whole run. The target saw each request a little after it was sent, so its count in a window may differ from the curve by a few requests. The rate-limit verdicts give the range of what the target can have counted.`,
        ),
      ),
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
