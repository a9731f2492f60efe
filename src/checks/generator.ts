import { z } from 'zod';
import type { History } from '../history/history.ts';
import { areaOf, caused, type Suspect, shown } from './causes/cause.ts';
import { evidenceOf, type Found, find, firstSeqs, seqsColumn } from './core/found.ts';
import { isProbeOf } from './core/probes.ts';
import type { CheckFinding } from './core/verdict.ts';
import { reason } from './reasons/reason.ts';

/** Whether a finding of `checkGenerator` says that the latencies include delays of tryon. */
export function isGeneratorBound(finding: CheckFinding): boolean {
  return (finding.causes ?? []).some(({ cause }) => areaOf(cause) === 'generator');
}

/** Whether tryon kept up: it sent in time, did not stall, and did not reach its bound on requests in flight. */
export async function checkGenerator(history: History): Promise<CheckFinding[]> {
  const { phases, planned_requests, studies = [] } = history.run;
  return [
    // A closed loop has no plan to be late for.
    ...(planned_requests === 0 ? [] : [await checkSendLag(history)]),
    // A study is judged by when each request was really sent, so a stall costs it nothing.
    ...(phases.length === 0 && studies.length > 0 ? [] : [await checkStalls(history)]),
    await checkSockets(history),
  ];
}

const lagRow = z.object({
  sent: z.number(),
  lags_ns: z.array(z.coerce.number()).nullable(),
  late: z.number(),
  late_seqs: seqsColumn,
});

async function checkSendLag(history: History): Promise<CheckFinding> {
  const boundMs = history.profile.send_lag_bound;
  // A request is sent again because the target closed the connection: only the first sending shows how late tryon was.
  const lag = 'coalesce(first_sent_ns, sent_ns) - ready_ns';
  const isLate = `${lag} > ${Math.round(boundMs * 1e6)}`;
  const [row] = await history.rows(
    lagRow,
    `SELECT count(*) AS sent, quantile_disc(${lag}, [0.5, 0.99, 1.0]) AS lags_ns,
            count(*) FILTER (${isLate}) AS late, ${firstSeqs} FILTER (${isLate}) AS late_seqs
     FROM requests WHERE stage = 'load' AND planned IS NOT NULL AND sent_ns IS NOT NULL`,
  );
  const [p50Ms, p99Ms, maxMs] = (row?.lags_ns ?? []).map((ns) => Math.round(ns / 1e3) / 1e3);
  const measured = p50Ms !== undefined && p99Ms !== undefined && maxMs !== undefined;
  const late = measured && p99Ms > boundMs;
  return {
    id: 'generator.send-lag',
    verdict: measured && !late ? 'pass' : 'inconclusive',
    expected: { 'p99 of send lag, ms': { max: boundMs } },
    observed: measured ? { p50: p50Ms, p99: p99Ms, max: maxMs, unit: 'ms' } : null,
    reasons: [
      !measured
        ? reason('send-lag-unmeasured')
        : reason(late ? 'send-lag-over' : 'send-lag-kept', { p99Ms, boundMs }),
    ],
    evidence: evidenceOf('sent late', { total: row?.late ?? 0, seqs: row?.late_seqs ?? [] }),
    ...(late && caused([shown('generator-late', { lagMs: p99Ms }, row?.late_seqs)])),
  };
}

/**
 * A stall of S seconds makes the requests of S seconds late. In a phase of a minute, the usual length, a p99 does not
 * see a stall under 0.6 s, and over a whole run it misses longer ones. So a stall of five times the bound on send lag
 * (0.5 s by default) is called out by itself.
 */
const stallsPerSendLagBound = 5;

const stallRow = z.object({
  seconds: z.number(),
  loop_ms: z.number().nullable(),
  gc_ms: z.number().nullable(),
  /** The worker that was held up the longest; none when it was the main thread, or there are none. */
  worker: z.number().nullable(),
  stalled: z.number(),
});

async function checkStalls(history: History): Promise<CheckFinding> {
  const boundMs = history.profile.send_lag_bound * stallsPerSendLagBound;
  // A delay while tryon plans or reads back delays nothing that is measured under load.
  const [row] = await history.rows(
    stallRow,
    `WITH spans AS (
       SELECT min(ready_ns) AS from_ns, max(answered_ns) AS to_ns FROM requests WHERE stage = 'load'),
     self AS (
       SELECT json_extract(event, '$.atNs')::DOUBLE AS at_ns, json_extract(event, '$.loopDelayMaxMs')::DOUBLE AS loop_ms,
              json_extract(event, '$.gcMs')::DOUBLE AS gc_ms, json_extract(event, '$.worker')::INTEGER AS worker
       FROM events WHERE kind = 'self')
     SELECT count(*) FILTER (worker IS NULL) AS seconds, max(loop_ms) AS loop_ms, max(gc_ms) AS gc_ms,
            nullif(arg_max(coalesce(worker, 0), greatest(loop_ms, gc_ms)), 0) AS worker,
            count(*) FILTER (loop_ms > ${boundMs} OR gc_ms > ${boundMs}) AS stalled
     FROM self WHERE at_ns BETWEEN (SELECT min(from_ns) FROM spans) AND (SELECT max(to_ns) FROM spans) + 1e9`,
  );
  const measured = row !== undefined && row.seconds > 0;
  const stalled = row?.stalled ?? 0;
  const worst = row?.worker ?? undefined;
  return {
    id: 'generator.stalls',
    verdict: measured && stalled === 0 ? 'pass' : 'inconclusive',
    expected: { 'longest event-loop delay or garbage collection, ms': { max: boundMs } },
    observed: {
      'seconds watched': row?.seconds ?? 0,
      'longest event-loop delay, ms': row?.loop_ms ?? null,
      'most garbage collection in a second, ms': row?.gc_ms ?? null,
      ...(worst === undefined ? {} : { 'held up the longest': `worker ${worst}` }),
    },
    reasons: !measured
      ? [reason('stalls-unwatched')]
      : stalled === 0
        ? [reason('stalls-none', { boundMs, seconds: row.seconds })]
        : [
            reason('stalls-seen', { boundMs, seconds: stalled }),
            ...(worst === undefined ? [] : [reason('stalls-of-worker', { name: String(worst) })]),
          ],
    ...(stalled > 0 &&
      caused([
        shown('generator-stalled', {
          seconds: stalled,
          longestMs: Math.max(row?.loop_ms ?? 0, row?.gc_ms ?? 0),
        }),
      ])),
  };
}

/**
 * Requests that tryon held back because of `in_flight`, and those for which its machine had no socket or no memory. A
 * connection that the target does not take is the target's doing: `contract.availability` judges it.
 */
async function checkSockets(history: History): Promise<CheckFinding> {
  // A capacity study goes there on purpose, and judges it step by step.
  const bounded = await find(history, `not_sent = 'in-flight-bound' AND NOT ${isProbeOf('capacity')}`);
  const noSocket = await find(history, "not_sent = 'no-socket'");
  const noRoom = await find(history, "lost = 'no-room'");
  const sent = await find(history, 'sent_ns IS NOT NULL');
  // Of closed loops, only sums are known.
  const [loops] = await history.rows(
    z.object({ sockets: z.number() }),
    "SELECT coalesce(sum(json_extract(event, '$.noSocket')::DOUBLE), 0) AS sockets FROM events WHERE kind = 'capacity'",
  );
  const sockets = noSocket.total + (loops?.sockets ?? 0);
  const { in_flight: bound } = history.profile;
  const held = { held: bounded.total, bound };
  const limit = (of: 'sockets' | 'bodies', requests: number, { seqs }: Found): Suspect =>
    shown('generator-limit-reached', { of, requests }, seqs);
  const shortages = [
    {
      ...{
        what: 'too many in flight',
        found: bounded,
        total: bounded.total,
        why: reason('sockets-held', held),
      },
      cause: shown('in-flight-bound-reached', held, bounded.seqs),
    },
    {
      ...{ what: 'no port or descriptor', found: noSocket, total: sockets },
      why: reason('sockets-used-up', { connections: sockets }),
      cause: limit('sockets', sockets, noSocket),
    },
    {
      ...{ what: 'no memory for the answer', found: noRoom, total: noRoom.total },
      why: reason('bodies-no-room', { requests: noRoom.total }),
      cause: limit('bodies', noRoom.total, noRoom),
    },
  ];
  const reached = shortages.filter(({ total }) => total > 0);
  return {
    id: 'generator.sockets',
    verdict: reached.length > 0 || sent.total === 0 ? 'inconclusive' : 'pass',
    expected: { 'held back': 0 },
    observed: {
      ...Object.fromEntries(shortages.map(({ total, what }) => [what, total])),
      sent: sent.total,
    },
    reasons:
      reached.length > 0
        ? reached.map(({ why }) => why)
        : [reason(sent.total === 0 ? 'sockets-unused' : 'sockets-free', {})],
    evidence: shortages.flatMap(({ found, what }) => evidenceOf(what, found)),
    ...(reached.length > 0 && caused(reached.map(({ cause }) => cause))),
  };
}
