import type { History } from '../../../history/history.ts';
import { withStandingClock } from '../../../limits/standing-clock.ts';
import type { Trace } from '../../../limits/trace.ts';
import { isWord, type Rows, rowsWhere, type SentRequests, wordAt } from '../../../sent/columns.ts';
import { type Charge, chargeOf, traceOfRows, traceOptions } from '../../../sent/traces.ts';
import { type Role, roles } from '../../../vocabulary/roles.ts';
import { interactionReadings, interactionsKnownToCount } from './interactions.ts';

/** The requests that share one limit, by some reading of the target's conventions. */
export interface Stream {
  /** Whose they are: a role, or `all keys`; where endpoints are limited apart, which endpoint's of them. */
  readonly label: string;
  readonly roles: readonly Role[];
  /** Only requests to this one; absent where all endpoints share the limit. */
  readonly endpoint?: string;
  readonly sent: SentRequests;
  /** Which of `sent`. */
  readonly rows: Rows;
  readonly charge: (row: number) => Charge;
  readonly trace: Trace;
}

/** One way in which a target may reckon, where the interface is silent. */
export interface StreamsReading {
  readonly scope: 'per-key' | 'shared';
  readonly interactionsCount: boolean;
  readonly endpoints: 'together' | 'apart';
  readonly streams: readonly Stream[];
}

/**
 * The readings that the profile leaves open, the likeliest first, each made only when it is wanted: all endpoints share a
 * limit or each has its own; each key has its own limit or all share one. `counting`: whether interactions count, or
 * both to be tried.
 */
export function* readings(
  sent: SentRequests,
  history: Pick<History, 'profile' | 'run'>,
  counting = interactionReadings(interactionsKnownToCount(history.profile.channel), sent),
): Generator<StreamsReading> {
  const { limit_endpoints, limit_scope } = history.profile;
  const manners = limit_endpoints === 'discover' ? (['together', 'apart'] as const) : [limit_endpoints];
  const scopes = limit_scope === 'discover' ? (['per-key', 'shared'] as const) : [limit_scope];
  const options = traceOptions(history, 429);
  type ChargeOf = Stream['charge'];
  const stream = (label: string, owners: readonly Role[], rows: Rows, charge: ChargeOf): Stream => {
    const seen = traceOfRows(sent, rows, charge, options);
    const [trace = seen] = withStandingClock([seen]);
    return { label, roles: owners, sent, rows, charge, trace };
  };
  const byEndpoint = ({ charge, label, rows, roles: owners }: Stream): Stream[] => {
    const whose = label.endsWith('s') ? `${label}'` : `${label}'s`;
    const endpoints = new Set(Array.from(rows, (row) => wordAt(sent.endpoint, row) ?? ''));
    return [...endpoints].map((endpoint) => ({
      ...stream(
        `${whose} ${endpoint}`,
        owners,
        rowsWhere(sent, isWord(sent.endpoint, endpoint), rows),
        charge,
      ),
      endpoint,
    }));
  };
  for (const endpoints of manners)
    for (const scope of scopes)
      for (const interactionsCount of counting) {
        const charge = chargeOf(sent, { interactionsCount });
        const charged = rowsWhere(sent, (row) => charge(row) !== 'not');
        const whole =
          scope === 'shared'
            ? [stream('all keys', roles, charged, charge)]
            : roles
                .map((role) =>
                  stream(role, [role], rowsWhere(sent, isWord(sent.chargedTo, role), charged), charge),
                )
                .filter(({ rows }) => rows.length > 0);
        const streams = endpoints === 'together' ? whole : whole.flatMap(byEndpoint);
        yield { scope, interactionsCount, endpoints, streams };
      }
}
