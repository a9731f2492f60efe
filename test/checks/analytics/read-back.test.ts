import { describe, expect, it } from 'vitest';

import type { CauseCode, Strength } from '../../../src/checks/causes/cause.ts';
import type { CheckResult } from '../../../src/checks/core/verdict.ts';
import type { differenceLabels } from '../../../src/checks/reasons/analytics.ts';
import type { ReasonCode } from '../../../src/checks/reasons/reason.ts';
import type { ProfileInput } from '../../../src/target/profile.ts';
import { rowsOf } from '../../effort.ts';
import { type SampleRequest, sampleRun } from '../../history/sample.ts';
import { causeCodes } from '../cause-codes.ts';
import { asked, failing, shoppers, stated, verdicts } from './run.ts';
import { checkedAnalytics, codesOf, saying } from './saying.ts';
import { Scene } from './scene.ts';

describe('a session read back', () => {
  type Body = Parameters<NonNullable<Parameters<Scene['read']>[1]>>[0];
  /** The first entry's instant is another. */
  const dated = (at: string) => (body: Body) => ({
    ...body,
    interactions: body.interactions.map((entry, n) => (n === 0 ? { ...entry, at } : entry)),
  });

  it.each(
    rowsOf<[string, (body: Body) => unknown, keyof typeof differenceLabels | null, ...CauseCode[]]>(
      [
        ['as it was made passes', (body) => body, null],
        [
          'without ids passes',
          (body) => ({ ...body, interactions: body.interactions.map(({ id: _, ...rest }) => rest) }),
          null,
        ],
        [
          'with ids of the target’s own passes',
          (body) => ({ ...body, interactions: body.interactions.map((a, i) => ({ ...a, id: `own-${i}` })) }),
          null,
        ],
        [
          'with entries of other types among them passes',
          (body) => ({
            ...body,
            interactions: [{ id: 'o', type: 'session_opened', sku: '', at: 'x' }, ...body.interactions],
          }),
          null,
        ],
        ['with the instants that acts were sent with passes', dated('2026-05-01T12:00:00.4Z'), null],
        ['with these instants in another zone passes', dated('2026-05-01T14:00:00+02:00'), null],
        ['with instants whose zone nobody knows passes', dated('2026-05-01T14:00:00'), null],
        [
          'with an instant an hour later fails',
          dated('2026-05-01T13:00:00Z'),
          'moment',
          'interaction-changed',
        ],
        [
          'with local time called UTC fails',
          dated('2026-05-01T10:00:00.000Z'),
          'moment',
          'interaction-changed',
        ],
        ['with its locale in lower case passes', (body) => ({ ...body, locale: 'en-gb' }), null],
        ['newest first passes', (body) => ({ ...body, interactions: body.interactions.toReversed() }), null],
        ['without product and locale passes', ({ interactions }) => ({ interactions }), null],
        [
          'without its last interaction fails',
          (body) => ({ ...body, interactions: body.interactions.slice(0, -1) }),
          'lost',
          'interactions-lost',
        ],
        [
          'with repeated selections collapsed fails',
          (body) => ({
            ...body,
            interactions: body.interactions.filter(
              (a, i, all) => all.findIndex((b) => b.sku === a.sku && b.type === a.type) === i,
            ),
          }),
          'lost',
          'repeated-selections-merged',
        ],
        [
          'with collapsed selections and no ids fails',
          (body) => ({
            ...body,
            interactions: body.interactions
              .filter((a, i, all) => all.findIndex((b) => b.sku === a.sku && b.type === a.type) === i)
              .map(({ id: _, ...rest }) => rest),
          }),
          'lost',
          'repeated-selections-merged',
        ],
        [
          'with an interaction twice fails',
          (body) => ({ ...body, interactions: [...body.interactions, ...body.interactions.slice(0, 1)] }),
          'duplicate',
          'delivered-twice',
        ],
        [
          'with a foreign interaction fails',
          (body) => ({
            ...body,
            interactions: [...body.interactions, { id: 'x', type: 'shade_selected', sku: 'L9', at: 'x' }],
          }),
          'foreign',
          'foreign-interactions',
        ],
        [
          'with another SKU fails',
          (body) => ({
            ...body,
            interactions: body.interactions.map((a, i) => (i === 0 ? { ...a, sku: 'L9' } : a)),
          }),
          'altered',
          'interaction-changed',
        ],
        [
          'without any SKU fails, since events on different shades look the same',
          (body) => ({ ...body, interactions: body.interactions.map(({ sku: _, ...rest }) => rest) }),
          'no-shade',
          'history-without-shades',
        ],
        [
          'with an entry without its type fails, where others have one',
          (body) => ({
            ...body,
            interactions: body.interactions.map(({ type, ...rest }, i) =>
              i === 0 ? rest : { type, ...rest },
            ),
          }),
          'altered',
          'interaction-changed',
        ],
        [
          'out of order fails',
          (body) => ({ ...body, interactions: [2, 0, 1, 3].map((i) => body.interactions[i]) }),
          'order',
          'history-order-wrong',
        ],
        [
          'with another product fails',
          (body) => ({ ...body, product_id: 'blush' }),
          'product',
          'session-changed',
        ],
        ['with another locale fails', (body) => ({ ...body, locale: 'fr-FR' }), 'locale', 'session-changed'],
      ],
      (_, place) => place % 2 === 0,
    ),
  )('%s', async (_, spoil, kind, ...causes) => {
    const scene = new Scene();
    const session = scene.session('lipstick') ?? '';
    scene.act(session, ['L1']);
    scene.act(session, ['L2', 'L1', '+L1'], { at: '2026-05-01T12:00:01Z' });
    scene.pause(11_000);
    scene.read(session, spoil);
    const result = (await verdicts(asked(scene))).get('sessions');
    expect(result?.verdict).toBe(kind === null ? 'pass' : 'fail');
    if (kind !== null) {
      expect(result?.reasons?.[0]).toEqual(saying('sessions-differ', { kind }));
      expect(result?.evidence[0]?.seqs).toEqual([4]);
    }
    expect(causeCodes([result])).toEqual(causes);
  });

  const renamed = (body: Body, names: Readonly<Record<string, string>>): unknown => ({
    ...body,
    interactions: body.interactions.map((entry) =>
      Object.fromEntries(Object.entries(entry).map(([name, value]) => [names[name] ?? name, value])),
    ),
  });

  it.each(
    rowsOf<[string, Readonly<Record<string, string>>, 'pass' | 'inconclusive', readonly ReasonCode[]]>(
      [
        ['the SKU', { sku: 'shade' }, 'inconclusive', ['history-without-skus']],
        ['the SKU, in an object', { sku: 'shade', at: 'when' }, 'inconclusive', ['history-without-skus']],
        ['the SKU and the id', { sku: 'shade', id: 'uid' }, 'inconclusive', ['history-without-skus']],
        ['the type', { type: 'kind' }, 'inconclusive', ['history-without-types']],
        ['the type and the id', { type: 'kind', id: 'uid' }, 'inconclusive', ['history-without-types']],
        [
          'everything',
          { id: 'uid', type: 'kind', sku: 'shade' },
          'inconclusive',
          ['history-without-types', 'history-without-skus'],
        ],
        ['the id', { id: 'uid' }, 'pass', ['sessions-order-not-compared']],
      ],
      ([what]) => what === 'everything' || what === 'the id',
    ),
  )('by a target with another name for %s is never accused', async (_, names, verdict, codes) => {
    const scene = new Scene();
    const session = scene.session('lipstick') ?? '';
    scene.act(session, ['L1', 'L2', 'L1', '+L1']);
    const other = scene.visit('lipstick', ['L2']);
    scene.act(other, ['L3'], { outcome: 'lost-but-arrived' });
    scene.pause(11_000);
    scene.read(session, (body) => renamed(body, names));
    scene.read(other, (body) => renamed(body, names));
    const results = await verdicts(asked(scene));
    expect(failing(results)).toEqual([]);
    expect(codesOf(results.get('sessions'))).toEqual(expect.arrayContaining([...codes]));
    expect(results.get('sessions')?.verdict).toBe(verdict);
  });

  it('without an interaction is accused by ids, whatever the type is called', async () => {
    const scene = new Scene();
    const session = scene.visit('lipstick', ['L1', 'L2']);
    scene.pause(11_000);
    scene.read(session, (body) =>
      renamed({ ...body, interactions: body.interactions.slice(0, 1) }, { type: 'kind' }),
    );
    const result = (await verdicts(asked(scene))).get('sessions');
    expect(result?.reasons).toContainEqual(saying('sessions-differ', { kind: 'lost', count: 1 }));
    expect(result?.verdict).toBe('fail');
  });

  const samples: readonly [string, ProfileInput, number, object][] = [
    [
      'of all sessions, passes and says so',
      { assurance: '1/1000@99%' },
      14,
      { verdict: 'pass', reasons: expect.arrayContaining([saying('sessions-all-read')]) },
    ],
    [
      'of some, passes and says what that excludes',
      {},
      5,
      {
        verdict: 'pass',
        reasons: expect.arrayContaining([saying('sessions-excluded', { drawn: 5, confidence: 0.95 })]),
      },
    ],
    [
      'of enough for the assurance, passes',
      { assurance: '1/3@80%' },
      5,
      {
        verdict: 'pass',
        reasons: expect.arrayContaining([saying('sessions-excluded', { drawn: 5, confidence: 0.8 })]),
      },
    ],
    [
      'of too few for the assurance, is inconclusive',
      { assurance: '1/10@90%' },
      5,
      {
        verdict: 'inconclusive',
        reasons: expect.arrayContaining([saying('sessions-assurance-unmet', { drawn: 5, needed: 22 })]),
      },
    ],
  ];
  it.each(samples)('in a sample %s', async (_, profile, count, expected) => {
    const scene = shoppers();
    scene.pause(11_000);
    for (const { sessionId } of scene.truth.slice(0, count)) scene.read(sessionId);
    const results = await asked(scene).judge(checkedAnalytics, {
      profile: { analytics: stated, ...profile },
      run: { read_back: count },
    });
    expect(results.find(({ id }) => id === 'analytics.sessions')).toMatchObject(expected);
  });

  it('under names that the profile gives, with dots for nesting, is compared by them', async () => {
    const scene = new Scene();
    const session = scene.visit('lipstick', ['L1', '+L1', 'L2']);
    scene.pause(11_000);
    const shown = (keep: number) => (body: Body) => ({
      session: {
        events: body.interactions
          .slice(0, keep)
          .map(({ id, type, sku }) => ({ uid: id, kind: type, shade: { sku } })),
      },
    });
    const profile: ProfileInput = {
      analytics: stated,
      session_history: { list: 'events', id: 'uid', type: 'kind', sku: 'shade.sku' },
    };
    const judge = async (): Promise<CheckResult | undefined> =>
      (await scene.judge(checkedAnalytics, { profile })).find(({ id }) => id === 'analytics.sessions');
    scene.read(session, shown(3));
    asked(scene);
    expect(await judge()).toMatchObject({ verdict: 'pass', observed: { interactions_found: 3 } });
    scene.read(session, shown(2));
    expect(await judge()).toMatchObject({ verdict: 'fail', observed: { lost: 1 } });
  });

  it('that shows its cart intents without a SKU is matched by type', async () => {
    const scene = new Scene();
    const session = scene.visit('lipstick', ['L1', '+L1']);
    scene.pause(11_000);
    scene.read(session, (body) => ({
      ...body,
      interactions: body.interactions.map(({ type, sku }) =>
        type === 'cart_intent' ? { type } : { type, sku },
      ),
    }));
    expect((await verdicts(asked(scene))).get('sessions')?.verdict).toBe('pass');
  });

  it.each<[string, isRead: (n: number) => boolean, isLost: (n: number) => boolean, CauseCode[]]>([
    [
      'that were read before, and in no others',
      (n) => n % 3 === 0,
      (n) => n % 3 === 0,
      ['session-read-stale'],
    ],
    [
      'of which only some were read before',
      (n) => n % 6 === 0,
      (n) => n % 6 === 0 || n === 7,
      ['interactions-lost'],
    ],
    [
      'that were read before, but not in all of these',
      (n) => n % 3 === 0,
      (n) => [0, 3, 12, 15].includes(n),
      ['interactions-lost'],
    ],
    ['at equal distances', () => false, (n) => n % 5 === 2, ['every-nth-event-lost']],
  ])('lacks its last event in sessions %s', async (_, isRead, isLost, causes) => {
    const scene = new Scene();
    const sessions = Array.from({ length: 20 }, (_each, n) => {
      const session = scene.visit(['lipstick', 'blush', 'liner', 'gloss'][n % 4] ?? '', [`L${n % 5}`]);
      if (isRead(n)) scene.read(session);
      scene.pause(500);
      // Long enough after each other that no instant divides them.
      scene.act(session, [`M${(n * 7) % 5}`]);
      return session;
    });
    scene.pause(11_000);
    for (const [n, session] of sessions.entries())
      scene.read(session, (body) =>
        isLost(n) ? { ...body, interactions: body.interactions.slice(0, 1) } : body,
      );
    const result = (await verdicts(asked(scene))).get('sessions');
    expect(causeCodes([result])).toEqual(causes);
  });

  it.each<
    [string, isLost: (inMinute: number, n: number) => boolean, { trait: string; [param: string]: unknown }]
  >([
    ['each minute', (inMinute) => inMinute > 12, { trait: 'in_minute', values: ['from 13 on'] }],
    ['the run', (_, n) => n > 30, { trait: 'sent_at', first: 31 }],
  ])('lacks the events beyond some number of %s: the number is told', async (_, isLost, params) => {
    const scene = new Scene();
    const sent: { readonly session: string; readonly inMinute: number }[] = [];
    const perMinute = new Map<number, number>();
    const zeroMs = sampleRun.zero_epoch_ms;
    const session = (n: number) => scene.session(['lipstick', 'blush', 'liner', 'gloss'][n % 4] ?? '') ?? '';
    // So that no age divides them, every other session is there from the start on.
    const early = Array.from({ length: 30 }, (_each, n) => session(2 * n));
    for (let n = 0; n < 60; n++) {
      const own = (n % 2 === 0 && early[n / 2]) || session(n);
      scene.act(own, [`L${n % 5}`]);
      const atMs = zeroMs + (scene.requests.at(-1)?.sentNs ?? 0) / 1e6;
      const minute = Math.floor(atMs / 60_000);
      const inMinute = (perMinute.get(minute) ?? 0) + 1;
      perMinute.set(minute, inMinute);
      sent.push({ session: own, inMinute });
      scene.pause(2_900);
    }
    scene.pause(11_000);
    for (const [at, { inMinute, session }] of sent.entries())
      scene.read(session, (body) => (isLost(inMinute, at + 1) ? { ...body, interactions: [] } : body));
    const result = (await verdicts(asked(scene))).get('sessions');
    // Those that came last were also read soonest.
    expect(result?.causes?.map(({ cause }) => cause).slice(0, 1)).toEqual([
      { code: 'depends-on-value', params: expect.objectContaining({ what: 'event', ...params }) },
    ]);
  });

  it('lacks events that came alone, and some that came at the same time: the moment is not the cause', async () => {
    const scene = new Scene();
    const sessions = Array.from({ length: 20 }, (_each, n) => {
      const session = scene.visit(['lipstick', 'blush', 'liner', 'gloss'][n % 4] ?? '', ['first']);
      scene.pause(500 + 7 * n);
      scene.act(session, ['one']);
      const sentNs = scene.requests.at(-1)?.sentNs ?? 0;
      scene.act(session, ['other']);
      const last = scene.requests.length - 1;
      scene.requests[last] = { ...(scene.requests[last] as SampleRequest), sentNs: sentNs + 1e3 };
      return session;
    });
    scene.pause(11_000);
    const lost = new Map([
      ...[1, 5, 6, 10, 17].map((n) => [n, 'first'] as const),
      ...[2, 7, 8].map((n) => [n, 'other'] as const),
    ]);
    for (const [n, session] of sessions.entries())
      scene.read(session, (body) => ({
        ...body,
        interactions: body.interactions.filter(({ sku }) => sku !== lost.get(n)),
      }));
    const result = (await verdicts(asked(scene))).get('sessions');
    expect(causeCodes([result])).toEqual(['interactions-lost-alone']);
  });

  it('that shows an event of another session fails, and it is told so', async () => {
    const scene = new Scene();
    const [one, other] = [scene.visit('lipstick', ['L1', 'L2']), scene.visit('blush', ['B1'])];
    const [moved] = scene.truth.find(({ sessionId }) => sessionId === one)?.acts ?? [];
    scene.pause(11_000);
    scene.read(one, (body) => ({ ...body, interactions: body.interactions.slice(1) }));
    const entry = {
      id: moved?.id ?? '',
      type: moved?.type ?? '',
      sku: moved?.sku ?? '',
      at: '2026-05-01T12:00:00Z',
    };
    scene.read(other, (body) => ({ ...body, interactions: [...body.interactions, entry] }));
    const result = (await verdicts(asked(scene))).get('sessions');
    expect(causeCodes([result])).toContain('event-in-other-session');
    expect(causeCodes([result])).not.toContain('foreign-interactions');
  });

  it('that is gone fails', async () => {
    const scene = shoppers();
    scene.pause(11_000);
    scene.read(scene.truth[0]?.sessionId ?? '', (body) => body, 404);
    const result = (await verdicts(asked(scene))).get('sessions');
    expect(result).toMatchObject({
      verdict: 'fail',
      reasons: expect.arrayContaining([saying('sessions-differ', { kind: 'not-found', count: 1 })]),
    });
    expect(causeCodes([result])).toEqual(['session-disappears']);
  });

  it.each([
    ['sooner than what happened has to show, is not held against the target', 3_000, 'pass'],
    ['later than that, is', 10_000, 'fail'],
  ] as const)('without its last interaction, %s', async (_, afterMs, verdict) => {
    const scene = new Scene();
    const session = scene.visit('lipstick', ['L1', 'L2']);
    scene.pause(afterMs);
    scene.read(session, (body) => ({ ...body, interactions: body.interactions.slice(0, 1) }));
    expect((await verdicts(asked(scene))).get('sessions')?.verdict).toBe(verdict);
  });

  it.each([
    ['sooner than it has to show, is not held against the target', 3_000, 'pass'],
    ['later than that, is', 10_000, 'fail'],
  ] as const)('that is not found, %s', async (_, afterMs, verdict) => {
    const scene = new Scene();
    const session = scene.visit('lipstick', ['L1']);
    scene.pause(afterMs);
    scene.read(session, (body) => body, 404);
    scene.pause(11_000);
    scene.read(session);
    expect((await verdicts(asked(scene))).get('sessions')?.verdict).toBe(verdict);
  });

  it('with a refused interaction in it fails', async () => {
    const scene = new Scene();
    const session = scene.session('lipstick') ?? '';
    const [id = ''] = scene.act(session, ['L1'], { outcome: 'refused' });
    scene.pause(11_000);
    scene.read(session, (body) => ({
      ...body,
      interactions: [{ id, type: 'shade_selected', sku: 'L1', at: 'x' }],
    }));
    const result = (await verdicts(asked(scene))).get('sessions');
    expect(result).toMatchObject({
      verdict: 'fail',
      reasons: expect.arrayContaining([saying('sessions-differ', { kind: 'refused', count: 1 })]),
    });
    expect(result?.causes?.map(({ cause }) => cause)).toEqual([
      { code: 'refused-interaction-stored', params: { interactions: 1, statuses: [422] } },
    ]);
  });

  it.each<[string, number, CauseCode, Strength]>([
    [
      'that keeps a shade once, however often it was selected, merges selections',
      2,
      'repeated-selections-merged',
      'shown',
    ],
    [
      'that lacks one of several selections of a shade may merge them',
      1,
      'repeated-selections-merged',
      'fits',
    ],
  ])('%s', async (_, lost, code, strength) => {
    const scene = new Scene();
    const session = scene.session('lipstick') ?? '';
    for (const sku of ['L1', 'L2', 'L1', 'L1']) scene.act(session, [sku]);
    scene.pause(11_000);
    scene.read(session, (body) => ({ ...body, interactions: body.interactions.slice(0, 4 - lost) }));
    const result = (await verdicts(asked(scene))).get('sessions');
    expect(result?.causes).toMatchObject([{ cause: { code, params: { interactions: lost } }, strength }]);
  });

  it('that shows an interaction again which was sent again stores repeats', async () => {
    const scene = new Scene();
    const session = scene.session('lipstick') ?? '';
    const ids = scene.act(session, ['L1']);
    scene.act(session, ['L1'], { ids });
    scene.pause(11_000);
    scene.read(session, (body) => ({ ...body, interactions: [...body.interactions, ...body.interactions] }));
    const result = (await verdicts(asked(scene))).get('sessions');
    expect(result?.causes).toMatchObject([
      { cause: { code: 'repeated-interaction-stored', params: { repeated: 1 } }, strength: 'shown' },
    ]);
  });

  it('narrows what a lost request left open', async () => {
    const scene = new Scene();
    const arrived = scene.visit('lipstick', ['L1']);
    scene.act(arrived, ['L2', '+L2'], { outcome: 'lost-but-arrived' });
    const never = scene.visit('lipstick', ['L1']);
    scene.act(never, ['L3'], { outcome: 'lost' });
    const unread = scene.visit('lipstick', ['L1']);
    scene.act(unread, ['L4', 'L1'], { outcome: 'lost' });
    scene.pause(21_000);
    scene.read(arrived);
    scene.read(never);
    const results = await verdicts(asked(scene));
    expect(failing(results)).toEqual([]);
    expect(results.get('avg-shades')?.expected).toMatchObject({ lipstick: { min: 4 / 3, max: 5 / 3 } });
    expect(results.get('top-shades')?.expected).toMatchObject({
      lipstick: [
        { sku: 'L1', selections: { min: 3, max: 4 } },
        { sku: 'L2', selections: { min: 1, max: 1 } },
        { sku: 'L4', selections: { min: 0, max: 1 } },
      ],
    });
  });

  it('too soon after a request was given up on does not rule it out', async () => {
    const scene = new Scene();
    const session = scene.visit('lipstick', ['L1']);
    scene.act(session, ['L2'], { outcome: 'lost' });
    scene.read(session);
    const results = await verdicts(asked(scene));
    expect(results.get('avg-shades')?.expected).toMatchObject({ lipstick: { min: 1, max: 2 } });
  });
});
