import { counted, countedRange, listed, number, range, times, verb } from '../../amounts.ts';
import { type Got, gotText } from './contract/answers.ts';
import { answeredText, requestText } from './words/requests.ts';

/** ` on the quota key`, ` on the keys quota, twin together`. There are four keys at most. */
export function onKeys(keys: readonly string[]): string {
  return keys.length <= 1 ? ` on the ${keys[0] ?? 'quota'} key` : ` on the keys ${listed(keys, 4)} together`;
}

/** Fields of the profile, as they are written there. */
function fieldsText(fields: readonly string[]): string {
  return listed(fields.map((field) => `\`${field}\``));
}

function onRaceKeys(keys: readonly string[]): string {
  return keys.length === 1 ? `on the ${keys.join()} key` : `on the keys ${listed(keys, 4)}`;
}

/** A read with the key whose quota is spent, and what came of it. */
interface QuotaRead {
  readonly endpoint: string;
  readonly got: Got;
}

function readsText(reads: readonly QuotaRead[]): string {
  return listed(
    reads.map(({ endpoint, got }) => `${requestText(endpoint)} ${gotText(got)}`),
    3,
  );
}

/** Reasons of the quota checks. */
export const quotaReasons = {
  'quota-not-fresh':
    'The profile does not say that the account is fresh (`quota.fresh`), so others or earlier runs may have used the rest.',
  'quota-rest-on-key': ({ key, sessions }: { key: string; sessions: { min: number; max: number } }) =>
    `The ${key} key made ${countedRange(sessions, 'session')}, which may have spent the rest.`,
  'quota-keys-unknown': ({ fields }: { fields: readonly string[] }) =>
    `Neither the profile (${fieldsText(fields)}) nor an answer shows whether other keys spend this quota.`,
  'quota-spent-against-promise': ({ keys }: { keys: readonly string[] }) =>
    `Probable cause: the ${listed(keys)} ${verb(keys.length, 'key', 'keys')} also ${verb(keys.length, 'spends', 'spend')} this quota. The profile says that another account does.`,
  'quota-likely-keys': ({ fields, keys }: { keys: readonly string[]; fields: readonly string[] }) =>
    `From then on the ${listed(keys)} ${verb(keys.length, 'key', 'keys')} got 402 as well. Sessions on ${verb(keys.length, 'it', 'them')} may have spent the same quota; the profile does not say so (${fieldsText(fields)}).`,
  'quota-sharing-unspent': 'The quota was not spent.',
  'quota-sharing-untried': 'No other key was tried.',
  'quota-sharing-same-key': 'The {key:text} key is the quota key itself, so it shows nothing.',
  'quota-sharing-maybe': 'The {key:text} key got 402 as well; it may have spent a separate quota.',
  'quota-sharing-unclear': (params: {
    key: string;
    beforeStatus: number | null;
    afterStatus: number | null;
  }) =>
    `The ${params.key} key got ${params.beforeStatus ?? 'no status'} before the quota was spent, and ${params.afterStatus ?? 'no status'} after. This does not show which quota it spends.`,
  'quota-sharing-blocked': ({ keys }: { keys: readonly string[] }) =>
    `Expected the quota of one account to leave the others as they are. The quota key alone opened all of its sessions; then the keys ${listed(keys, 3)} got 402 as well.`,
  'quota-sharing-found': ({ isShared, key }: { key: string; isShared: boolean }) =>
    `The ${key} key and the quota key ${isShared ? 'share one quota' : 'have separate quotas'}.`,
  'quota-sharing-contradicts': (params: {
    key: string;
    isShared: boolean;
    told: 'same-account' | 'other-account';
  }) =>
    `Expected \`${params.told}\` for the ${params.key} key, as the profile says; its quota is ${params.isShared ? 'shared with' : 'separate from'} that of the quota key.`,
  'quota-edge-untried': 'No session was requested with the quota key.',
  'quota-edge-found': (params: { admitted: { min: number; max: number }; keys: readonly string[] }) =>
    `The profile does not give the quota (\`quota.sessions\`). The service admitted ${countedRange(params.admitted, 'session')}${onKeys(params.keys)}, then returned 402.`,
  'quota-edge-unreached': (params: {
    attempts: number;
    admitted: { min: number; max: number };
    keys: readonly string[];
  }) =>
    `The profile does not give the quota (\`quota.sessions\`). The run did not reach it with ${counted(params.attempts, 'attempt')}: ${range(params.admitted)} ${verb(params.admitted.max, 'was', 'were')} admitted${onKeys(params.keys)}.`,
  'quota-edge-over': (params: { admitted: number; quota: number; keys: readonly string[] }) =>
    `Expected at most ${counted(params.quota, 'session')}${onKeys(params.keys)}, got ${number(params.admitted)}: ${number(params.admitted - params.quota)} more than the quota.`,
  'quota-edge-over-in-doubt': (params: {
    admitted: number;
    quota: number;
    keys: readonly string[];
    fields: readonly string[];
  }) =>
    `The run got ${counted(params.admitted, 'session')}${onKeys(params.keys)}, ${number(params.admitted - params.quota)} more than the quota of ${number(params.quota)}. The answers suggest that these keys share it; the profile does not say so (${fieldsText(params.fields)}).`,
  'quota-edge-without-402': (params: {
    admitted: { min: number; max: number };
    attempts: number;
    quota: number;
    keys: readonly string[];
  }) =>
    `No attempt got 402. Of ${counted(params.attempts, 'attempt')}, ${range(params.admitted)} ${verb(params.admitted.max, 'was', 'were')} admitted${onKeys(params.keys)}; the quota is ${number(params.quota)}.`,
  'quota-edge-early': (params: {
    admitted: { min: number; max: number };
    quota: number;
    keys: readonly string[];
  }) =>
    `Expected ${counted(params.quota, 'session')} before the first 402, got ${range(params.admitted)}${onKeys(params.keys)}.`,
  'quota-edge-unclear': (params: {
    admitted: { min: number; max: number };
    unclear: number;
    quota: number;
    keys: readonly string[];
  }) =>
    `The run got ${countedRange(params.admitted, 'session')}${onKeys(params.keys)}, of a quota of ${number(params.quota)}. No clear answer came to ${counted(params.unclear, 'attempt')}.`,
  'quota-edge-exact': ({ keys, quota }: { quota: number; keys: readonly string[] }) =>
    `Exactly ${counted(quota, 'session')} ${verb(quota, 'was', 'were')} admitted${onKeys(keys)}, then 402 was returned.`,
  'quota-consumption-untried': 'Before the quota was spent, the run sent no request that must not count.',
  'quota-consumption-unknown':
    'The quota is not known for certain, so the run cannot show what else was counted.',
  'quota-consumption-counted': ({ admitted, quota }: { admitted: number; quota: number }) =>
    `Expected ${counted(quota, 'session')}, got ${number(admitted)}: ${counted(quota - admitted, 'other request')} ${verb(quota - admitted, 'was counted as a session', 'were counted as sessions')}.`,
  'quota-consumption-sent': ({ requests }: { requests: readonly { what: string; count: number }[] }) => {
    const kinds = requests.map(({ count, what }) => `${number(count)} × ${answeredText(what)}`);
    return `The run also sent requests that create no session (status in brackets). These were ${listed(kinds, 5)}.`;
  },
  'quota-consumption-given-back':
    'The account had {admitted:count session} instead of {quota}. The surplus is just the number of requests of one kind that create no session.',
  'quota-consumption-kept':
    'Afterwards the account still had {quota:count session}, so none of these was counted.',
  'quota-consumption-in-doubt':
    'The run got {admitted:count session} of a quota of {quota}, which does not show what else was counted.',
  'quota-race-none':
    'No race took place. It needs a quota that the profile states or the run finds, and sessions left on that key or a twin key.',
  'quota-race-unsaid': ({ fields }: { fields: readonly string[] }) =>
    `No race took place: the twin key shares the quota, which was spent by then. Give ${fieldsText(fields)} in the profile, so that the last sessions of the quota race.`,
  'quota-race-unknown': 'The quota is not known, so the expected number of sessions is not known either.',
  'quota-race-over': (params: {
    atOnce: number;
    before: number;
    won: number;
    lost: number;
    admitted: number;
    quota: number;
    keys: readonly string[];
  }) =>
    `Expected at most ${counted(params.quota, 'session')} ${onRaceKeys(params.keys)}, got ${number(params.admitted)}: ${number(params.admitted - params.quota)} too many. Before the race, ${counted(params.before, 'session')} ${verb(params.before, 'was', 'were')} created. Then ${counted(params.atOnce, 'request')} ${verb(params.atOnce, 'was', 'were')} sent at once: ${number(params.won)} got a session, and ${number(params.lost)} got 402.`,
  'quota-race-exact': ({ atOnce, keys, quota }: { atOnce: number; quota: number; keys: readonly string[] }) =>
    `Exactly ${counted(quota, 'session')} ${verb(quota, 'was', 'were')} admitted ${onRaceKeys(keys)}, the last in a race of ${counted(atOnce, 'request')} at once.`,
  'quota-race-short': (params: {
    atOnce: number;
    admitted: number;
    quota: { min: number; max: number };
    keys: readonly string[];
  }) =>
    `In all, ${counted(params.admitted, 'session')} ${verb(params.admitted, 'was', 'were')} admitted ${onRaceKeys(params.keys)}; the quota is ${range(params.quota)}. The last were requested in a race of ${counted(params.atOnce, 'request')} at once.`,
  'quota-race-without-402': 'None got 402.',
  'quota-race-others': 'Others may have used the rest.',
  'quota-precedence-untried': 'No session was requested with quota and rate limit both spent.',
  'quota-precedence-varies':
    'Expected the same status with quota and rate limit both spent, got {statuses:text}.',
  'quota-precedence-found':
    'With quota and rate limit both spent, the order is {statuses:text}: a new session always got the first of these.',
  'quota-without-key': 'No key was given for the role `quota`.',
  'quota-closed-unspent': 'No attempt got 402, so the run did not see the end of the quota.',
  'quota-closed-admitted':
    'Expected no session after the first 402, got {sessions}: {sessions:it was|they were} requested after that 402 had come back.',
  'quota-renewed': ({ atMs, leftOut }: { atMs: readonly number[]; leftOut: number }) =>
    `The quota renewed at ${listed(
      atMs.map((ms) => new Date(ms).toISOString()),
      3,
    )} (profile: \`quota.renews\`). One period is judged; ${counted(leftOut, 'attempt')} outside of it ${verb(leftOut, 'is', 'are')} not.`,
  'quota-closed-held':
    'No attempt that was sent after the first 402 was admitted; {rejected:count attempt} got 402.',
  'quota-status-other': ({ answers }: { answers: readonly { status: number; count: number }[] }) =>
    `Expected 402 for sessions over the quota, got ${listed(answers.map(({ count, status }) => `${status} ${times(count)}`))}.`,
  'quota-status-429':
    'Expected 402 for sessions over the quota, got 429 {count:times}, with far fewer requests than the rate limit allows.',
  'quota-status-none': ({ limited }: { limited: number }) =>
    limited === 0
      ? 'No attempt was rejected after the quota was spent.'
      : `No attempt got 402. The rate limit explains each 429 (${counted(limited, 'attempt')}).`,
  'quota-status-402': 'Every rejection over the quota was a 402 ({rejected:count rejection}).',
  'quota-reads-rejected': ({ reads }: { reads: readonly QuotaRead[] }) =>
    `Expected 2xx for reads after the quota was spent, but ${readsText(reads)}.`,
  'quota-reads-untried': ({ reads }: { reads: readonly QuotaRead[] }) =>
    `Not every read could be judged: ${readsText(reads)}.`,
  'quota-reads-unspent': 'The reads succeeded, but no attempt had got 402: the quota was not spent.',
  'quota-reads-succeeded': (params: { reads: number; imports: number; events?: boolean }) => {
    const { events = false, imports, reads } = params;
    const all = [
      counted(reads, 'read'),
      ...(imports === 0 ? [] : [counted(imports, 'import')]),
      ...(events ? ['a batch of events'] : []),
    ];
    return `After the quota was spent, the target accepted ${listed(all)}. None got 402.`;
  },
  'stored-unanswered':
    'Analytics of one product were not answered after sessions were rejected, so nothing shows whether those were stored.',
  'stored-none-rejected': 'No session was rejected, so none can have been stored wrongly.',
  'stored-more-than-sent': 'Analytics count {told:count session} of a product for which fewer were sent.',
  stored:
    'Expected at most {most:count session} in analytics, as many as can have been {how:text}; got {told}. Rejected sessions were stored, or one request made several, for example because a gateway repeats it (`redeliveries`).',
  'stored-in-doubt':
    'Analytics count {told:count session}, and at most {most} {most:was|were} admitted. Nothing shows whether rejected sessions were stored.',
  'stored-too-few':
    'Analytics count {told:count session} of at least {least} admitted, so they cannot show whether rejected sessions were stored.',
  'not-stored': (params: { told: number; rejected: number; status: number; ofStatus: number }) =>
    `Analytics of the product count ${counted(params.told, 'session')}. They do not count ${counted(params.rejected, 'rejected session')} (with ${params.status}: ${number(params.ofStatus)}).`,
} as const;
