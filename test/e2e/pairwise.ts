import type { ProfileInput } from '../../src/target/profile.ts';
import type { Role } from '../../src/vocabulary/roles.ts';
import { type Configuration, oddId } from './configurations.ts';
import { coveringArray } from './covering-array.ts';
import type { ForeignChoices } from './foreign-service.ts';

/** One way in which honest deployments differ, and what its user tells the harness about it. */
interface Way {
  readonly words: string;
  readonly choices?: ForeignChoices;
  readonly profile?: ProfileInput;
  readonly roles?: readonly Role[];
}

const told = { path: '/sessions/{session_id}/interactions', auth: 'session-token' } as const;
const quota = { sessions: 15, fresh: true } as const;

/** In each dimension one way is taken: what the interface leaves open, and what a user may leave out. */
const dimensions: readonly (readonly Way[])[] = [
  [
    { words: 'sliding log' },
    { words: 'fixed window', choices: { limiter: 'fixed-window' } },
    { words: 'sliding counter', choices: { limiter: 'sliding-counter' } },
    { words: 'token bucket', choices: { limiter: 'token-bucket' } },
  ],
  [
    { words: 'three keys', roles: ['load', 'quota', 'bystander'] },
    { words: 'four keys', roles: ['load', 'quota', 'twin', 'bystander'] },
    { words: 'no bystander', roles: ['load', 'quota'] },
    { words: 'no quota key', roles: ['load', 'bystander'] },
  ],
  [
    { words: 'accounts apart' },
    { words: 'accounts apart, as told', profile: { data_scope: 'per-key' } },
    { words: 'twin of the quota account', choices: { accounts: { twin: 'quota' } } },
    {
      words: 'twin of the quota account, as told',
      choices: { accounts: { twin: 'quota' } },
      profile: { quota: { ...quota, twin: 'same-account' } },
    },
    { words: 'bystander of the load account', choices: { accounts: { bystander: 'load' } } },
  ],
  [
    { words: 'channel found' },
    { words: 'channel told', profile: { channel: told } },
    { words: 'no channel', choices: { channel: false } },
  ],
  [{ words: 'interactions free' }, { words: 'interactions count', choices: { interactionsCount: true } }],
  [
    { words: 'no limit headers' },
    { words: 'draft 7', choices: { limitHeaders: 'draft-7' } },
    { words: 'draft 10', choices: { limitHeaders: 'draft-10' } },
    { words: 'X-RateLimit', choices: { limitHeaders: 'x-ratelimit' } },
  ],
  [
    { words: 'no Retry-After' },
    { words: 'Retry-After', choices: { retryAfter: 'honest' } },
    { words: 'Retry-After with jitter', choices: { retryAfter: 'jitter' } },
  ],
  [{ words: 'short ids' }, { words: 'odd ids', choices: { sessionId: oddId } }],
  [
    { words: 'history by arrival' },
    { words: 'history by instant', choices: { historyOrder: 'at' } },
    { words: 'history newest first', choices: { historyOrder: 'at-descending' } },
  ],
  [
    { words: 'whole lists' },
    { words: 'pages by Link', choices: { pages: { size: 100, by: 'link' } } },
    { words: 'pages by cursor', choices: { pages: { size: 40, by: 'cursor' } } },
  ],
  [
    { words: 'connections kept' },
    { words: 'connections closed', choices: { keepAlive: false } },
    { words: 'idle connections closed', choices: { idleMs: 1_000 } },
  ],
  [
    { words: 'bare lists', choices: { shades: 'bare' } },
    { words: 'lists in objects', choices: { shades: 'items', extraFields: true } },
  ],
  [
    { words: 'imports 200' },
    { words: 'imports 201', choices: { importStatus: 201 } },
    { words: 'imports 202, empty', choices: { importStatus: 202, importBody: 'empty' } },
  ],
  [
    { words: 'errors in JSON' },
    { words: 'errors empty', choices: { errorBody: 'empty' } },
    { words: 'errors in HTML', choices: { errorBody: 'html' } },
  ],
  [
    { words: 'averages of distinct shades' },
    { words: 'averages of selections', choices: { average: 'selections', decimals: 2 } },
    { words: 'averages in full, ties backwards', choices: { decimals: undefined, ties: 'sku-descending' } },
    { words: 'few top shades, ties as they came', choices: { topShades: 3, ties: 'first-selected' } },
  ],
  [
    { words: 'clock right' },
    { words: 'clock fast', choices: { clockOffsetMs: 400 } },
    { words: 'clock slow', choices: { clockOffsetMs: -400 } },
  ],
  [{ words: 'analytics at once' }, { words: 'analytics late', choices: { analyticsLagMs: 500 } }],
];

/** Rows in which each two ways of different dimensions meet. */
export const pairwiseConfigurations: readonly Configuration[] = coveringArray(
  dimensions.map(({ length }) => length),
).map((row): Configuration => {
  const ways = row.flatMap((place, column) => dimensions[column]?.[place] ?? []);
  const roles = ways.flatMap((way) => way.roles ?? []);
  return {
    sentence: ways.map(({ words }) => words).join(', '),
    choices: Object.assign({}, ...ways.map(({ choices }) => choices)) as ForeignChoices,
    profile: Object.assign({}, ...ways.map(({ profile }) => profile)) as ProfileInput,
    roles,
  };
});

/** Whether a check, whose id a text begins with, cannot be judged with such a configuration. */
export function isDue({ choices, roles = [] }: Configuration, text: string): boolean {
  if (text.startsWith('quota.')) return !roles.includes('quota');
  if (text.startsWith('rate-limit.isolation')) return !roles.includes('bystander');
  return text.startsWith('analytics.') && choices.channel === false;
}
