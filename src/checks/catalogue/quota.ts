import type { Entries } from './entry.ts';

const spent = 'A quota key, and a scenario that spends its quota.';

/** Checks of the session quota. */
export const quotaEntries = {
  'quota.closed': {
    title: 'After the first 402, no further session is created',
    needs: spent,
  },
  'quota.consumption': {
    title: 'Only created sessions count against the quota',
    needs: 'A quota study on a fresh account (`quota.fresh`), and `quota.sessions` or a twin key.',
  },
  'quota.edge': {
    title: 'Exactly as many sessions as the quota allows are created, then 402',
    needs: 'A quota key, `quota.sessions`, and `quota.fresh` to judge a 402 that comes early.',
  },
  'quota.no-side-effect': {
    title: 'Sessions over the quota are not stored',
    needs: 'A spent quota, and an analytics answer for the product of these sessions.',
  },
  'quota.precedence': {
    title: 'With quota and rate limit both spent, a new session always gets the same status',
    needs: 'A quota study that reaches the rate limit after the quota is spent.',
  },
  'quota.race': {
    title: 'Sessions that are created at the same time do not exceed the quota',
    needs: 'A quota study with at least 8 sessions at once, and a quota that is known.',
  },
  'quota.reads': {
    title: 'A spent quota does not affect reads',
    needs: spent,
  },
  'quota.sharing': {
    title: 'Keys of one account share a quota, and keys of different accounts do not',
    needs: 'A quota study, and a second key: twin, bystander or load.',
  },
  'quota.status': {
    title: 'A session over the quota gets 402 and no other status',
    needs: spent,
  },
} as const satisfies Entries<'quota'>;
