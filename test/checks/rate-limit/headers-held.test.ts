import { describe, expect, it } from 'vitest';
import type { CheckResult } from '../../../src/checks/core/verdict.ts';
import { randomStream } from '../../../src/random.ts';
import type { ProfileInput } from '../../../src/target/profile.ts';
import { rowsOf } from '../../effort.ts';
import { withHistory } from '../../history/sample.ts';
import { judgeSeen, studied } from './headers-judging.ts';
import { inHeaders, inRetryAfter, paced } from './headers-lying.ts';
import {
  honestLimiters,
  type MakeLimiter,
  observe,
  plainly,
  type Scene,
  type Sending,
  type Speech,
  type State,
  waitAsTold,
} from './headers-simulate.ts';
import { type Saying, saying } from './saying.ts';

/** 60 per 30 s: a place comes free every half second, and whole seconds tell. */
const limit = { requests: 60, windowMs: 30_000 };
const seed = 11;

/** A burst past the limit, one and a half times the limit for a window; after a pause little, then a burst. */
const load: readonly Sending[] = [
  ...paced(90, 1_000, 20),
  ...paced(90, 33_500, 331),
  ...paced(20, 130_000, 1_500),
  ...paced(140, 161_000, 110),
];

/** A window that a request opens and that every refusal begins anew. */
const extended: MakeLimiter = ({ requests, windowMs }) => {
  let endMs = Number.NEGATIVE_INFINITY;
  let used = 0;
  return (atMs) => {
    if (atMs >= endMs) {
      endMs = atMs + windowMs;
      used = 0;
    }
    const admitted = used < requests;
    if (admitted) used++;
    else endMs = atMs + windowMs;
    return { admitted, remaining: requests - used, nextInMs: endMs - atMs, allInMs: endMs - atMs };
  };
};

/** Limiters, each with the kind that a study finds it to be. */
const kinds: readonly (readonly [string, string, MakeLimiter | undefined])[] = [
  ['windows by the clock', 'fixed-window', honestLimiters['windows by the clock']],
  [
    'windows opened by a request',
    'fixed-window-first-request',
    honestLimiters['windows opened by a request'],
  ],
  ['a window that refusals extend', 'extended-by-refusals', extended],
  ['a log', 'sliding-log', honestLimiters.log],
  ['a log of refused requests too', 'sliding-log-all', honestLimiters['log of refused requests too']],
  ['a counter', 'sliding-counter', honestLimiters.counter],
  [
    'a counter of refused requests too',
    'sliding-counter-all',
    honestLimiters['counter of refused requests too'],
  ],
  ['a bucket', 'token-bucket', honestLimiters.bucket],
  ['a bucket filled each second', 'token-bucket-second-lumps', honestLimiters['bucket filled each second']],
];

interface Case {
  readonly make: MakeLimiter | undefined;
  readonly kind: string;
  readonly speech?: Partial<Speech>;
  readonly lie?: Scene['lie'];
  readonly waits?: number;
  readonly profile?: ProfileInput;
}

/** The verdicts on what a limiter says, once a study has found which kind it is. */
async function judged({
  make,
  kind,
  speech,
  lie,
  profile,
  waits = 1,
}: Case): Promise<Map<string, CheckResult>> {
  const random = randomStream(seed, 'held');
  if (make === undefined) throw new Error('no such limiter');
  const scene: Scene = {
    limit,
    limiter: make(limit, random),
    ...plainly,
    speech: { ...plainly.speech, ...speech },
    clockOffMs: 400,
    random,
    ...(lie === undefined ? {} : { lie }),
  };
  const sent = waitAsTold(scene, observe(scene, load), waits);
  const target = { kind: 'embedded', base_url: 'http://127.0.0.1:1/v1' } as const;
  const results = await withHistory(
    { run: { target }, profile: { rate_limit: '60/30s', ...profile } },
    async (history) => judgeSeen(sent, history, studied(kind, limit.requests, limit.windowMs)),
  );
  return new Map(results.map((result) => [result.id, result]));
}

/** The verdicts on a limiter in windows for two keys, of which the bystander, to whom it may lie, never reaches its limit. */
async function judgedApart(
  phase: 'clock-aligned' | 'unaligned',
  lie?: Scene['lie'],
): Promise<Map<string, CheckResult>> {
  const target = { kind: 'embedded', base_url: 'http://127.0.0.1:1/v1' } as const;
  const make = honestLimiters['windows by the clock'];
  if (make === undefined) throw new Error('no such limiter');
  const ofKey = (key: Sending['key'], sendings: readonly Sending[]): ReturnType<typeof observe> => {
    const random = randomStream(seed, phase === 'unaligned' ? key : phase);
    const own = sendings.map((sending) => ({ ...sending, key }));
    const scene: Scene = { ...plainly, limit, limiter: make(limit, random), isShared: true, random };
    return observe(key === 'bystander' && lie !== undefined ? { ...scene, lie } : scene, own);
  };
  const sent = [...ofKey('load', load), ...ofKey('bystander', paced(20, 1_000, 7_700))]
    .toSorted((a, b) => a.sent_ns - b.sent_ns)
    .map((request, place) => ({ ...request, seq: place + 1 }));
  const { inference, ...found } = studied('fixed-window', limit.requests, limit.windowMs);
  if (inference === undefined) throw new Error('the study found nothing');
  const survivors = inference.survivors.map((each) => ({ ...each, phase }));
  const results = await withHistory(
    { run: { target }, profile: { rate_limit: '60/30s', limit_scope: 'per-key' } },
    async (history) => judgeSeen(sent, history, { ...found, inference: { ...inference, survivors } }),
  );
  return new Map(results.map((result) => [result.id, result]));
}

const lieRandom = randomStream(seed, 'jitter');
const remaining = /(remaining: )(\d+)/;
const reset = /(reset: )(\d+)/;

const ceilS = ({ nextInMs }: Pick<State, 'nextInMs'>): number => Math.ceil(nextInMs / 1_000);
const ids = ['rate-limit.retry-after', 'rate-limit.headers-remaining', 'rate-limit.headers-reset'];

describe('windows that begin at another time for each key', () => {
  it('pass when they are told truly', async () => {
    const results = await judgedApart('unaligned');
    expect(ids.map((id) => results.get(id)?.verdict)).toEqual(['pass', 'pass', 'pass']);
  });

  it('fail when a key that never reached its limit is told a place too many', async () => {
    const results = await judgedApart(
      'unaligned',
      inHeaders(remaining, (value) => value + 1),
    );
    expect(results.get('rate-limit.headers-remaining')?.verdict).toBe('fail');
  });
});

describe('windows by the clock, which all keys share', () => {
  it.each([
    { byS: 0, verdict: 'pass' },
    { byS: 12, verdict: 'fail' },
  ])(
    '$verdict when a key that never reached its limit is told a reset $byS s late',
    async ({ byS, verdict }) => {
      const results = await judgedApart(
        'clock-aligned',
        inHeaders(reset, (value) => value + byS),
      );
      expect(results.get('rate-limit.headers-reset')?.verdict).toBe(verdict);
    },
  );
});

describe(`a limiter of a known kind that tells the truth passes: no value is on the wrong side (seed ${seed})`, () => {
  const manners: readonly (readonly [string, Pick<Case, 'speech' | 'lie' | 'profile'>])[] = [
    ['in whole seconds, rounded up', { profile: { retry_after: 'shortest' } }],
    [
      'by dates and instants, by a clock that is 400 ms off',
      { speech: { dialect: 'X-RateLimit, epoch seconds', retryAfter: 'date' } },
    ],
    [
      'with up to 2 s of jitter',
      { lie: inRetryAfter((_, state) => ceilS(state) + Math.floor(3 * lieRandom())) },
    ],
    [
      'with up to 2 s of jitter in the reset',
      { lie: inHeaders(reset, (seconds) => seconds + Math.floor(3 * lieRandom())) },
    ],
    [
      'and always advises a whole window at least',
      { lie: inRetryAfter((_, { nextInMs }) => Math.ceil(Math.max(limit.windowMs, nextInMs) / 1_000)) },
    ],
  ];
  it.each(kinds.map((each, at) => [...each, at] as const))('%s', async (_, kind, make, at) => {
    // Each kind speaks in two manners, and each manner is spoken by several kinds.
    for (const [manner, spoken] of rowsOf(manners, (__, place) => (place + at) % manners.length < 2)) {
      const results = await judged({ make, kind, ...spoken });
      expect(
        [...results.values()].map(({ verdict }) => verdict),
        manner,
      ).not.toContain('fail');
      const advice = results.get('rate-limit.retry-after');
      expect(advice, manner).toMatchObject({
        verdict: 'pass',
        observed: { 'Retry-After': { with_fitted_limiter: { too_low: 0 } } },
      });
      for (const id of ids) expect(compared(results.get(id)), `${manner}: ${id}`).toBeGreaterThan(15);
    }
  });
});

/** How many values were held against the limiter. */
function compared(result: CheckResult | undefined): number {
  const none = result?.reasons?.find(({ code }) => code === 'headers-values');
  return none !== undefined && 'compared' in none.params ? none.params.compared : 0;
}

describe('a limiter of a known kind that promises the shortest wait, and advises longer ones', () => {
  const lies: readonly (readonly [string, NonNullable<Scene['lie']>])[] = [
    ['for more requests than one', inRetryAfter((_, state) => ceilS({ nextInMs: state.nextInMs + 1_500 }))],
    ['rounded up twice', inRetryAfter((_, state) => ceilS(state) + 1)],
    [
      'as if nothing of the wait had passed',
      inRetryAfter((_, state) => ceilS(state) + Math.ceil(5 * lieRandom())),
    ],
  ];
  // This load does not tell where the windows of a counter begin that counts what it refuses.
  const told = kinds.filter(([, kind]) => kind !== 'sliding-counter-all');
  it.each(rowsOf(lies, (_, place) => place === 0))(
    '%s: late, and how often, is said of each kind',
    async (_, lie) => {
      const missed: string[] = [];
      for (const [name, kind, make] of told) {
        const of = async (profile?: ProfileInput): Promise<CheckResult | undefined> =>
          (await judged({ make, kind, lie, waits: 0, ...(profile === undefined ? {} : { profile }) })).get(
            'rate-limit.retry-after',
          );
        const promised = await of({ retry_after: 'shortest' });
        expect((await of())?.verdict, name).toBe('pass');
        const isFound = promised?.reasons?.some(
          ({ code, params }) => code === 'headers-wrong' && params.wrong === 'wait-not-shortest',
        );
        if (promised?.verdict !== 'fail' || isFound !== true) missed.push(name);
      }
      expect(missed).toEqual([]);
    },
  );
});

describe('a limiter of a known kind that says too little or too much is found out, with counts', () => {
  // This load does not tell where the windows of a counter begin that counts what it refuses.
  const told = kinds.filter(([, kind]) => kind !== 'sliding-counter-all');
  it.each(told)('Retry-After of %s, rounded down', async (_, kind, make) => {
    const lie = inRetryAfter((_, { nextInMs }) => Math.floor(nextInMs / 1_000));
    const result = (await judged({ make, kind, lie, waits: 0 })).get('rate-limit.retry-after');
    expect(result?.verdict).toBe('fail');
    expect(result?.reasons).toEqual(saying(['headers-wrong', { wrong: 'wait-too-short' }]));
  });

  it.each(kinds)('Retry-After of %s, half of the wait', async (_, kind, make) => {
    const lie = inRetryAfter((_, { nextInMs }) => nextInMs / 2_000);
    const result = (await judged({ make, kind, lie, waits: 0 })).get('rate-limit.retry-after');
    expect(result?.verdict).toBe('fail');
    expect(result?.reasons).toEqual(saying(['headers-wrong', { wrong: 'wait-too-short' }]));
  });

  const [, clock] = kinds.map(([, kind, make]) => ({ kind, make }));
  const opened = clock ?? { kind: '', make: undefined };
  it.each<[string, string, Saying, NonNullable<Scene['lie']>]>([
    [
      'Retry-After, always 0',
      'rate-limit.retry-after',
      ['headers-wrong', { wrong: 'wait-too-short' }],
      inRetryAfter(() => 0),
    ],
    [
      'Retry-After, a window too late',
      'rate-limit.retry-after',
      ['headers-wrong', { wrong: 'wait-too-long' }],
      inRetryAfter((_, state) => ceilS(state) + limit.windowMs / 1_000),
    ],
    [
      'Retry-After in milliseconds',
      'rate-limit.retry-after',
      ['headers-wrong', { wrong: 'wait-too-long' }],
      inRetryAfter((_, { nextInMs }) => Math.ceil(nextInMs)),
    ],
    [
      'what remains, one too many',
      'rate-limit.headers-remaining',
      ['headers-wrong', { wrong: 'remaining-too-high' }],
      inHeaders(remaining, (left) => left + 1),
    ],
    [
      'what remains, one too few',
      'rate-limit.headers-remaining',
      ['headers-wrong', { wrong: 'remaining-too-low' }],
      inHeaders(remaining, (left) => Math.max(0, left - 1)),
    ],
    [
      'what remains, as it was at the start',
      'rate-limit.headers-remaining',
      ['headers-wrong', { wrong: 'remaining-too-high' }],
      inHeaders(remaining, () => 59),
    ],
    [
      'the reset of the next window',
      'rate-limit.headers-reset',
      ['headers-wrong', { wrong: 'reset-too-late' }],
      inHeaders(reset, (seconds) => seconds + 30),
    ],
    [
      'the reset, as if half of the wait were over',
      'rate-limit.headers-reset',
      ['headers-wrong', { wrong: 'reset-too-early' }],
      inHeaders(reset, (seconds) => Math.floor(seconds / 2)),
    ],
  ])('%s', async (_, id, said, lie) => {
    const result = (await judged({ ...opened, lie, waits: 0 })).get(id);
    expect(result?.verdict).toBe('fail');
    expect(result?.reasons).toEqual(saying(said));
  });
});
