import { describe, expect, it } from 'vitest';
import { AskingStopped } from '../../src/drive/ask/ask.ts';
import { PageBudget } from '../../src/drive/ask/governor.ts';
import { Days } from '../../src/drive/clock/days.ts';
import { explore } from '../../src/drive/explore/explore.ts';
import { makeBesideLoad, makeExploration } from '../../src/explore/exploration.ts';
import type { CallGroup } from '../../src/explore/sent.ts';
import { wireOf } from '../../src/explore/wire.ts';
import type { AnswerRecord } from '../../src/history/record.ts';
import type { CallRequest, SessionIdForm } from '../../src/model/call.ts';
import { type ProfileInput, possibleChannels } from '../../src/target/profile.ts';
import { type Arrival, Asking, type PlayedAnswer } from './asking.ts';
import { baseUrl } from './virtual.ts';

const expires = '2026-05-01T13:00:00Z';
const shade = (sku: string) => ({ sku, name: sku, hex: '#AA0000', finish: 'matte' });

/** A service that knows its keys, and has a good answer to everything else. */
interface Manner {
  /** Opens no session. */
  readonly isClosed: boolean;
  /** Counts invalid keys, and soon has enough. */
  readonly limitsBadKeys: boolean;
  /** Counts no session in analytics. */
  readonly isLate: boolean;
  /** Takes imports for later, and lists none of them. */
  readonly isQueued: boolean;
  /** Lists in this many pages. */
  readonly pages: number;
  /** Shows the token of the session that was opened first, whichever is asked for. */
  readonly showsToken: boolean;
  /** Has no catalog yet for so many new sessions. */
  readonly isLateFor: number;
  /** Takes no SKU that is longer. */
  readonly longestSku: number;
  /** Is not available for every so manieth request. */
  readonly busyForEach: number;
}

function serviceOf({
  busyForEach,
  isClosed,
  isLate,
  isLateFor,
  isQueued,
  limitsBadKeys,
  longestSku,
  pages,
  showsToken,
}: Manner): (arrival: Arrival) => PlayedAnswer {
  let sessions = 0;
  let requests = 0;
  let early = 0;
  return ({ bearer, body, method, path }) => {
    if (++requests % busyForEach === 0) return { status: 503 };
    const isKnown = /^secret-(load-key|bystander-key|token-\d+)$/.test(bearer);
    if (!isKnown) return { status: limitsBadKeys ? 429 : 401 };
    if (method === 'POST' && /\/sessions\/?$/.test(path)) {
      if (isClosed) return { status: 402 };
      if (early++ < isLateFor) return { status: 404 };
      const n = ++sessions;
      const grant = {
        session_id: `s${n}`,
        token: `secret-token-${n}`,
        expires_at: expires,
        shade_count: 1,
      };
      return { status: 200, body: grant };
    }
    if (path.endsWith('/interactions')) return { status: 202, body: { accepted: 1 } };
    if (isLate && path.includes('/analytics')) return { status: 200, body: { total_sessions: 0 } };
    if (!path.includes('/shades')) return { status: 200, body: showsToken ? { sdk: 'secret-token-1' } : {} };
    if (isQueued) return method === 'POST' ? { status: 202, body: {} } : { status: 200, body: [] };
    const skus = [...body.matchAll(/"sku":"([^"]*)"/g)].map(([, sku = '']) => sku.length);
    if (method === 'POST' && Math.max(...skus) > longestSku) return { status: 400 };
    const page = Number(/[?&]page=(\d+)/.exec(path)?.[1] ?? 1);
    const catalog = /catalog_id=([^&]*)/.exec(path)?.[1];
    const link = `</v1/shades?catalog_id=${catalog}&page=${page + 1}>; rel="next"`;
    return { status: 200, body: [shade(`A${page}`)], ...(method === 'GET' && page < pages && { link }) };
  };
}

const usual: Manner = {
  isClosed: false,
  isLate: false,
  isLateFor: 0,
  isQueued: false,
  limitsBadKeys: false,
  longestSku: 1_000,
  pages: 1,
  showsToken: false,
  busyForEach: Number.POSITIVE_INFINITY,
};

async function explored(
  profile: ProfileInput = {},
  manner: Partial<Manner> = {},
): Promise<{
  readonly asking: Asking;
  readonly drawn: readonly CallRequest[];
  readonly cost: ReturnType<typeof makeExploration>['cost'];
  readonly calls: readonly { readonly answer: AnswerRecord; readonly call: CallRequest }[];
}> {
  const service = serviceOf({ ...usual, ...manner });
  const asking = new Asking(profile, service);
  const { asker, clock, keys, openConnection } = asking;
  const settings = { calls: 300, seed: 1, tag: 'tag' };
  const exploration = makeExploration(settings, asking.profile, ['load', 'bystander']);
  const { cost, groups } = exploration;
  const [channel] = possibleChannels(asking.profile.channel);
  const days = new Days(clock.zeroEpochMs, () => clock.zeroEpochMs + clock.nowNs() / 1e6);
  const dateFormat = 'date';
  const pages = new PageBudget({ load: 500, other: 500 });
  const rest = { channel, days, dateFormat, openConnection, pages, onStep: () => undefined } as const;
  await asking.until(explore({ exploration, profile: asking.profile, asker, clock, keys, baseUrl, ...rest }));
  const calls = asking.answers.flatMap((answer) =>
    answer.call === undefined ? [] : [{ answer, call: answer.call }],
  );
  return { asking, cost, calls, drawn: groups.flatMap(opened) };
}

/** Against the usual service with the usual profile: what most tests look at, and none changes. */
const plain = explored();

/** The calls of a group but those for a session that the group itself opens: it is not known yet. */
function opened(group: CallGroup, place: number, groups: readonly CallGroup[]): CallRequest[] {
  const first = groups.slice(0, place).flat().length;
  return group.filter((call) => (openerOf(call) ?? -1) < first);
}

const openerOf = ({ by, session }: CallRequest): number | undefined =>
  session ?? ('of' in by ? by.of : undefined);

describe('the explorer', () => {
  it('sends every call that it drew, and keeps what was sent', async () => {
    const { asking, calls, drawn } = await plain;
    // What is misspelt to no effect is not sent.
    const opsOf = (sent: readonly CallRequest[]): readonly string[] =>
      sent
        .filter(({ by, misspelt }) => misspelt === undefined && !by.kind.startsWith('near'))
        .map(({ op }) => op);
    expect(opsOf(calls.map(({ call }) => call)).toSorted()).toEqual(opsOf(drawn).toSorted());
    expect(calls.length).toBe(asking.requests.length);
    expect(new Set(asking.requests.map(({ phase, probe, stage }) => `${stage} ${phase} ${probe}`))).toEqual(
      new Set(['settle explored explored']),
    );
  });

  it('asks for all analytics again, once they have to be right, where they were not at first', async () => {
    const totals = ({ asking }: Awaited<ReturnType<typeof explored>>) =>
      asking.requests.filter(({ endpoint }) => endpoint === 'analytics');
    const [prompt, late] = [await plain, await explored({}, { isLate: true })].map(totals);
    expect(late?.length).toBe((prompt?.length ?? 0) + 10);
    const [before, first] = (late ?? []).slice(-11).map(({ sentNs }) => sentNs ?? 0);
    expect((first ?? 0) - (before ?? 0)).toBeGreaterThan(9e9);
  });

  it('lists all catalogs again, once imports that were taken for later have to show, where they did not', async () => {
    const { asking } = await explored({ import_visible: '20s' }, { isQueued: true });
    const lists = asking.requests.filter(({ endpoint }) => endpoint === 'list-shades').slice(-21);
    const [before, first] = lists.map(({ sentNs }) => sentNs ?? 0);
    expect((first ?? 0) - (before ?? 0)).toBeGreaterThan(18e9);
    expect(new Set(lists.slice(1).map(({ catalogId }) => catalogId)).size).toBe(10);
  });

  it('sends again what got 5xx, so that a fault of what was asked shows twice', async () => {
    const { asking, calls } = await explored({}, { busyForEach: 50 });
    const failed = asking.requests.filter(({ status }) => status === 503);
    expect(failed.length).toBeGreaterThan(3);
    const again = calls.filter(({ call }, at) =>
      calls.slice(0, at).some((before) => JSON.stringify(before.call) === JSON.stringify(call)),
    );
    const seqs = new Set(again.map(({ answer }) => answer.seq));
    for (const { seq } of failed)
      expect(Math.min(...[...seqs].filter((each) => each > seq))).toBeLessThan(seq + 20);
  });

  it('leaves no token behind that a service shows in place of another', async () => {
    const { answers } = (await explored({}, { showsToken: true })).asking;
    expect(JSON.stringify(answers)).toContain('sdk');
    expect(JSON.stringify(answers)).not.toMatch(/secret/);
  });

  it('sends no call for a session that was not opened', async () => {
    const { asking, calls, drawn } = await explored({}, { isClosed: true });
    expect(calls.map(({ call }) => call).filter((call) => openerOf(call) !== undefined)).toEqual([]);
    expect(asking.requests.length).toBeGreaterThan(0.3 * drawn.length);
  });

  it.each<[string, ProfileInput, Partial<Manner>]>([
    ['that answers everything', {}, {}],
    ['with keys on its channel', { channel: { auth: 'api-key' } }, {}],
    ['with one account', { data_scope: 'shared' }, {}],
    ['without a channel', { channel: 'none' }, {}],
    ['that opens no session', {}, { isClosed: true }],
  ])('spends no more than announced on a service %s', async (_, profile, manner) => {
    const { asking, cost } = await explored(profile, manner);
    const sent = (credential: string, endpoint?: string): number =>
      asking.requests.filter(
        (each) => each.credential === credential && (endpoint === undefined || each.endpoint === endpoint),
      ).length;
    for (const role of ['load', 'bystander'] as const) {
      // A token's requests are announced for the load key.
      const ofTokens = role === 'load' ? sent('session') : 0;
      expect(sent(role) + ofTokens).toBeLessThanOrEqual(cost.requests[role]);
      expect(sent(role, 'create-session')).toBeLessThanOrEqual(cost.sessions[role] + formed(asking));
      expect(sent(role, 'import-shades')).toBeLessThanOrEqual(cost.imports[role]);
    }
    expect(sent('none') + sent('bad')).toBeLessThanOrEqual(cost.unknownKey + cost.nearKey);
  });

  it('spares invalid keys once one is limited', async () => {
    const isBad = ({ call: { by } }: { readonly call: CallRequest }): boolean =>
      by.kind === 'none' || by.kind === 'near';
    expect((await plain).calls.filter(isBad).length).toBeGreaterThan(10);
    expect((await explored({}, { limitsBadKeys: true })).calls.filter(isBad)).toHaveLength(1);
  });

  it('opens a session once the catalog is there that was taken for later, and asks no longer than for its promise', async () => {
    const opened = async (manner: Partial<Manner>): Promise<[opened: number, sent: number]> => {
      const { asking, calls } = await explored({ import_visible: '3s' }, manner);
      const created = calls.filter(
        ({ call: { by, form, op } }) => op === 'create-session' && by.kind === 'key' && form === undefined,
      );
      const isGranted = new Set(asking.requests.flatMap(({ seq, status }) => (status === 200 ? seq : [])));
      const granted = created.filter(({ answer }) => isGranted.has(answer.seq));
      return [granted.length, created.length];
    };
    const [all, sent] = await opened({ isQueued: true });
    expect(await opened({ isQueued: true, isLateFor: 4 })).toEqual([all, sent + 4]);
    expect(await opened({ isLateFor: 4 })).toEqual([all - 4, sent]);
    const [none, more] = await opened({ isQueued: true, isLateFor: 1_000 });
    expect([none, more - sent > 0, more - sent < 40]).toEqual([0, true, true]);
  });

  it('sends no long texts any more once the first were refused', async () => {
    const long = async (longestSku: number): Promise<number> =>
      (await explored({}, { longestSku })).calls.filter(({ call }) =>
        call.shades?.some(({ sku = '' }) => sku.length > 128),
      ).length;
    expect(await long(1_000)).toBeGreaterThan(10);
    expect(await long(128)).toBeLessThan(4);
  });

  it('has its events happen after their session was opened and before they are sent, an id always at one instant', async () => {
    const { asking, calls } = await plain;
    const bySeq = new Map(asking.requests.map((request) => [request.seq, request]));
    const msOf = (ns = 0): number => asking.clock.zeroEpochMs + ns / 1e6;
    const instants = new Map<string, Set<number>>();
    for (const { answer, call } of calls) {
      const opener = bySeq.get(call.session ?? -1);
      for (const { atMs, id } of call.events ?? []) {
        expect(atMs).toBeGreaterThanOrEqual(msOf(opener?.answeredNs));
        expect(atMs).toBeLessThanOrEqual(msOf(bySeq.get(answer.seq)?.sentNs));
        const own = instants.get(`${call.session} ${id}`) ?? new Set();
        instants.set(`${call.session} ${id}`, own.add(atMs));
      }
    }
    expect(instants.size).toBeGreaterThan(20);
    expect([...instants.values()].filter(({ size }) => size > 1)).toEqual([]);
    // What is sent again was drawn so.
    const batches = calls.flatMap(({ call }) => (call.events ?? []).map(({ id }) => `${call.session} ${id}`));
    expect(batches.length).toBeGreaterThan(instants.size);
  });

  it('names sessions by the requests that opened them', async () => {
    const { asking, calls } = await plain;
    const opened = new Set(
      asking.requests.flatMap(({ endpoint, seq, sessionId }) =>
        endpoint === 'create-session' && sessionId !== undefined ? [seq] : [],
      ),
    );
    const named = calls.flatMap(({ call }) => openerOf(call) ?? []);
    expect(named.length).toBeGreaterThan(50);
    expect(named.filter((seq) => !opened.has(seq))).toEqual([]);
  });

  it('follows a list in pages, each of which belongs to its first request', async () => {
    const { asking, calls } = await explored({}, { pages: 3 });
    const lists = calls.filter(
      ({ answer, call }) =>
        call.op === 'list-shades' &&
        call.form === undefined &&
        call.by.kind === 'key' &&
        statusOf(asking, answer.seq) === 200,
    );
    const pages = Map.groupBy(asking.answers, ({ pageOf }) => pageOf);
    expect(lists.length).toBeGreaterThan(20);
    for (const { answer } of lists) expect(pages.get(answer.seq)).toHaveLength(2);
  });

  it.each<[string, ProfileInput]>([
    ['with tokens', {}],
    [
      'with keys, where events spend the limit',
      { channel: { auth: 'api-key', counts_against_rate_limit: true } },
    ],
  ])('stays under 70 %% of the limit %s', async (_, profile) => {
    const { asking } = await explored({ ...profile, rate_limit: '40/2s' });
    // What goes at once, eight calls at most, took its room one by one before.
    expect(asking.mostIn(2_000)).toBeLessThanOrEqual(28 + 8);
    expect(asking.mostIn(2_000)).toBeGreaterThan(20);
  });
});

describe('the explorer during a load', () => {
  const startNs = 5e9;
  const endNs = startNs + 120e9;

  async function beside(isOver: (nowNs: number) => boolean = () => false): Promise<{
    readonly asking: Asking;
    readonly drawn: number;
  }> {
    const asking = new Asking({}, serviceOf(usual));
    const { clock, keys, openConnection, profile } = asking;
    const exploration = makeBesideLoad({ calls: 100, seed: 1, tag: 'tag' }, profile, ['load', 'bystander']);
    if (exploration === undefined) throw new Error('nothing was drawn');
    const days = new Days(clock.zeroEpochMs, () => clock.zeroEpochMs + clock.nowNs() / 1e6);
    const asker = asking.askerUntil(() => isOver(clock.nowNs()));
    const rest = { channel: undefined, days, dateFormat: 'date', pages: new PageBudget() } as const;
    const done = explore({
      ...{ exploration, profile, asker, clock, keys, baseUrl, openConnection, ...rest },
      onStep: () => undefined,
      duringLoad: { startNs, endNs },
    });
    await asking.until(
      done.catch((error: unknown) => {
        if (!(error instanceof AskingStopped)) throw error;
      }),
    );
    return { asking, drawn: exploration.groups.flat().length };
  }

  it('sends all its calls evenly, apart from the others in the history', async () => {
    const { asking, drawn } = await beside();
    expect(asking.requests.length).toBe(drawn);
    expect(
      new Set(asking.requests.map(({ credential, phase, stage }) => `${stage}, ${phase}, ${credential}`)),
    ).toEqual(new Set(['companion, explored under load, bystander']));
    const sent = asking.requests.map(({ sentNs = 0 }) => sentNs);
    expect(Math.min(...sent)).toBeGreaterThanOrEqual(startNs);
    expect(Math.max(...sent)).toBeLessThan(endNs);
    const inTenSeconds = sent.map((from) => sent.filter((at) => at >= from && at < from + 10e9).length);
    // 100 calls in 120 s, and some of them at once.
    expect(Math.max(...inTenSeconds)).toBeLessThanOrEqual(14);
  });

  it('ends with the load, also while it waits', async () => {
    const { asking, drawn } = await beside((nowNs) => nowNs > 60e9);
    expect(asking.requests.length).toBeGreaterThan(0.3 * drawn);
    expect(asking.requests.length).toBeLessThan(0.7 * drawn);
    expect(asking.clock.nowNs()).toBeLessThan(61e9);
  });
});

describe('the id of a session', () => {
  const longer = ['with a further character', 'without the last character'] as const;
  const forms = ['in the other case', ...longer, 'with another last character', 'unknown'] as const;
  it.each<[string, string, readonly SessionIdForm[]]>([
    ['is misspelt in every way', 'a-Session-of-a-Service', forms],
    ['of few characters may be one step from another', 's12', ['unknown']],
    [
      'that is a number may be so with a digit more or less',
      'session-of-load-12',
      ['with another last character', 'unknown'],
    ],
    [
      'with letters of one case may be read in either',
      '6e0f7a3c-77b2-4f0e-9d55-8a4be1d0f2ac',
      [...longer, 'with another last character', 'unknown'],
    ],
  ])('%s', (_, id, sent) => {
    const context = { sessionId: () => id, channel: undefined, period: { start_date: '', end_date: '' } };
    const by = { kind: 'key', key: 'load' } as const;
    const isSent = (misspelt: SessionIdForm): boolean =>
      wireOf({ op: 'read-session', by, session: 0, misspelt }, context) !== undefined;
    expect(forms.filter(isSent)).toEqual(sent);
  });
});

const statusOf = ({ requests }: Asking, seq: number): number | undefined =>
  requests.find((request) => request.seq === seq)?.status;

/** Requests for sessions that are none by their form. */
const formed = ({ answers }: Asking): number =>
  answers.filter(({ call, endpoint }) => endpoint === 'create-session' && call?.form !== undefined).length;
