import { expect, it } from 'vitest';
import { render } from '../../../src/checks/core/render.ts';
import type { CheckResult } from '../../../src/checks/core/verdict.ts';
import { judgeHeaders } from '../../../src/checks/rate-limit/headers/judge.ts';
import { judgeWrongful } from '../../../src/checks/rate-limit/promise/checks.ts';
import { judgeEnforced } from '../../../src/checks/rate-limit/promise/enforced.ts';
import { allowForOthers } from '../../../src/checks/rate-limit/promise/others.ts';
import { isPastLimit, judgeStream } from '../../../src/checks/rate-limit/traces/judged.ts';
import { readings } from '../../../src/checks/rate-limit/traces/streams.ts';
import type { History } from '../../../src/history/history.ts';
import { randomStream } from '../../../src/random.ts';
import { type Profile, profileSchema } from '../../../src/target/profile.ts';
import { rowsOf } from '../../effort.ts';
import { sampleRun } from '../../history/sample.ts';
import { honestLimiters, observe, plainly, randomLoad, type Scene, waitAsTold } from './headers-simulate.ts';
import { sentOf } from './sent-of.ts';

const history: History = {
  run: { ...sampleRun, target: { kind: 'foreign', base_url: 'http://127.0.0.1:1/v1' } },
  profile: profileSchema.parse({ rate_limit: '1000/1m', limit_scope: 'per-key' }),
  integrity: { kind: 'intact' },
  leftOut: 0,
  rows: () => Promise.resolve([]),
  columns: () => Promise.resolve([]),
  execute: () => Promise.resolve(0),
  close: () => undefined,
};
const seeds = [1, 2];

/** An honest limiter that meets a share of all requests twice, of which the second decides. */
interface Met {
  readonly share: number;
  readonly seed: number;
  readonly profile: Profile;
  readonly kind?: 'log' | 'bucket';
  /** After a random load: so many waits, as long as the limiter says. */
  readonly waits?: number;
}

/** What is judged of it. */
function judgedTwice({ kind = 'log', profile, seed, share, waits = 0 }: Met): readonly CheckResult[] {
  const random = randomStream(seed, 'delivered twice');
  const limit = profile.rate_limit;
  const limiter = honestLimiters[kind]?.(limit, random);
  if (limiter === undefined) throw new Error(`no limiter of the kind ${kind}`);
  const scene: Scene = {
    limit,
    limiter: (atMs) => {
      const answered = limiter(atMs);
      return random() < share ? limiter(atMs) : answered;
    },
    ...plainly,
    random,
  };
  const sent = sentOf(waitAsTold(scene, observe(scene, randomLoad(limit, random)), waits));
  const all: History = { ...history, profile };
  const [reading] = readings(sent, all);
  const streams = (reading?.streams ?? []).map((each) => judgeStream(each, all));
  return allowForOthers(
    [
      judgeWrongful(streams),
      judgeEnforced(streams.filter(isPastLimit)),
      ...judgeHeaders(sent, { streams, isAcceptable: false, isBeyond: false }, all),
    ],
    streams,
    all.profile,
  ).map(render);
}

/**
 * Requests that a gateway delivers twice spend the limit twice. Without headers such a limit cannot be told from a lower one;
 * headers show that more was counted than was sent.
 */
it.each(rowsOf([0.02, 0.1], (share) => share === 0.1))(
  'an honest limiter that meets %d of all requests twice is not accused of what its headers explain',
  (share) => {
    for (const seed of seeds) {
      const results = judgedTwice({ share, seed, profile: history.profile });
      const failed = results.filter(({ verdict }) => verdict === 'fail');
      expect(
        failed.map(({ id, explanation }) => `${id}: ${explanation}`),
        `seed ${seed}`,
      ).toEqual([]);
      expect(results.map(({ id }) => id)).toContain('rate-limit.others');
    }
  },
);

it.each(rowsOf([0.1, 0.5, 1], (share) => share !== 0.5))(
  'nor is one that meets %d of all requests twice, whoever waits as told, where the profile says so',
  (share) => {
    for (const seed of seeds) {
      const results = judgedTwice({
        ...{ share, seed, waits: 8 },
        profile: { ...history.profile, redeliveries: 1 },
      });
      const failed = results.filter(({ verdict }) => verdict === 'fail');
      expect(
        failed.map(({ id, explanation }) => `${id}: ${explanation}`),
        `seed ${seed}`,
      ).toEqual([]);
    }
  },
);

it('who waits as told and is refused for a second delivery shows a fault, unless the profile tells of it', () => {
  const adviceOf = (redeliveries: number): CheckResult | undefined =>
    judgedTwice({
      ...{ share: 1, seed: 1, waits: 8, kind: 'bucket' },
      // A place is free every three seconds.
      profile: profileSchema.parse({ rate_limit: '20/1m', limit_scope: 'per-key', redeliveries }),
    }).find(({ id }) => id === 'rate-limit.retry-after');
  expect(adviceOf(0)).toMatchObject({ verdict: 'fail' });
  expect(adviceOf(1)).toMatchObject({
    verdict: 'inconclusive',
    reasons: expect.arrayContaining([{ code: 'others-may-have-spent', params: { isRedelivered: true } }]),
  });
});
