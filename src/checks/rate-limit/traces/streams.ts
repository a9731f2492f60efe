import { z } from 'zod';
import type { History } from '../../../history/history.ts';
import { oncePerHistory } from '../../../history/tables.ts';
import { countBelow } from '../../../limits/arrays.ts';
import {
  isWord,
  type Rows,
  rowsWhere,
  type SentRequests,
  without,
  wordAt,
} from '../../../limits/sent/columns.ts';
import {
  type Charge,
  chargeOf,
  ofKeys,
  type TraceOptions,
  together,
  traceOfRows,
  traceOptions,
} from '../../../limits/sent/traces.ts';
import { withStandingClock } from '../../../limits/standing-clock.ts';
import type { Trace } from '../../../limits/trace.ts';
import { type Profile, interactionsCount as toldToCount } from '../../../target/profile.ts';
import { type Role, roles } from '../../../vocabulary/roles.ts';
import type { DateStep } from '../../core/moved-clock.ts';
import { type TriedProbe, triedAtLimit } from './scope.ts';

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
  readonly options: TraceOptions;
  readonly trace: Trace;
}

/** One way in which a target may reckon, where the interface is silent. */
export interface StreamsReading {
  /** `some`: keys of one account share a limit, and others do not. */
  readonly scope: 'per-key' | 'some' | 'shared';
  readonly interactionsCount: boolean;
  readonly endpoints: 'together' | 'apart';
  readonly streams: readonly Stream[];
}

/**
 * The readings that the profile leaves open, the likeliest first, each made only when it is wanted: all endpoints share a
 * limit or each has its own; each key has its own limit, those of an account share one, or all do. `counting`: whether
 * interactions count, or both to be tried.
 */
export function* readings(
  sent: SentRequests,
  history: Pick<History, 'profile' | 'run'>,
  counting = interactionReadings(interactionsKnownToCount(history.profile.channel), sent),
): Generator<StreamsReading> {
  const { limit_endpoints, limit_scope } = history.profile;
  const manners = limit_endpoints === 'discover' ? (['together', 'apart'] as const) : [limit_endpoints];
  const present = roles.filter((role) => ofKeys(sent, [role]).length > 0);
  const scopes = limit_scope === 'discover' ? scopesFor(present) : [limits[limit_scope]];
  const options = traceOptions(history, 429);
  type ChargeOf = Stream['charge'];
  const stream = (label: string, owners: readonly Role[], rows: Rows, charge: ChargeOf): Stream => {
    const seen = traceOfRows(sent, rows, charge, options);
    const [trace = seen] = withStandingClock([seen]);
    return { label, roles: owners, sent, rows, charge, options, trace };
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
        const whole = scope.groups
          .map((keys) => {
            const isAll = keys.length === roles.length;
            const own = isAll ? charged : ofKeys(sent, keys, charged);
            return stream(isAll ? 'all keys' : keys.join(' and '), keys, own, charge);
          })
          .filter(({ rows }) => rows.length > 0);
        const streams = endpoints === 'together' ? whole : whole.flatMap(byEndpoint);
        yield { scope: scope.kind, interactionsCount, endpoints, streams };
      }
}

interface Scope {
  readonly kind: StreamsReading['scope'];
  readonly groups: readonly (readonly Role[])[];
}

const limits = {
  'per-key': { kind: 'per-key', groups: roles.map((role) => [role]) },
  shared: { kind: 'shared', groups: [roles] },
} as const satisfies Record<string, Scope>;

/** Whose limit it may be, the likeliest first. The bystander is of another account than the other keys, by definition. */
function scopesFor(present: readonly Role[]): readonly Scope[] {
  const own = present.filter((role) => role !== 'bystander');
  const accounts = [own, ...own.map((left) => own.filter((role) => role !== left))]
    .filter((some) => some.length > 1)
    .map((some): Scope => ({ kind: 'some', groups: together(some) }));
  return [limits['per-key'], ...accounts, limits.shared];
}

/** Whether the run studied the limiter. */
export function studiesLimits({ run }: Pick<History, 'run'>): boolean {
  return run.studies?.some(({ kind }) => kind === 'limits') === true;
}

/**
 * Whether interactions spend the rate limit of the key that opened their session: as the profile says, else as the study found
 * while the key was at its limit. Undefined where neither tells.
 */
export function interactionsKnownToCount(
  told: Profile['channel'],
  tried: readonly TriedProbe[] = [],
): boolean | undefined {
  const count = toldToCount(told);
  if (count !== 'discover') return count;
  const sharing = tried.find(({ probe }) => probe === 'scope:interact')?.sharing;
  return sharing === 'shared' ? true : sharing === 'separate' ? false : undefined;
}

/** What is to be tried of a run: what is known, else both, the likelier first. */
export function interactionReadings(known: boolean | undefined, sent: SentRequests): readonly boolean[] {
  if (known !== undefined) return [known];
  const interactions = rowsWhere(sent, isWord(sent.endpoint, 'interact'));
  if (interactions.length === 0) return [false];
  // Those that spend nothing have no reason to get 429.
  return interactions.some((row) => sent.status[row] === 429) ? [true, false] : [false, true];
}

/**
 * Whether interactions count, at first sight: as is known, else because some got 429. Good enough for a picture of the run,
 * not for a verdict.
 */
export const interactionsLookCounted = oncePerHistory(async (history): Promise<boolean> => {
  const tried = studiesLimits(history) ? await triedAtLimit(history, 429) : [];
  const known = interactionsKnownToCount(history.profile.channel, tried);
  if (known !== undefined) return known;
  const [rejected] = await history.rows(
    z.object({ n: z.number() }),
    "SELECT count(*) AS n FROM requests WHERE endpoint = 'interact' AND status = 429",
  );
  return (rejected?.n ?? 0) > 0;
});

/** How long after a step a limiter may still count what came before it, by either clock. */
export function doubtNs({ byMs }: DateStep, { rate_limit }: Pick<Profile, 'rate_limit'>): number {
  return (rate_limit.windowMs + Math.abs(byMs)) * 1e6;
}

/** The requests before a step of the target's clock, and those after it, without headers that may still speak of the others. */
export function sidesOf(
  sent: SentRequests,
  step: DateStep,
  profile: Pick<Profile, 'rate_limit'>,
): { readonly before: SentRequests; readonly after: SentRequests } {
  const stepNs = step.atMs * 1e6;
  const isLater = (row: number): boolean => (sent.sentNs[row] as number) >= stepNs;
  const after = without(sent, (row) => !isLater(row));
  const doubted = countBelow(after.sentNs, stepNs + doubtNs(step, profile));
  after.retryAfter.code.fill(0, 0, doubted);
  after.limitHeaders.code.fill(0, 0, doubted);
  return { before: without(sent, isLater), after };
}
