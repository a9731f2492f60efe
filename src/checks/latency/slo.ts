import { z } from 'zod';
import { ownText } from '../../history/columns.ts';
import type { History } from '../../history/history.ts';
import type { Slo } from '../../history/run.ts';
import { boundedEndpoints } from '../../vocabulary/requests.ts';
import { fits } from '../causes/cause.ts';
import { admitted } from '../core/found.ts';
import { type CheckFinding, type Conclusion, evidenceLimit } from '../core/verdict.ts';
import { reason } from '../reasons/reason.ts';
import { featureOf } from './late.ts';
import { toMicroseconds } from './table.ts';

const sampleRow = z.object({
  answered: z.number(),
  lost: z.number(),
  at_percentile_ns: z.number().nullable(),
  /** The same without the time that requests waited for their connection to open, and how long that took at most. */
  when_open_ns: z.number().nullable(),
  opened: z.number(),
  resolve_ns: z.number().nullable(),
  connect_ns: z.number().nullable(),
  handshake_ns: z.number().nullable(),
  over: z.number(),
  slowest: z.array(z.coerce.number()).nullable(),
});

/** The largest BIGINT stands for infinity. */
const infinite = '9223372036854775807';
/** SQL: the response time, without the wait for a connection to open. */
const whenOpenNs = '(answered_ns - intended_ns - coalesce(opening_ns, 0))';

/**
 * One bound of the scenario on response time. A request that never got its answer was slower than any bound; one that
 * was given up on because the run was stopped, or whose idle connection the target had closed, says nothing. Nor does a bound
 * that is broken only because connections took long to open: the network or the name server may be why.
 */
export async function checkSlo(history: History, slo: Slo, place: number): Promise<CheckFinding> {
  const conditions = [
    'probe IS NULL',
    `((${admitted}) OR lost NOT IN ('stopped', 'closed-idle', 'no-room'))`,
    isBounded(slo),
    ...(slo.phase === undefined ? [] : [`phase = ${ownText(slo.phase)}`]),
  ];
  // 99.9 / 100 is a little over 0.999, which would ask for the next rank.
  const quantile = Number((slo.percentile / 100).toFixed(12));
  // Nearest rank, so an infinite latency moves it as it should.
  const [row] = await history.rows(
    sampleRow,
    `WITH sample AS (
       SELECT seq, lost, CASE WHEN lost IS NULL THEN answered_ns - intended_ns ELSE ${infinite} END AS response_ns,
         CASE WHEN lost IS NULL THEN ${whenOpenNs} ELSE ${infinite} END AS open_ns, opening_ns, resolve_ns, connect_ns, handshake_ns
       FROM requests WHERE ${conditions.join(' AND ')})
     SELECT count(*) FILTER (lost IS NULL) AS answered, count(*) FILTER (lost IS NOT NULL) AS lost,
            quantile_disc(response_ns, ${quantile}) AS at_percentile_ns, quantile_disc(open_ns, ${quantile}) AS when_open_ns,
            count(*) FILTER (opening_ns > 0) AS opened, max(resolve_ns) AS resolve_ns, max(connect_ns) AS connect_ns,
            max(handshake_ns) AS handshake_ns,
            count(*) FILTER (response_ns > ${Math.floor(slo.max_ms * 1e6)}) AS over,
            arg_max(seq, response_ns, ${evidenceLimit}) AS slowest
     FROM sample`,
  );
  if (row === undefined) throw new Error('an aggregate without a row');
  const at = atOf(row.at_percentile_ns);
  const whenOpen = judge(slo, row, atOf(row.when_open_ns));
  let { reasons, verdict } = judge(slo, row, at);
  // A bound that is kept as soon as connections are open is not judged.
  if (verdict === 'fail' && whenOpen.verdict === 'pass') {
    const [resolveMs = 0, connectMs = 0, handshakeMs = 0] = [
      row.resolve_ns,
      row.connect_ns,
      row.handshake_ns,
    ].map((ns) => toMicroseconds((ns ?? 0) / 1e6));
    const opening = { connections: row.opened, resolveMs, connectMs, handshakeMs };
    [verdict, reasons] = ['inconclusive', [...reasons, reason('slo-opening', opening)]];
  }
  const late = `(lost IS NOT NULL OR ${whenOpenNs} > ${Math.floor(slo.max_ms * 1e6)})`;
  const feature =
    verdict === 'fail'
      ? await featureOf({ history, sample: conditions.join(' AND '), late, count: row.over })
      : undefined;
  const { endpoint, max_ms: boundMs, percentile } = slo;
  const slowest = row.slowest ?? [];
  const slow = { endpoint, percentile, boundMs, tookMs: typeof at === 'number' ? at : undefined };
  const name = nameOf(percentile);
  return {
    id: `latency.slo.${place}`,
    titleParams: {
      ...{ endpoint: endpoint === '*' ? null : endpoint, phase: slo.phase ?? null },
      ...{ percentile: name, maxMs: boundMs },
    },
    verdict,
    expected: { [`${name}, ms`]: { max: boundMs } },
    observed: {
      [`${name}, ms`]: typeof at === 'number' ? toMicroseconds(at) : at === 'never' ? 'no answer' : null,
      answers: row.answered,
      'without an answer': row.lost,
      'over the bound': row.over,
    },
    reasons: feature === undefined ? reasons : [...reasons, feature.reason],
    evidence: row.over === 0 ? [] : [{ what: 'the slowest', seqs: slowest, total: row.over }],
    ...(verdict === 'fail' && { causes: feature?.causes ?? [fits('slow-answers', slow, slowest)] }),
  };
}

/** The latency at a percentile in ms, or that it is a request without an answer; undefined: there was none. */
type AtPercentile = number | 'never' | undefined;

const atOf = (ns: number | null): AtPercentile => (ns === null ? undefined : ns > 9e18 ? 'never' : ns / 1e6);

function judge(
  slo: Slo,
  row: Pick<z.output<typeof sampleRow>, 'answered' | 'lost'>,
  at: AtPercentile,
): Conclusion {
  const percentile = nameOf(slo.percentile);
  const boundMs = slo.max_ms;
  const samples = row.answered + row.lost;
  if (samples === 0 || at === undefined)
    return { verdict: 'inconclusive', reasons: [reason('latency-no-answer')] };
  // Fewer samples than leave one beyond the percentile: it would be the maximum under another name. In hundredths, so
  // that 99.9 stays exact.
  if (slo.percentile < 100 && samples * (100 - slo.percentile) < 100 - 1e-6) {
    const needed = Math.ceil(100 / (100 - slo.percentile) - 1e-6);
    return { verdict: 'inconclusive', reasons: [reason('slo-too-few', { samples, percentile, needed })] };
  }
  const also = row.lost === 0 ? [] : [reason('slo-lost', { requests: row.lost })];
  if (at === 'never')
    return { verdict: 'fail', reasons: [reason('slo-unanswered', { percentile, boundMs }), ...also] };
  const atMs = toMicroseconds(at);
  return at > boundMs
    ? { verdict: 'fail', reasons: [reason('slo-over', { percentile, atMs, boundMs }), ...also] }
    : { verdict: 'pass', reasons: [reason('slo-kept', { percentile, samples, atMs, boundMs }), ...also] };
}

/** `p99`, `p99.9`, `maximum`. */
const nameOf = (percentile: number): string => (percentile === 100 ? 'maximum' : `p${percentile}`);

/** From this percentile on a bound is meant for nearly every request; one on a median says nothing of single ones. */
const tailFrom = 90;

/** SQL: whether a request is one that the bound is on. */
export const isBounded = ({ endpoint }: Pick<Slo, 'endpoint'>): string =>
  `endpoint IN (${boundedEndpoints(endpoint).map(ownText).join(', ')})`;

/** The scenario's bounds that nearly every request is to keep. */
export const tailBounds = (slo: readonly Slo[]): readonly Slo[] =>
  slo.filter(({ percentile }) => percentile >= tailFrom);

/** The share of requests that may take longer than a bound. */
export const allowedShare = ({ percentile }: Pick<Slo, 'percentile'>): number =>
  1 - Number((percentile / 100).toFixed(12));
