import { expect, it } from 'vitest';
import { judgeEnforced } from '../../../src/checks/rate-limit/enforced.ts';
import { judgeHeaders } from '../../../src/checks/rate-limit/headers/judge.ts';
import { isPastLimit, judgeStream } from '../../../src/checks/rate-limit/judged.ts';
import { allowForOthers } from '../../../src/checks/rate-limit/others.ts';
import { readings } from '../../../src/checks/rate-limit/streams.ts';
import { judgeWrongful } from '../../../src/checks/rate-limit/wrongful.ts';
import type { History } from '../../../src/history/history.ts';
import { randomStream } from '../../../src/random.ts';
import { profileSchema } from '../../../src/target/profile.ts';
import { sampleRun } from '../../history/sample.ts';
import { honestLimiters, observe, randomLoad } from './headers-simulate.ts';
import { sentOf } from './sent-of.ts';

const limit = { requests: 1_000, windowMs: 60_000 };
const history: History = {
  run: { ...sampleRun, target: { kind: 'foreign', base_url: 'http://127.0.0.1:1/v1' } },
  profile: profileSchema.parse({ rate_limit: '1000/1m', limit_scope: 'per-key' }),
  integrity: { kind: 'intact' },
  rows: () => Promise.resolve([]),
  columns: () => Promise.resolve([]),
  execute: () => Promise.resolve(),
  close: () => undefined,
};
const seeds = [1, 2];

/**
 * Requests that a gateway delivers twice spend the limit twice. Without headers such a limit cannot be told from a lower one;
 * headers show that more was counted than was sent.
 */
it.each([0.02, 0.1])(
  'an honest limiter that meets %d of all requests twice is not accused of what its headers explain',
  (share) => {
    for (const seed of seeds) {
      const random = randomStream(seed, 'delivered twice');
      const limiter = honestLimiters.log?.(limit, random);
      if (limiter === undefined) throw new Error('no limiter that keeps a log');
      const seen = observe(
        {
          limit,
          limiter: (atMs) => {
            const answered = limiter(atMs);
            return random() < share ? limiter(atMs) : answered;
          },
          isShared: false,
          speech: { dialect: 'draft 6', resetOf: 'next', rounding: 'ceil', retryAfter: 'seconds' },
          clockOffMs: 0,
          zeroEpochMs: sampleRun.zero_epoch_ms,
          roundTripMs: 5,
          loss: 0,
          random,
        },
        randomLoad(limit, random),
      );
      const sent = sentOf(seen);
      const [reading] = readings(sent, history);
      const streams = (reading?.streams ?? []).map((each) => judgeStream(each, history));
      const results = allowForOthers(
        [
          judgeWrongful(streams),
          judgeEnforced(streams.filter(isPastLimit)),
          ...judgeHeaders(sent, { streams, isAcceptable: false }, history),
        ],
        streams,
        history.profile,
      );
      const failed = results.filter(({ verdict }) => verdict === 'fail');
      expect(
        failed.map(({ id, explanation }) => `${id}: ${explanation}`),
        `seed ${seed}`,
      ).toEqual([]);
      expect(results.map(({ id }) => id)).toContain('rate-limit.others');
    }
  },
);
