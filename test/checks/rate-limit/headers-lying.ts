import type { CheckResult } from '../../../src/checks/core/verdict.ts';
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

/** Requests with the load key, one after the other. */
export function paced(count: number, fromMs: number, everyMs: number): Sending[] {
  return Array.from({ length: count }, (_, k) => ({
    atMs: fromMs + k * everyMs,
    key: 'load' as const,
    endpoint: 'list-shades' as const,
  }));
}

export interface Case {
  readonly limiter?: keyof typeof honestLimiters;
  readonly speech?: Partial<Speech>;
  readonly lie: NonNullable<Scene['lie']>;
  readonly profile?: ProfileInput;
}

/** The verdicts on a target that lies, by id. */
export async function judged({ limiter = 'windows opened by a request', speech, lie, profile }: Case) {
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
export function inHeaders(
  pattern: RegExp,
  by: (value: number, state: State, atMs: number) => string | number,
) {
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
export function inRetryAfter(by: (value: number, state: State, atMs: number) => string | number) {
  return ({ retry_after, limit_headers }: Told, state: State, atMs: number): Told => ({
    retry_after: retry_after === null ? null : String(by(Number(retry_after), state, atMs)),
    limit_headers,
  });
}
