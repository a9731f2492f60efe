import type { Dispatcher } from 'undici';
import { describe, expect, it } from 'vitest';
import { generateCatalog } from '../../src/catalog/generate.ts';
import { groupCount } from '../../src/corners/shades.ts';
import type { TakenValues } from '../../src/corners/taken.ts';
import { type Reach, reaches } from '../../src/corners/value-class.ts';
import { Asker } from '../../src/drive/ask/ask.ts';
import { Governor } from '../../src/drive/ask/governor.ts';
import { SessionSample } from '../../src/drive/ask/sample.ts';
import { Days } from '../../src/drive/clock/days.ts';
import { Recorder } from '../../src/drive/record/recorder.ts';
import { LiveStatistics } from '../../src/drive/record/statistics.ts';
import { cornerCosts, requestsOf } from '../../src/drive/setup/corner-cost.ts';
import { eventQuestions, eventsProductId, probeLateEvents } from '../../src/drive/setup/event-probes.ts';
import { probeFurther } from '../../src/drive/setup/further-corners.ts';
import { importProbeCost } from '../../src/drive/setup/import-probes.ts';
import { malformedCost, malformedRows } from '../../src/drive/setup/malformed-probes.ts';
import { PageBudget } from '../../src/drive/setup/page-budget.ts';
import { setUp, setupSessions } from '../../src/drive/setup/setup.ts';
import type { SetupOptions } from '../../src/drive/setup/setup-options.ts';
import { updateCost } from '../../src/drive/setup/update-probes.ts';
import type { InteractionRecord, RequestRecord } from '../../src/history/record.ts';
import type { HistoryWriter } from '../../src/history/writer.ts';
import { type Connections, TargetClient } from '../../src/target/client.ts';
import { type ProfileInput, profileSchema } from '../../src/target/profile.ts';
import { eachRole } from '../../src/vocabulary/roles.ts';
import { VirtualClock } from './virtual.ts';

const latencyMs = 5;
const tokenOf = (n: number): string => `secret-token-${n}`;

/** A service that has a good answer to everything, each after the same time. */
interface Manner {
  readonly takesTokens: boolean;
  readonly limitsInvalidKeys: boolean;
  /** Rejects long names, and locales with more than a language and a country. */
  readonly isPlain: boolean;
  /** Whether the catalogs with unusual shades have lists. */
  readonly listsUnusual: boolean;
  /** Bodies that it rejects. */
  readonly rejects: RegExp | undefined;
  /** When its sessions expire. */
  readonly expiresAt: string;
  /** What every sixth request gets in place of an answer. */
  readonly inPlace: number | undefined;
}

function dispatcher(
  clock: VirtualClock,
  { expiresAt: expires_at, inPlace, isPlain, limitsInvalidKeys, listsUnusual, rejects, takesTokens }: Manner,
): Connections {
  let sessions = 0;
  let requests = 0;
  const answerTo = (method: string, path: string, bearer: string): [status: number, body: unknown] => {
    if (/\/(interactions|acts)$/.test(path))
      return bearer.includes('token') && !takesTokens ? [401, {}] : [202, { accepted: 1 }];
    if (path.includes('unknown')) return [404, {}];
    if (method === 'POST' && path.endsWith('/sessions')) {
      const n = ++sessions;
      return [200, { session_id: `s${n}`, token: tokenOf(n), expires_at, shade_count: 3 }];
    }
    return path.includes('/analytics')
      ? [
          200,
          {
            period: 'today / today',
            total_sessions: 0,
            avg_shades_per_session: 0,
            cart_intent_rate: 0,
            top_shades: [],
          },
        ]
      : [
          200,
          listsUnusual && /corner-|BATCH-NAMES/.test(path)
            ? [{ sku: 'A', name: 'A', hex: '#AA0000', finish: 'matte' }]
            : [],
        ];
  };
  return {
    dispatch: ({ authorization = '', body: sent, method, path }, handler) => {
      const controller = { abort: () => undefined } as unknown as Dispatcher.DispatchController;
      handler.onRequestStart?.(controller, {});
      const isNearKey = /secret-l/.test(authorization) && authorization !== 'Bearer secret-load-key';
      const [status, body] =
        inPlace !== undefined && ++requests % 6 === 0
          ? [inPlace, {}]
          : limitsInvalidKeys && isNearKey
            ? [429, {}]
            : (isPlain && /"name":"[^"]{200}|zh-Hans/.test(String(sent))) ||
                rejects?.test(String(sent)) === true
              ? [422, {}]
              : answerTo(method, path, authorization);
      clock.at(clock.nowNs() + latencyMs * 1e6, () => {
        handler.onResponseStart?.(controller, status, { 'content-type': 'application/json' }, '');
        handler.onResponseData?.(controller, Buffer.from(JSON.stringify(body)));
        handler.onResponseEnd?.(controller, {});
      });
      return true;
    },
    destroy: () => Promise.resolve(),
  };
}

interface Played {
  readonly requests: readonly RequestRecord[];
  readonly interactions: readonly InteractionRecord[];
  readonly toRead: readonly string[];
  readonly interacted: boolean;
  /** What it found that shoppers may use. */
  readonly taken: TakenValues | undefined;
}

async function played(
  profileInput: ProfileInput = {},
  {
    bystander = true,
    catalogSeed = 1,
    corners,
    expiresAt = '2026-05-01T13:00:00Z',
    inPlace,
    isPlain = false,
    limitsInvalidKeys = false,
    listsUnusual = true,
    products = 1,
    probeSessions = true,
    probeSessionsAfterLoad = probeSessions,
    rejects,
    takesTokens = true,
    timesLists = true,
  }: Partial<Manner> & {
    readonly bystander?: boolean;
    readonly catalogSeed?: number;
    readonly corners?: Reach;
    readonly products?: number;
    readonly probeSessions?: boolean;
    readonly probeSessionsAfterLoad?: boolean;
    readonly timesLists?: boolean;
  } = {},
): Promise<Played> {
  const clock = new VirtualClock();
  const profile = profileSchema.parse(profileInput);
  const requests: RequestRecord[] = [];
  const interactions: InteractionRecord[] = [];
  const writer = {
    request: (record: RequestRecord) => requests.push(record),
    interaction: (record: InteractionRecord) => interactions.push(record),
    answer: () => undefined,
    event: () => undefined,
    catalog: () => undefined,
  } as unknown as HistoryWriter;
  const keys = {
    load: { value: 'secret-load-key', from: 'test' },
    ...(bystander ? { bystander: { value: 'secret-bystander-key', from: 'test' } } : {}),
  };
  const sample = new SessionSample(0, () => 0.5);
  const openConnection = (): TargetClient =>
    new TargetClient(
      new URL('http://127.0.0.1:1/v1'),
      dispatcher(clock, {
        expiresAt,
        inPlace,
        isPlain,
        limitsInvalidKeys,
        listsUnusual,
        rejects,
        takesTokens,
      }),
      clock.nowNs,
      undefined,
    );
  const asker = new Asker({
    clock,
    client: openConnection(),
    recorder: new Recorder({
      writer,
      profile,
      secrets: ['secret-load-key'],
      statistics: new LiveStatistics(),
    }),
    keys,
    governors: eachRole(() => new Governor(clock, profile.rate_limit)),
    windowMs: profile.rate_limit.windowMs,
    mayAsk: () => true,
  });
  const options: SetupOptions = {
    baseUrl: new URL('http://127.0.0.1:1/v1'),
    pages: new PageBudget(),
    host: 'target',
    clock,
    tag: 'tag',
    waitReadyMs: 5_000,
    seed: 1,
    asker,
    writer,
    profile,
    keys,
    pool: ['secret-pool-key'],
    catalogs: eachRole((role) => generateCatalog({ seed: catalogSeed, tag: `t${role}`, products })),
    roles: ['load'],
    days: new Days(clock.zeroEpochMs, () => clock.zeroEpochMs + clock.nowNs() / 1e6),
    probes: true,
    probeSessions,
    probeSessionsAfterLoad,
    timesLists,
    corners,
    sample,
    openConnection,
    onStep: () => undefined,
  };
  const setting = setUp(options).then(async (found) => {
    if (found.channel !== undefined && found.lateEvents !== undefined)
      await probeLateEvents({ ...options, isAfterLoad: true }, found.channel, found.lateEvents);
    await probeFurther(options, found);
    return found;
  });
  let over = false;
  void setting.finally(() => {
    over = true;
  });
  while (!over) {
    await new Promise((resolve) => setImmediate(resolve));
    await clock.advance();
  }
  const { eventSession, taken } = await setting;
  return {
    requests,
    interactions,
    toRead: sample.toRead('load'),
    interacted: eventSession !== undefined,
    taken,
  };
}

/** The probes whose names begin so, in order. */
function probesOf({ requests }: Played, start: string): RequestRecord[] {
  return requests.filter(({ probe }) => probe?.startsWith(start));
}

const promised: ProfileInput = {
  channel: { repeated_id: 'once', unknown_sku: 'refused', malformed: 'refused', other_token: 'refused' },
};

describe('the probes of set-up', () => {
  it('send concurrent batches of events in each of their sessions, and read these at the end', async () => {
    const run = await played();
    const sessions = probesOf(run, 'acts:create-session').map(({ sessionId }) => sessionId);
    expect(sessions).toHaveLength(2);
    for (const sessionId of sessions) {
      const batches = probesOf(run, 'acts:at-once').filter((each) => each.sessionId === sessionId);
      expect(batches.length).toBeGreaterThan(2);
      expect(new Set(batches.map(({ sentNs }) => sentNs)).size).toBe(1);
    }
    const ofImports = probesOf(run, 'twice:create-session').map(({ sessionId }) => sessionId);
    expect(run.toRead).toEqual([...ofImports, ...sessions]);
    expect(run.interacted).toBe(true);
  });

  it('can tell the events of a session apart by their content', async () => {
    const { interactions } = await played();
    const bySession = Map.groupBy(interactions, ({ sessionId }) => sessionId);
    for (const acts of bySession.values())
      expect(new Set(acts.map(({ sku, type }) => `${type} ${sku}`)).size).toBe(acts.length);
  });

  it('open their sessions at the same time', async () => {
    const [one, other] = probesOf(await played(), 'acts:create-session');
    expect(other?.sentNs).toBeLessThan(one?.answeredNs ?? 0);
    expect(other?.sessionId).not.toBe(one?.sessionId);
  });

  it('send events on a product that only they use', async () => {
    const products = probesOf(await played(), 'acts:create-session').map(({ productId }) => productId);
    expect(new Set(products)).toEqual(new Set([eventsProductId('tag')]));
  });

  it('send no event again, on an unknown SKU or with another token without a promise about these', async () => {
    for (const profile of [{}, { channel: {} }]) {
      const run = await played(profile);
      expect(
        ['acts:again', 'acts:unknown-sku', 'acts:other-token', 'acts:altered-token'].flatMap((start) =>
          probesOf(run, start),
        ),
      ).toEqual([]);
    }
  });

  it('send events again with their ids, and two on SKUs outside of the catalog, if the profile promises the effect', async () => {
    const run = await played(promised, { products: 2 });
    const idsOf = (start: string): string[] =>
      probesOf(run, start).flatMap(({ seq }) =>
        run.interactions.filter((act) => act.seq === seq).map(({ id }) => id),
      );
    const again = idsOf('acts:again');
    expect(again.length).toBeGreaterThan(0);
    expect(idsOf('acts:at-once')).toEqual(expect.arrayContaining(again));
    expect(probesOf(run, 'acts:unknown-sku')).toHaveLength(2);
    expect(new Set(probesOf(run, 'acts:unknown-sku').map(({ sessionId }) => sessionId)).size).toBe(1);
    expect(probesOf(run, 'acts:other-token')).toHaveLength(1);
    expect(probesOf(run, 'acts:altered-token')).toHaveLength(1);
    expect(probesOf(run, 'acts:unknown-session')).toHaveLength(1);
  });

  it('send one event with the token of another session, on a separate shade, even if the first product has few', async () => {
    for (let catalogSeed = 1; catalogSeed <= 20; catalogSeed++) {
      const run = await played(promised, { catalogSeed, products: 2 });
      const [act, ...more] = probesOf(run, 'acts:other-token');
      const skus = run.interactions
        .filter(({ sessionId }) => sessionId === act?.sessionId)
        .map(({ sku, type }) => `${type} ${sku}`);
      expect(act?.sessionId, `seed ${catalogSeed}`).toBeDefined();
      expect(more).toEqual([]);
      expect(new Set(skus).size, `seed ${catalogSeed}`).toBe(skus.length);
    }
  });

  it('end in a cart intent with a SKU and one without, so that the rate of a run is never nought', async () => {
    for (const profile of [{}, promised]) {
      const { interactions } = await played(profile);
      const carts = interactions.filter(({ type }) => type === 'cart_intent');
      const last = carts.slice(-2);
      expect(last.map(({ sku }) => sku === '')).toEqual([false, true]);
      expect(new Set(last.map(({ sessionId }) => sessionId)).size).toBe(1);
      expect(interactions.findLast(({ sessionId }) => sessionId === last[0]?.sessionId)).toBe(last.at(-1));
    }
  });

  it('send a cart intent on a shade that is never selected, with a selection after it', async () => {
    const { interactions } = await played({}, { products: 2 });
    const [cart] = interactions.filter(({ type }) => type === 'cart_intent');
    const own = interactions.filter(({ sessionId }) => sessionId === cart?.sessionId);
    const selected = own.filter(({ type }) => type === 'shade_selected');
    expect(selected.map(({ sku }) => sku)).not.toContain(cart?.sku);
    expect(own.findLastIndex(({ type }) => type === 'shade_selected')).toBeGreaterThan(
      own.findIndex(({ type }) => type === 'cart_intent'),
    );
  });

  it('send an event with the instant of the first ones, and one of these again, after the load', async () => {
    const run = await played(promised, { products: 2 });
    const [late, ...more] = probesOf(run, 'acts:late');
    expect(more).toEqual([]);
    const own = run.interactions.filter(({ sessionId }) => sessionId === late?.sessionId);
    expect(own.at(-1)?.at).toBe(own[0]?.at);
    const again = probesOf(run, 'acts:again').at(-1);
    expect(again?.seq).toBe((late?.seq ?? 0) - 1);
    expect(probesOf(await played({}, { products: 2 }), 'acts:again')).toEqual([]);
  });

  it('send nothing late to a session that may have expired', async () => {
    const run = await played(promised, { products: 2, expiresAt: '2026-05-01T12:00:02Z' });
    expect(probesOf(run, 'acts:cart').length).toBeGreaterThan(0);
    expect(probesOf(run, 'acts:late')).toEqual([]);
  });

  it('send no event with the token of another session if events carry the key', async () => {
    const run = await played({ channel: { auth: 'api-key', other_token: 'refused' } });
    expect(probesOf(run, 'acts:other-token')).toEqual([]);
    expect(probesOf(run, 'acts:altered-token')).toEqual([]);
  });

  it('send no events without a channel', async () => {
    const run = await played({ channel: 'none' });
    expect(probesOf(run, 'acts:')).toEqual([]);
    expect(run.interacted).toBe(false);
  });

  it('send events with the key if the channel requires that', async () => {
    const run = await played({ channel: { auth: 'api-key' } });
    expect(new Set(probesOf(run, 'acts:at-once').map(({ credential }) => credential))).toEqual(
      new Set(['load']),
    );
  });

  it.each<[string, ProfileInput['channel'], boolean, string[]]>([
    [
      'nowhere, where the profile says all',
      { path: '/s/{session_id}/acts', auth: 'session-token' },
      true,
      [],
    ],
    ['at the path that the profile gives', { path: '/s/{session_id}/acts' }, true, ['session 202']],
    ['with the token first', {}, true, ['session 202']],
    ['with the key, where the token is refused', {}, false, ['session 401', 'load 202']],
    ['with the key, where nothing is said of a channel', 'discover', false, ['session 401', 'load 202']],
  ])('look for the channel %s', async (_, channel, takesTokens, asked) => {
    const run = await played({ channel }, { takesTokens });
    expect(probesOf(run, 'channel').map(({ credential, status }) => `${credential} ${status}`)).toEqual(
      asked,
    );
    expect(new Set(probesOf(run, 'acts:at-once').map(({ credential }) => credential))).toEqual(
      new Set([takesTokens ? 'session' : 'load']),
    );
  });

  it('open as many sessions as they say, and only the canary where they may open none', async () => {
    // This service looks at neither keys nor catalogs.
    const opened = ({ requests }: Played): number =>
      requests.filter(
        ({ credential, endpoint, probe }) =>
          endpoint === 'create-session' && credential === 'load' && probe?.startsWith('unknown-') !== true,
      ).length;
    expect(opened(await played(promised))).toBe(setupSessions.most);
    expect(opened(await played(promised, { probeSessions: false }))).toBe(setupSessions.least);
  });

  it('send as many imports, lists and events as announced', async () => {
    const run = await played(promised, { products: 2 });
    for (const [starts, cost] of [
      [['again:', 'twice:', 'empty:', 'malformed:', 'names:', 'large:'], importProbeCost],
      [['update:', 'together:'], updateCost],
    ] as const) {
      const own = starts.flatMap((start) => probesOf(run, start));
      const count = (name: string): number => own.filter(({ endpoint }) => endpoint === name).length;
      expect(count('import-shades')).toBe(cost.imports);
      expect(count('list-shades')).toBe(cost.lists);
      expect(count('create-session')).toBe(cost.sessions);
    }
    // Reads come at the end of the run.
    const read = run.toRead.length - importProbeCost.sessions;
    const events = ['acts:', 'no-key:interact', 'bad-key:interact'].flatMap((start) => probesOf(run, start));
    expect(events.length + read).toBe(eventQuestions);
  });

  it.each(reaches.flatMap((corners) => [true, false].map((isPlain) => ({ corners, isPlain }))))(
    'send no more unusual values than announced: $corners, a plain service: $isPlain',
    async ({ corners, isPlain }) => {
      const run = await played(promised, { corners, isPlain });
      const usual = await played(promised);
      const own = probesOf(run, 'corners:');
      const count = (name: string): number => own.filter(({ endpoint }) => endpoint === name).length;
      const { all: cost } = cornerCosts(corners);
      const retries = own.filter(
        ({ endpoint, status = 0 }) => endpoint === 'create-session' && status >= 400,
      ).length;
      const sent = {
        imports: count('import-shades'),
        lists: count('list-shades'),
        sessions: count('create-session') - retries,
        retries,
        deliveries: count('interact'),
        reads: run.toRead.length - usual.toRead.length,
      };
      for (const name of Object.keys(sent) as (keyof typeof sent)[])
        expect(sent[name], name).toBeLessThanOrEqual(cost[name]);
      const malformed = probesOf(run, 'invalid:');
      const malformedAt = (isAfterLoad: boolean): RequestRecord[] =>
        malformed.filter(({ stage }) => (stage === 'settle') === isAfterLoad);
      for (const isAfterLoad of [false, true])
        expect(malformedAt(isAfterLoad)).toHaveLength(
          malformedCost(malformedRows(corners, isAfterLoad)).requests,
        );
      expect(run.requests.length - usual.requests.length).toBe(own.length + malformed.length);
      const inSetup = own.filter(({ stage }) => stage === 'setup');
      const { early } = cornerCosts(corners);
      expect(inSetup.length).toBeLessThanOrEqual(requestsOf(early) - early.reads - early.products);
      if (!isPlain)
        expect(inSetup.filter(({ endpoint }) => endpoint === 'create-session')).toHaveLength(early.sessions);
      // In set-up two dozen are all: the load comes close to the limit.
      if (!isPlain) expect(own.filter(({ stage }) => stage === 'setup').length).toBeLessThan(30);
      expect(own.some(({ stage }) => stage === 'settle')).toBe(true);
    },
  );

  it('send what a service rejects as a whole in groups', async () => {
    const { requests: all } = await played(promised, { corners: 'single', isPlain: true });
    const requests = all.filter(({ stage }) => stage === 'setup');
    const imports = requests.filter(({ probe }) => probe === 'corners:import');
    const accepted = imports.filter(({ status }) => status === 200);
    expect(imports[0]).toMatchObject({ status: 422 });
    expect(accepted.length).toBeGreaterThan(groupCount - 3);
    const lists = requests.filter(({ probe }) => probe === 'corners:list');
    // What was rejected left nothing behind, as its list shows.
    expect(lists.map(({ catalogId }) => catalogId)).toEqual([
      imports[0]?.catalogId,
      ...accepted.filter(({ items = 0 }) => items > 0).map(({ catalogId }) => catalogId),
    ]);
  });

  it('ask the bystander for what is not its own, if there is one', async () => {
    const asked = probesOf(await played(), 'tenancy:');
    expect(asked.map(({ credential, endpoint }) => [credential, endpoint])).toEqual([
      ['bystander', 'read-session'],
      ['bystander', 'list-shades'],
      // Over a connection of its own.
      ['bystander', 'read-session'],
      ['load', 'import-shades'],
      ['bystander', 'import-shades'],
      ['load', 'list-shades'],
    ]);
    expect(probesOf(await played({}, { bystander: false }), 'tenancy:')).toEqual([]);
  });

  it('send keys that resemble the load key, each once, at least one to every endpoint, and a session token', async () => {
    const run = await played();
    const near = probesOf(run, 'near-key:');
    const kinds = near.map(({ probe }) => probe?.split(':')[1]);
    // A session's token is tried where the SDK has no use for it: at imports and analytics.
    expect(new Set(kinds).size).toBe(kinds.length - 1);
    expect(kinds).toEqual(
      expect.arrayContaining(['cut-by-1', 'case', 'longer', 'cut-to-8', 'session-token']),
    );
    expect(new Set(near.map(({ endpoint }) => endpoint)).size).toBe(5);
    expect(new Set(near.map(({ credential }) => credential))).toEqual(new Set(['bad']));
  });

  it.each([429, 503])(
    'get the same answers in the end where every sixth request gets %i instead',
    async (inPlace) => {
      const answers = ({ requests }: Played): unknown[] => {
        const repeated = new Set(requests.map(({ repeats }) => repeats));
        const last = requests.filter(({ seq }) => !repeated.has(seq));
        return last
          .map(({ endpoint, probe, status }) => `${probe ?? 'ordinary'} ${endpoint} ${status}`)
          .sort();
      };
      const usual = await played();
      const troubled = await played({}, { inPlace });
      expect(troubled.requests.length).toBeGreaterThan(1.15 * usual.requests.length);
      expect(answers(troubled)).toEqual(answers(usual));
      expect(troubled.interacted).toBe(true);
    },
  );

  it('send no more keys that resemble the load key once one is answered with 429', async () => {
    const near = probesOf(await played({}, { limitsInvalidKeys: true }), 'near-key:');
    const keys = near.filter(({ probe }) => !probe?.includes('session-token'));
    expect(new Set(keys.map(({ probe }) => probe)).size).toBe(1);
    expect(keys.slice(1).every(({ repeats }) => repeats !== undefined)).toBe(true);
  });

  it('take the time of large lists only if somebody wants to know it', async () => {
    expect(probesOf(await played(), 'large:')).toHaveLength(5);
    expect(probesOf(await played({}, { timesLists: false }), 'large:')).toEqual([]);
  });

  it('stay under 70 % of the limit, including events that spend it', async () => {
    const { requests } = await played({
      ...promised,
      rate_limit: '40/2s',
      channel: { auth: 'api-key', counts_against_rate_limit: true, repeated_id: 'once' },
    });
    const sentNs = requests
      .flatMap(({ credential, sentNs }) => (credential === 'load' ? (sentNs ?? []) : []))
      .toSorted((a, b) => a - b);
    for (const [place, ns] of sentNs.entries()) {
      const inWindow = sentNs.slice(place).filter((other) => other < ns + 2e9).length;
      // What goes at once took its room one by one before.
      expect(inWindow).toBeLessThanOrEqual(28 + 4);
    }
  });

  it('leave no token behind', async () => {
    expect(JSON.stringify(await played(promised))).not.toMatch(/secret/);
  });
});

describe('unusual values that shoppers may use', () => {
  const valuesOf = ({ taken }: Played): unknown => ({
    skus: taken?.catalog?.skus.length ?? 0,
    products: taken?.openings.length ?? 0,
  });
  const skus = 64;
  const products = 9;

  it.each<[string, Parameters<typeof played>[1], { skus: number; products: number }]>([
    ['all where the service takes them', {}, { skus, products }],
    [
      'those of all groups that are accepted, where a batch of all is rejected',
      { isPlain: true },
      { skus: 60, products },
    ],
    ['no catalog where its events are rejected', { rejects: /"type".*__proto__/ }, { skus: 0, products }],
    ['no catalog that is not listed', { listsUnusual: false }, { skus: 0, products }],
    [
      'no catalog where its imports are rejected',
      { rejects: /corner-|CORNER|BATCH-NAMES/ },
      { skus: 0, products },
    ],
    ['no product that is rejected', { rejects: /"product_id":"[^"]*(%2F|x{200})/ }, { skus, products: 5 }],
    [
      'one product where there is no room for more sessions',
      { probeSessionsAfterLoad: false },
      { skus, products: 1 },
    ],
    ['none where probes may open no session', { probeSessions: false }, { skus: 0, products: 0 }],
  ])('are %s', async (_, manner, expected) => {
    expect(valuesOf(await played(promised, { ...manner, corners: 'single' }))).toEqual(expected);
  });

  it.each<[string, RegExp | undefined, boolean]>([
    ['where the service takes one', undefined, true],
    // An earlier delivery of one event has no selection before it.
    [
      'not where it rejects one before a selection',
      /interactions":\[\{"id":"[^"]*","type":"cart_intent/,
      false,
    ],
  ])('have a cart intent first %s', async (_, rejects, cartFirst) => {
    const { taken } = await played(promised, { corners: 'single', rejects });
    expect(taken).toMatchObject({ cartFirst, catalog: { skus: { length: skus } } });
  });

  it('are none at all where no session with an unusual product was opened', async () => {
    const run = await played(promised, {
      corners: 'single',
      rejects: /"product_id":"(?!TRYON-TAG-ACTS|[a-z-]*-tload|tryon-tag-acts)/,
    });
    expect(run.taken).toBeUndefined();
  });

  it('are none in a run that probes no unusual values', async () => {
    expect((await played(promised)).taken).toBeUndefined();
  });

  it('are opened with the locale that was taken', async () => {
    const { taken } = await played(promised, {
      corners: 'single',
      rejects: /"locale":"(en|es-419|zh-Hans-CN)"/,
    });
    expect(taken?.openings.map(({ locale }) => locale)).toEqual(
      Array.from({ length: products }, () => 'en-GB'),
    );
  });

  it('are opened once: those of set-up do not come again after the load', async () => {
    const run = await played(promised, { corners: 'single' });
    const own = probesOf(run, 'corners:create-session').map(
      ({ locale, productId }) => `${productId} ${locale}`,
    );
    const early = run.taken?.openings.map(({ locale, productId }) => `${productId} ${locale}`) ?? [];
    expect(early).toHaveLength(products);
    for (const each of early) expect(own.filter((other) => other === each)).toHaveLength(1);
  });
});
