import { z } from 'zod';
import type { History } from '../../history/history.ts';
import { oncePerHistory } from '../../history/once.ts';
import type { Credential } from '../../history/record.ts';
import { type KeyAccount, toldAccount } from '../../target/accounts.ts';
import { type Role, roles } from '../../target/profile.ts';
import { admitted, sqlText } from '../found.ts';
import { mostSessionsSql } from '../redeliveries.ts';
import { possible } from './outcomes.ts';

/**
 * Which keys spend the session quota of the `quota` key: the one answer that every check of the quota uses. What the
 * profile says holds. What it leaves open is found out from the history: a key that opens a session after the `quota` key
 * was answered 402 has a quota of its own; one that opened sessions before and is then answered 402 as well shares it.
 */
export interface Account {
  /** Keys that spend this quota, as told or as found; the `quota` key first. */
  readonly keys: readonly Role[];
  /** Those of them of which the profile says so, or that are the same key. */
  readonly toldKeys: readonly Role[];
  /** Keys that have a quota of their own, as told or as found. */
  readonly otherKeys: readonly Role[];
  readonly of: Readonly<Record<Exclude<Role, 'quota'>, KeyFacts>>;
}

/** What is known of a key besides `quota`. */
export interface KeyFacts {
  readonly isSameKey: boolean;
  readonly told: KeyAccount;
  /** `discover`: the answers do not tell. */
  readonly found: KeyAccount;
  /** What the key was answered when it asked for sessions, before the first 402 on the `quota` key and after: a 2xx or 402, if there was one. */
  readonly before: number | undefined;
  readonly after: number | undefined;
  /** Its own sessions may have spent a quota of its own. */
  readonly mayHaveSpentOwn: boolean;
}

/** SQL: a request for a new session with one of some credentials, that should be admitted or meet the quota. */
export function attemptOn(keys: readonly Credential[]): string {
  return `endpoint = 'create-session' AND credential IN (${keys.map(sqlText).join(', ')}) AND sent_ns IS NOT NULL AND NOT contains(coalesce(probe, ''), 'unknown-')`;
}

const asked = roles.filter((role) => role !== 'quota');

export const readAccount = oncePerHistory(async (history: History): Promise<Account> => {
  const answers = await answersAround(history);
  const facts = (role: Exclude<Role, 'quota'>): KeyFacts => {
    const { before, after, made, refused_before, reopened } = answers.get(role) ?? nothingAsked;
    const { keys } = history.run;
    const { quota, redeliveries } = history.profile;
    const isSameKey = keys[role] !== undefined && keys[role].fingerprint === keys.quota?.fingerprint;
    // The twin has the same plan: with fewer sessions than that allows it cannot have spent a quota of its own.
    const mayHaveSpentOwn =
      role === 'twin' && quota.sessions !== undefined
        ? made >= quota.sessions
        : refused_before > 0 || redeliveries > 0;
    return {
      isSameKey,
      told: toldAccount(role, history.profile, isSameKey),
      found:
        // Where the `quota` key itself was let in again, another key that is let in shows nothing.
        is2xx(after) && !reopened
          ? 'other-account'
          : after === 402 && is2xx(before) && !mayHaveSpentOwn
            ? 'same-account'
            : 'discover',
      before: before ?? undefined,
      after: after ?? undefined,
      mayHaveSpentOwn,
    };
  };
  const of = { load: facts('load'), twin: facts('twin'), bystander: facts('bystander') };
  const known = ({ told, found }: KeyFacts): KeyAccount => (told === 'discover' ? found : told);
  return {
    of,
    keys: ['quota', ...asked.filter((role) => known(of[role]) === 'same-account')],
    toldKeys: ['quota', ...asked.filter((role) => of[role].told === 'same-account')],
    otherKeys: asked.filter((role) => known(of[role]) === 'other-account'),
  };
});

const answersRow = z.object({
  role: z.enum(['load', 'twin', 'bystander']),
  before: z.number().nullable(),
  after: z.number().nullable(),
  refused_before: z.number(),
  made: z.number(),
  reopened: z.boolean(),
});
type Answers = Omit<z.output<typeof answersRow>, 'role'>;

const nothingAsked: Answers = { before: null, after: null, refused_before: 0, made: 0, reopened: false };

/** What other keys were answered before the first 402 on the `quota` key and after, and the most sessions that they can have made. */
async function answersAround(history: History): Promise<ReadonlyMap<string, Answers>> {
  const isClear = `(${admitted} OR status = 402)`;
  const rows = await history.rows(
    answersRow,
    `WITH spent AS (SELECT min(answered_ns) AS at_ns FROM requests WHERE ${attemptOn(['quota'])} AND status = 402),
     reopened AS (SELECT count(*) > 0 AS is_so FROM requests, spent WHERE ${attemptOn(['quota'])} AND ${admitted} AND sent_ns > at_ns)
     SELECT credential AS role,
            coalesce(max(status) FILTER (${admitted} AND answered_ns < at_ns),
                     arg_max(status, answered_ns) FILTER (answered_ns < at_ns)) AS before,
            coalesce(arg_min(status, sent_ns) FILTER (${isClear} AND sent_ns > at_ns),
                     arg_min(status, sent_ns) FILTER (sent_ns > at_ns)) AS after,
            count(*) FILTER (status = 402 AND answered_ns < at_ns) AS refused_before,
            sum(${mostSessionsSql(history.profile, possible)}) AS made, any_value(is_so) AS reopened
     FROM requests, spent, reopened WHERE ${attemptOn(asked)} GROUP BY credential`,
  );
  return new Map(rows.map((row) => [row.role, row]));
}

function is2xx(status: number | null): boolean {
  return status !== null && status >= 200 && status <= 299;
}
