import { describe, expect, it } from 'vitest';
import { rowsOf } from '../../effort.ts';
import { type Case, inHeaders, inRetryAfter, judged } from './headers-lying.ts';
import { honestLimiters, type Told } from './headers-simulate.ts';
import { type Saying, saying } from './saying.ts';

const speech = { dialect: 'draft 11' } as const;
const headers = 'rate-limit.headers';
const remaining = 'rate-limit.headers-remaining';
const reset = 'rate-limit.headers-reset';

/** Other words in the header fields. */
const words =
  (...swaps: readonly (readonly [string | RegExp, string])[]): Case['lie'] =>
  ({ retry_after, limit_headers }: Told): Told => ({
    retry_after,
    limit_headers: swaps.reduce((text, [from, to]) => text.replaceAll(from, to), limit_headers ?? ''),
  });

/** A second policy, of which `left` remain, and which the problem document calls violated. */
const burst = (left: number): Case['lie'] =>
  words(
    ['ratelimit-policy: ', 'ratelimit-policy: "burst";q=1000;w=3600, '],
    ['ratelimit: ', `ratelimit: "burst";r=${left}, `],
    ['status=429, ', 'status=429, "burst", '],
  );

describe('a target that speaks as version 11 of the draft, and lies', () => {
  it.each<[string, string, Saying, Case]>([
    ['of the quota (`q`)', headers, ['headers-limit-wrong'], { lie: words(['q=200', 'q=180']) }],
    ['of the window (`w`)', headers, ['headers-limit-wrong'], { lie: words(['w=60', 'w=30']) }],
    [
      'by leaving out the quota (`q`)',
      headers,
      ['headers-wrong', { wrong: 'q-missing' }],
      { lie: words(['q=200;', '']) },
    ],
    [
      'by a window (`w`) of no time',
      headers,
      ['headers-wrong', { wrong: 'w-not-positive' }],
      { lie: words(['w=60', 'w=0']) },
    ],
    [
      'by leaving out what remains (`r`)',
      headers,
      ['headers-wrong', { wrong: 'r-missing' }],
      { lie: words([/"key";r=\d+;/g, '"key";']) },
    ],
    [
      'of what remains (`r`), by more than the quota',
      remaining,
      ['headers-wrong', { wrong: 'remaining-above-limit', policy: 'key' }],
      { lie: inHeaders(/("key";r=)(\d+)/, (left) => left + 500) },
    ],
    [
      'of what remains (`r`), to those that it rejects',
      remaining,
      ['headers-wrong', { wrong: 'rejected-with-remaining' }],
      { limiter: 'bucket', lie: inHeaders(/("key";r=)(\d+)/, (left) => left + 50) },
    ],
    [
      'of the reset (`t`), as a point in time',
      reset,
      ['headers-wrong', { wrong: 'reset-unit' }],
      { lie: inHeaders(/(t=)(\d+)/, (value) => value + 1_777_636_800) },
    ],
    [
      'of the reset (`t`), which never comes nearer',
      reset,
      ['headers-wrong', { wrong: 'reset-moves-away' }],
      { lie: inHeaders(/(t=)(\d+)/, () => 30) },
    ],
    [
      'of Retry-After, which is before the reset (`t`) of a quota that is used up',
      reset,
      ['headers-wrong', { wrong: 'reset-before-retry-after' }],
      { lie: inRetryAfter((value) => Math.max(1, value - 10)) },
    ],
    [
      'of the partition key (`pk`), which differs between the two fields',
      headers,
      ['headers-wrong', { wrong: 'pk-differs' }],
      { lie: words([/(t=\d+);pk=:c29tZQ==:/g, '$1;pk=:b3RoZXI=:']) },
    ],
    [
      'of the violated policy, of which it says that requests remain',
      headers,
      ['headers-wrong', { wrong: 'violated-with-quota' }],
      { lie: burst(400) },
    ],
    [
      'of the status, in its problem document',
      headers,
      ['headers-wrong', { wrong: 'other-status' }],
      { lie: words(['status=429', 'status=403']) },
    ],
  ])('%s', async (_, id, said, lie) => {
    const result = (await judged({ speech, ...lie })).get(id);
    expect(result?.reasons).toEqual(saying(said));
    expect(result?.verdict).toBe('fail');
  });
});

describe('a target that speaks as version 11 of the draft is not accused', () => {
  const honest: Case['lie'] = (told) => told;
  it.each<[string, Omit<Case, 'lie'> & Partial<Case>]>([
    ...rowsOf(Object.keys(honestLimiters), (_, place) => place % 3 === 0).flatMap(
      (limiter): [string, Omit<Case, 'lie'>][] => [
        [`behind ${limiter}`, { limiter }],
        [`behind ${limiter}, where the reset is that of everything`, { limiter, speech: { resetOf: 'all' } }],
      ],
    ),
    ['with tokens as names, as in version 8', { lie: words([/"(key|traffic)"/g, '$1']) }],
    ['with `l` for the quota, as in version 8', { lie: words([/q=/g, 'l=']) }],
    ['without windows', { lie: words([/;w=\d+/g, '']) }],
    ['without resets', { lie: words([/;t=\d+/g, '']) }],
    ['without policies', { lie: words([/ratelimit-policy: .* \| (?=ratelimit:)/g, '']) }],
    [
      'with another policy that is violated as well',
      { lie: (told, ...state) => (told.retry_after === null ? told : burst(0)(told, ...state)) },
    ],
    ['with a problem type of its own', { lie: words(['"quota-exceeded"', '"about:blank"']) }],
    ['with Retry-After later than the reset', { lie: inRetryAfter((value) => value + 2) }],
    ['with words of its own', { lie: words(['w=60', 'w=60;acme-burst=20;comment="per key"']) }],
  ])('%s', async (_, each) => {
    const all = { lie: honest, ...each, speech: { ...speech, ...each.speech } };
    const failed = [...(await judged(all)).values()].filter(({ verdict }) => verdict === 'fail');
    expect(failed.map(({ id, explanation }) => `${id}: ${explanation}`)).toEqual([]);
  });
});
