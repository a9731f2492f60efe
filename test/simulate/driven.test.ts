import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limiterNames } from '../../src/commands/options.ts';
import type { Algorithm } from '../../src/limits/kinds/kind.ts';
import { idle, type Phase, ramp, shoppers, spike, steady } from '../../src/scenario/load.ts';
import type { ShopperSettingsInput } from '../../src/scenario/shoppers/settings.ts';
import { play } from '../../src/simulate/play.ts';
import type { ServiceModel } from '../../src/simulate/service.ts';
import { type Behaviour, catalog, healthy, planOf, type Simulation, simulate } from '../drive/virtual.ts';
import { references } from '../service/limiter-references.ts';

/** A service with a limit and a quota, spelt out; it answers at once. */
function limitedService(limiter: Algorithm, requests: number, windowMs: number, quota: number): Behaviour {
  const admittedNs: number[] = [];
  let sessions = 0;
  const answers = healthy(0);
  return (request) => {
    if (request.path.endsWith('/interactions')) return answers(request);
    if (!references[limiter]({ requests, windowMs: Math.round(windowMs * 1e6) }, admittedNs, request.atNs))
      return { afterMs: 0, status: 429 };
    admittedNs.push(request.atNs);
    if (request.method === 'POST' && ++sessions > quota) return { afterMs: 0, status: 402 };
    return answers(request);
  };
}

/** What a run recorded, as the simulation counts it. */
function countsOf({ interactions, requests }: Simulation): object {
  const byFate: Record<string, number> = {};
  const accepted = new Set<number>();
  for (const { endpoint, notSent, seq, status } of requests) {
    const fate = `${endpoint} ${status === 200 || status === 202 ? 'admitted' : (status ?? notSent)}`;
    byFate[fate] = (byFate[fate] ?? 0) + 1;
    if (status === 202) accepted.add(seq);
  }
  const events = interactions.filter(({ seq }) => accepted.has(seq));
  const sessionIds = requests.flatMap(({ endpoint, sessionId, status }) =>
    endpoint === 'create-session' && status === 200 && sessionId !== undefined ? sessionId : [],
  );
  const selected = events.filter(({ type }) => type === 'shade_selected');
  const shades = sessionIds.map(
    (id) => new Set(selected.filter(({ sessionId }) => sessionId === id).map(({ sku }) => sku)).size,
  );
  const intending = new Set(
    events.filter(({ type }) => type === 'cart_intent').map(({ sessionId }) => sessionId),
  );
  const mean = (total: number): number =>
    sessionIds.length === 0 ? 0 : Number((total / sessionIds.length).toFixed(9));
  const bySku = Map.groupBy(selected, ({ sku }) => String(sku));
  return {
    byFate,
    events: { shade_selected: selected.length, cart_intent: events.length - selected.length },
    analytics: {
      total_sessions: sessionIds.length,
      avg_shades_per_session: mean(shades.reduce((sum, each) => sum + each, 0)),
      cart_intent_rate: mean(intending.size),
      top_shades: [...bySku]
        .map(([sku, each]) => ({ sku, selections: each.length }))
        .sort((a, b) => b.selections - a.selections || (a.sku < b.sku ? -1 : 1))
        .slice(0, 5),
    },
  };
}

function simulatedCounts(
  load: readonly Phase[],
  settings: ShopperSettingsInput,
  model: Pick<ServiceModel, 'channel' | 'limiter' | 'quotas' | 'rateLimit'>,
): object {
  const outcome = play({
    plan: planOf(load, settings),
    catalog,
    days: 0,
    model: {
      ...model,
      limitScope: 'per-key',
      limitEndpoints: 'together',
      analytics: { shadesPerSession: 'distinct', sessionsAveraged: 'all', topShades: 5, decimals: 9 },
    },
  });
  const byFate: Record<string, number> = {};
  for (const counts of outcome.requests) {
    const fates = {
      admitted: counts.admitted,
      429: counts.limited,
      402: counts.overQuota,
      'no-session': counts.noSession,
      'no-channel': counts.noChannel,
    };
    for (const [fate, count] of Object.entries(fates)) {
      if (count > 0) byFate[`${counts.kind} ${fate}`] = count;
    }
  }
  return { byFate, events: outcome.events, analytics: outcome.all.analytics };
}

/** Answers do not overtake each other here, but a step of no time at all would not wait for the one before it. */
const patient = { thinkTime: 0.2, patienceMedian: '10h', patienceSigma: 0 };

const phases = fc.oneof(
  fc.integer({ min: 1, max: 20 }).map((rate) => steady(`${rate}/s`, '7s')),
  fc.integer({ min: 1, max: 20 }).map((rate) => steady(`${rate}/s`, '3s', { traffic: 'sessions' })),
  fc.integer({ min: 0, max: 15 }).map((rate) => ramp(`${rate}/s`, '10/s', '5s')),
  fc
    .integer({ min: 10, max: 60 })
    .map((peak) => spike({ base: '3/s', peak: `${peak}/s`, lead: '3s', hold: '2s' })),
  fc.integer({ min: 1, max: 8 }).map((rate) => shoppers(`${rate}/s`, '8s', { bursts: rate % 2 === 0 })),
  fc.constant(idle('4s')),
);

describe('a simulation', () => {
  it('counts what the driver counts, request by request and event by event, for any limit and quota', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(phases, { minLength: 1, maxLength: 4 }),
        fc.constantFrom(...limiterNames),
        fc.integer({ min: 1, max: 40 }),
        // Not whole: a request that is due in the nanosecond in which a token comes may or may not get it.
        fc.integer({ min: 500, max: 5_000 }).map((ms) => ms + 0.001_013),
        fc.integer({ min: 1, max: 150 }),
        fc.boolean(),
        async (load, limiter, requests, windowMs, quota, channel) => {
          const run = await simulate(load, limitedService(limiter, requests, windowMs, quota), {
            shoppers: patient,
            channel,
          });
          const simulated = simulatedCounts(load, patient, {
            limiter,
            rateLimit: { requests, windowMs },
            quotas: { load: quota },
            channel: channel ? 'free' : 'none',
          });
          expect(simulated).toEqual(countsOf(run));
        },
      ),
      { numRuns: 30 },
    );
  });
});
