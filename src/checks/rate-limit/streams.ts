import { z } from 'zod';
import type { History } from '../../history/history.ts';
import { withStandingClock } from '../../limits/standing-clock.ts';
import { admitted, ambiguous, limited, type Outcome, type Trace, traceOf } from '../../limits/trace.ts';
import { type Role, roles } from '../../target/profile.ts';

const sentRequest = z.object({
  seq: z.number(),
  credential: z.string(),
  /** The role that the request is charged to: that of its key, or of the key that opened its session. */
  charged_to: z.string().nullable(),
  endpoint: z.string(),
  probe: z.string().nullable(),
  sent_ns: z.number(),
  answered_ns: z.number(),
  status: z.number().nullable(),
  server_date_ms: z.number().nullable(),
  retry_after: z.string().nullable(),
  limit_headers: z.string().nullable(),
});
/** A request that went out. Instants in nanoseconds since the run's zero. */
export type SentRequest = z.output<typeof sentRequest>;

/** The requests that went out, in order of sending. */
export interface Sent {
  readonly requests: readonly SentRequest[];
  /** How many more went out after them. */
  readonly left: number;
}

/**
 * The first `most` requests that went out. What was answered only when more were on their way counts as unanswered: it may
 * be theirs that a limiter met first.
 */
export async function sentRequests(history: History, most: number): Promise<Sent> {
  // Few different words in many rows: as ENUMs they arrive as the same strings again, not decoded for each row anew.
  await history.execute(
    (['credential', 'endpoint', 'probe'] as const)
      .map(
        (name) =>
          `DROP TYPE IF EXISTS sent_${name}; CREATE TYPE sent_${name} AS ENUM (SELECT DISTINCT ${name} FROM requests WHERE ${name} IS NOT NULL);`,
      )
      .join('\n'),
  );
  const [all] = await history.rows(
    z.object({ n: z.number() }),
    'SELECT count(*) AS n FROM requests WHERE sent_ns IS NOT NULL',
  );
  const rows = await history.rows(
    sentRequest,
    `SELECT seq, CAST(r.credential AS sent_credential) AS credential,
            CAST(coalesce(opener.credential, r.credential) AS sent_credential) AS charged_to,
            CAST(endpoint AS sent_endpoint) AS endpoint, CAST(probe AS sent_probe) AS probe,
            sent_ns, coalesce(answered_ns, sent_ns) AS answered_ns, status, server_date_ms, retry_after, limit_headers
     FROM requests r
     LEFT JOIN (
       SELECT session_id, any_value(credential) AS credential FROM requests
       WHERE endpoint = 'create-session' AND session_id IS NOT NULL AND credential IN ('load', 'quota', 'twin', 'bystander')
       GROUP BY session_id
     ) opener ON opener.session_id = if(r.credential = 'session', r.session_id, NULL)
     WHERE sent_ns IS NOT NULL
     ORDER BY sent_ns, seq LIMIT ${most + 1}`,
  );
  const next = rows[most];
  if (next === undefined) return { requests: rows, left: 0 };
  const requests = rows
    .slice(0, most)
    .map((each) =>
      each.answered_ns < next.sent_ns
        ? each
        : { ...each, status: null, server_date_ms: null, retry_after: null, limit_headers: null },
    );
  return { requests, left: (all?.n ?? 0) - most };
}

/** The requests that share one limit, under some reading of the target's conventions. */
export interface Stream {
  /** Whose they are: a role, or `all keys`; where endpoints are limited apart, which endpoint's of them. */
  readonly label: string;
  readonly roles: readonly Role[];
  /** Only requests to this one; absent where all endpoints share the limit. */
  readonly endpoint?: string;
  readonly requests: readonly SentRequest[];
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
export function* readings(requests: readonly SentRequest[], history: History): Generator<Reading> {
  const { limit_endpoints, limit_scope, channel, rate_limit } = history.profile;
  const manners = limit_endpoints === 'discover' ? (['together', 'apart'] as const) : [limit_endpoints];
  const scopes = limit_scope === 'discover' ? (['per-key', 'shared'] as const) : [limit_scope];
  const counting =
    typeof channel === 'object'
      ? [channel.counts_against_rate_limit]
      : channel === 'discover' && requests.some((each) => each.endpoint === 'interact')
        ? [false, true]
        : [false];
  const windowNs = rate_limit.windowMs * 1e6;
  // A service of the run's own has met no request before it; of any other, nobody knows what its window held.
  const unknownNs = history.run.target.kind === 'embedded' ? 0 : windowNs;
  for (const endpoints of manners)
    for (const scope of scopes)
      for (const interactionsCount of counting) {
        const charged = requests.filter((each) => interactionsCount || each.endpoint !== 'interact');
        const own = (role: Role): SentRequest[] => charged.filter((each) => each.charged_to === role);
        const whole =
          scope === 'shared'
            ? [stream('all keys', roles, charged, windowNs, unknownNs)]
            : roles
                .map((role) => stream(role, [role], own(role), windowNs, unknownNs))
                .filter((each) => each.requests.length > 0);
        const streams =
          endpoints === 'together' ? whole : whole.flatMap((each) => byEndpoint(each, windowNs, unknownNs));
        yield { scope, interactionsCount, endpoints, streams };
      }
}

function byEndpoint(
  { label, requests, roles: owners }: Stream,
  windowNs: number,
  unknownNs: number,
): Stream[] {
  const whose = label.endsWith('s') ? `${label}'` : `${label}'s`;
  return [...Map.groupBy(requests, ({ endpoint }) => endpoint)].map(([endpoint, own]) => ({
    ...stream(`${whose} ${endpoint}`, owners, own, windowNs, unknownNs),
    endpoint,
  }));
}

function stream(
  label: string,
  owners: readonly Role[],
  requests: readonly SentRequest[],
  windowNs: number,
  unknownNs: number,
): Stream {
  const seen = traceOfRequests(requests, windowNs, 429, unknownNs);
  const [trace = seen] = withStandingClock([seen]);
  return { label, roles: owners, requests, trace };
}

/**
 * The trace that a limiter leaves which refuses with `refusalStatus`. Refusals within `unknownNs` of the first request
 * say nothing: what was asked with the key before the run may have filled the window.
 */
export function traceOfRequests(
  requests: readonly SentRequest[],
  windowNs: number,
  refusalStatus: number,
  unknownNs = 0,
): Trace {
  const knownFromNs = (requests[0]?.sent_ns ?? 0) + unknownNs;
  return traceOf(
    requests.map((each) => ({
      seq: each.seq,
      sentNs: each.sent_ns,
      // A request given up on may still reach the limiter later, say out of a stalled server's backlog.
      answeredNs: each.status === null ? each.answered_ns + windowNs : each.answered_ns,
      outcome:
        each.status === refusalStatus && each.sent_ns < knownFromNs
          ? ambiguous
          : outcomeOf(each, refusalStatus),
    })),
  );
}

/**
 * A 2xx passed the limiter. Whether other statuses did is not specified: a 401 or 404 may come before the limiter or
 * after it, and so may a 500. A request without a valid key cannot be charged to one, at most to a limit that all share.
 */
function outcomeOf(request: SentRequest, refusalStatus: number): Outcome {
  if (request.credential === 'bad' || request.credential === 'none' || request.status === null)
    return ambiguous;
  // From elsewhere, or said to be: under a limit by address these are charged to another.
  if (request.probe === 'scope:other-address' || request.probe === 'scope:forwarded') return ambiguous;
  if (request.status === refusalStatus) return limited;
  return request.status >= 200 && request.status < 300 ? admitted : ambiguous;
}
