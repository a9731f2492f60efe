import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CheckResult } from '../../../src/checks/core/verdict.ts';
import type { History } from '../../../src/history/history.ts';
import { randomStream } from '../../../src/random.ts';
import { profileSchema } from '../../../src/target/profile.ts';
import { times } from '../../effort.ts';
import { sampleRun } from '../../history/sample.ts';
import { judgeSeen } from './headers-judging.ts';
import { honestLimiters, observe, plainly, randomLoad, type Told } from './headers-simulate.ts';

const limit = { requests: 20, windowMs: 2_000 };
const history: History = {
  run: sampleRun,
  profile: profileSchema.parse({ rate_limit: `${limit.requests}/${limit.windowMs}ms` }),
  integrity: { kind: 'intact' },
  leftOut: 0,
  rows: () => Promise.resolve([]),
  columns: () => Promise.resolve([]),
  execute: () => Promise.resolve(0),
  close: () => undefined,
};
const [makeLimiter] = Object.values(honestLimiters);

/** What is made of an honest limiter whose answers say these things in turn. */
function judged(said: readonly Told[], seed: number): CheckResult[] {
  const random = randomStream(seed, 'garbage');
  if (makeLimiter === undefined) throw new Error('no limiter');
  let answers = 0;
  const sent = observe(
    {
      limit,
      limiter: makeLimiter(limit, random),
      ...plainly,
      random,
      lie: (truth) => said[answers++ % said.length] ?? truth,
    },
    randomLoad(limit, random),
  );
  return judgeSeen(sent, history);
}

const fields = ['ratelimit', 'ratelimit-policy', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'];
const olderFields = ['x-ratelimit-limit', 'x-ratelimit-used', 'x-ratelimit-reset', 'x-rate-limit-remaining'];

/** Lines of headers as a history has them, with such values. */
function headersOf(value: fc.Arbitrary<string>, retryAfter = fc.option(value)): fc.Arbitrary<Told> {
  const header = fc.tuple(fc.constantFrom(...fields, ...olderFields), value).map((parts) => parts.join(': '));
  return fc.record({
    retry_after: retryAfter,
    limit_headers: fc.option(fc.array(header, { minLength: 1, maxLength: 4 }).map((all) => all.join(' | '))),
  });
}

const number = fc.oneof(
  fc.double().map(String),
  fc.integer().map(String),
  fc.constantFrom('9'.repeat(400), '-1', '-0', '1e9', '0', '1777636800', '1777636800000', '0.5', '00', '+7'),
);
const piece = fc.oneof(
  number,
  fc.constantFrom(
    ...['"burst"', 'limit=', 'q=', ';w=', 'r=', 't=', ', ', ' ', '"', '\\', ':', '?1', '😀', '\0'],
  ),
  fc.constantFrom(
    'Fri, 01 May 2026 12:00:09 GMT',
    '2026-05-01T12:00:09Z',
    '275760-09-14',
    '3h',
    'NaN',
    'Infinity',
  ),
);
const garbage = fc.oneof(
  number,
  fc.array(piece, { maxLength: 6 }).map((all) => all.join('')),
  fc.string(),
);
const wordless = fc.string({ unit: fc.constantFrom(...'abcXYZ -_,;="\\|:.()é😀') });
const seed = fc.nat();

describe('headers of a limit that hold anything whatever', () => {
  it('break no check, and no number of theirs comes out beyond all bounds', () => {
    fc.assert(
      fc.property(fc.array(headersOf(garbage), { minLength: 1, maxLength: 30 }), seed, (said, from) => {
        const results = judged(said, from);
        expect(JSON.parse(JSON.stringify(results))).toEqual(results);
      }),
      { numRuns: times(40, 300) },
    );
  });

  it('accuse nobody where they are no number and no date, unlike Retry-After', () => {
    const headers = headersOf(wordless, fc.constant(null));
    fc.assert(
      fc.property(fc.array(headers, { minLength: 1, maxLength: 30 }), seed, (said, from) => {
        const failed = judged(said, from).filter(({ verdict }) => verdict === 'fail');
        expect(failed.map(({ id, explanation }) => `${id}: ${explanation}`)).toEqual([]);
      }),
      { numRuns: times(25, 200) },
    );
  });
});
