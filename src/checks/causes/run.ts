import { counted, listed, milliseconds, number } from '../../amounts.ts';
import { kind } from './kind.ts';

const bookChecks = ['books.interactions', 'books.planned', 'books.records', 'books.sent'] as const;

const limiterSymptoms = [
  'limit-differs',
  'window-differs',
  'algorithm-differs',
  'limiter-unknown',
  'admits-over-limit',
  'limit-shared-by-keys',
  'limit-per-endpoint',
  'refused-below-limit',
  'remaining-wrong',
  'reset-wrong',
  'key-stays-refused',
] as const;

/** Symptoms of a wrong field of the profile, by the field or its part of the profile. */
export const symptomsByField: Readonly<Record<string, readonly string[]>> = {
  rate_limit: limiterSymptoms,
  limiter: limiterSymptoms,
  limit_scope: limiterSymptoms,
  limit_endpoints: limiterSymptoms,
  shared_keys: limiterSymptoms,
  'channel.counts_against_rate_limit': limiterSymptoms,
  quota: ['quota-differs', 'quota-shared-by-accounts', 'quota-per-key'],
  analytics: ['sessions-counted-wrong', 'selections-counted-wrong', 'stale-analytics'],
  data_scope: [
    'accounts-not-separate',
    'analytics-pool-accounts',
    'analytics-count-by-key',
    'sessions-counted-wrong',
    'selections-counted-wrong',
  ],
  import_visible: ['shades-missing', 'shades-listed-late', 'shade-count-wrong'],
  redeliveries: ['delivered-twice'],
};

/** `quota.sessions` is in `quota`. */
function symptomsOf(field = ''): readonly string[] {
  return symptomsByField[field] ?? symptomsByField[field.split('.')[0] ?? ''] ?? [];
}

/** Causes outside the target: the profile, tryon, other users of the key, a proxy. */
export const runCauses = {
  'clock-not-set': kind<{ readonly expired: number }>({
    text: ({ expired }) =>
      `The clock of the target does not follow the run: new sessions have expired by the time that it was set to (${number(expired)}).`,
    behind: 'A command in the profile (`clock`) that does not reach the process that answers.',
    explains: ['analytics.clock-set', 'analytics.total-sessions', 'analytics.conventions', 'contract.expiry'],
    covers: ['sessions-counted-wrong'],
  }),
  'profile-false': kind<{ readonly field: string; readonly told: string; readonly found: string }>({
    area: 'contract',
    text: ({ field, found, told }) =>
      `The profile says that \`${field}\` is ${told}; the answers of the target show that it is ${found}.`,
    behind:
      'A profile that was written for another deployment or another pricing plan; without the field, tryon finds the value itself.',
    explains: [],
    burst: ({ field }) =>
      field === 'channel.counts_against_rate_limit' ? { past: 'interactions', factor: 1.2 } : undefined,
    about: ({ field }) => field,
    alsoCovers: ({ field }) => symptomsOf(field),
  }),
  'other-users-of-key': kind({
    area: 'rate-limit',
    text: 'Something else seems to use the keys: the requests of this run alone do not explain all rejections.',
    behind:
      'A key that a colleague, a monitor or another test run also uses, or a limiter that counts requests twice.',
    explains: [],
    covers: ['refused-below-limit', 'remaining-wrong'],
  }),
  'delivered-twice': kind<{ readonly requests: number }>({
    area: 'contract',
    text: ({ requests }) =>
      `Something between tryon and the target delivers ${counted(requests, 'request')} more than once.`,
    behind:
      'A proxy or load balancer that retries unsafe requests; where this is intended, `redeliveries` in the profile says so.',
    explains: ['analytics.total-sessions', 'analytics.sessions', 'quota.edge', 'quota.consumption'],
    covers: [
      'sessions-counted-wrong',
      'selections-counted-wrong',
      'quota-differs',
      'repeated-interaction-stored',
      'repeats-counted',
      'rejections-have-effects',
      'refused-below-limit',
    ],
  }),
  'generator-late': kind<{ readonly lagMs: number }>({
    text: ({ lagMs }) =>
      `Requests were sent late by tryon: the 99th percentile of the send lag is ${milliseconds(lagMs)} ms.`,
    behind: 'A machine that is too small or too busy for the load.',
    explains: ['generator.send-lag', 'generator.stalls', 'generator.sockets'],
  }),
  'generator-stalled': kind<{ readonly seconds: number; readonly longestMs: number }>({
    text: ({ longestMs, seconds }) =>
      `The process of tryon stalled in ${counted(seconds, 'second')} of the load, for up to ${milliseconds(longestMs)} ms.`,
    behind: 'Another process that takes the CPU, or memory that is swapped out.',
    explains: ['generator.stalls', 'generator.send-lag'],
    covers: ['generator-late'],
  }),
  'in-flight-bound-reached': kind<{ readonly held: number; readonly bound: number }>({
    text: ({ bound, held }) =>
      `The bound of ${counted(bound, 'request')} in flight (profile: \`in_flight\`) was reached, so tryon held back ${counted(held, 'request')}.`,
    behind: 'A target that answers too slowly for the load, or a bound that is too low for it.',
    explains: ['generator.sockets'],
  }),
  'generator-limit-reached': kind<{ readonly of: 'sockets' | 'bodies'; readonly requests: number }>({
    text: ({ of, requests }) =>
      of === 'sockets'
        ? `The machine of the generator had no port or file descriptor left for ${counted(requests, 'connection')}.`
        : `The generator gave up on ${counted(requests, 'answer')}: its memory for bodies was full.`,
    behind:
      'A low limit of open files (`ulimit -n`) or local ports; a target that closes each connection; or very long answers.',
    explains: ['generator.sockets'],
  }),
  'history-altered': kind<{ readonly differences: readonly string[] }>({
    area: 'history',
    text: ({ differences }) => `Files of the run were changed after it: ${listed(differences, 2)}.`,
    behind: 'A file that was edited, cut off while it was copied, or taken from another run.',
    explains: ['history.integrity', 'history.complete', ...bookChecks],
    covers: ['records-incomplete'],
  }),
  'records-incomplete': kind<{ readonly what: readonly string[] }>({
    area: 'books',
    text: ({ what }) => `The records of tryon contradict themselves: ${listed(what, 2)}.`,
    behind: 'A defect of tryon, or files of the run that were changed after it.',
    explains: [...bookChecks, 'history.complete'],
  }),
} as const;
