import { describe, expect, it } from 'vitest';
import type { HeaderWrong } from '../../../src/checks/reasons/rate-limit/headers.ts';
import { rowsOf } from '../../effort.ts';
import { sampleRun } from '../../history/sample.ts';
import { type Case, inHeaders, inRetryAfter, judged } from './headers-lying.ts';
import { honestLimiters, type Told } from './headers-simulate.ts';
import { type Saying, saying } from './saying.ts';

const remaining = /(remaining: )(\d+)/;
const reset = /(reset[:=] ?)(\d+)/;
const epochS = (atMs: number): number => Math.floor((sampleRun.zero_epoch_ms + atMs) / 1_000);
const epoch = { speech: { dialect: 'X-RateLimit, epoch seconds' } } as const;
const bucket = { limiter: 'bucket' } as const;
const draft11 = { speech: { dialect: 'draft 11' } } as const;

const ids = {
  headers: 'rate-limit.headers',
  remaining: 'rate-limit.headers-remaining',
  reset: 'rate-limit.headers-reset',
  rejections: 'rate-limit.rejections',
  wait: 'rate-limit.retry-after',
} as const;

/** What fails, what is said of it, and the lie. */
type Row = readonly [id: string, said: Saying, lie: Case];

/** Something wrong with values. */
const wrong = (of: keyof typeof ids, what: HeaderWrong, lie: Case['lie'], more: Partial<Case> = {}): Row => [
  ids[of],
  ['headers-wrong', { wrong: what }],
  { ...more, lie },
];
/** Another limit than the promised one. */
const stated = (limit: number, windowMs: number | null, lie: Case['lie']): Row => [
  ids.headers,
  ['headers-limit-wrong', { stated: [{ limit, windowMs }] }],
  { lie },
];
/** A Retry-After that cannot be true by itself. */
const impossible = (how: string, lie: Case['lie']): Row => [
  ids.rejections,
  ['rejections-wrong', { how, isImpossible: true }],
  { lie },
];

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

/** Tells only those whom it admits, and 30 too many. */
const onlyToAdmitted: Case['lie'] = (truth, state, atMs) => ({
  ...inHeaders(remaining, (left) => Math.min(199, left + 30))(truth, state, atMs),
  ...(state.admitted ? {} : { limit_headers: null }),
});

const lies: Readonly<Record<string, Row>> = {
  'of what remains, always the same': wrong(
    'remaining',
    'remaining-too-high',
    inHeaders(remaining, () => 199),
  ),
  'of what remains, always nothing': wrong(
    'remaining',
    'remaining-too-low',
    inHeaders(remaining, () => 0),
  ),
  'of what remains, still the same to those it refuses': wrong(
    'remaining',
    'rejected-with-remaining',
    inHeaders(remaining, () => 199),
    bucket,
  ),
  'of what remains, by more than the limit': wrong(
    'remaining',
    'remaining-above-limit',
    inHeaders(remaining, (left) => left + 500),
  ),
  'of what remains, counting up': wrong(
    'remaining',
    'remaining-too-high',
    inHeaders(remaining, (left) => 200 - left),
  ),
  'of what remains, counting every other request': wrong(
    'remaining',
    'rejected-with-remaining',
    inHeaders(remaining, (left) => 200 - Math.floor((200 - left) / 2)),
  ),
  'of what remains, to those it admits alone': wrong('remaining', 'rejected-next', onlyToAdmitted, bucket),
  'of what is used': wrong(
    'remaining',
    'used-and-remaining',
    inHeaders(/(used: )(\d+)/, () => 1),
    { speech: { dialect: 'X-RateLimit with what is used' } },
  ),
  'of the reset, always the same time from now': wrong(
    'reset',
    'reset-moves-away',
    inHeaders(reset, () => 30),
  ),
  'of the reset, always the same instant': wrong(
    'reset',
    'reset-past',
    inHeaders(reset, () => epochS(61_000)),
    epoch,
  ),
  'of the reset, whatever comes': wrong(
    'reset',
    'reset-moves-away',
    inHeaders(reset, (_, __, atMs) => 5 + ((atMs * 7_919) % 40)),
  ),
  'of the reset, in milliseconds': wrong(
    'reset',
    'reset-too-far',
    inHeaders(reset, (value) => value * 1_000),
  ),
  'of the reset, as an instant where draft 7 has seconds': wrong(
    'reset',
    'reset-unit',
    inHeaders(reset, (value, _, atMs) => value + epochS(atMs)),
    { speech: { dialect: 'draft 7' } },
  ),
  'of the reset, now as an instant and now as seconds': wrong(
    'reset',
    'reset-mixed',
    inHeaders(reset, (value, _, atMs) => (atMs % 20 < 10 ? value : value - epochS(atMs))),
    epoch,
  ),
  'of the limit': stated(
    180,
    60_000,
    inHeaders(/(ratelimit-(?:limit|policy): )(\d+)/g, () => 180),
  ),
  'of the window': stated(
    200,
    30_000,
    inHeaders(/(w=)(\d+)/, () => 30),
  ),
  'of the limit, in one dialect of two': stated(180, null, ({ retry_after, limit_headers }) => ({
    retry_after,
    limit_headers: `${limit_headers} | x-ratelimit-limit: 180`,
  })),
  'of Retry-After, in milliseconds': wrong(
    'wait',
    'wait-too-long',
    inRetryAfter((value) => value * 1_000),
  ),
  'of Retry-After, as an instant': impossible(
    'an instant in place of a wait',
    inRetryAfter((value, _, atMs) => value + epochS(atMs)),
  ),
  'of Retry-After, with a minus': impossible(
    'negative',
    inRetryAfter((value) => -value),
  ),
  'of Retry-After, by a window too many': wrong(
    'wait',
    'wait-too-long',
    inRetryAfter((value) => value + 60),
  ),
  'of Retry-After, by ten seconds too few': wrong(
    'wait',
    'wait-rejected-again',
    inRetryAfter((value) => Math.max(1, value - 10)),
  ),
  'of Retry-After, rounded down': wrong(
    'wait',
    'wait-rejected-again',
    inRetryAfter((_, { nextInMs }) => Math.floor(nextInMs / 1_000)),
  ),
  'by keeping back what the profile promises': [
    ids.headers,
    ['headers-missing', { header: 'Retry-After' }],
    {
      profile: { refusal_headers: ['Retry-After', 'RateLimit-Reset'] },
      lie: ({ limit_headers }) => ({ retry_after: null, limit_headers }),
    },
  ],
};

const draft11Lies: Readonly<Record<string, Row>> = {
  'of the quota (`q`)': stated(180, 60_000, words(['q=200', 'q=180'])),
  'by leaving out the quota (`q`)': wrong('headers', 'q-missing', words(['q=200;', ''])),
  'by a window (`w`) of no time': wrong('headers', 'w-not-positive', words(['w=60', 'w=0'])),
  'by leaving out what remains': wrong('headers', 'r-missing', words([/"key";r=\d+;/g, '"key";'])),
  'of what remains (`r`)': wrong(
    'remaining',
    'rejected-with-remaining',
    inHeaders(/("key";r=)(\d+)/, (left) => left + 50),
    bucket,
  ),
  'of the reset (`t`), as a point in time': wrong(
    'reset',
    'reset-unit',
    inHeaders(/(t=)(\d+)/, (value) => value + 1_777_636_800),
  ),
  'of Retry-After, which is before the reset (`t`) of a quota that is used up': wrong(
    'reset',
    'reset-before-retry-after',
    inRetryAfter((value) => Math.max(1, value - 10)),
  ),
  'of the partition key (`pk`), which differs between the two fields': wrong(
    'headers',
    'pk-differs',
    words([/(t=\d+);pk=:c29tZQ==:/g, '$1;pk=:b3RoZXI=:']),
  ),
  'of the violated policy, of which requests remain': wrong('headers', 'violated-with-quota', burst(400)),
  'of the status, in its problem document': wrong(
    'headers',
    'other-status',
    words(['status=429', 'status=403']),
  ),
};

describe('a target that lies', () => {
  it.each([
    ...rowsOf(Object.entries(lies), (_, place) => place % 2 === 0),
    ...Object.entries(draft11Lies).map(
      ([name, [id, said, lie]]) => [`${name}, in draft 11`, [id, said, { ...draft11, ...lie }]] as const,
    ),
  ])('%s', async (_, [id, said, lie]) => {
    const result = (await judged(lie)).get(id);
    expect(result?.reasons).toEqual(saying(said));
    expect(result?.verdict).toBe('fail');
    expect(result?.evidence[0]?.seqs.length).toBeGreaterThan(0);
  });
});

describe('a reset that cannot be true', () => {
  it.each<[string, string | undefined, Omit<Case, 'lie'>, (value: number, atMs: number) => number]>([
    ['in milliseconds', 'in milliseconds', {}, (value) => value * 1_000],
    ['with a minus', 'negative', {}, (value) => -value],
    ['an hour ahead', 'too long', {}, () => 3_600],
    ['by a clock 2 h late', 'a date of another zone, 2 h too late', epoch, (value) => value + 7_200],
    [
      'by a clock 5.5 h early',
      'a date of another zone, 5 h 30 min too early',
      epoch,
      (value) => value - 19_800,
    ],
    ['that had come an odd time ago', 'a date in the past', epoch, (value) => value - 1_000],
    ['that never comes nearer', undefined, {}, () => 30],
  ])('%s is named: %s', async (_, how, more, by) => {
    const lie = inHeaders(reset, (value, __, atMs) => by(value, atMs));
    const [suspect] = (await judged({ ...more, lie })).get(ids.reset)?.causes ?? [];
    expect(suspect?.cause).toMatchObject({ code: 'reset-wrong', params: how === undefined ? {} : { how } });
    expect('how' in (suspect?.cause.params ?? {})).toBe(how !== undefined);
  });
});

describe('a target that is merely odd', () => {
  const odd = (lie: Case['lie'], more: Partial<Case> = {}): Row => [
    ids.headers,
    ['headers-limit-right'],
    { ...more, lie },
  ];
  const cautious = (lie: Case['lie'], more: Partial<Case> = {}): Row => [
    ids.wait,
    ['headers-values', { of: 'wait', below: 0 }],
    { ...more, lie },
  ];
  it.each(
    Object.entries<Row>({
      'asks to wait a whole window where places come free one by one': cautious(
        inRetryAfter(() => 60),
        { limiter: 'log' },
      ),
      'asks to wait a whole window where windows are fixed': cautious(inRetryAfter(() => 60)),
      'asks to wait for a bucket to be full': cautious(
        inRetryAfter((_, { allInMs }) => Math.ceil(allInMs / 1_000)),
        bucket,
      ),
      'adds a margin to Retry-After': cautious(inRetryAfter((value) => value + 2)),
      'names a whole window as the reset where places come free one by one': odd(
        inHeaders(reset, () => 60),
        { limiter: 'log' },
      ),
      'writes instants under the name that the drafts gave to seconds': odd(
        inHeaders(reset, (value, _, atMs) => value + epochS(atMs)),
      ),
      'counts on below zero': odd(inHeaders(remaining, (left) => (left === 0 ? -1 : left))),
      'speaks of another policy beside the promised': odd(
        inHeaders(/(policy: )(\d+)/, () => '10000;w=86400, 200'),
      ),
      'has headers in a dialect of its own': [
        ids.headers,
        ['headers-dialect-unknown'],
        { lie: ({ retry_after }) => ({ retry_after, limit_headers: 'x-ratelimit-plan: gold' }) },
      ],
      'has no headers at all': [
        ids.headers,
        ['headers-none', { promises: false }],
        { lie: () => ({ retry_after: null, limit_headers: null }) },
      ],
    }),
  )('%s', async (_, [id, said, lie]) => {
    const results = await judged(lie);
    expect(results.get(id)?.reasons).toEqual(saying(said));
    expect([...results.values()].map(({ verdict }) => verdict)).not.toContain('fail');
  });
});

describe('a target that tells the truth is not accused', () => {
  const honest: Case['lie'] = (said) => said;
  const limiters = rowsOf(Object.keys(honestLimiters), (_, place) => place % 3 === 0);
  it.each<[string, Partial<Case>]>([
    ...limiters.flatMap((limiter): [string, Partial<Case>][] => [
      [`behind ${limiter}`, { limiter }],
      [`behind ${limiter}, where the reset is that of everything`, { limiter, speech: { resetOf: 'all' } }],
    ]),
    ['with tokens as names, as in version 8', { lie: words([/"(key|traffic)"/g, '$1']) }],
    ['with `l` for the quota, as in version 8', { lie: words([/q=/g, 'l=']) }],
    ['without windows', { lie: words([/;w=\d+/g, '']) }],
    ['without resets', { lie: words([/;t=\d+/g, '']) }],
    ['without policies', { lie: words([/ratelimit-policy: .* \| (?=ratelimit:)/g, '']) }],
    [
      'with another policy that is violated as well',
      { lie: (said, ...state) => (said.retry_after === null ? said : burst(0)(said, ...state)) },
    ],
    ['with a problem type of its own', { lie: words(['"quota-exceeded"', '"about:blank"']) }],
    ['with Retry-After later than the reset', { lie: inRetryAfter((value) => value + 2) }],
    ['with words of its own', { lie: words(['w=60', 'w=60;acme-burst=20;comment="per key"']) }],
  ])('%s, in draft 11', async (_, each) => {
    const speech = { ...draft11.speech, ...each.speech };
    const failed = [...(await judged({ lie: honest, ...each, speech })).values()].filter(
      ({ verdict }) => verdict === 'fail',
    );
    expect(failed.map(({ id, explanation }) => `${id}: ${explanation}`)).toEqual([]);
  });

  it('behind a bucket that holds less than the limit, and that says when it is full', async () => {
    const limiter = 'bucket that holds a fifth of the limit';
    const results = await judged({ limiter, speech: { resetOf: 'all' }, lie: honest });
    expect(results.get(ids.reset)?.verdict).toBe('pass');
  });
});
