import { listed, milliseconds, number } from '../../../amounts.ts';
import { kind } from '../kind.ts';

/** Causes that lie in the run and not in the target: the profile, this program, the key's other users, a proxy on the way. */
export const runCauses = {
  'profile-false': kind<{ readonly field: string; readonly told: string; readonly found: string }>({
    area: 'contract',
    text: ({ field, found, told }) =>
      `The profile is not true of this target: ${field} is ${told}, and the target shows ${found}.`,
    example: { field: 'channel.counts_against_rate_limit', told: 'false', found: 'true' },
    behind:
      'A profile that was written for another deployment or another plan. Leave the field out, and it is discovered.',
    explains: [],
    about: ({ field }) => field,
    covers: [
      'limit-differs',
      'window-differs',
      'algorithm-differs',
      'limiter-unknown',
      'admits-over-limit',
      'limit-shared-by-keys',
      'refused-below-limit',
      'remaining-wrong',
      'reset-wrong',
      'key-stays-refused',
      'quota-differs',
    ],
  }),
  'other-users-of-key': kind<Record<never, never>>({
    area: 'rate-limit',
    text: () =>
      'Somebody else seems to use the keys: requests are refused that this run alone does not explain.',
    example: {},
    behind:
      'A key that is shared with a colleague, a monitor or another test run. A limiter that counts requests twice looks the same.',
    explains: [],
    covers: ['refused-below-limit', 'remaining-wrong'],
  }),
  'delivered-twice': kind<{ readonly requests: number }>({
    area: 'contract',
    text: ({ requests }) =>
      `Something between this program and the service delivers requests twice: ${number(requests)} times.`,
    example: { requests: 12 },
    behind: 'A proxy or load balancer that retries requests that are not safe to repeat.',
    explains: ['analytics.total-sessions', 'analytics.sessions', 'quota.edge', 'quota.consumption'],
    covers: ['sessions-counted-wrong', 'quota-differs', 'rejections-have-effects', 'refused-below-limit'],
  }),
  'generator-late': kind<{ readonly lagMs: number }>({
    area: 'generator',
    text: ({ lagMs }) =>
      `This program sent requests late: the 99th percentile of the send lag is ${milliseconds(lagMs)} ms.`,
    example: { lagMs: 120 },
    behind: 'A machine that is too small or too busy for the load.',
    explains: ['generator.send-lag', 'generator.stalls', 'generator.sockets'],
  }),
  'records-incomplete': kind<{ readonly what: readonly string[] }>({
    area: 'books',
    text: ({ what }) => `This program’s own records are not complete: ${listed(what)}.`,
    example: { what: ['requests'] },
    behind: 'A defect of this program, or files of the run that were changed after it.',
    explains: [
      'books.interactions',
      'books.planned',
      'books.records',
      'books.sent',
      'history.complete',
      'history.integrity',
    ],
  }),
} as const;
