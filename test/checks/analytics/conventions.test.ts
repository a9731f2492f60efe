import { describe, expect, it } from 'vitest';
import { type InferredConventions, profileFields } from '../../../src/checks/analytics/compare/inferred.ts';
import { zonesOf } from '../../../src/checks/analytics/conventions/zones.ts';
import { analyticsTable } from '../../../src/checks/analytics/results/table.ts';
import type { CheckResult } from '../../../src/checks/core/verdict.ts';
import { type ProfileInput, profileSchema } from '../../../src/target/profile.ts';
import type { ConventionName } from '../../../src/vocabulary/analytics.ts';
import { rowsOf } from '../../effort.ts';
import { promisedConventions } from './promised.ts';
import { checkedAnalytics, saying } from './saying.ts';
import { type Manner, Scene, type SceneQuery, today, tomorrow } from './scene.ts';

type AnalyticsInput = NonNullable<ProfileInput['analytics']>;

const yesterday = '2026-04-30';
const last = '2026-05-04';
const minuteMs = 60_000;

/** The days around the run: each alone, each with the next, and all together. */
const calendar = [yesterday, today, tomorrow, '2026-05-03', last];
const days: readonly SceneQuery[] = [
  ...calendar.map((day) => ({ start: day, end: day })),
  ...calendar.slice(1).map((day, before) => ({ start: calendar[before] ?? day, end: day })),
  { start: yesterday, end: last },
];

/**
 * A run of a day and a half: somebody comes every quarter of an hour, so that each zone has its own days, and does
 * something again three quarters of an hour later, some after their cart intent. Every fifth bounces.
 */
function longRun(manner: Manner): Scene {
  const scene = new Scene();
  scene.askRaw({ start: yesterday, end: last }, scene.honest({ start: yesterday, end: last }), 'baseline');
  const sessions: (string | undefined)[] = [];
  for (let visit = 0; visit < 144; visit++) {
    const session = scene.session('lipstick');
    const bounced = visit % 5 === 4;
    sessions.push(bounced ? undefined : session);
    if (!bounced)
      scene.act(session, ['A', 'B', ...(visit % 2 === 0 ? ['A'] : []), ...(visit % 4 === 0 ? ['+A'] : [])]);
    const earlier = sessions[visit - 3];
    if (earlier !== undefined) scene.act(earlier, ['C', ...(visit % 3 === 0 ? ['+C'] : [])]);
    scene.pause(15 * minuteMs);
  }
  scene.pause(12_000);
  for (const query of days) scene.ask(query, manner);
  return scene;
}

async function inferred(scene: Scene, analytics: AnalyticsInput = {}): Promise<InferredConventions | null> {
  const profile = { analytics: { exclusive: true, ...analytics } };
  return scene.judge(async (history) => (await analyticsTable(history)).conventions, { profile });
}

async function result(scene: Scene, analytics: AnalyticsInput): Promise<CheckResult | undefined> {
  const profile = { analytics: { exclusive: true, ...analytics } };
  return (await scene.judge(checkedAnalytics, { profile })).find(({ id }) => id === 'analytics.conventions');
}

/** That the nearest conventions have one thing otherwise than the profile. */
function otherwise(convention: ConventionName, found: string, promised: string): unknown[] {
  return [saying('conventions-otherwise', { convention, values: [found], promised })];
}

const berlin = zonesOf([today]).find(({ name }) => name === 'Europe/Berlin');

describe('the conventions of a target', () => {
  const manners: readonly [string, Manner, AnalyticsInput][] = [
    ['the reference ones', {}, { end_date: 'inclusive', time_zone: 'UTC', session_day: 'creation' }],
    ['an exclusive end', { endDate: 'exclusive' }, { end_date: 'exclusive', time_zone: 'UTC' }],
    ['days of Berlin', { zone: berlin }, { end_date: 'inclusive', time_zone: 'Europe/Berlin' }],
    [
      'days of New York',
      { zone: zonesOf([today]).find(({ name }) => name === 'America/New_York') },
      { time_zone: 'America/New_York' },
    ],
    [
      'sessions dated by their last interaction',
      { day: 'last-interaction' },
      { session_day: 'last-interaction' },
    ],
    ['each interaction on its own day', { day: 'each-interaction' }, { session_day: 'each-interaction' }],
    ['selections counted', { shades: 'selections' }, { shades_per_session: 'selections' }],
    [
      'bounced sessions left out of the mean',
      { averaged: 'with-shades' },
      { sessions_averaged: 'with-shades' },
    ],
    ['cart intent as the last thing', { cart: 'last' }, { cart_intent: 'last' }],
    ['two decimals', { decimals: 2 }, { decimals: 2 }],
    ['three shades', { topLength: 3 }, { top_shades: 3 }],
    [
      'several at once',
      { zone: berlin, endDate: 'exclusive', day: 'each-interaction', shades: 'selections', cart: 'last' },
      {
        end_date: 'exclusive',
        time_zone: 'Europe/Berlin',
        session_day: 'each-interaction',
        shades_per_session: 'selections',
        cart_intent: 'last',
      },
    ],
    [
      'several others at once',
      {
        zone: zonesOf([today]).find(({ name }) => name === 'America/New_York'),
        day: 'last-interaction',
        averaged: 'with-shades',
        decimals: 2,
        topLength: 3,
      },
      {
        time_zone: 'America/New_York',
        session_day: 'last-interaction',
        sessions_averaged: 'with-shades',
        decimals: 2,
        top_shades: 3,
      },
    ],
  ];
  // Each stands in one of the rows of several at once.
  it.each(rowsOf(manners, ([sentence]) => /reference|at once/.test(sentence)))(
    'are found out: %s',
    async (_, manner, fields) => {
      const found = await inferred(longRun(manner));
      expect(found?.kind).toBe('fits');
      const told = found === null ? {} : profileFields(found);
      expect(told).toMatchObject(fields);
      // What was found out is a profile, and the same run fits it.
      const profile = profileSchema.parse({ analytics: told });
      expect((await result(longRun(manner), { ...profile.analytics, freshness: '10s' }))?.verdict).toBe(
        'pass',
      );
    },
  );

  // The more a profile promises, the fewer sets of conventions are tried.
  it.each(
    rowsOf<[string, Manner, AnalyticsInput, unknown[]]>(
      [
        ['its zone', { zone: berlin }, { time_zone: 'UTC' }, otherwise('time_zone', 'Europe/Berlin', 'UTC')],
        [
          'its end',
          { endDate: 'exclusive' },
          { end_date: 'inclusive', time_zone: 'UTC', session_day: 'creation' },
          otherwise('end_date', 'exclusive', 'inclusive'),
        ],
        [
          'what dates a session',
          { day: 'each-interaction' },
          { end_date: 'inclusive', time_zone: 'UTC', session_day: 'creation' },
          otherwise('session_day', 'each-interaction', 'creation'),
        ],
        [
          'when cart intent counts',
          { cart: 'last' },
          { ...promisedConventions, cart_intent: 'ever' },
          otherwise('cart_intent', 'last', 'ever'),
        ],
      ],
      ([about]) => about === 'its end',
    ),
  )('fail where the profile promises otherwise about %s', async (_, manner, stated, said) => {
    const found = await result(longRun(manner), stated);
    expect(found?.reasons).toEqual(expect.arrayContaining(said));
    expect(found?.verdict).toBe('fail');
  });

  it.each<[string, Manner, boolean]>([
    ['not tried where a target keeps what its profile promises', {}, false],
    ['tried where its answers are those of another', { endDate: 'exclusive' }, true],
  ])('other than those promised are %s', async (_, manner, tried) => {
    const profile = {
      analytics: {
        exclusive: true,
        freshness: '10s',
        ...promisedConventions,
      },
    } as const;
    const frames = await longRun(manner).judge(
      async (history) => (await analyticsTable(history)).search?.evaluations.map(({ frame }) => frame) ?? [],
      { profile },
    );
    expect(frames).toContainEqual(
      expect.objectContaining({
        ...{ end: 'inclusive', day: 'creation' },
        zone: expect.objectContaining({ name: 'UTC' }),
      }),
    );
    expect(frames.length > 1).toBe(tried);
  });

  it('fail where none fits, and it is said where the nearest breaks', async () => {
    const wrong = longRun({
      spoil: (body, { start, end }) =>
        start === today && end === today ? { ...body, avg_shades_per_session: 7 } : body,
    });
    const found = await result(wrong, {});
    const query = 'all products, 2026-05-01 / 2026-05-01';
    expect(found?.reasons).toEqual([
      saying('conventions-none'),
      saying('conventions-breaks', { values: 1, examples: [{ query, field: 'avg_shades_per_session' }] }),
    ]);
    expect(found).toMatchObject({ verdict: 'fail', evidence: [{ total: 1 }] });
  });

  it('that a run cannot tell apart are not written down', async () => {
    const scene = new Scene();
    scene.visit('lipstick', ['A', '+A']);
    scene.pause(12_000);
    scene.ask({ product: 'lipstick', start: yesterday, end: tomorrow });
    const found = await inferred(scene);
    expect(found === null ? {} : profileFields(found)).toMatchObject({
      end_date: undefined,
      shades_per_session: undefined,
    });
  });
});

describe('a zone', () => {
  it('stands for all that cut the days alike, known ones first', () => {
    const zones = zonesOf([today]);
    expect(zones[0]?.name).toBe('UTC');
    expect(zones.length).toBeGreaterThan(30);
    expect(new Set(zones.map((zone) => zone.dayStartMs(today))).size).toBe(zones.length);
    expect(berlin?.dayStartMs(today)).toBe(Date.UTC(2026, 3, 30, 22));
    expect(berlin?.label).toBe('UTC+02:00 (Europe/Berlin)');
  });

  it('is told by its change of clocks', () => {
    const spring = zonesOf(['2026-03-28', '2026-03-29', '2026-03-30']);
    const zone = spring.find(({ name }) => name === 'Europe/Berlin');
    expect(zone?.dayStartMs('2026-03-29')).toBe(Date.UTC(2026, 2, 28, 23));
    expect(zone?.dayStartMs('2026-03-30')).toBe(Date.UTC(2026, 2, 29, 22));
    // Lagos keeps UTC+1 all year, so that it is another.
    expect(spring.some(({ dayStartMs }) => dayStartMs('2026-03-30') === Date.UTC(2026, 2, 29, 23))).toBe(
      true,
    );
  });

  it('that a profile promises keeps its name', () => {
    expect(zonesOf([today], 'Europe/Vienna').some(({ name }) => name === 'Europe/Vienna')).toBe(true);
    expect(() => profileSchema.parse({ analytics: { time_zone: 'Mars/Olympus' } })).toThrow(/time zone/);
  });
});
