import { counted, listed, number, span, verb } from '../../amounts.ts';
import { answeredText, requestText } from '../reasons/words/requests.ts';
import { kind } from './kind.ts';

/** Causes in how the session quota is kept. */
export const quotaCauses = {
  'quota-differs': kind<{ readonly found: number; readonly promised: number }>({
    text: ({ found, promised }) =>
      `The quota is ${counted(found, 'session')}; the promise is ${number(promised)}.`,
    behind: 'A comparison with > where >= is meant, or a pricing plan with another quota.',
    burst: () => ({ past: 'quota', factor: 1.5 }),
    explains: ['quota.edge', 'quota.consumption', 'quota.closed', 'quota.race'],
    contradictedBy: ['quota.edge'],
  }),
  'check-then-increment': kind<{ readonly over: number; readonly quota: number }>({
    text: ({ over, quota }) =>
      `Sessions created at the same time exceed the quota of ${number(quota)} by ${number(over)}: the target checks, then increments.`,
    behind:
      'A read and a write in two steps, where one atomic step (UPDATE … WHERE count < quota) is needed.',
    orElse: 'Several nodes count, and their counts are merged late: a race does not tell these apart.',
    burst: () => ({ past: 'quota', factor: 1.5 }),
    explains: ['quota.race', 'quota.edge', 'quota.closed'],
    covers: ['quota-differs'],
    contradictedBy: ['quota.race'],
  }),
  'quota-exceeded': kind<{ readonly admitted: number; readonly quota: number; readonly inTurn: number }>({
    text: ({ admitted, inTurn, quota }) =>
      `The quota of ${number(quota)} is exceeded: ${counted(admitted, 'session')} ${verb(admitted, 'was', 'were')} created, ${number(inTurn)} of them not at the same time as others.`,
    behind: 'Counts of several nodes that are merged late, or a counter that is read from a replica.',
    burst: () => ({ past: 'quota', factor: 1.5 }),
    explains: ['quota.race', 'quota.edge', 'quota.closed', 'quota.consumption'],
    covers: ['quota-differs'],
  }),
  'quota-not-enforced': kind<{ readonly admitted: number; readonly quota: number }>({
    text: ({ admitted, quota }) =>
      `The quota is not enforced: ${counted(admitted, 'session')} ${verb(admitted, 'was', 'were')} created with a quota of ${number(quota)}, and none got 402.`,
    behind: 'A quota that is configured, and not read where sessions are created.',
    burst: () => ({ past: 'quota', factor: 1.5 }),
    explains: ['quota.edge', 'quota.status', 'quota.race'],
    covers: ['quota-differs', 'check-then-increment'],
  }),
  'quota-status-wrong': kind<{ readonly status: number }>({
    text: ({ status }) => `A session over the quota gets ${status} instead of 402.`,
    behind: 'One error handler for the rate limit and the quota.',
    burst: () => ({ past: 'quota', factor: 1.5 }),
    explains: ['quota.status', 'quota.edge', 'quota.closed'],
  }),
  'quota-counts-other-requests': kind<{ readonly requests: readonly string[] }>({
    text: ({ requests }) =>
      `The quota counts requests that create no session (status in brackets): ${listed(requests.map(answeredText))}.`,
    behind: 'A counter in a middleware that runs for every request, or before the request is validated.',
    explains: ['quota.consumption', 'quota.edge'],
    covers: ['quota-differs'],
    contradictedBy: ['quota.consumption'],
  }),
  'quota-given-back': kind<{ readonly requests: readonly string[] }>({
    text: ({ requests }) =>
      `Requests that create no session give quota back (status in brackets): ${listed(requests.map(answeredText))}.`,
    behind: 'A failed creation that is undone in the counter, though it was never counted.',
    explains: ['quota.consumption', 'quota.edge', 'quota.race'],
    covers: ['quota-differs', 'check-then-increment'],
  }),
  'quota-counts-other-accounts': kind<{ readonly sessions: number }>({
    text: ({ sessions }) =>
      `The quota of an account counts the sessions of other accounts, too: ${counted(sessions, 'session')}.`,
    behind: 'A count of all sessions in place of those of the account.',
    explains: ['quota.consumption', 'quota.edge'],
    covers: ['quota-differs'],
    contradictedBy: ['quota.consumption'],
  }),
  'quota-session-costs': kind<{ readonly units: number }>({
    text: ({ units }) => `A session spends ${counted(units, 'unit')} of the quota.`,
    behind:
      'A unit that is spent by the gateway and again by the service, or by a request that is sent twice.',
    explains: ['quota.consumption', 'quota.edge'],
    covers: ['quota-differs'],
    contradictedBy: ['quota.consumption'],
  }),
  'quota-blocks-reads': kind<{ readonly endpoints: readonly string[]; readonly status: number }>({
    text: ({ endpoints, status }) =>
      `Once the quota is spent, other requests are rejected too: ${listed(endpoints.map(requestText), 3)} ${verb(endpoints.length, 'gets', 'get')} ${status}.`,
    behind: 'A quota check in a middleware of all routes.',
    explains: ['quota.reads'],
    covers: ['unexpected-status'],
  }),
  'quota-reopens': kind<{ readonly admitted: number }>({
    text: ({ admitted }) =>
      `After the first 402, ${counted(admitted, 'session')} ${verb(admitted, 'is', 'are')} created again.`,
    behind: 'A counter that is kept by each node, or cached.',
    explains: ['quota.closed', 'quota.edge', 'quota.race'],
    covers: ['quota-differs', 'quota-exceeded', 'check-then-increment'],
    contradictedBy: ['quota.closed'],
  }),
  'quota-comes-back': kind<{ readonly leastMs: number; readonly mostMs: number }>({
    text: ({ leastMs, mostMs }) =>
      `Spent quota comes back: a session counts for ${
        mostMs <= 1.2 * leastMs
          ? `about ${span((leastMs + mostMs) / 2)}`
          : `${span(leastMs)} to ${span(mostMs)}`
      }.`,
    behind: 'A quota of the sessions in use, or a period that is shorter than the plan’s.',
    orElse: 'The quota renewed at an instant of the run (`renews` in the profile).',
    explains: ['quota.edge', 'quota.closed', 'quota.race', 'quota.consumption'],
    covers: ['quota-differs', 'quota-exceeded', 'quota-reopens', 'check-then-increment'],
  }),
  'quota-forgotten': kind<{ readonly mostMs: number; readonly sessions: number }>({
    text: ({ mostMs, sessions }) =>
      `The quota is forgotten after a time without new sessions (${span(mostMs)} or less): ${counted(sessions, 'earlier session')} no longer ${verb(sessions, 'counts', 'count')}.`,
    behind: 'A counter with a time-to-live that each session sets anew.',
    explains: ['quota.edge', 'quota.closed', 'quota.race', 'quota.consumption'],
    covers: ['quota-differs', 'quota-exceeded', 'quota-reopens'],
  }),
  'quota-counts-races-twice': kind<{
    readonly found: number;
    readonly quota: number;
    readonly units: number;
  }>({
    text: ({ found, quota, units }) =>
      `Sessions that are created at the same time spend up to ${counted(units, 'unit')} of the quota each: it ended after ${number(found)} of ${counted(quota, 'session')}.`,
    behind: 'A count that is repeated after a lock timed out, without undoing the first one.',
    orElse: 'The account has another plan, or was used before the run.',
    burst: () => ({ past: 'quota', factor: 1.5 }),
    explains: ['quota.race', 'quota.edge', 'quota.consumption'],
    covers: ['quota-differs'],
  }),
  'quota-by-connection': kind<{ readonly sessions: number }>({
    text: ({ sessions }) =>
      `A connection gets 402 while others still open sessions: ${counted(sessions, 'session')} after the first 402.`,
    behind: 'Nodes that set parts of the quota aside, so that one has run out while others have some left.',
    explains: ['quota.closed', 'quota.edge', 'quota.consumption', 'quota.race'],
    covers: ['quota-differs', 'quota-reopens'],
  }),
  'quota-blocks-accounts': kind<{ readonly roles: readonly string[] }>({
    text: ({ roles }) =>
      `Once the quota of one account is spent, the keys of other accounts get 402, too: ${listed(roles)}.`,
    behind: 'A flag that the quota is exceeded, kept without the account.',
    explains: ['quota.sharing', 'quota.closed'],
    covers: ['quota-shared-by-accounts'],
  }),
  'refusal-order-varies': kind<{ readonly statuses: readonly number[] }>({
    text: ({ statuses }) =>
      `The status of a request with two reasons for rejection varies: ${statuses.join(' or ')}.`,
    behind: 'Two checks that run at the same time, so that the first to finish answers.',
    explains: ['quota.precedence', 'rate-limit.order'],
    about: ({ statuses }) => statuses.join(' '),
  }),
  'quota-shared-by-accounts': kind<{ readonly role: string }>({
    text: ({ role }) =>
      `Keys of different accounts share one quota: the ${role} key spends that of the quota key.`,
    behind: 'A counter that is kept by pricing plan instead of by account.',
    explains: ['quota.sharing', 'quota.edge', 'quota.consumption'],
    about: ({ role }) => role,
    covers: ['quota-differs'],
    contradictedBy: ['quota.sharing'],
  }),
  'quota-per-key': kind<{ readonly role: string }>({
    text: ({ role }) =>
      `The ${role} key has a separate quota, although it belongs to the account of the quota key.`,
    behind: 'A counter that is kept by key instead of by account.',
    explains: ['quota.sharing', 'quota.edge', 'quota.race'],
    about: ({ role }) => role,
    covers: ['quota-differs', 'quota-reopens'],
    contradictedBy: ['quota.sharing'],
  }),
} as const;
