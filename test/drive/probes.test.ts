import { describe, expect, it } from 'vitest';
import { generateCatalog } from '../../src/catalog/generate.ts';
import type { TakenValues } from '../../src/corners/taken.ts';
import { SessionSample } from '../../src/drive/ask/sample.ts';
import { Days } from '../../src/drive/clock/days.ts';
import { eventsProductId, lateQuestions, probeLateEvents } from '../../src/drive/setup/event-probes.ts';
import { PageBudget } from '../../src/drive/setup/page-budget.ts';
import { channelProbes, probeCost, setupSessions } from '../../src/drive/setup/probe-costs.ts';
import { setUp } from '../../src/drive/setup/setup.ts';
import type { SetupOptions } from '../../src/drive/setup/setup-options.ts';
import type { InteractionRecord, RequestRecord } from '../../src/history/record.ts';
import { defineScenario } from '../../src/scenario/define.ts';
import { steady } from '../../src/scenario/load.ts';
import type { ProfileInput } from '../../src/target/profile.ts';
import { eachRole } from '../../src/vocabulary/roles.ts';
import { type Arrival, Asking, baseUrl, type PlayedAnswer } from './asking.ts';

const tokenOf = (n: number): string => `secret-token-${n}`;

/** A service that has a good answer to everything. */
interface Manner {
  readonly takesTokens: boolean;
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

const analytics = {
  period: 'today / today',
  total_sessions: 0,
  avg_shades_per_session: 0,
  cart_intent_rate: 0,
  top_shades: [],
};

function serviceOf({
  expiresAt,
  inPlace,
  isPlain,
  listsUnusual,
  rejects,
  takesTokens,
}: Manner): (arrival: Arrival) => PlayedAnswer {
  let sessions = 0;
  let requests = 0;
  return ({ bearer, body, method, path }) => {
    if (inPlace !== undefined && ++requests % 6 === 0) return { status: inPlace };
    if ((isPlain && /"name":"[^"]{200}|zh-Hans/.test(body)) || rejects?.test(body) === true)
      return { status: 422 };
    if (/\/(interactions|acts)$/.test(path))
      return bearer.includes('token') && !takesTokens
        ? { status: 401 }
        : { status: 202, body: { accepted: 1 } };
    if (method === 'POST' && path.endsWith('/sessions')) {
      const n = ++sessions;
      const opened = { session_id: `s${n}`, token: tokenOf(n), expires_at: expiresAt, shade_count: 3 };
      return { status: 200, body: opened };
    }
    if (path.includes('/analytics')) return { status: 200, body: analytics };
    const isListed = listsUnusual && path.includes('corner');
    return { status: 200, body: isListed ? [{ sku: 'A', name: 'A', hex: '#AA0000', finish: 'matte' }] : [] };
  };
}

interface Played {
  readonly asking: Asking;
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
    corners = false,
    expiresAt = '2026-05-01T13:00:00Z',
    inPlace,
    isPlain = false,
    listsUnusual = true,
    products = 1,
    probeSessions = true,
    rejects,
    takesTokens = true,
    timesLists = true,
  }: Partial<Manner> & {
    readonly bystander?: boolean;
    readonly catalogSeed?: number;
    readonly corners?: boolean;
    readonly products?: number;
    readonly probeSessions?: boolean;
    readonly timesLists?: boolean;
  } = {},
): Promise<Played> {
  const service = serviceOf({ expiresAt, inPlace, isPlain, listsUnusual, rejects, takesTokens });
  const asking = new Asking(profileInput, service, { bystander });
  const { asker, clock, keys, openConnection, profile, writer } = asking;
  const sample = new SessionSample(0, () => 0.5);
  const options: SetupOptions = {
    ...{ asker, baseUrl, clock, corners, keys, openConnection, probeSessions, profile, sample, writer },
    ...{ host: 'target', pages: new PageBudget(), tag: 'tag', timesLists, waitReadyMs: 5_000, seed: 1 },
    catalogs: eachRole((role) => generateCatalog({ seed: catalogSeed, tag: `t${role}`, products })),
    roles: ['load'],
    days: new Days(clock.zeroEpochMs, () => clock.zeroEpochMs + clock.nowNs() / 1e6),
    probes: true,
    onStep: () => undefined,
  };
  const setting = setUp(options).then(async (found) => {
    if (found.channel !== undefined && found.lateEvents !== undefined)
      await probeLateEvents({ ...options, isAfterLoad: true }, found.channel, found.lateEvents);
    return found;
  });
  const { eventSession, taken } = await asking.until(setting);
  const { interactions, requests } = asking;
  const toRead = sample.toRead('load');
  return { asking, requests, interactions, toRead, interacted: eventSession !== undefined, taken };
}

/** The probes whose names begin so, in order. */
function probesOf({ requests }: Pick<Played, 'requests'>, start: string): RequestRecord[] {
  return requests.filter(({ probe }) => probe?.startsWith(start));
}

const scenario = defineScenario({
  name: 'some',
  title: 'Some of everything',
  load: [steady('60/min', '10s', { traffic: 'reads' })],
  checks: ['contract'],
});

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

  it('take the time of large lists only if somebody wants to know it', async () => {
    expect(probesOf(await played(), 'large:')).toHaveLength(5);
    expect(probesOf(await played({}, { timesLists: false }), 'large:')).toEqual([]);
  });

  it('stay under 70 % of the limit, including events that spend it', async () => {
    const { asking } = await played({
      ...promised,
      rate_limit: '40/2s',
      channel: { auth: 'api-key', counts_against_rate_limit: true, repeated_id: 'once' },
    });
    // What goes at once took its room one by one before.
    expect(asking.mostIn(2_000)).toBeLessThanOrEqual(28 + 4);
  });

  it.each<[string, Parameters<typeof played>[1]]>([
    ['of a service that takes everything', {}],
    ['of a plain service', { isPlain: true }],
    ['of a service that rejects every unusual locale', { rejects: /"locale":"(?!en-GB)/ }],
  ])('are no more than announced: %s', async (_, manner) => {
    const run = await played(promised, { ...manner, corners: true, products: 2 });
    const count = (start: string, name?: string): number =>
      probesOf(run, start).filter(({ endpoint }) => name === undefined || endpoint === name).length;
    const { afterLoad, imports, requests, sessions } = probeCost(scenario, run.asking.profile, ['load']);
    const probes = ['canary', 'channel', 'acts', 'batch-max', 'large', 'corners'];
    const sent = (name?: string): number => probes.reduce((sum, start) => sum + count(start, name), 0);
    expect(sent('import-shades')).toBeLessThanOrEqual(imports);
    expect(sent('create-session')).toBeLessThanOrEqual(sessions);
    expect(sent()).toBeLessThanOrEqual(requests + channelProbes - (afterLoad - lateQuestions));
    // Announced is not much more than what is sent.
    expect(sent()).toBeGreaterThan(0.5 * (requests - afterLoad));
  });

  it('open only the canary where they may open none', async () => {
    const run = await played(promised, { corners: true, probeSessions: false });
    const opened = run.requests.filter(({ endpoint }) => endpoint === 'create-session');
    expect(opened).toHaveLength(setupSessions(scenario, run.asking.profile).least);
  });

  it('leave no token behind', async () => {
    const { answers, interactions, requests } = (await played(promised, { corners: true })).asking;
    expect(JSON.stringify([answers, interactions, requests])).not.toMatch(/secret/);
  });
});

describe('unusual values that shoppers may use', () => {
  const valuesOf = ({ taken }: Played): unknown => ({
    skus: taken?.catalog?.skus.length ?? 0,
    products: taken?.openings.length ?? 0,
  });
  const skus = 63;
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
    ['no catalog where its imports are rejected', { rejects: /-corner/ }, { skus: 0, products }],
    ['no product that is rejected', { rejects: /"product_id":"[^"]*(%2F|x{200})/ }, { skus, products: 5 }],
    ['none where probes may open no session', { probeSessions: false }, { skus: 0, products: 0 }],
  ])('are %s', async (_, manner, expected) => {
    expect(valuesOf(await played(promised, { ...manner, corners: true }))).toEqual(expected);
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
    const { taken } = await played(promised, { corners: true, rejects });
    expect(taken).toMatchObject({ cartFirst, catalog: { skus: { length: skus } } });
  });

  it('are none at all where no session with an unusual product was opened', async () => {
    const run = await played(promised, {
      corners: true,
      rejects: /"product_id":"(?![a-z-]*-tload|tryon-tag-acts)/,
    });
    expect(run.taken).toBeUndefined();
  });

  it('are none in a run that probes no unusual values', async () => {
    expect((await played(promised)).taken).toBeUndefined();
  });

  it('are opened with the locale that was taken', async () => {
    const { taken } = await played(promised, {
      corners: true,
      rejects: /"locale":"(en|es-419|zh-Hans-CN)"/,
    });
    expect(taken?.openings.map(({ locale }) => locale)).toEqual(
      Array.from({ length: products }, () => 'en-GB'),
    );
  });
});
