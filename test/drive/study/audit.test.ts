import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { msOfAudit, requestsOfAudit } from '../../../src/drive/study/audit/audit.ts';
import {
  type AuditScope,
  everyOrder,
  repeated,
  roundOf,
  variedOf,
} from '../../../src/drive/study/audit/audit-questions.ts';
import { auditAnalytics } from '../../../src/scenario/study.ts';
import { profileSchema } from '../../../src/target/profile.ts';
import { studyPhases } from '../../../src/vocabulary/phases.ts';
import { freshnessMs, playAudit, shop } from '../../checks/analytics/audit/play.ts';

const scope: AuditScope = {
  today: '2028-03-01',
  days: 7,
  format: 'date',
  products: ['one'],
  unknownProduct: 'unknown',
  ownProduct: 'own',
};
const text = (questions: ReturnType<typeof roundOf>): string[] =>
  questions.map(({ query }) => Object.values(query).join(' '));

describe('the questions of an audit', () => {
  it('cut the present from the past, and the past in halves, leap day included', () => {
    const unfiltered = roundOf(scope).filter(({ query }) => query.product_id === undefined);
    expect(text(unfiltered)).toEqual(
      expect.arrayContaining([
        '2028-02-24 2028-03-03',
        '2028-02-24 2028-02-29',
        '2028-03-01 2028-03-03',
        '2028-02-24 2028-03-01',
        '2028-02-24 2028-02-26',
        '2028-02-27 2028-02-29',
        '2028-03-01 2028-03-01',
      ]),
    );
  });

  it('are each asked once in a round', () => {
    const questions = text(roundOf(scope));
    expect(new Set(questions).size).toBe(questions.length);
  });

  it('name seconds where dates have times, so that nothing is left between two periods', () => {
    expect(text(roundOf({ ...scope, format: 'date-time' }))).toEqual(
      expect.arrayContaining([
        '2028-02-24T00:00:00Z 2028-02-29T23:59:59Z',
        '2028-03-01T00:00:00Z 2028-03-03T23:59:59Z',
        '2028-02-24T00:00:00Z 2028-03-01T00:00:00Z',
      ]),
    );
  });

  it('are repeated an odd number of times, and put in every order of two but one', () => {
    const varied = variedOf(scope);
    expect(varied).toHaveLength(5);
    const orders = text(everyOrder(varied));
    const pairs = new Set(orders.slice(1).map((question, place) => `${orders[place]} then ${question}`));
    expect(pairs.size).toBe(varied.length * (varied.length - 1) - 1);
    for (const count of [2, 3, 4, 5]) {
      const few = varied.slice(0, count);
      const asked = text([...repeated(few), ...everyOrder(few)]);
      for (const question of text(few))
        expect(asked.filter((each) => each === question).length % 2, `of ${count}`).toBe(1);
    }
  });
});

describe('an audit', () => {
  it('asks no more than was announced, in no more time, and stays under 70 % of the limit', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 2, max: 60 }),
        fc.boolean(),
        fc.constantFrom('60/2s', '100/10s', '1000/1m'),
        async (days, canary, rateLimit) => {
          const study = auditAnalytics({ days, canary });
          const { requests, tookMs } = await playAudit({
            sessions: shop,
            study: { days, canary },
            rateLimit,
          });
          const profile = profileSchema.parse({
            rate_limit: rateLimit,
            analytics: { freshness: freshnessMs },
          });
          expect(requests.length).toBeLessThanOrEqual(requestsOfAudit(study));
          expect(tookMs).toBeLessThanOrEqual(msOfAudit(study, profile));
          const sentNs = requests.flatMap(({ credential, sentNs }) =>
            credential === 'load' && sentNs !== undefined ? [sentNs] : [],
          );
          const most = Math.floor(0.7 * profile.rate_limit.requests);
          for (const [place, ns] of sentNs.entries())
            expect((sentNs[place + most] ?? Infinity) - ns).toBeGreaterThanOrEqual(
              profile.rate_limit.windowMs * 1e6 - 1,
            );
        },
      ),
      { seed: 4, numRuns: 20 },
    );
  });

  it('stops asking when its budget is spent', async () => {
    const { requests, tookMs } = await playAudit({ sessions: shop, study: { budget: '2s' } });
    expect(tookMs).toBeLessThan(2_100);
    expect(requests.length).toBeGreaterThan(10);
  });

  it('leaves repeated requests out where they would cost the last round', async () => {
    const phasesOf = async (budget: '5m' | '5s'): Promise<Set<string>> =>
      new Set((await playAudit({ sessions: shop, study: { budget } })).requests.map(({ phase }) => phase));
    expect(await phasesOf('5m')).toContain(studyPhases.auditReread);
    const short = await phasesOf('5s');
    expect(short).not.toContain(studyPhases.auditReread);
    expect(short).toContain(studyPhases.auditLast);
  });

  it('keeps no token', async () => {
    const played = await playAudit({ sessions: shop });
    expect(played.interactions).toHaveLength(2);
    expect(JSON.stringify(played)).not.toContain('secret');
  });

  it.each<[string, object, RegExp]>([
    ['one day', { days: 1 }, /auditAnalytics: days: expected a whole number from 2 to 366, got 1/],
    ['half a day', { days: 2.5 }, /days/],
    ['no time', { budget: 'soon' }, /auditAnalytics: budget: /],
    ['a product without a name', { products: [''] }, /auditAnalytics: products\[0\]: /],
  ])('of %s is refused', (_, options, message) => {
    expect(() => auditAnalytics(options)).toThrow(message);
  });
});
