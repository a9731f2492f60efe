import { z } from 'zod';
import type { History } from '../../../history/history.ts';
import { caused, fits, shown } from '../../causes/cause.ts';
import { firstSeqs, seqsColumn } from '../../core/found.ts';
import { isProbe, probeColumn } from '../../core/probes.ts';
import { type CheckFinding, type Evidence, evidence, type Verdict } from '../../core/verdict.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import { growthCauses, growthOf, growthReasons } from './growing.ts';

/** SQL: no answer came, and the target is to blame. */
const isLost = "lost IN ('timeout', 'reset', 'protocol', 'too-long')";
/** SQL: no answer came, and the target is not to blame. */
const isNotCounted =
  "probe IS NULL AND (not_sent IN ('no-socket', 'no-address') OR lost IN ('closed-idle', 'no-room'))";
/** Below this, one lost answer would exceed any bound. */
const fewestRequests = 20;

const outcomeRow = z.object({ kind: z.string().nullable(), total: z.number(), seqs: seqsColumn });

/** How each kind of failure is shown. */
const words: Readonly<Record<string, string>> = {
  timeout: 'timed out',
  reset: 'broken off',
  protocol: 'answered with what is not HTTP',
  'too-long': 'answered at too great a length',
  'no-connection': 'refused a connection',
};

/**
 * Ordinary requests get an answer, whatever it is. Not counted: requests that this program gave up, and those on an idle
 * connection that the target had closed, which it may do; and those for which this machine had no socket, no memory or no address of the
 * target. A connection that the target does not take counts as lost. A kind of
 * request that never gets an answer is a fault as well, however rare it is, and so is a place on connections.
 */
export async function checkAvailability(history: History): Promise<CheckFinding> {
  const bound = history.profile.lost_bound;
  const outcomes = await history.rows(
    outcomeRow,
    `SELECT coalesce(lost, not_sent) AS kind, count(*) AS total, ${firstSeqs} AS seqs FROM requests
     WHERE probe IS NULL AND (status IS NOT NULL OR ${isLost} OR not_sent = 'no-connection')
     GROUP BY ALL ORDER BY total DESC, kind`,
  );
  const tried = outcomes.reduce((sum, { total }) => sum + total, 0);
  const failures = outcomes.flatMap(({ kind, ...rest }) => (kind === null ? [] : [{ kind, ...rest }]));
  const failed = failures.reduce((sum, { total }) => sum + total, 0);
  const share = tried === 0 ? 0 : failed / tried;
  const set = await history.rows(
    outcomeRow,
    `SELECT coalesce(lost, not_sent) AS kind, count(*) AS total, ${firstSeqs} AS seqs FROM requests
     WHERE ${isNotCounted} GROUP BY ALL ORDER BY kind`,
  );
  const notCounted = set.flatMap(({ kind, ...rest }) => (kind === null ? [] : [{ kind, ...rest }]));
  // Idle connections may be closed at any time; what else is left out could have told of the target.
  const untold = notCounted.reduce((sum, { kind, total }) => sum + (kind === 'closed-idle' ? 0 : total), 0);
  const growth = await growthOf(history, isLost);
  const isKept = share <= bound && (growth?.after ?? 0) <= bound;
  const silent = isKept ? await silentProbes(history) : [];
  const silentSeqs = silent.flatMap(({ seqs }) => seqs);
  const dropped = await lostAtOnePlace(history);
  const verdict: Verdict =
    silent.length > 0 || dropped !== undefined
      ? 'fail'
      : tried === 0
        ? 'inconclusive'
        : isKept
          ? untold > bound * (tried + untold)
            ? 'inconclusive'
            : 'pass'
          : tried < fewestRequests
            ? 'inconclusive'
            : 'fail';
  return {
    id: 'contract.availability',
    verdict,
    expected: { 'share without an answer': { max: bound } },
    observed: {
      requests: tried,
      'without an answer': failed,
      'share without an answer': Math.round(share * 1e6) / 1e6,
      ...Object.fromEntries(failures.map(({ kind, total }) => [kind, total])),
      ...Object.fromEntries(notCounted.map(({ kind, total }) => [`not counted: ${kind}`, total])),
    },
    reasons: [
      ...(silent.length === 0
        ? []
        : [reason('availability-silent', { kinds: silent.map(({ kind }) => kind) })]),
      ...(dropped === undefined
        ? []
        : [reason('availability-nth', { nth: dropped.nth, requests: dropped.lost })]),
      ...(tried === 0
        ? [reason('availability-no-requests')]
        : [
            reason('availability-lost', {
              requests: tried,
              lost: failed,
              kinds: failures.map(({ kind, total }) => ({ kind, requests: total })),
            }),
            ...boundReasons(share <= bound ? 'pass' : verdict, { bound, requests: tried, lost: failed }),
            ...growthReasons(growth),
          ]),
      // The target may close a connection that is not in use, whatever is on its way then.
      ...notCounted.map(({ kind, total }) => reason('availability-not-counted', { kind, requests: total })),
    ],
    evidence: [
      ...(silent.length === 0 ? [] : [evidence('requests of a kind that gets no answer', silentSeqs)]),
      ...failures.map(
        ({ kind, total, seqs }): Evidence => ({ what: `requests ${words[kind] ?? kind}`, seqs, total }),
      ),
      ...notCounted.map(({ kind, seqs, total }): Evidence => ({ what: `not counted: ${kind}`, seqs, total })),
    ],
    ...(verdict === 'fail' &&
      caused([
        ...growthCauses(growth),
        dropped !== undefined
          ? shown('nth-request-dropped', { nth: dropped.nth, requests: dropped.lost }, dropped.seqs)
          : silent.length > 0
            ? shown(
                'requests-unanswered',
                {
                  requests: silentSeqs.length,
                  of: silentSeqs.length,
                  how: [...new Set(silent.flatMap(({ how }) => how))].map((kind) => words[kind] ?? kind),
                  kinds: silent.map(({ kind }) => kind),
                },
                silentSeqs,
              )
            : fits(
                'requests-unanswered',
                { requests: failed, of: tried, how: failures.map(({ kind }) => words[kind] ?? kind) },
                failures.flatMap(({ seqs }) => seqs),
              ),
      ])),
  };
}

/** SQL: what is odd about a call of the explorer, as far as its request tells. */
const oddForm = "coalesce(e.call->>'$.misspelt', e.call->>'$.form')";

/** Each probe that times out is sent again, so that one request without an answer shows nothing. */
const fewestSilent = 2;
/** Answers to other probes without which a target may only be slow. */
const fewestAnswered = 10;

const probesRow = z.object({
  probe: probeColumn,
  form: z.string().nullable(),
  endpoint: z.string(),
  silent: z.number(),
  answered: z.number(),
  seqs: seqsColumn,
  how: z.array(z.string()),
});

/**
 * The kinds of probe, each as its endpoint and its name, of which every request timed out, while no request of any other kind did. Of calls of the
 * explorer, each odd form is a kind, and a connection that is broken off is no answer either. None before the target was ready.
 */
async function silentProbes(
  history: History,
): Promise<{ readonly kind: string; readonly seqs: readonly number[]; readonly how: readonly string[] }[]> {
  const rows = await history.rows(
    probesRow,
    `SELECT probe, endpoint, form, count(*) FILTER (is_silent) AS silent, count(status) AS answered,
            coalesce(list(seq ORDER BY seq) FILTER (is_silent), []) AS seqs,
            coalesce(list(DISTINCT lost ORDER BY lost) FILTER (is_silent), []) AS how
     FROM (SELECT r.*, ${oddForm} AS form,
                  coalesce(lost = 'timeout' OR (form IS NOT NULL AND ${isLost}), false) AS is_silent
           FROM requests r LEFT JOIN explored e ON e.seq = r.seq
           WHERE probe IS NOT NULL AND NOT ${isProbe('ready')})
     GROUP BY ALL ORDER BY min(seq)`,
  );
  const silent = rows.filter(({ silent: timedOut }) => timedOut > 0);
  const isAlways = silent.every((each) => each.answered === 0 && each.silent >= fewestSilent);
  const answered = rows.reduce((sum, each) => sum + each.answered, 0);
  return isAlways && answered >= fewestAnswered
    ? silent.map(({ endpoint, form, how, probe, seqs }) => ({
        kind: `${endpoint} ${form ?? probe}`,
        seqs,
        how,
      }))
    : [];
}

function boundReasons(
  verdict: Verdict,
  share: { readonly bound: number; readonly requests: number; readonly lost: number },
): Reason[] {
  switch (verdict) {
    case 'pass':
      return [reason('availability-within', share)];
    case 'fail':
      return [reason('availability-over', share)];
    case 'inconclusive':
      return [reason('availability-over', share), reason('availability-too-few', { fewest: fewestRequests })];
  }
}

/**
 * Fewer are chance: connections that break at one instant may do so after equal numbers of requests. Where each but the first
 * was still answered after the first broke, three are none.
 */
const fewestLost = { atOnce: 8, apart: 3 } as const;
/** The part of all requests that are lost over connections which has to be at one place. */
const mostlyAt = 0.9;
/** Requests over the connections that lost one; of more, none is numbered. */
const mostNumbered = 1_000_000;

/** Requests at one place of their connections that got no answer. */
interface NthRequest {
  readonly nth: number;
  readonly lost: number;
  readonly seqs: readonly number[];
}

const isBroken = "lost IN ('reset', 'closed-idle', 'protocol') AND local_port IS NOT NULL";

const countRow = z.object({ lost: z.number(), numbered: z.number() });
const nthRow = z.object({
  nth: z.number(),
  lost: z.number(),
  seqs: seqsColumn,
  /** Connections on which the request at this place was answered. */
  answered: z.number(),
  /** Connections that ended right before this place. */
  ended: z.number(),
  /** Connections that were answered after the first one broke, and broke at this place. */
  apart: z.number(),
});

/**
 * The place on a connection at which requests are lost, and at no other: the connection is closed there, and no answer said
 * so. A target that closes a connection after its last answer loses a request only now and then, of one that was on its way.
 */
async function lostAtOnePlace(history: History): Promise<NthRequest | undefined> {
  const [count] = await history.rows(
    countRow,
    `SELECT count(*) FILTER (${isBroken}) AS lost,
       count(*) FILTER (local_port IN (SELECT local_port FROM requests WHERE ${isBroken})) AS numbered
     FROM requests WHERE sent_ns IS NOT NULL`,
  );
  if (count === undefined || count.lost < fewestLost.apart || count.numbered > mostNumbered) return undefined;
  const [row] = await history.rows(
    nthRow,
    `WITH placed AS (
       SELECT seq, local_port, sent_ns, status, answered_ns, ${isBroken} AS is_lost,
         row_number() OVER (PARTITION BY local_port ORDER BY coalesce(first_sent_ns, sent_ns), seq) AS nth
       FROM requests WHERE sent_ns IS NOT NULL AND local_port IN (SELECT local_port FROM requests WHERE ${isBroken})),
     most AS (
       SELECT nth, count(*) AS lost, ${firstSeqs} AS seqs FROM placed WHERE is_lost GROUP BY nth ORDER BY lost DESC, nth LIMIT 1),
     totals AS (
       SELECT count(*) AS total FROM requests WHERE local_port IS NOT NULL AND sent_ns IS NOT NULL GROUP BY local_port)
     SELECT nth, lost, seqs, (SELECT count(*) FROM totals WHERE total >= nth) - lost AS answered,
       (SELECT count(*) FROM totals WHERE total = nth - 1) AS ended,
       (SELECT count(DISTINCT p.local_port) FROM placed p JOIN placed l ON l.local_port = p.local_port AND l.is_lost AND l.nth = most.nth
        WHERE p.status IS NOT NULL AND p.sent_ns > (SELECT min(answered_ns) FROM placed WHERE is_lost)) AS apart
     FROM most`,
  );
  if (row === undefined || row.nth < 2) return undefined;
  const { answered, apart, ended, lost, nth, seqs } = row;
  const fewest = apart >= lost - 1 ? fewestLost.apart : fewestLost.atOnce;
  const isThere = lost >= Math.max(fewest, mostlyAt * count.lost);
  return isThere && answered <= (1 - mostlyAt) * lost && ended <= lost ? { nth, lost, seqs } : undefined;
}
