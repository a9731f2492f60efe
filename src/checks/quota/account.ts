import { z } from 'zod';
import type { History } from '../../history/history.ts';
import { oncePerHistory, sqlText } from '../../history/tables.ts';
import { renewalsWithin } from '../../target/clock.ts';
import { type KeyAccount, toldAccount } from '../../target/keys.ts';
import type { Credential } from '../../vocabulary/requests.ts';
import { type Role, roles } from '../../vocabulary/roles.ts';
import { admitted, isSuccessStatus } from '../core/found.ts';
import { isProbe } from '../core/probes.ts';
import { mostSessionsSql } from '../core/stored.ts';
import { apartNs } from '../core/unanswered.ts';

/**
 * Which keys spend the session quota of the `quota` key: the one answer that every check of the quota uses. What the
 * profile says holds. What it leaves open is found out from the history: a key that opens a session after the `quota` key
 * was answered 402 has a separate quota; one that opened sessions before and is then answered 402 as well shares it if
 * the `quota` key sees its session, or if the quota cannot have been spent without its sessions.
 */
export interface Account {
  /** Keys that spend this quota, as told or as found; the `quota` key first. */
  readonly keys: readonly Role[];
  /** Those of them of which the profile says so, or that are the same key. */
  readonly toldKeys: readonly Role[];
  /** Keys that have a separate quota, as told or as found. */
  readonly otherKeys: readonly Role[];
  /** Keys of which nothing is told, that were rejected once this quota was spent, and that may have had a separate quota. */
  readonly likelyKeys: readonly Role[];
  /** Keys of other accounts that were rejected all the same once this quota was spent: more than one, so not by chance. */
  readonly blockedKeys: readonly Role[];
  readonly of: Readonly<Record<OtherRole, KeyFacts>>;
}

/** What is known of a key besides `quota`. */
export interface KeyFacts {
  readonly isSameKey: boolean;
  readonly told: KeyAccount;
  /** What is told is beyond doubt: the profile says that the keys are for this run alone. */
  readonly isSure: boolean;
  /** `discover`: the answers do not tell. */
  readonly found: KeyAccount;
  /** What the key was answered when it asked for sessions, before the first 402 on the `quota` key and after: a 2xx or 402, if there was one. */
  readonly before: number | undefined;
  readonly after: number | undefined;
}

/** SQL: a session that was requested in a malformed way, and rejected for it. One that got no answer, or 5xx, may have been created. */
const malformed = `(${isProbe('quota:malformed')} AND coalesce(status BETWEEN 400 AND 499, false))`;

/** SQL: a request for a new session with one of some credentials, that should be admitted or meet the quota. */
export function attemptOn(keys: readonly Credential[]): string {
  return `endpoint = 'create-session' AND credential IN (${keys.map(sqlText).join(', ')}) AND sent_ns IS NOT NULL AND NOT contains(coalesce(probe, ''), 'unknown-') AND NOT ${malformed}`;
}

/** The part of a run whose attempts are judged: one in which the quota did not renew. */
export interface QuotaPeriod {
  /** SQL: a condition on requests, after others. */
  readonly within: string;
  /** No session may have been created so near to the renewal before it that it may count on either side. */
  readonly isClean: boolean;
  /** Instants of renewal by the target's clock, epoch ms, and the attempts that are not judged. */
  readonly renewed: readonly number[];
  readonly leftOut: number;
}

const reachRow = z.object({ from_ns: z.number().nullable(), to_ns: z.number().nullable() });
const periodRow = z.object({ n: z.number(), attempts: z.number(), all: z.number(), near: z.number() });

/**
 * Where the profile says that the quota renews, each attempt lies between two renewals, or too near to one. Of the periods
 * that which shows a fault is judged, or else that which meets the end of the quota.
 */
export const quotaPeriod = oncePerHistory(async (history: History): Promise<QuotaPeriod> => {
  const whole: QuotaPeriod = { within: '', isClean: true, renewed: [], leftOut: 0 };
  const { clock_skew_bound: slackMs, quota } = history.profile;
  const { zero_epoch_ms: zeroMs } = history.run;
  const on = attemptOn(['quota']);
  const [reach] = await history.rows(
    reachRow,
    `SELECT min(sent_ns) AS from_ns, max(coalesce(answered_ns, sent_ns)) AS to_ns FROM requests WHERE ${on}`,
  );
  if (quota.renews === undefined || reach?.from_ns == null || reach.to_ns === null) return whole;
  const renewed = renewalsWithin(
    quota.renews,
    zeroMs + reach.from_ns / 1e6 - slackMs,
    zeroMs + reach.to_ns / 1e6 + slackMs,
  );
  if (renewed.length === 0) return whole;
  const ns = (epochMs: number): number => Math.round((epochMs - zeroMs) * 1e6);
  const starts = [Number.MIN_SAFE_INTEGER, ...renewed.map((at) => ns(at + slackMs))];
  const ends = [...renewed.map((at) => ns(at - slackMs)), Number.MAX_SAFE_INTEGER];
  const [found] = await history.rows(
    periodRow,
    `WITH period AS (SELECT unnest([${starts.join(', ')}]) AS from_ns, unnest([${ends.join(', ')}]) AS to_ns, unnest(range(${starts.length})) AS n),
     attempt AS (
       SELECT p.n, r.status, r.sent_ns, r.answered_ns FROM requests r JOIN period p
         ON r.sent_ns >= p.from_ns AND coalesce(r.answered_ns, r.sent_ns) <= p.to_ns WHERE ${on}),
     shut AS (SELECT n, min(answered_ns) FILTER (status = 402) AS at_ns FROM attempt GROUP BY n)
     SELECT n, count(*) AS attempts, (SELECT count(*) FROM requests WHERE ${on}) AS all,
       (SELECT count(*) FROM requests r JOIN period p ON p.n = attempt.n AND p.n > 0
          WHERE ${on} AND coalesce(r.status NOT BETWEEN 400 AND 499, true)
            AND coalesce(r.answered_ns, r.sent_ns) > p.from_ns - ${Math.round(2 * slackMs * 1e6)} AND r.sent_ns < p.from_ns) AS near
     FROM attempt JOIN shut USING (n) GROUP BY n
     ORDER BY count(*) FILTER (${admitted} AND sent_ns > at_ns) > 0 OR count(*) FILTER (${admitted}) > ${quota.sessions ?? Number.MAX_SAFE_INTEGER} DESC,
       bool_or(status = 402) DESC, attempts DESC LIMIT 1`,
  );
  if (found === undefined) return { ...whole, within: 'AND false', renewed };
  const { all, attempts, n, near } = found;
  const within = `AND sent_ns >= ${starts[n]} AND coalesce(answered_ns, sent_ns) <= ${ends[n]}`;
  return { within, isClean: near === 0, renewed, leftOut: all - attempts };
});

type OtherRole = Exclude<Role, 'quota'>;

const asked = roles.filter((role): role is OtherRole => role !== 'quota');

export const readAccount = oncePerHistory(async (history: History): Promise<Account> => {
  const { profile, run } = history;
  const answers = await answersAround(history);
  const facts = (role: OtherRole): Omit<KeyFacts, 'found'> => {
    const { before, after } = answers.get(role) ?? nothingAsked;
    const isSameKey =
      run.keys[role] !== undefined && run.keys[role].fingerprint === run.keys.quota?.fingerprint;
    return {
      isSameKey,
      told: toldAccount(role, profile, isSameKey),
      isSure: profile.exclusive_keys,
      before: before ?? undefined,
      after: after ?? undefined,
    };
  };
  const asIs = { load: facts('load'), twin: facts('twin'), bystander: facts('bystander') };
  // Where the `quota` key itself was let in again, another key that is let in shows nothing.
  const apart = asked.filter(
    (role) => isSuccessStatus(asIs[role].after) && answers.get(role)?.reopened === false,
  );
  const closed = asked.filter((role) => asIs[role].after === 402 && isSuccessStatus(asIs[role].before));
  const made = await readSessionsMade(history);
  const { fresh, sessions } = profile.quota;
  const { least, most } = made.get('quota') ?? none;
  const isSpentAlone = fresh && least === sessions && most === sessions;
  const others = closed.filter((role) => asIs[role].told !== 'same-account' && !asIs[role].isSameKey);
  const blockedKeys = isSpentAlone && others.length > 1 ? others : [];
  const proven = closed.length === 0 ? [] : await provenKeys(history, made, asIs, apart);
  const found = (role: OtherRole): KeyAccount => {
    if (apart.includes(role) || blockedKeys.includes(role)) return 'other-account';
    return closed.includes(role) && proven.includes(role) ? 'same-account' : 'discover';
  };
  const of = {
    load: { ...asIs.load, found: found('load') },
    twin: { ...asIs.twin, found: found('twin') },
    bystander: { ...asIs.bystander, found: found('bystander') },
  };
  const known = ({ told, found }: KeyFacts): KeyAccount => (told === 'discover' ? found : told);
  return {
    of,
    blockedKeys,
    keys: ['quota', ...asked.filter((role) => known(of[role]) === 'same-account')],
    toldKeys: ['quota', ...asked.filter((role) => of[role].told === 'same-account')],
    otherKeys: asked.filter((role) => known(of[role]) === 'other-account'),
    likelyKeys: closed.filter((role) => known(of[role]) === 'discover'),
  };
});

/**
 * Keys that spend the quota if they were rejected once it was spent. The refusal alone does not show it: they may have had a
 * quota of their own, of which it is not known how much was left.
 */
async function provenKeys(
  history: History,
  made: ReadonlyMap<string, SessionsMade>,
  facts: Readonly<Record<OtherRole, Omit<KeyFacts, 'found'>>>,
  apart: readonly OtherRole[],
): Promise<readonly OtherRole[]> {
  const { data_scope, quota } = history.profile;
  // Where all keys see the same data, that the `quota` key sees the twin's does not make them one account.
  const isTwinSeen = data_scope !== 'shared' && (await isTwinSessionSeen(history));
  const { sessions } = quota;
  // The account of a key for this run alone is new, and the twin's pricing plan is that of the quota key.
  const isTwinShort = history.profile.exclusive_keys && (made.get('twin')?.most ?? 0) < (sessions ?? 0);
  const sure = asked.filter(
    (role) => facts[role].isSameKey || ((isTwinSeen || isTwinShort) && role === 'twin'),
  );
  if (sessions === undefined) return sure;
  const maybe = asked.filter((role) => !apart.includes(role) && !sure.includes(role));
  const summed = keysThatSum(made, sessions, {
    sure: ['quota', ...sure],
    maybe,
    arePoolsApart: data_scope === 'per-key',
  });
  // An account that was not fresh may have ended early for that. That the sum is as promised bears out a promise all the same.
  return [...sure, ...summed.filter((role) => quota.fresh || facts[role].told === 'same-account')];
}

async function isTwinSessionSeen(history: History): Promise<boolean> {
  const [row] = await history.rows(
    z.object({ seen: z.number() }),
    `SELECT count(*) FILTER (${admitted}) AS seen FROM requests WHERE ${isProbe('quota:twin-session')}`,
  );
  return row !== undefined && row.seen > 0;
}

const answersRow = z.object({
  role: z.enum(['load', 'twin', 'bystander']),
  before: z.number().nullable(),
  after: z.number().nullable(),
  reopened: z.boolean(),
});
type Answers = Omit<z.output<typeof answersRow>, 'role'>;

const nothingAsked: Answers = { before: null, after: null, reopened: false };

/** What other keys were answered before the first 402 on the `quota` key and after. */
async function answersAround(history: History): Promise<ReadonlyMap<string, Answers>> {
  const { within } = await quotaPeriod(history);
  const isClear = `(${admitted} OR status = 402)`;
  const rows = await history.rows(
    answersRow,
    `WITH spent AS (SELECT min(answered_ns) + ${apartNs(history.run)} AS at_ns FROM requests WHERE ${attemptOn(['quota'])} ${within} AND status = 402),
     reopened AS (SELECT count(*) > 0 AS is_so FROM requests, spent WHERE ${attemptOn(['quota'])} ${within} AND ${admitted} AND sent_ns > at_ns)
     SELECT credential AS role,
            coalesce(max(status) FILTER (${admitted} AND answered_ns < at_ns),
                     arg_max(status, answered_ns) FILTER (answered_ns < at_ns)) AS before,
            coalesce(arg_min(status, sent_ns) FILTER (${isClear} AND sent_ns > at_ns),
                     arg_min(status, sent_ns) FILTER (sent_ns > at_ns)) AS after,
            any_value(is_so) AS reopened
     FROM requests, spent, reopened WHERE ${attemptOn(asked)} ${within} GROUP BY credential`,
  );
  return new Map(rows.map((row) => [row.role, row]));
}

/**
 * SQL: an attempt that may or may not have opened a session: no answer came, or one that says only that something
 * went wrong on the way.
 */
const ambiguous = '(lost IS NOT NULL OR status >= 500)';

/** SQL: an attempt that was or may have been answered with a session. */
export const possible = `(${admitted} OR ${ambiguous})`;

/** How many sessions a run has made with a key. */
interface SessionsMade {
  readonly least: number;
  readonly most: number;
}

const madeRow = z.object({ credential: z.string(), least: z.number(), most: z.number() });

const none: SessionsMade = { least: 0, most: 0 };

/** Sessions made with each credential. */
async function readSessionsMade(history: History): Promise<ReadonlyMap<string, SessionsMade>> {
  const rows = await history.rows(
    madeRow,
    `SELECT credential, count(*) FILTER (${admitted}) AS least, sum(${mostSessionsSql(history.profile, possible)}) AS most
     FROM requests
     WHERE endpoint = 'create-session' AND sent_ns IS NOT NULL AND NOT contains(coalesce(probe, ''), 'unknown-')
       AND (${possible} OR credential NOT IN ('bad', 'none'))
     GROUP BY credential`,
  );
  return new Map(rows.map(({ credential, ...made }) => [credential, made]));
}

/** Which keys spend a quota. */
interface QuotaKeys<Key extends Role> {
  /** For certain. */
  readonly sure: readonly Role[];
  /** All others that may. */
  readonly maybe: readonly Key[];
  /** If not, what was made with no role's key may have spent it as well. */
  readonly arePoolsApart: boolean;
}

/**
 * The keys without whose sessions the quota of a fresh account cannot have been spent: those that are in every set of keys
 * whose sessions sum to it.
 */
function keysThatSum<Key extends Role>(
  made: ReadonlyMap<string, SessionsMade>,
  quota: number,
  { arePoolsApart, maybe, sure }: QuotaKeys<Key>,
): readonly Key[] {
  const strangers = [...made].filter(
    ([credential]) => !roles.some((role) => role === credential) && !(arePoolsApart && credential === 'pool'),
  );
  const strangersMost = strangers.reduce((sum, [, { most }]) => sum + most, 0);
  const sets = subsetsOf(maybe).filter((set) => {
    const each = [...sure, ...set].map((role) => made.get(role) ?? none);
    const least = each.reduce((sum, one) => sum + one.least, 0);
    const most = each.reduce((sum, one) => sum + one.most, strangersMost);
    return least <= quota && quota <= most;
  });
  return sets.length === 0 ? [] : maybe.filter((role) => sets.every((set) => set.includes(role)));
}

function subsetsOf<T>(all: readonly T[]): readonly (readonly T[])[] {
  const [first, ...rest] = all;
  if (first === undefined) return [[]];
  const without = subsetsOf(rest);
  return [...without, ...without.map((set) => [first, ...set])];
}
