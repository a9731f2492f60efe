import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clockOffset } from '../../../src/checks/analytics/clock.ts';
import { type Expectation, expectations } from '../../../src/checks/analytics/expectation.ts';
import { recordFacts, summariseSessions } from '../../../src/checks/analytics/facts.ts';
import { narrowByHistories, readHistories } from '../../../src/checks/analytics/read-back.ts';
import type { History } from '../../../src/history/history.ts';
import type { InteractionRecord } from '../../../src/history/record.ts';
import { type SampleHistory, type SampleRequest, sampleRun, withHistory } from '../../history/sample.ts';
import {
  type NaiveConventions,
  type NaiveSession,
  naiveAnalytics,
  naiveDefaults,
  possibleWorlds,
  type UncertainSession,
} from './naive.ts';

/** A small history: each of these is one product of a big one, so that a single load into DuckDB judges hundreds. */
interface Small {
  readonly sessions: readonly SmallSession[];
}

interface SmallSession {
  readonly outcome: 'granted' | 'lost' | 'failed' | 'refused' | 'not-sent' | 'no-id';
  /** Milliseconds from the midnight that ends the period; the clock may be off by 2,000. */
  readonly fromMidnightMs: number;
  readonly acts: readonly SmallAct[];
  /** Read back after all acts, and what it then showed decided what happened. */
  readonly read: 'no' | 'late' | 'soon' | 'without-ids';
}

interface SmallAct {
  readonly sku: string;
  readonly type: 'shade_selected' | 'cart_intent';
  readonly outcome: 'accepted' | 'lost' | 'lost-but-arrived' | 'refused';
  /** The same act again, in a request that is accepted. */
  readonly repeated: boolean;
}

const act: fc.Arbitrary<SmallAct> = fc.record({
  sku: fc.constantFrom('A', 'B', "C'"),
  type: fc.constantFrom('shade_selected', 'shade_selected', 'shade_selected', 'cart_intent'),
  outcome: fc.constantFrom('accepted', 'accepted', 'accepted', 'lost', 'lost-but-arrived', 'refused'),
  repeated: fc.boolean(),
});

const session: fc.Arbitrary<SmallSession> = fc.record({
  outcome: fc.constantFrom(
    'granted',
    'granted',
    'granted',
    'granted',
    'lost',
    'failed',
    'refused',
    'not-sent',
    'no-id',
  ),
  fromMidnightMs: fc.constantFrom(-3_600_000, -3_600_000, -60_000, -2_500, -1_500, 0, 1_500, 60_000),
  acts: fc.array(act, { maxLength: 4 }),
  read: fc.constantFrom('no', 'no', 'late', 'soon', 'without-ids'),
});

const small: fc.Arbitrary<Small> = fc.record({ sessions: fc.array(session, { maxLength: 4 }) });

const midnightMs = Date.UTC(2026, 4, 2);
const dayMs = 86_400_000;
const skewMs = 2_000;
const zeroMs = sampleRun.zero_epoch_ms;

/** Writes the small histories as one, each with a product of its own, and says for each what is known of it. */
function combined(smalls: readonly Small[]): { history: SampleHistory; known: UncertainSession[][] } {
  const requests: SampleRequest[] = [];
  const interactions: InteractionRecord[] = [];
  const answers: NonNullable<SampleHistory['answers']>[number][] = [];
  let ids = 0;
  const known = smalls.map(({ sessions }, place) => {
    const product = `product ${place}`;
    return sessions.flatMap((one): UncertainSession[] => {
      const sentNs = (midnightMs + one.fromMidnightMs - zeroMs) * 1e6;
      const sessionId = `session ${requests.length + 1}`;
      const granted = one.outcome === 'granted';
      requests.push({
        endpoint: 'create-session',
        productId: product,
        sentNs,
        ...(granted ? { sessionId } : {}),
        ...(one.outcome === 'lost' ? { lost: 'timeout' as const, answeredNs: sentNs + 5e6 } : {}),
        ...(one.outcome === 'not-sent' ? { notSent: 'stopped' as const } : {}),
        ...(one.outcome === 'failed' ? { status: 503 } : {}),
        ...(one.outcome === 'refused' ? { status: 402 } : {}),
        ...(one.outcome === 'no-id' ? { status: 200, problem: 'session_id: expected string' } : {}),
      });
      if (one.outcome === 'refused' || one.outcome === 'not-sent') return [];
      // A request that was given up on may arrive up to a second later still.
      const lastMs = midnightMs + one.fromMidnightMs + 5 + skewMs + (granted ? 0 : 1_000);
      const firstMs = midnightMs + one.fromMidnightMs - skewMs;
      const createdMs = firstMs < midnightMs && lastMs >= midnightMs ? [firstMs, lastMs] : [firstMs];
      const base = { product, credential: 'load', createdMs } as const;
      if (!granted) return [{ ...base, exists: 'ambiguous', acts: [] }];
      const acts = one.acts.map((each, index) => {
        const id = `act ${++ids}`;
        const atNs = sentNs + (index + 1) * 1e7;
        const lost = each.outcome.startsWith('lost');
        const carry = (request: Partial<SampleRequest>): void => {
          requests.push({ credential: 'session', sessionId, items: 1, ...request, endpoint: 'interact' });
          interactions.push({ seq: requests.length, sessionId, id, type: each.type, sku: each.sku, at: 'x' });
        };
        carry({
          sentNs: atNs,
          ...(each.outcome === 'accepted' ? { status: 202 } : {}),
          ...(each.outcome === 'refused' ? { status: 422 } : {}),
          ...(lost ? { lost: 'reset' as const, answeredNs: atNs + 5e6 } : {}),
        });
        if (each.repeated && each.outcome !== 'refused') carry({ sentNs: atNs + 6e6, status: 202 });
        const certain = each.outcome === 'accepted' || (each.repeated && lost);
        const state = certain ? 'certain' : lost ? 'ambiguous' : 'never';
        return {
          id,
          type: each.type,
          sku: each.sku,
          state,
          arrived: certain || each.outcome === 'lost-but-arrived',
        };
      });
      if (one.read !== 'no') {
        // Half a second after the last request was given up on, or ten: soon or late against the one that it may take.
        const sent = sentNs + acts.length * 1e7 + 5e6 + (one.read === 'soon' ? 0.5e9 : 10e9);
        requests.push({ endpoint: 'read-session', phase: 'read-back', sessionId, sentNs: sent });
        const shown = acts.filter(({ arrived }) => arrived);
        answers.push({
          seq: requests.length,
          endpoint: 'read-session',
          query: {},
          body: {
            interactions: shown.map(({ id, type, sku }) =>
              one.read === 'without-ids' ? { type, sku } : { id, type, sku },
            ),
          },
        });
      }
      const happened = (of: (typeof acts)[number]): 'certain' | 'ambiguous' | undefined => {
        if (of.state === 'never') return undefined;
        if (of.state === 'certain') return 'certain';
        if (one.read !== 'no' && of.arrived) return 'certain';
        return one.read === 'late' || one.read === 'without-ids' ? undefined : 'ambiguous';
      };
      return [
        {
          ...base,
          exists: 'certain',
          acts: acts.flatMap((of) => {
            const sure = happened(of);
            return sure === undefined ? [] : [{ id: of.id, type: of.type, sku: of.sku, happened: sure }];
          }),
        },
      ];
    });
  });
  return { history: { requests, interactions, answers }, known };
}

async function computed(history: History, products: number): Promise<Expectation[]> {
  await recordFacts(history, await clockOffset(history));
  await readHistories(history);
  await narrowByHistories(history);
  await summariseSessions(history);
  const found = await expectations(
    history,
    Array.from({ length: products }, (_, index) => ({
      query: {
        index,
        credential: 'load' as const,
        startDate: '2026-05-01',
        endDate: '2026-05-01',
        productId: `product ${index}`,
        label: '',
      },
      frame: { end: 'inclusive' as const, account: 'own' as const },
      prior: { sessions: 0, average: null, rate: null },
    })),
  );
  return found.flatMap((one) => (one === undefined ? [] : [one]));
}

const query = (place: number) => ({
  credential: 'load',
  product: `product ${place}`,
  startMs: midnightMs - dayMs,
  endMs: midnightMs,
});

const variants: readonly [keyof Expectation['means'], Partial<NaiveConventions>, 'average' | 'rate'][] = [
  ['distinct/all', {}, 'average'],
  ['selections/all', { shades: 'selections' }, 'average'],
  ['distinct/with-shades', { averaged: 'with-shades' }, 'average'],
  ['selections/with-shades', { shades: 'selections', averaged: 'with-shades' }, 'average'],
  ['cart/all', {}, 'rate'],
  ['cart/with-shades', { rateOver: 'with-shades' }, 'rate'],
];

/** The hull of every field over all possible worlds, one after the other. */
function hulls(sessions: readonly UncertainSession[], place: number) {
  const means = new Map(variants.map(([name]) => [name, { min: Infinity, max: -Infinity }]));
  const total = { min: Infinity, max: -Infinity };
  const shades = new Map<string, { min: number; max: number }>();
  const worlds: NaiveSession[][] = [...possibleWorlds(sessions)];
  const skus = new Set(sessions.flatMap(({ acts }) => acts.map(({ sku }) => sku)));
  for (const world of worlds) {
    const plain = naiveAnalytics(world, query(place));
    widen(total, plain.total);
    for (const [name, conventions, field] of variants) {
      const hull = means.get(name);
      if (hull !== undefined)
        widen(hull, naiveAnalytics(world, query(place), { ...naiveDefaults, ...conventions })[field]);
    }
    for (const sku of skus) {
      const hull = shades.get(sku) ?? { min: Infinity, max: -Infinity };
      shades.set(sku, hull);
      widen(hull, plain.shades.find((shade) => shade.sku === sku)?.selections ?? 0);
    }
  }
  return { total, means, shades };
}

function widen(hull: { min: number; max: number }, value: number): void {
  hull.min = Math.min(hull.min, value);
  hull.max = Math.max(hull.max, value);
}

describe('expected intervals', () => {
  it('are exactly the hull of all possible worlds, on hundreds of random histories', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(small, { minLength: 80, maxLength: 80 }), async (smalls) => {
        const { history, known } = combined(smalls);
        const found = await withHistory(history, (open) => computed(open, smalls.length));
        known.forEach((sessions, place) => {
          const hull = hulls(sessions, place);
          const one = found[place];
          expect(one?.totalSessions, `product ${place}`).toEqual(hull.total);
          for (const [name] of variants) {
            expect(one?.means[name]?.min, `${name} of ${place}`).toBeCloseTo(
              hull.means.get(name)?.min ?? -1,
              12,
            );
            expect(one?.means[name]?.max, `${name} of ${place}`).toBeCloseTo(
              hull.means.get(name)?.max ?? -1,
              12,
            );
          }
          for (const [sku, bounds] of hull.shades) {
            const shade = one?.shades.find((candidate) => candidate.sku === sku);
            expect({ min: shade?.min ?? 0, max: shade?.max ?? 0 }, `${sku} of ${place}`).toEqual(bounds);
          }
        });
      }),
      { numRuns: 6, endOnFailure: true, seed: 20260501 },
    );
  }, 60_000);
});
