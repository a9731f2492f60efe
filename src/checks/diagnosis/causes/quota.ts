import { counted, listed, number } from '../../../amounts.ts';
import { kind } from '../kind.ts';

/** Causes in how the session quota is kept. */
export const quotaCauses = {
  'check-then-increment': kind<{ readonly over: number; readonly quota: number }>({
    area: 'quota',
    text: ({ over, quota }) =>
      `The quota is checked and then counted: sessions created at once go ${number(over)} over the quota of ${number(quota)}.`,
    example: { over: 3, quota: 20 },
    behind:
      'A read and a write that are two steps. One atomic step (UPDATE … WHERE count < quota) closes the gap.',
    explains: ['quota.race', 'quota.edge', 'quota.closed'],
    covers: ['quota-differs'],
    contradictedBy: ['quota.race'],
  }),
  'quota-differs': kind<{ readonly found: number; readonly promised: number }>({
    area: 'quota',
    text: ({ found, promised }) =>
      `The quota is ${counted(found, 'session')}; ${number(promised)} are promised.`,
    example: { found: 21, promised: 20 },
    behind: 'A comparison with > where >= is meant, or a plan with another quota.',
    explains: ['quota.edge', 'quota.consumption', 'quota.closed', 'quota.race'],
    contradictedBy: ['quota.edge'],
  }),
  'quota-not-enforced': kind<{ readonly admitted: number; readonly quota: number }>({
    area: 'quota',
    text: ({ admitted, quota }) =>
      `The quota is not enforced: ${number(admitted)} sessions of a quota of ${number(quota)} were created.`,
    example: { admitted: 30, quota: 20 },
    behind: 'A quota that is configured, and not read where sessions are created.',
    explains: ['quota.edge', 'quota.closed', 'quota.status', 'quota.race'],
    covers: ['quota-differs', 'check-then-increment'],
  }),
  'quota-status-wrong': kind<{ readonly status: number }>({
    area: 'quota',
    text: ({ status }) => `A session over the quota is refused with ${status} instead of 402.`,
    example: { status: 429 },
    behind: 'One error handler for the rate limit and the quota.',
    explains: ['quota.status', 'quota.edge', 'quota.closed'],
  }),
  'quota-counts-other-requests': kind<{ readonly requests: readonly string[] }>({
    area: 'quota',
    text: ({ requests }) => `The quota counts requests that create no session: ${listed(requests)}.`,
    example: { requests: ['GET /shades'] },
    behind: 'A counter in a middleware that runs for every request, or before the request is validated.',
    explains: ['quota.consumption', 'quota.edge', 'quota.no-side-effect'],
    covers: ['quota-differs'],
  }),
  'quota-blocks-reads': kind<{ readonly endpoints: readonly string[] }>({
    area: 'quota',
    text: ({ endpoints }) => `Once the quota is spent, reads are refused too: ${listed(endpoints)} get 402.`,
    example: { endpoints: ['GET /shades'] },
    behind: 'A quota check in a middleware of all routes.',
    explains: ['quota.reads'],
  }),
  'quota-reopens': kind<{ readonly admitted: number }>({
    area: 'quota',
    text: ({ admitted }) =>
      `After the first 402, ${counted(admitted, 'session')} ${admitted === 1 ? 'is' : 'are'} created again.`,
    example: { admitted: 2 },
    behind: 'A counter that is kept by each node, or cached.',
    explains: ['quota.closed', 'quota.edge'],
  }),
  'refusal-order-varies': kind<{ readonly statuses: readonly number[] }>({
    area: 'quota',
    text: ({ statuses }) =>
      `With the quota and the rate limit both spent, sessions get now ${statuses.join(', now ')}.`,
    example: { statuses: [402, 429] },
    behind: 'Two checks that run at the same time, so that the first to finish answers.',
    explains: ['quota.precedence', 'rate-limit.order'],
  }),
  'quota-shared-by-accounts': kind<{ readonly of: string }>({
    area: 'quota',
    text: ({ of }) => `Keys of different accounts spend one quota (${of}).`,
    example: { of: 'load and quota' },
    behind: 'A counter that is kept by plan instead of by account.',
    explains: ['quota.sharing', 'quota.edge', 'quota.consumption'],
    covers: ['quota-differs'],
  }),
  'quota-per-key': kind<{ readonly keys: number }>({
    area: 'quota',
    text: ({ keys }) =>
      `${counted(keys, 'key')} of one account each ${keys === 1 ? 'has' : 'have'} a quota of their own.`,
    example: { keys: 2 },
    behind: 'A counter that is kept by key instead of by account.',
    explains: ['quota.sharing', 'quota.edge'],
    covers: ['quota-differs'],
  }),
} as const;
