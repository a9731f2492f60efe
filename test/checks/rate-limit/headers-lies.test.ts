import { describe, expect, it } from 'vitest';
import { rowsOf } from '../../effort.ts';
import { sampleRun } from '../../history/sample.ts';
import { type Case, inHeaders, inRetryAfter, judged } from './headers-lying.ts';
import { type Saying, saying } from './saying.ts';

const remainingField = /(remaining: )(\d+)/;
const resetField = /(reset[:=] ?)(\d+)/;
const epochS = (atMs: number): number => Math.floor((sampleRun.zero_epoch_ms + atMs) / 1_000);

describe('a target that lies', () => {
  it.each(
    rowsOf<[string, string, Saying, Case]>(
      [
        [
          'of what remains, always the same',
          'rate-limit.headers-remaining',
          ['headers-wrong', { wrong: 'remaining-too-high', dialect: 'draft-6', policy: '' }],
          { lie: inHeaders(remainingField, () => 199) },
        ],
        [
          'of what remains, always nothing',
          'rate-limit.headers-remaining',
          ['headers-wrong', { wrong: 'remaining-too-low' }],
          { lie: inHeaders(remainingField, () => 0) },
        ],
        [
          'of what remains, still the same to those it refuses',
          'rate-limit.headers-remaining',
          ['headers-wrong', { wrong: 'rejected-with-remaining' }],
          { lie: inHeaders(remainingField, () => 199), limiter: 'bucket' },
        ],
        [
          'of what remains, by more than the limit',
          'rate-limit.headers-remaining',
          ['headers-wrong', { wrong: 'remaining-above-limit' }],
          { lie: inHeaders(remainingField, (left) => left + 500) },
        ],
        [
          'of what remains, by as many more as it likes',
          'rate-limit.headers-remaining',
          ['headers-wrong', { wrong: 'rejected-with-remaining' }],
          { lie: inHeaders(remainingField, (left) => left + 50) },
        ],
        [
          'of what remains, counting up',
          'rate-limit.headers-remaining',
          ['headers-wrong', { wrong: 'remaining-too-high' }],
          { lie: inHeaders(remainingField, (left) => 200 - left) },
        ],
        [
          'of what remains, counting every other request',
          'rate-limit.headers-remaining',
          ['headers-wrong', { wrong: 'rejected-with-remaining' }],
          { lie: inHeaders(remainingField, (left) => 200 - Math.floor((200 - left) / 2)) },
        ],
        [
          'of what remains to those it admits, and says nothing to those it refuses',
          'rate-limit.headers-remaining',
          ['headers-wrong', { wrong: 'rejected-next' }],
          {
            limiter: 'bucket',
            lie: (truth, state, atMs) => ({
              ...inHeaders(remainingField, (left) => Math.min(199, left + 30))(truth, state, atMs),
              ...(state.admitted ? {} : { limit_headers: null }),
            }),
          },
        ],
        [
          'of what is used',
          'rate-limit.headers-remaining',
          ['headers-wrong', { wrong: 'used-and-remaining' }],
          {
            speech: { dialect: 'X-RateLimit with what is used' },
            lie: inHeaders(/(used: )(\d+)/, () => 1),
          },
        ],
        [
          'of the reset, always the same time from now',
          'rate-limit.headers-reset',
          ['headers-wrong', { wrong: 'reset-moves-away' }],
          { lie: inHeaders(resetField, () => 30) },
        ],
        [
          'of the reset, always a whole window though its windows are fixed',
          'rate-limit.headers-reset',
          ['headers-wrong', { wrong: 'reset-moves-away' }],
          { lie: inHeaders(resetField, () => 60) },
        ],
        [
          'of the reset, always the same instant',
          'rate-limit.headers-reset',
          ['headers-wrong', { wrong: 'reset-past' }],
          {
            speech: { dialect: 'X-RateLimit, epoch seconds' },
            lie: inHeaders(resetField, () => epochS(61_000)),
          },
        ],
        [
          'of the reset, whatever comes',
          'rate-limit.headers-reset',
          ['headers-wrong', { wrong: 'reset-moves-away' }],
          { lie: inHeaders(resetField, (_, _state, atMs) => 5 + ((atMs * 7_919) % 40)) },
        ],
        [
          'of the reset, in milliseconds',
          'rate-limit.headers-reset',
          ['headers-wrong', { wrong: 'reset-too-far', how: 'in milliseconds' }],
          { lie: inHeaders(resetField, (value) => value * 1_000) },
        ],
        [
          'of the reset, by days',
          'rate-limit.headers-reset',
          ['headers-wrong', { wrong: 'reset-too-far' }],
          {
            speech: { dialect: 'X-RateLimit, epoch seconds' },
            lie: inHeaders(resetField, (value) => value + 86_400),
          },
        ],
        [
          'of the reset, with a minus',
          'rate-limit.headers-reset',
          ['headers-wrong', { wrong: 'reset-past' }],
          { lie: inHeaders(resetField, (value) => -value) },
        ],
        [
          'of the reset, as an instant where draft 7 has seconds',
          'rate-limit.headers-reset',
          ['headers-wrong', { wrong: 'reset-unit', dialect: 'draft-7' }],
          {
            speech: { dialect: 'draft 7' },
            lie: inHeaders(resetField, (value, _, atMs) => value + epochS(atMs)),
          },
        ],
        [
          'of the reset, now as an instant and now as seconds',
          'rate-limit.headers-reset',
          [
            'headers-wrong',
            {
              wrong: 'reset-mixed',
              dialect: 'x-ratelimit',
              how: expect.stringMatching(
                /^mostly .* but .* in [\d,]+ of [\d,]+ answers, for example /,
              ) as unknown,
            },
          ],
          {
            speech: { dialect: 'X-RateLimit, epoch seconds' },
            lie: inHeaders(resetField, (value, _, atMs) => (atMs % 20 < 10 ? value : value - epochS(atMs))),
          },
        ],
        [
          'of the limit',
          'rate-limit.headers',
          [
            'headers-limit-wrong',
            { dialect: 'draft-6', stated: [{ limit: 180, windowMs: 60_000 }], requests: 200 },
          ],
          { lie: inHeaders(/(ratelimit-(?:limit|policy): )(\d+)/g, () => 180) },
        ],
        [
          'of the window',
          'rate-limit.headers',
          ['headers-limit-wrong', { stated: [{ limit: 200, windowMs: 30_000 }], windowMs: 60_000 }],
          { lie: inHeaders(/(w=)(\d+)/, () => 30) },
        ],
        [
          'of the limit, against its own policy',
          'rate-limit.headers',
          ['headers-limit-wrong', { stated: [{ limit: 180, windowMs: 60_000 }] }],
          { lie: inHeaders(/(policy: )(\d+)/, () => 180) },
        ],
        [
          'of the limit, in one dialect of two',
          'rate-limit.headers',
          ['headers-limit-wrong', { dialect: 'x-ratelimit', stated: [{ limit: 180, windowMs: null }] }],
          {
            lie: ({ retry_after, limit_headers }) => ({
              retry_after,
              limit_headers: `${limit_headers} | x-ratelimit-limit: 180`,
            }),
          },
        ],
        [
          'of Retry-After, in milliseconds',
          'rate-limit.retry-after',
          ['retry-after-too-long'],
          { lie: inRetryAfter((value) => value * 1_000) },
        ],
        [
          'of Retry-After, as an instant',
          'rate-limit.rejections',
          ['rejections-over-a-day'],
          { lie: inRetryAfter((value, _, atMs) => value + epochS(atMs)) },
        ],
        [
          'of Retry-After, with a minus',
          'rate-limit.rejections',
          ['rejections-negative'],
          { lie: inRetryAfter((value) => -value) },
        ],
        [
          'of Retry-After, by a window too many',
          'rate-limit.retry-after',
          ['retry-after-too-long', { windowMs: 60_000 }],
          { lie: inRetryAfter((value) => value + 60) },
        ],
        [
          'of Retry-After, by ten seconds too few',
          'rate-limit.retry-after',
          ['retry-after-rejected-again', { rejected: 4, waited: 5 }],
          { lie: inRetryAfter((value) => Math.max(1, value - 10)) },
        ],
        [
          'of Retry-After, rounded down',
          'rate-limit.retry-after',
          ['retry-after-rejected-again'],
          { lie: inRetryAfter((_, { nextInMs }) => Math.floor(nextInMs / 1_000)) },
        ],
        [
          'of Retry-After, always a second',
          'rate-limit.retry-after',
          ['retry-after-rejected-again'],
          { lie: inRetryAfter(() => 1) },
        ],
        [
          'by keeping back what the profile promises',
          'rate-limit.headers',
          ['headers-missing', { header: 'Retry-After' }],
          {
            profile: { refusal_headers: ['Retry-After', 'RateLimit-Reset'] },
            lie: ({ limit_headers }) => ({ retry_after: null, limit_headers }),
          },
        ],
      ],
      (_, place) => place % 2 === 0,
    ),
  )('%s', async (_, id, said, lie) => {
    const result = (await judged(lie)).get(id);
    expect(result?.reasons).toEqual(saying(said));
    expect(result?.verdict).toBe('fail');
    expect(result?.evidence[0]?.seqs.length).toBeGreaterThan(0);
  });
});

describe('a reset that cannot be true', () => {
  const epoch = { dialect: 'X-RateLimit, epoch seconds' } as const;
  it.each<[string, string | undefined, Omit<Case, 'lie'>, (value: number, atMs: number) => number]>([
    ['in milliseconds', 'in milliseconds', {}, (value) => value * 1_000],
    ['with a minus', 'negative', {}, (value) => -value],
    ['an hour ahead', 'too long', {}, () => 3_600],
    [
      'by a clock of another zone, 2 h late',
      'a date of another zone, 2 h too late',
      { speech: epoch },
      (value) => value + 7_200,
    ],
    [
      'by a clock of another zone, half an hour more than 5 h early',
      'a date of another zone, 5 h 30 min too early',
      { speech: epoch },
      (value) => value - 19_800,
    ],
    ['that had come an odd time ago', 'a date in the past', { speech: epoch }, (value) => value - 1_000],
    ['that never comes nearer', undefined, {}, () => 30],
  ])('%s is named: %s', async (_, how, more, by) => {
    const lie = inHeaders(resetField, (value, __, atMs) => by(value, atMs));
    const [suspect] = (await judged({ ...more, lie })).get('rate-limit.headers-reset')?.causes ?? [];
    expect(suspect?.cause).toMatchObject({
      code: 'reset-wrong',
      params: how === undefined ? {} : { how },
    });
    expect(suspect?.cause.params).toHaveProperty('wrong');
    expect('how' in (suspect?.cause.params ?? {})).toBe(how !== undefined);
  });
});

describe('a target that is merely odd', () => {
  it.each<[string, string, Saying, Case]>([
    [
      'asks to wait a whole window where places come free one by one',
      'rate-limit.retry-after',
      ['retry-after-differs', { as: 'longer' }],
      { limiter: 'log', lie: inRetryAfter(() => 60) },
    ],
    [
      'asks to wait a whole window where windows are fixed',
      'rate-limit.retry-after',
      ['retry-after-differs', { as: 'longer' }],
      { lie: inRetryAfter(() => 60) },
    ],
    [
      'asks to wait for a bucket to be full',
      'rate-limit.retry-after',
      ['retry-after-differs', { as: 'longer' }],
      { limiter: 'bucket', lie: inRetryAfter((_, { allInMs }) => Math.ceil(allInMs / 1_000)) },
    ],
    [
      'names a whole window as the reset where places come free one by one',
      'rate-limit.headers-reset',
      ['headers-odd', { odd: 'reset-whole-window' }],
      { limiter: 'log', lie: inHeaders(resetField, () => 60) },
    ],
    [
      'writes instants under the name that the drafts gave to seconds',
      'rate-limit.headers-reset',
      ['headers-odd', { odd: 'reset-instant' }],
      { lie: inHeaders(resetField, (value, _, atMs) => value + epochS(atMs)) },
    ],
    [
      'counts on below zero',
      'rate-limit.headers-remaining',
      ['headers-odd', { odd: 'remaining-negative' }],
      { lie: inHeaders(remainingField, (left) => (left === 0 ? -1 : left)) },
    ],
    [
      'speaks of another policy beside the promised',
      'rate-limit.headers',
      ['headers-also-state', { stated: { limit: 10_000, windowMs: 86_400_000 } }],
      { lie: inHeaders(/(policy: )(\d+)/, () => '10000;w=86400, 200') },
    ],
    [
      'adds a margin to Retry-After',
      'rate-limit.retry-after',
      ['retry-after-waits', { waited: 5, admitted: 5 }],
      { lie: inRetryAfter((value) => value + 2) },
    ],
    [
      'has headers in a dialect of its own',
      'rate-limit.headers',
      ['headers-dialect-unknown'],
      { lie: ({ retry_after }) => ({ retry_after, limit_headers: 'x-ratelimit-plan: gold' }) },
    ],
    [
      'has no headers at all',
      'rate-limit.headers',
      ['headers-none', { promises: false }],
      { lie: () => ({ retry_after: null, limit_headers: null }) },
    ],
  ])('%s', async (_, id, said, lie) => {
    const results = await judged(lie);
    expect(results.get(id)?.reasons).toEqual(saying(said));
    expect([...results.values()].map(({ verdict }) => verdict)).not.toContain('fail');
  });
});

describe('a bucket that holds less than the limit', () => {
  it('may name when it is full, which each request puts off', async () => {
    const results = await judged({
      limiter: 'bucket that holds a fifth of the limit',
      speech: { resetOf: 'all' },
      lie: (told) => told,
    });
    expect(results.get('rate-limit.headers-reset')?.verdict).toBe('pass');
  });
});
