import type { History } from '../../history/history.ts';
import { withStandingClock } from '../../limits/standing-clock.ts';
import { admitted, ambiguous, limited, type Outcome, type Trace } from '../../limits/trace.ts';
import { type Role, roles } from '../../target/profile.ts';
import { isWord, type Rows, rowsWhere, type SentRequests, valuesAt, wordAt } from './sent.ts';

/** The requests that share one limit, under some reading of the target's conventions. */
export interface Stream {
  /** Whose they are: a role, or `all keys`; where endpoints are limited apart, which endpoint's of them. */
  readonly label: string;
  readonly roles: readonly Role[];
  /** Only requests to this one; absent where all endpoints share the limit. */
  readonly endpoint?: string;
  readonly sent: SentRequests;
  /** Which of `sent`. */
  readonly rows: Rows;
  readonly trace: Trace;
}

/** One way in which a target may reckon, where the interface is silent. */
export interface Reading {
  readonly scope: 'per-key' | 'shared';
  readonly interactionsCount: boolean;
  readonly endpoints: 'together' | 'apart';
  readonly streams: readonly Stream[];
}

/**
 * The readings that the profile leaves open, the likeliest first, each made only when it is wanted: all endpoints share a
 * limit or each has its own; each key has its own limit or all share one; acts on the interaction channel count or do not.
 */
export function* readings(sent: SentRequests, history: History): Generator<Reading> {
  const { limit_endpoints, limit_scope, channel, rate_limit } = history.profile;
  const manners = limit_endpoints === 'discover' ? (['together', 'apart'] as const) : [limit_endpoints];
  const scopes = limit_scope === 'discover' ? (['per-key', 'shared'] as const) : [limit_scope];
  const isAct = isWord(sent.endpoint, 'interact');
  const counting =
    typeof channel === 'object'
      ? [channel.counts_against_rate_limit]
      : channel === 'discover' && rowsWhere(sent, isAct).length > 0
        ? [false, true]
        : [false];
  const windowNs = rate_limit.windowMs * 1e6;
  // A service of the run's own has met no request before it; of any other, nobody knows what its window held.
  const unknownNs = history.run.target.kind === 'embedded' ? 0 : windowNs;
  const stream = (label: string, owners: readonly Role[], rows: Rows): Stream => {
    const seen = traceOfRows(sent, rows, windowNs, 429, unknownNs);
    const [trace = seen] = withStandingClock([seen]);
    return { label, roles: owners, sent, rows, trace };
  };
  const byEndpoint = ({ label, rows, roles: owners }: Stream): Stream[] => {
    const whose = label.endsWith('s') ? `${label}'` : `${label}'s`;
    const endpoints = new Set(Array.from(rows, (row) => wordAt(sent.endpoint, row) ?? ''));
    return [...endpoints].map((endpoint) => ({
      ...stream(`${whose} ${endpoint}`, owners, rowsWhere(sent, isWord(sent.endpoint, endpoint), rows)),
      endpoint,
    }));
  };
  for (const endpoints of manners)
    for (const scope of scopes)
      for (const interactionsCount of counting) {
        const charged = rowsWhere(sent, (row) => interactionsCount || !isAct(row));
        const whole =
          scope === 'shared'
            ? [stream('all keys', roles, charged)]
            : roles
                .map((role) => stream(role, [role], rowsWhere(sent, isWord(sent.chargedTo, role), charged)))
                .filter(({ rows }) => rows.length > 0);
        const streams = endpoints === 'together' ? whole : whole.flatMap(byEndpoint);
        yield { scope, interactionsCount, endpoints, streams };
      }
}

/**
 * The trace that a limiter leaves which refuses with `refusalStatus`. Refusals within `unknownNs` of the first request
 * say nothing: what was asked with the key before the run may have filled the window.
 */
export function traceOfRows(
  sent: SentRequests,
  rows: Rows,
  windowNs: number,
  refusalStatus: number,
  unknownNs = 0,
): Trace {
  const sentNs = valuesAt(sent.sentNs, rows);
  const answeredNs = valuesAt(sent.answeredNs, rows);
  const outcome = new Uint8Array(rows.length);
  const outcomeOf = outcomes(sent, refusalStatus);
  const knownFromNs = (sentNs[0] ?? 0) + unknownNs;
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as number;
    const status = sent.status[row];
    // A request given up on may still reach the limiter later, say out of a stalled server's backlog.
    if (status === 0) answeredNs[i] = (answeredNs[i] as number) + windowNs;
    outcome[i] = status === refusalStatus && (sentNs[i] as number) < knownFromNs ? ambiguous : outcomeOf(row);
  }
  return { length: rows.length, sentNs, answeredNs, outcome, seq: valuesAt(sent.seq, rows) };
}

/**
 * A 2xx passed the limiter. Whether other statuses did is not specified: a 401 or 404 may come before the limiter or
 * after it, and so may a 500. A request without a valid key cannot be charged to one, at most to a limit that all share.
 */
function outcomes(
  { credential, probe, status }: SentRequests,
  refusalStatus: number,
): (row: number) => Outcome {
  const isBad = isWord(credential, 'bad');
  const isNone = isWord(credential, 'none');
  // From elsewhere, or said to be: under a limit by address these are charged to another.
  const isFromElsewhere = isWord(probe, 'scope:other-address');
  const isForwarded = isWord(probe, 'scope:forwarded');
  return (row) => {
    const answered = status[row] as number;
    if (answered === 0 || isBad(row) || isNone(row) || isFromElsewhere(row) || isForwarded(row))
      return ambiguous;
    if (answered === refusalStatus) return limited;
    return answered >= 200 && answered < 300 ? admitted : ambiguous;
  };
}
