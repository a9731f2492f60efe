import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { times } from '../../../effort.ts';
import type { AccountAct, AccountSession, Conventions } from './account.ts';
import { freshnessMs, judged, noon, type PlayOptions } from './play.ts';

/** Where a run of the same arguments begins; printed by fast-check when a property does not hold. */
const parameters = { seed: 20_260_520, numRuns: times(15, 150) };

const dayMs = 86_400_000;
/** An audit over four days takes about so long, nearly all of it resting. */
const auditMs = 10_000;

const offset = (min: number, max: number): fc.Arbitrary<number> => fc.integer({ min, max });

const actsFrom = (fromMs: number, spanMs: number): fc.Arbitrary<AccountAct[]> =>
  fc
    .array(
      fc.record({
        type: fc.constantFrom('shade_selected', 'shade_selected', 'cart_intent') as fc.Arbitrary<
          AccountAct['type']
        >,
        sku: fc.constantFrom('A', 'B', 'C', 'D'),
        atMs: offset(0, spanMs).map((ms) => fromMs + ms),
      }),
      { maxLength: 5 },
    )
    .map((acts) => acts.toSorted((a, b) => a.atMs - b.atMs));

/** Sessions from before, over the days that are asked about. */
const old: fc.Arbitrary<AccountSession> = offset(-5 * dayMs, -60_000).chain((ms) =>
  fc.record({
    product: fc.constantFrom('told', 'other'),
    createdMs: fc.constant(noon + ms),
    acts: actsFrom(noon + ms, 50_000),
  }),
);

/** Sessions of others that are opened and acted in while the audit asks, and old ones that go on. */
const live: fc.Arbitrary<AccountSession> = fc.oneof(offset(0, auditMs), offset(-2 * dayMs, 0)).chain((ms) =>
  fc.record({
    product: fc.constantFrom('told', 'other'),
    createdMs: fc.constant(noon + ms),
    acts: actsFrom(noon + Math.max(0, ms), auditMs),
  }),
);

const conventions: fc.Arbitrary<Conventions> = fc.record({
  end: fc.constantFrom('inclusive', 'exclusive'),
  zoneHours: offset(-12, 14),
  day: fc.constantFrom('creation', 'last-interaction', 'each-interaction'),
  shades: fc.constantFrom('distinct', 'selections'),
  over: fc.constantFrom('all', 'with-shades'),
  cart: fc.constantFrom('ever', 'last'),
  topLength: offset(1, 4),
  ties: fc.constantFrom('ascending', 'descending'),
  withTies: fc.boolean(),
  decimals: offset(2, 6),
});

/** Every convention told, as far as a profile can. */
function told({ cart, day, decimals, end, over, shades, zoneHours }: Conventions): PlayOptions['profile'] {
  const sign = zoneHours < 0 ? '-' : '+';
  return {
    end_date: end,
    session_day: day,
    shades_per_session: shades,
    sessions_averaged: over,
    cart_intent: cart,
    time_zone: `${sign}${String(Math.abs(zoneHours)).padStart(2, '0')}:00`,
    decimals,
  };
}

async function failed(options: PlayOptions): Promise<string[]> {
  const results = [...(await judged(options)).values()];
  return results.flatMap(({ explanation, id, verdict }) =>
    verdict === 'fail' ? `${id}: ${explanation}` : [],
  );
}

const profile = { products: ['told', 'other'] };

describe('an honest target is not accused', () => {
  it('whatever its conventions are, while nobody else is at work', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(old, { maxLength: 12 }),
        conventions,
        fc.boolean(),
        async (sessions, own, isTold) => {
          const wrong = await failed({
            sessions,
            conventions: own,
            profile: { ...profile, exclusive: true, ...(isTold ? told(own) : {}) },
          });
          expect(wrong).toEqual([]);
        },
      ),
      parameters,
    );
  });

  it('by the traffic of others between two questions, nor by answers as old as they may be', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(old, live), { maxLength: 12 }),
        conventions,
        fc.boolean(),
        fc.infiniteStream(offset(0, freshnessMs)),
        async (sessions, own, isTold, lags) => {
          const wrong = await failed({
            sessions,
            conventions: own,
            profile: { ...profile, ...(isTold ? told(own) : {}) },
            lagMs: () => lags.next().value ?? 0,
          });
          expect(wrong).toEqual([]);
        },
      ),
      { ...parameters, numRuns: times(30, 300) },
    );
  });

  it('around midnight', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(old, live), { maxLength: 6 }),
        conventions,
        offset(0, auditMs),
        async (sessions, own, beforeMs) => {
          const shift = dayMs / 2 - beforeMs;
          const moved = sessions.map(({ acts, createdMs, product }) => ({
            product,
            createdMs: createdMs + shift,
            acts: acts.map((act) => ({ ...act, atMs: act.atMs + shift })),
          }));
          const options = { sessions: moved, conventions: own, zeroMs: noon + shift };
          expect(await failed({ ...options, profile: { ...profile, ...told(own) } })).toEqual([]);
        },
      ),
      parameters,
    );
  });
});
