import type { Entries } from './entry.ts';

const spent = 'A quota key, and a scenario that spends its quota.';

/** Checks of the session quota. */
export const quotaEntries = {
  'quota.closed': {
    title: 'After the first 402, no further session is created',
    needs: spent,
    failing: 'Customers over their quota can create more sessions.',
    toDo: 'Keep one counter for all nodes, and do not cache it.',
  },
  'quota.consumption': {
    title: 'Only created sessions count against the quota',
    needs: 'A quota study on a fresh account (`quota.fresh`), and `quota.sessions` or a twin key.',
    failing: 'Customers lose part of their quota to requests that create no session.',
    toDo: 'Increment the counter only in the step that creates the session.',
  },
  'quota.edge': {
    title: 'Exactly as many sessions as the quota allows are created, then 402',
    needs: 'A quota key, `quota.sessions`, and `quota.fresh` to judge a 402 that comes early.',
    failing: 'Customers get more or fewer sessions than their quota allows.',
    toDo: 'Check the comparison at the last session, and what else the counter counts.',
  },
  'quota.no-side-effect': {
    title: 'Sessions over the quota are not stored',
    needs: 'A spent quota, and an analytics answer for the product of these sessions.',
    failing: 'Analytics count sessions that were rejected.',
    toDo: 'Check the quota before the session is stored, or in the same transaction.',
  },
  'quota.precedence': {
    title: 'With quota and rate limit both spent, a new session always gets the same status',
    needs: 'A quota study that reaches the rate limit after the quota is spent.',
    failing: 'Clients cannot tell whether to wait or to ask for a larger quota.',
    toDo: 'Check quota and rate limit in one fixed order.',
  },
  'quota.race': {
    title: 'Sessions that are created at the same time do not exceed the quota',
    needs: 'A quota study with at least 8 sessions at once, and a quota that is known.',
    failing: 'Customers exceed their quota with requests at the same time.',
    toDo: 'Check and increment the counter in one atomic step.',
  },
  'quota.reads': {
    title: 'A spent quota does not affect reads',
    needs: spent,
    failing: 'Customers over their quota cannot read, import shades, or serve shoppers who have a session.',
    toDo: 'Apply the quota to POST /sessions only.',
  },
  'quota.sharing': {
    title: 'Keys of one account share a quota, and keys of different accounts do not',
    needs: 'A quota study, and a second key: twin, bystander or load.',
    failing: 'Customers can spend the quota of others, or multiply their quota with more keys.',
    toDo: 'Count sessions by account, or correct `quota.twin` or `data_scope` in the profile.',
  },
  'quota.status': {
    title: 'A session over the quota gets 402 and no other status',
    needs: spent,
    failing: 'Clients cannot tell a spent quota from another error.',
    toDo: 'Return 402 for a spent quota, and 429 for the rate limit only.',
  },
} as const satisfies Entries<'quota'>;
