import { describe, expect, it } from 'vitest';
import type { CheckResult } from '../../../src/checks/verdict.ts';
import { randomStream } from '../../../src/random.ts';
import type { ProfileInput } from '../../../src/target/profile.ts';
import { sampleRun, withHistory } from '../../history/sample.ts';
import { judgeSeen } from './headers-judging.ts';
import {
  honestLimiters,
  observe,
  type Scene,
  type Sending,
  type Speech,
  type State,
  type Told,
  waitAsTold,
} from './headers-simulate.ts';

const limit = { requests: 200, windowMs: 60_000 };
const seed = 7;

/** A burst past the limit, then half as much again as the limit for a window, then little. */
const load: readonly Sending[] = [
  ...paced(300, 1_000, 10),
  ...paced(300, 65_000, 200),
  ...paced(20, 130_000, 3_000),
];

function paced(count: number, fromMs: number, everyMs: number): Sending[] {
  return Array.from({ length: count }, (_, k) => ({
    atMs: fromMs + k * everyMs,
    key: 'load' as const,
    endpoint: 'list-shades' as const,
  }));
}

interface Case {
  readonly limiter?: keyof typeof honestLimiters;
  readonly speech?: Partial<Speech>;
  readonly lie: NonNullable<Scene['lie']>;
  readonly profile?: ProfileInput;
}

/** The verdicts on a target that lies, by id. */
async function judged({ limiter = 'windows opened by a request', speech, lie, profile }: Case) {
  const random = randomStream(seed, 'lies');
  const make = honestLimiters[limiter];
  if (make === undefined) throw new Error(`no limiter is called ${limiter}`);
  const scene: Scene = {
    limit,
    limiter: make(limit, random),
    isShared: false,
    speech: { dialect: 'draft 6', resetOf: 'next', rounding: 'ceil', retryAfter: 'seconds', ...speech },
    clockOffMs: 400,
    zeroEpochMs: sampleRun.zero_epoch_ms,
    roundTripMs: 7,
    loss: 0,
    random,
    lie,
  };
  const sent = waitAsTold(scene, observe(scene, load), 4);
  const target = { kind: 'embedded', base_url: 'http://127.0.0.1:1/v1' } as const;
  const results = await withHistory(
    { run: { target }, profile: { rate_limit: '200/1m', ...profile } },
    async (history) => judgeSeen(sent, history),
  );
  return new Map<string, CheckResult>(results.map((result) => [result.id, result]));
}

/** A lie in the headers of the limit, by replacing in the truth. */
function inHeaders(pattern: RegExp, by: (value: number, state: State, atMs: number) => string | number) {
  return ({ retry_after, limit_headers }: Told, state: State, atMs: number): Told => ({
    retry_after,
    limit_headers:
      limit_headers?.replace(
        pattern,
        (_, name: string, value: string) => `${name}${by(Number(value), state, atMs)}`,
      ) ?? null,
  });
}

/** A lie in Retry-After. */
function inRetryAfter(by: (value: number, state: State, atMs: number) => string | number) {
  return ({ retry_after, limit_headers }: Told, state: State, atMs: number): Told => ({
    retry_after: retry_after === null ? null : String(by(Number(retry_after), state, atMs)),
    limit_headers,
  });
}

const remainingField = /(remaining: )(\d+)/;
const resetField = /(reset[:=] ?)(\d+)/;
const epochS = (atMs: number): number => Math.floor((sampleRun.zero_epoch_ms + atMs) / 1_000);

describe('a target that lies', () => {
  it.each<[string, string, RegExp, Case]>([
    [
      'of what remains, always the same',
      'rate-limit.headers-remaining',
      /Draft-6: it stays at 199 while requests are admitted \(\d+ requests show it\)/,
      { lie: inHeaders(remainingField, () => 199) },
    ],
    [
      'of what remains, always nothing',
      'rate-limit.headers-remaining',
      /it stays at 0 while requests are admitted/,
      { lie: inHeaders(remainingField, () => 0) },
    ],
    [
      'of what remains, still the same to those it refuses',
      'rate-limit.headers-remaining',
      /requests are refused by answers that say that more remain/,
      { lie: inHeaders(remainingField, () => 199), limiter: 'bucket' },
    ],
    [
      'of what remains, by more than the limit',
      'rate-limit.headers-remaining',
      /more is said to remain than the limit it states/,
      { lie: inHeaders(remainingField, (left) => left + 500) },
    ],
    [
      'of what remains, by as many more as it likes',
      'rate-limit.headers-remaining',
      /requests are refused by answers that say that more remain/,
      { lie: inHeaders(remainingField, (left) => left + 50) },
    ],
    [
      'of what remains, counting up',
      'rate-limit.headers-remaining',
      /it grows, or does not fall by what is admitted/,
      { lie: inHeaders(remainingField, (left) => 200 - left) },
    ],
    [
      'of what remains, counting every other request',
      'rate-limit.headers-remaining',
      /requests are refused by answers that say that more remain/,
      { lie: inHeaders(remainingField, (left) => 200 - Math.floor((200 - left) / 2)) },
    ],
    [
      'of what remains to those it admits, and says nothing to those it refuses',
      'rate-limit.headers-remaining',
      /refused right after an answer that says that more remain than can have been used since/,
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
      /what is used and what remains do not make up the limit/,
      {
        speech: { dialect: 'X-RateLimit with what is used' },
        lie: inHeaders(/(used: )(\d+)/, () => 1),
      },
    ],
    [
      'of the reset, always the same time from now',
      'rate-limit.headers-reset',
      /the reset moves away before it comes/,
      { lie: inHeaders(resetField, () => 30) },
    ],
    [
      'of the reset, always a whole window though its windows are fixed',
      'rate-limit.headers-reset',
      /the reset moves away before it comes/,
      { lie: inHeaders(resetField, () => 60) },
    ],
    [
      'of the reset, always the same instant',
      'rate-limit.headers-reset',
      /the reset names an instant that is long gone/,
      {
        speech: { dialect: 'X-RateLimit, epoch seconds' },
        lie: inHeaders(resetField, () => epochS(61_000)),
      },
    ],
    [
      'of the reset, whatever comes',
      'rate-limit.headers-reset',
      /the reset moves away before it comes/,
      { lie: inHeaders(resetField, (_, _state, atMs) => 5 + ((atMs * 7_919) % 40)) },
    ],
    [
      'of the reset, in milliseconds',
      'rate-limit.headers-reset',
      /further ahead than two windows last.* it looks like milliseconds/,
      { lie: inHeaders(resetField, (value) => value * 1_000) },
    ],
    [
      'of the reset, by days',
      'rate-limit.headers-reset',
      /by as much as 86[\d.,]+ s where they last 120 s \(/,
      {
        speech: { dialect: 'X-RateLimit, epoch seconds' },
        lie: inHeaders(resetField, (value) => value + 86_400),
      },
    ],
    [
      'of the reset, with a minus',
      'rate-limit.headers-reset',
      /the reset is negative/,
      { lie: inHeaders(resetField, (value) => -value) },
    ],
    [
      'of the reset, as an instant where draft 7 has seconds',
      'rate-limit.headers-reset',
      /the reset is an instant, where the draft says seconds from now/,
      {
        speech: { dialect: 'draft 7' },
        lie: inHeaders(resetField, (value, _, atMs) => value + epochS(atMs)),
      },
    ],
    [
      'of the limit',
      'rate-limit.headers',
      /Draft-6: it states 180 per 60 s, not 200 a minute/,
      { lie: inHeaders(/(ratelimit-(?:limit|policy): )(\d+)/g, () => 180) },
    ],
    [
      'of the window',
      'rate-limit.headers',
      /it states 200 per 30 s, not 200 a minute/,
      { lie: inHeaders(/(w=)(\d+)/, () => 30) },
    ],
    [
      'of the limit, against its own policy',
      'rate-limit.headers',
      /it states 180 per 60 s, not 200 a minute/,
      { lie: inHeaders(/(policy: )(\d+)/, () => 180) },
    ],
    [
      'of the limit, in one dialect of two',
      'rate-limit.headers',
      /X-ratelimit: it states a limit of 180, not 200 a minute/,
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
      /asks for [\d.,]+ s, yet the same key was admitted again within|asks for more than a day/,
      { lie: inRetryAfter((value) => value * 1_000) },
    ],
    [
      'of Retry-After, as an instant',
      'rate-limit.retry-after',
      /asks for more than a day: it looks like an instant or milliseconds/,
      { lie: inRetryAfter((value, _, atMs) => value + epochS(atMs)) },
    ],
    [
      'of Retry-After, with a minus',
      'rate-limit.retry-after',
      /Retry-After is negative/,
      { lie: inRetryAfter((value) => -value) },
    ],
    [
      'of Retry-After, by a window too many',
      'rate-limit.retry-after',
      /asks for [\d.,]+ s, yet the same key was admitted again within [\d.]+ s: no limiter of 60 s needs so long/,
      { lie: inRetryAfter((value) => value + 60) },
    ],
    [
      'of Retry-After, by ten seconds too few',
      'rate-limit.retry-after',
      /Who waits as long as told is refused again: 4 of 5 times/,
      { lie: inRetryAfter((value) => Math.max(1, value - 10)) },
    ],
    [
      'of Retry-After, rounded down',
      'rate-limit.retry-after',
      /Who waits as long as told is refused again: \d of \d times/,
      { lie: inRetryAfter((_, { nextInMs }) => Math.floor(nextInMs / 1_000)) },
    ],
    [
      'of Retry-After, always a second',
      'rate-limit.retry-after',
      /Who waits as long as told is refused again/,
      { lie: inRetryAfter(() => 1) },
    ],
    [
      'by keeping back what the profile promises',
      'rate-limit.headers',
      /\d+ of \d+ requests refused came without Retry-After, which the profile promises/,
      {
        profile: { refusal_headers: ['Retry-After', 'RateLimit-Reset'] },
        lie: ({ limit_headers }) => ({ retry_after: null, limit_headers }),
      },
    ],
  ])('%s', async (_, id, words, lie) => {
    const result = (await judged(lie)).get(id);
    expect(result?.explanation).toMatch(words);
    expect(result?.verdict).toBe('fail');
    expect(result?.evidence[0]?.seqs.length).toBeGreaterThan(0);
  });
});

describe('a target that is merely odd', () => {
  it.each<[string, string, RegExp, Case]>([
    [
      'asks to wait a whole window where places come free one by one',
      'rate-limit.retry-after',
      /cautious, not false/,
      { limiter: 'log', lie: inRetryAfter(() => 60) },
    ],
    [
      'asks to wait a whole window where windows are fixed',
      'rate-limit.retry-after',
      /\d+ of \d+ ask for over a second longer than needed, by up to [\d.]+ s: cautious, not false/,
      { lie: inRetryAfter(() => 60) },
    ],
    [
      'asks to wait for a bucket to be full',
      'rate-limit.retry-after',
      /cautious, not false/,
      { limiter: 'bucket', lie: inRetryAfter((_, { allInMs }) => Math.ceil(allInMs / 1_000)) },
    ],
    [
      'names a whole window as the reset where places come free one by one',
      'rate-limit.headers-reset',
      /the reset is a whole window away, whenever it is asked/,
      { limiter: 'log', lie: inHeaders(resetField, () => 60) },
    ],
    [
      'writes instants under the name that the drafts gave to seconds',
      'rate-limit.headers-reset',
      /the reset is an instant, where the drafts say seconds from now/,
      { lie: inHeaders(resetField, (value, _, atMs) => value + epochS(atMs)) },
    ],
    [
      'counts on below zero',
      'rate-limit.headers-remaining',
      /it goes below zero/,
      { lie: inHeaders(remainingField, (left) => (left === 0 ? -1 : left)) },
    ],
    [
      'speaks of another policy beside the promised',
      'rate-limit.headers',
      /it also speaks of 10,000 per 86,400 s/,
      { lie: inHeaders(/(policy: )(\d+)/, () => '10000;w=86400, 200') },
    ],
    [
      'has Retry-After with parts of seconds',
      'rate-limit.retry-after',
      /Of 5 that waited as long as told, 5 were admitted/,
      { lie: inRetryAfter((_, { nextInMs }) => nextInMs / 1_000) },
    ],
    [
      'adds a margin to Retry-After',
      'rate-limit.retry-after',
      /Of 5 that waited as long as told, 5 were admitted/,
      { lie: inRetryAfter((value) => value + 2) },
    ],
    [
      'has headers in a dialect of its own',
      'rate-limit.headers',
      /in none of the known dialects/,
      { lie: ({ retry_after }) => ({ retry_after, limit_headers: 'x-ratelimit-plan: gold' }) },
    ],
    [
      'has no headers at all',
      'rate-limit.headers',
      /No answer speaks of a limit/,
      { lie: () => ({ retry_after: null, limit_headers: null }) },
    ],
  ])('%s', async (_, id, words, lie) => {
    const results = await judged(lie);
    expect(results.get(id)?.explanation).toMatch(words);
    expect([...results.values()].map(({ verdict }) => verdict)).not.toContain('fail');
  });
});
