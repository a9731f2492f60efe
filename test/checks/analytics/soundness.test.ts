import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { analyticsTable } from '../../../src/checks/analytics/results/table.ts';

import type { ProfileInput } from '../../../src/target/profile.ts';
import { times } from '../../effort.ts';
import { sampleRun } from '../../history/sample.ts';
import { checkedAnalytics } from './saying.ts';
import { type ActOutcome, type Manner, Scene, type SceneQuery } from './scene.ts';

interface Visit {
  readonly product: string;
  readonly outcome: 'granted' | 'lost' | 'lost-but-made' | 'failed' | 'refused';
  readonly batches: readonly {
    readonly acts: readonly string[];
    readonly outcome: ActOutcome;
  }[];
  readonly read: boolean;
  /** Sessions that redeliveries of its POST made besides. */
  readonly ungranted: number;
}

const products = ['p1', 'p2', 'p3'];
const acts = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e', '+a', '+b'), { minLength: 1, maxLength: 5 });
const visit = (sure: boolean): fc.Arbitrary<Visit> =>
  fc.record({
    product: fc.constantFrom(...products),
    outcome: sure
      ? fc.constant('granted' as const)
      : fc.constantFrom('granted', 'granted', 'granted', 'lost', 'lost-but-made', 'failed', 'refused'),
    batches: fc.array(
      fc.record({
        acts,
        outcome: sure
          ? fc.constant('accepted' as const)
          : fc.constantFrom('accepted', 'accepted', 'lost', 'lost-but-arrived', 'refused'),
      }),
      { maxLength: 3 },
    ),
    read: fc.boolean(),
    ungranted: fc.constant(0),
  });

const mostRedeliveries = 2;
/** Of requests that the service may have met several times, whatever was answered. */
const redelivered: fc.Arbitrary<Visit> = fc
  .record({
    visit: visit(false),
    ungranted: fc.nat(mostRedeliveries),
    limited: fc.array(fc.constantFrom('limited', 'limited-but-accepted', undefined), { maxLength: 3 }),
  })
  .map((drawn) => ({
    ...drawn.visit,
    ungranted: drawn.ungranted,
    batches: drawn.visit.batches.map((batch, place) => ({
      ...batch,
      outcome: drawn.limited[place] ?? batch.outcome,
    })),
  }));

const manner: fc.Arbitrary<Manner> = fc.record({
  shades: fc.constantFrom('distinct', 'selections'),
  averaged: fc.constantFrom('all', 'with-shades'),
  rateOver: fc.constantFrom('all', 'with-shades'),
  topLength: fc.constantFrom(1, 3, 10),
  withTies: fc.boolean(),
  decimals: fc.constantFrom(2, 4, 15),
});

const queries: readonly SceneQuery[] = [{}, ...products.map((product) => ({ product }))];

/** What else is on the account: sessions from before the run, and from others during it. */
interface Others {
  readonly before: readonly (readonly string[])[];
  readonly during: readonly (readonly string[])[];
}
const noOthers: Others = { before: [], during: [] };

function otherSession(scene: Scene, skus: readonly string[]): void {
  const place = scene.truth.length;
  scene.truth.push({
    product: 'elsewhere',
    credential: 'load',
    sessionId: `other ${place}`,
    createdMs: sampleRun.zero_epoch_ms,
    acts: skus.map((sku, index) => ({ id: `o${place}-${index}`, type: 'shade_selected', sku })),
  });
}

function played(visits: readonly Visit[], answered: Manner, others = noOthers): Scene {
  const scene = new Scene();
  for (const skus of others.before) otherSession(scene, skus);
  scene.askRaw({}, scene.honest({}, answered), 'baseline');
  const sessions: string[] = [];
  for (const { product, outcome, batches, read, ungranted } of visits) {
    const session = scene.session(product, { outcome, ungranted });
    if (session === undefined) continue;
    for (const batch of batches) scene.act(session, batch.acts, { outcome: batch.outcome });
    if (read) sessions.push(session);
  }
  for (const skus of others.during) otherSession(scene, skus);
  scene.pause(11_000);
  for (const session of sessions) scene.read(session);
  for (const query of queries) scene.ask(query, answered);
  return scene;
}

const failures = async (
  scene: Scene,
  analytics: ProfileInput['analytics'],
  redeliveries = 0,
): Promise<string[]> =>
  (await scene.judge(checkedAnalytics, { profile: { analytics, redeliveries } }))
    .filter(({ verdict }) => verdict === 'fail')
    .map(({ id, explanation }) => `${id}: ${explanation}`);

describe('the verdict on a random run', () => {
  it('never accuses an honest target, whatever its conventions and whatever really became of lost requests', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(visit(false), { minLength: 1, maxLength: 12 }),
        manner,
        async (visits, honest) => {
          expect(await failures(played(visits, honest), {})).toEqual([]);
        },
      ),
      { numRuns: times(1, 12), endOnFailure: true },
    );
  });

  it('never accuses one for sessions that others made, before the run or meanwhile', async () => {
    const skus = fc.array(fc.constantFrom('a', 'b', 'x', 'y'), { maxLength: 4 });
    const others = fc.array(skus, { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(visit(false), { minLength: 1, maxLength: 8 }),
        manner,
        others,
        others,
        fc.boolean(),
        async (visits, honest, before, during, exclusive) => {
          const scene = played(visits, honest, { before, during: exclusive ? [] : during });
          expect(await failures(scene, { exclusive })).toEqual([]);
        },
      ),
      { numRuns: times(1, 12), endOnFailure: true },
    );
  });

  it('never accuses one whose requests are delivered again, where the profile says that they may be', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(redelivered, { minLength: 1, maxLength: 8 }),
        manner,
        fc.boolean(),
        async (visits, honest, exclusive) => {
          expect(await failures(played(visits, honest), { exclusive }, mostRedeliveries)).toEqual([]);
        },
      ),
      { numRuns: times(1, 12), endOnFailure: true },
    );
  });

  it('accuses one of a session too many, also where requests may be delivered again', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(redelivered, { minLength: 1, maxLength: 8 }), async (visits) => {
        const certain: Visit = { product: 'p1', outcome: 'granted', batches: [], read: false, ungranted: 0 };
        // As many as can be: what nobody heard of was made by every delivery.
        const most = [certain, ...visits].map((each) => ({
          ...each,
          ungranted: mostRedeliveries + (each.outcome === 'lost' || each.outcome === 'failed' ? 1 : 0),
        }));
        const judged = (spoil?: Manner['spoil']): Promise<string[]> =>
          failures(played(most, spoil === undefined ? {} : { spoil }), { exclusive: true }, mostRedeliveries);
        expect(await judged()).toEqual([]);
        const told = await judged((body) => ({ ...body, total_sessions: body.total_sessions + 1 }));
        expect(told.join()).toContain('analytics.total-sessions');
      }),
      { numRuns: times(1, 6), endOnFailure: true },
    );
  });

  it('is the same from the CSV and from its copy by columns, to the bound and the word', async () => {
    const told = async (scene: Scene, copied: boolean): Promise<unknown> =>
      scene.judge(
        async (history) => {
          const { rows, facts, conventions } = await analyticsTable(history);
          return { rows, facts, conventions, results: await checkedAnalytics(history) };
        },
        { copied },
      );
    await fc.assert(
      fc.asyncProperty(
        fc.array(visit(false), { minLength: 1, maxLength: 12 }),
        manner,
        fc.boolean(),
        async (visits, honest, forgetful) => {
          const scene = played(visits, {
            ...honest,
            ...(forgetful ? { counted: (all) => all.slice(1) } : {}),
          });
          expect(await told(scene, true)).toEqual(await told(scene, false));
        },
      ),
      { numRuns: times(1, 12), endOnFailure: true },
    );
  });

  it('accuses a target whose numbers are off by more than their rounding', async () => {
    const spoils: readonly Manner[] = [
      { spoil: (body) => ({ ...body, total_sessions: body.total_sessions + 1 }) },
      { spoil: (body) => ({ ...body, avg_shades_per_session: body.avg_shades_per_session + 0.011 }) },
      { spoil: (body) => ({ ...body, cart_intent_rate: body.cart_intent_rate + 0.011 }) },
      {
        spoil: (body) => ({
          ...body,
          top_shades: body.top_shades.map((shade) => ({ ...shade, selections: shade.selections + 1 })),
        }),
      },
      { counted: (all) => all.slice(1) },
    ];
    await fc.assert(
      fc.asyncProperty(
        fc.array(visit(true), { minLength: 4, maxLength: 12 }),
        fc.constantFrom(...spoils),
        async (visits, spoil) => {
          const busy: Visit = {
            product: 'p1',
            outcome: 'granted',
            batches: [{ acts: ['a', '+a'], outcome: 'accepted' }],
            read: false,
            ungranted: 0,
          };
          const all = [busy, ...visits];
          const stated = {
            end_date: 'inclusive',
            time_zone: 'UTC',
            session_day: 'creation',
            cart_intent: 'ever',
            shades_per_session: 'distinct',
            sessions_averaged: 'all',
            top_shades: 10,
            decimals: 2,
          } as const;
          const scene = played(all, spoil);
          expect(await failures(scene, stated)).not.toEqual([]);
        },
      ),
      { numRuns: times(2, 10), endOnFailure: true },
    );
  });
});
