import type {
  KnownAnswer,
  KnownEvent,
  KnownSession,
} from '../../../src/checks/analytics/causes/known-answers.ts';
import { type AnswerEvidence, evidenceOf } from '../../../src/checks/analytics/causes/row.ts';
import { rightStages, type Stages, sum } from '../../../src/checks/analytics/causes/stages.ts';
import { type AnswerRow, answerRow } from '../../../src/checks/analytics/compare/answer-row.ts';
import type { Preconditions } from '../../../src/checks/analytics/compare/fit.ts';
import { evaluate, type FrameCase, type Search } from '../../../src/checks/analytics/compare/search.ts';
import { allowedBy } from '../../../src/checks/analytics/conventions/conventions.ts';
import { waysToShare } from '../../../src/checks/analytics/conventions/whose-data.ts';
import { zonesOf } from '../../../src/checks/analytics/conventions/zones.ts';
import type { Expectation } from '../../../src/checks/analytics/expect/expectation.ts';
import { nothingSaid, nothingThere } from '../../../src/checks/analytics/expect/population.ts';
import type { QueryAnswer, Returned } from '../../../src/checks/analytics/record/questions.ts';
import type { Random } from '../../../src/random.ts';
import { type Profile, profileSchema } from '../../../src/target/profile.ts';
import type { measures } from '../../../src/vocabulary/analytics.ts';
import { stated } from './run.ts';

/** A run in memory: sessions, and what analytics answer of them with a stage in place of one that is right. */

export const products = ['P1', 'P2', 'P3', 'P4', 'P5'];
const [day, last] = ['2026-05-01', '2026-05-03'];
/** Those days, of which the run is on the first. */
const period = [0, 3 * 86_400_000] as const;
const listLength = 10;
const profile: Profile = profileSchema.parse({ analytics: stated });
const right = rightStages('distinct/all', 'cart/all');

/** What a target does otherwise. */
export interface Planted {
  readonly stages?: Partial<Stages>;
  /** In which answers; all of them where it is not said. */
  readonly where?: (product: string | null) => boolean;
  /** How it writes what it has counted. */
  readonly written?: (answer: Returned, product: string | null) => Returned;
}

export function randomSessions(random: Random): KnownSession[] {
  const below = (n: number): number => Math.floor(random() * n);
  const ofProduct = new Map<string, number>();
  let [ordinal, atMs] = [0, 1_000];
  return Array.from({ length: 60 + below(120) }, (_, n): KnownSession => {
    const product = products[Math.min(below(5), below(5))] ?? 'P1';
    const ordinalOfProduct = (ofProduct.get(product) ?? 0) + 1;
    ofProduct.set(product, ordinalOfProduct);
    atMs += 50 + below(400);
    const sentMs = atMs;
    const length = random() < 0.25 ? 0 : 1 + below(9);
    let inBatch = 0;
    const events = Array.from({ length }, (__, at): KnownEvent => {
      if (at % 4 === 0) inBatch = 0;
      const isCart = random() < 0.2;
      const isAccepted = random() < 0.95;
      const isSelection = isAccepted && !isCart;
      const eventMs = sentMs + 100 + at * 400 + below(200);
      return {
        sku: `S${Math.min(below(14), below(14))}`,
        ...{ isCart, isAccepted, status: isAccepted ? 200 : 422 },
        times: isAccepted && random() < 0.1 ? 2 : 1,
        ...{ placeInBatch: ++inBatch, batch: Math.min(4, length - Math.floor(at / 4) * 4) },
        ordinal: isSelection ? ++ordinal : 0,
        ...{ sentMs: eventMs, answeredMs: eventMs + 5 },
      };
    });
    const accepted = events.filter((event) => event.isAccepted);
    return {
      ...{ credential: 'load', product, locale: random() < 0.3 ? 'ja-JP' : 'en-GB', catalog: 'C1' },
      ...{ sentMs, answeredMs: sentMs + (random() < 0.1 ? 40 + below(80) : 3) },
      ...{ ordinal: n + 1, ordinalOfProduct, isDoubtful: false, events },
      // The right target counts an event once.
      ways: accepted.some(({ times }) => times > 1)
        ? [accepted, accepted.flatMap((event) => Array.from({ length: event.times }, () => event))]
        : [accepted],
    };
  });
}

/** What the checks know of that run once it was asked for all products, and for each. */
export function evidenceFrom(sessions: readonly KnownSession[], planted: Planted): AnswerEvidence {
  const asked = [null, ...products].map((productId, index) => ({
    index,
    credential: 'load' as const,
    ...{ startDate: day, endDate: last, productId, hasPast: false, label: productId ?? 'all products' },
  }));
  const own = (productId: string | null): KnownSession[] =>
    sessions.filter(({ product }) => productId === null || product === productId);
  const known = (row: AnswerRow, place: number): KnownAnswer => ({
    ...{ row, place, period, sessions: own(row.query.productId), account: sessions },
    hasEvents: own(row.query.productId).length > 0,
  });
  const expectations = asked.map(({ productId }) => expected(own(productId)));
  const around: Preconditions = {
    timely: true,
    population: { kind: 'closed', prior: nothingThere, before: nothingSaid, openBecause: null },
    ...{ noForeign: true, foreignAtMost: 0, acts: 'known' },
  };
  const answers = asked.map((query, index): QueryAnswer => {
    const { productId } = query;
    const stages = planted.where?.(productId) === false ? right : { ...right, ...planted.stages };
    const blank = blankRow(query);
    const answer = returnedBy(stages, known(blank, index));
    return {
      seq: index + 1,
      query: index,
      ...{ phase: 'analytics', sentNs: 1e12, answeredNs: 1e12 },
      returned: planted.written?.(answer, productId) ?? answer,
    };
  });
  const allowed = allowedBy(profile.analytics, []);
  const [account] = waysToShare(['load']);
  const [zone] = zonesOf([day]);
  if (account === undefined || zone === undefined) throw new Error('expected a zone and an account');
  const frame = { end: 'inclusive', account, zone, day: 'creation' } as const;
  const of: FrameCase = {
    ...{ frame, members: [frame], vague: false, expectations },
    circumstances: asked.map(() => around),
  };
  const evaluation = evaluate(of, answers, allowed, profile.analytics);
  const chosen = {
    ...({ evaluation, average: 'distinct/all', rate: 'cart/all' } as const),
    ...{ misfits: 0, fits: 0, wrongFields: 0 },
  };
  const search: Search = {
    ...{ chosen, fitting: [], nearest: chosen, evaluations: [evaluation] },
    ...{ rivals: [], isUnsettled: false },
  };
  const rows = asked.map((_, index) =>
    answerRow({
      ...{ history: { profile }, questions: { queries: asked, judged: answers }, search, index },
      acts: { kind: 'known', reasons: [] },
    }),
  );
  return evidenceOf({ profile }, { rows, search, allowed, keys: ['load'], known: [] }, rows.map(known));
}

function blankRow(query: AnswerRow['query']): AnswerRow {
  const nothing = { returned: null, expected: null, verdict: 'inconclusive', reasons: [] } as const;
  return {
    ...{ seq: query.index + 1, query, timely: true, period: { ...nothing, verdict: 'pass' } },
    ...{ totalSessions: nothing, avgShadesPerSession: nothing, cartIntentRate: nothing, topShades: nothing },
  };
}

const once = ({ ways }: KnownSession): KnownSession['ways'] => ways.slice(0, 1);

/** Rounded as promised; ties by SKU. */
export function returnedBy(stages: Stages, answer: KnownAnswer): Returned {
  const acts = stages.acts === right.acts ? once : stages.acts;
  const counted = stages
    .matches(answer)
    .map((session) => ({ session, ways: acts(session, answer).slice(0, 1) }));
  const rounded = (value: number): number => Math.round(value * 1e4) / 1e4;
  return {
    period: `${day} / ${last}`,
    totalSessions: stages.total(counted, answer).min,
    avgShadesPerSession: rounded(stages.average(counted, answer).min),
    cartIntentRate: rounded(stages.rate(counted, answer).min),
    topShades: [...stages.top(counted, answer)]
      .flatMap(([sku, { max }]) => (max === 0 ? [] : { sku, selections: max }))
      .toSorted((a, b) => b.selections - a.selections || (a.sku < b.sku ? -1 : 1))
      .slice(0, listLength),
  };
}

function expected(sessions: readonly KnownSession[]): Expectation {
  const counted = sessions.map((session) => ({ session, ways: once(session) }));
  const mean = (measure: (typeof measures)[number]) => {
    const [what, over] = measure.split('/');
    const stages = rightStages(
      what === 'selections'
        ? `selections/${over === 'all' ? 'all' : 'with-shades'}`
        : `distinct/${over === 'all' ? 'all' : 'with-shades'}`,
      what === 'cart-last'
        ? `cart-last/${over === 'all' ? 'all' : 'with-shades'}`
        : `cart/${over === 'all' ? 'all' : 'with-shades'}`,
    );
    const known: KnownAnswer = {
      ...{
        row: blankRow({
          index: 0,
          credential: 'load',
          startDate: day,
          endDate: day,
          productId: null,
          hasPast: false,
          label: '',
        }),
        place: 0,
      },
      ...{ period, sessions, account: sessions, hasEvents: true },
    };
    return what?.startsWith('cart') ? stages.rate(counted, known) : stages.average(counted, known);
  };
  const withShades = sum(counted, (events) => Number(events.some(({ isCart }) => !isCart)));
  const copies = right.top(
    sessions.map((session) => ({ session, ways: session.ways.slice(-1) })),
    blankKnown,
  );
  return {
    totalSessions: { min: sessions.length, max: sessions.length },
    sessionsWithShades: withShades,
    means: {
      ...{ 'distinct/all': mean('distinct/all'), 'selections/all': mean('selections/all') },
      'distinct/with-shades': mean('distinct/with-shades'),
      'selections/with-shades': mean('selections/with-shades'),
      ...{ 'cart/all': mean('cart/all'), 'cart/with-shades': mean('cart/with-shades') },
      ...{ 'cart-last/all': mean('cart-last/all'), 'cart-last/with-shades': mean('cart-last/with-shades') },
    },
    shades: [...right.top(counted, blankKnown)]
      .map(([sku, bounds]) => ({ sku, ...bounds, copies: copies.get(sku)?.max ?? bounds.max }))
      .toSorted((a, b) => b.max - a.max),
  };
}

const blankKnown: KnownAnswer = {
  row: blankRow({
    index: 0,
    credential: 'load',
    startDate: day,
    endDate: last,
    productId: null,
    hasPast: false,
    label: '',
  }),
  ...{ place: 0, period, sessions: [], account: [], hasEvents: true },
};
