import { describe, expect, it } from 'vitest';
import { checkErrors } from '../../../src/checks/contract/errors/errors.ts';
import { checkExplored } from '../../../src/checks/contract/explored/explored.ts';
import { exploredChecks } from '../../../src/checks/contract/explored/relation.ts';
import type { CheckFinding, Verdict } from '../../../src/checks/core/verdict.ts';
import type { CallGroup } from '../../../src/explore/sent.ts';
import type { AnswerRecord } from '../../../src/history/record.ts';
import type { ApiCall, CallRequest, SentShade } from '../../../src/model/call.ts';
import type { FaultEvidence, FaultParams } from '../../../src/model/faults/fault.ts';
import { type ModelCause, modelFaults } from '../../../src/model/faults/table.ts';
import type { ModelPromises } from '../../../src/model/stages.ts';
import type { ProfileInput } from '../../../src/target/profile.ts';
import type { CheckId } from '../../../src/vocabulary/check-ids.ts';
import { rowsOf } from '../../effort.ts';
import { type FreedomChoices, plainService, usualPromises } from '../../explore/conventions.ts';
import { simulate } from '../../explore/simulate.ts';
import { type SampleHistory, type SampleRequest, sampleRun, withHistory } from '../../history/sample.ts';

const zeroMs = sampleRun.zero_epoch_ms;
const load = { kind: 'key', key: 'load' } as const;
const bystander = { kind: 'key', key: 'bystander' } as const;
const near = (form: 'unknown' | 'without the last character') =>
  ({ kind: 'near', key: 'load', form }) as const;
const token = (of: number) => ({ kind: 'token', of }) as const;

const shade = (sku: string, name = `Shade ${sku}`, hex = '#AA5511'): SentShade => ({
  ...{ sku, name, hex, finish: 'matte' },
});
const many = (count: number): SentShade[] => Array.from({ length: count }, (_, n) => shade(`M${n}`));
const imported = (
  catalog: string,
  shades: readonly SentShade[],
  by: CallRequest['by'] = load,
): CallRequest => ({
  ...{ op: 'import-shades', by, catalog, shades },
});
const listed = (catalog: string, by: CallRequest['by'] = load): CallRequest => ({
  ...{ op: 'list-shades', by, catalog },
});
const opened = (catalog: string, by: CallRequest['by'] = load): CallRequest => ({
  ...{ op: 'create-session', by, catalog, product: 'p1', locale: 'de-DE' },
});
const shown = (session: number, more: Partial<CallRequest> = {}): CallRequest => ({
  ...{ op: 'read-session', by: load, session },
  ...more,
});
const acted = (
  session: number,
  ids: string,
  by: CallRequest['by'] = token(session),
  sku = 'A',
): CallRequest => ({
  ...{ op: 'interact', by, session },
  events: [...ids].map((id, n) => ({
    id,
    type: 'shade_selected',
    sku: n === 0 ? sku : 'B',
    atMs: zeroMs + 1_160,
  })),
});

/** A second passes: what was accepted for later has to show. */
const pause: CallGroup = Array.from({ length: 40 }, () => ({
  ...{ op: 'analytics', by: { kind: 'none' }, product: 'p1' },
}));

/** A visit that gives every check an answer: the sessions are calls 5 and 6. */
const visit: readonly CallGroup[] = [
  [imported('c', [shade('A', 'Pêche 🍑'), shade('B', 'b', '#00FF99')])],
  [listed('c')],
  [imported('c', [shade('A', 'Of another')], bystander)],
  [listed('c')],
  [listed('c', bystander)],
  [opened('c')],
  [opened('c')],
  [acted(5, 'ab')],
  [shown(5)],
  [shown(5, { by: bystander })],
  [acted(5, 'ab')],
  [shown(5)],
  [acted(5, 'c'), acted(5, 'd'), acted(5, 'e')],
  [shown(5)],
  [acted(5, 'f', token(5), 'unknown')],
  [shown(5)],
  [acted(5, 'g', token(6))],
  [acted(5, 'h', { kind: 'near token', of: 5, form: 'with a further character' })],
  [shown(5)],
  [listed('c', { kind: 'none' })],
  [opened('c', near('unknown'))],
  [listed('c', near('without the last character'))],
  [{ op: 'analytics', by: token(5), product: 'p1' }],
  [listed('nowhere')],
  [opened('nowhere')],
  [shown(5, { misspelt: 'with another last character' })],
  [imported('most', many(500))],
  [listed('most')],
  [imported('over', many(501))],
  [listed('over')],
  [imported('bad', [shade('A'), shade('B', 'b', 'red')])],
  [listed('bad')],
  [{ op: 'import-shades', by: load, form: 'broken-json' }],
  [imported('c', [shade('A', 'New'), shade('B', 'new', '#0000FF')])],
  [listed('c')],
  [imported('c', [shade('X')]), imported('c', [shade('Y')]), imported('c', [shade('Z')])],
  [listed('c')],
  [imported('twice', [shade('A'), shade('A'), shade('B')])],
  [listed('twice')],
  [opened('c')],
  [opened('c', bystander)],
  [{ op: 'analytics', by: load, product: 'p1' }],
  pause,
  [shown(5)],
];

const told: ProfileInput = {
  data_scope: 'per-key',
  channel: { repeated_id: 'once', unknown_sku: 'refused', malformed: 'refused', other_token: 'refused' },
  session_history: { order: 'arrival' },
};
const promises: ModelPromises = {
  ...{ ...usualPromises, accounts: { load: 'load', bystander: 'bystander' } },
  freedoms: plainService.freedoms,
};

/** The visit with the answers of a service that is honest, or has this fault. */
function played(
  groups: readonly CallGroup[] = visit,
  fault?: { readonly cause: ModelCause; readonly params?: FaultParams },
  own: ModelPromises = promises,
  freedoms: FreedomChoices = {},
): ApiCall[] {
  const row = modelFaults.find(
    ({ cause, over }) =>
      cause === fault?.cause && (fault.params === undefined || fits(over(evidence), fault.params)),
  );
  if (fault !== undefined && row === undefined) throw new Error(`no row ${fault.cause}`);
  const planted = row && { fault: row, params: fault?.params ?? row.over(evidence)[0] ?? {} };
  const service = { ...plainService, seed: 2, freedoms: { ...plainService.freedoms, ...freedoms } };
  return simulate(groups, service, planted, own, zeroMs + 1_000);
}

const evidence: FaultEvidence = {
  calls: simulate(visit, { ...plainService, seed: 2 }, undefined, promises, zeroMs + 1_000),
  divergences: [],
};

const fits = (all: readonly FaultParams[], params: FaultParams): boolean =>
  all.some((each) => JSON.stringify(each) === JSON.stringify(params));

/** Calls as a run records them; the numbers of calls begin with 1. */
function historyOf(calls: readonly ApiCall[], profile: ProfileInput = told): SampleHistory {
  const seq = (n: number): number => n + 1;
  const answers: AnswerRecord[] = [];
  const ids = new Map(
    calls.map(({ answer, n }) => [n, (answer.body as { session_id?: string } | undefined)?.session_id]),
  );
  const requests = calls.map(({ answer, fromMs, line, n, untilMs, ...call }): SampleRequest => {
    const { by, session } = call;
    const body = answer.body as
      | { session_id?: string; expires_at?: string; shade_count?: number }
      | undefined;
    const isOpened = call.op === 'create-session' && answer.status === 200;
    answers.push({
      ...{ seq: seq(n), endpoint: call.op, query: {} },
      call: {
        ...call,
        by: 'of' in by ? { ...by, of: seq(by.of) } : by,
        ...(session !== undefined && { session: seq(session) }),
      },
      ...(call.op !== 'create-session' && body !== undefined && { body }),
    });
    return {
      ...{
        seq: seq(n),
        endpoint: call.op,
        stage: 'settle',
        phase: 'explored',
        probe: 'explored',
        localPort: line,
      },
      credential: by.kind === 'key' && by.key === 'bystander' ? 'bystander' : 'load',
      ...{ intendedNs: (fromMs - zeroMs) * 1e6, sentNs: (fromMs - zeroMs) * 1e6 },
      ...(answer.status === 0
        ? { lost: 'timeout' }
        : { status: answer.status, answeredNs: (untilMs - zeroMs) * 1e6 }),
      ...(call.catalog !== undefined && { catalogId: call.catalog }),
      ...(call.op === 'read-session' && { sessionId: ids.get(session ?? -1) }),
      ...(isOpened && { sessionId: body?.session_id, expiresAt: body?.expires_at, count: body?.shade_count }),
    } as SampleRequest;
  });
  return { run: { ...sampleRun, explored: calls.length }, profile, requests, answers };
}

const judged = (sample: SampleHistory): Promise<readonly CheckFinding[]> =>
  withHistory(sample, checkExplored);
const verdictsOf = (findings: readonly CheckFinding[]): Readonly<Record<string, Verdict>> =>
  Object.fromEntries(findings.map(({ id, verdict }) => [id, verdict]));
const causesOf = (findings: readonly CheckFinding[], id: CheckId): readonly string[] =>
  (findings.find((each) => each.id === id)?.causes ?? []).map(({ cause }) => cause.code);

describe('the answers of a service to the explorer', () => {
  it('pass every check where they are right', async () => {
    const findings = await judged(historyOf(played()));
    expect(findings.filter(({ verdict }) => verdict !== 'pass')).toEqual([]);
    expect(findings.map(({ id }) => id)).toEqual(exploredChecks.map(({ id }) => id));
  });

  /** `equal`: what explains a record of so few calls as well. */
  const planted: [CheckId, ModelCause, FaultParams?, equal?: ModelCause][] = [
    ['contract.auth', 'key-not-checked'],
    ['contract.near-keys', 'key-compared-loosely', { how: 'without the last character' }],
    ['contract.tenancy', 'accounts-not-separate'],
    ['contract.tenancy', 'foreign-import-stored'],
    ['contract.not-found', 'unknown-id-answered'],
    ['contract.not-found', 'session-id-compared-loosely', { form: 'with another last character' }],
    ['contract.batch-max', 'import-limit-too-low', { what: '499 shades', most: 499, of: 'shades' }],
    ['contract.batch-max', 'import-truncated', { size: 100 }],
    ['contract.batch-over', 'import-limit-not-enforced'],
    ['contract.batch-malformed', 'refused-import-stored'],
    ['contract.malformed-requests', 'malformed-request-fails'],
    ['contract.catalog', 'shade-field-missing'],
    ['contract.names', 'shade-field-changed'],
    ['contract.import-again', 'sku-stored-twice'],
    ['contract.import-update', 'import-applied-in-part', { field: 'name' }],
    ['contract.imports-at-once', 'concurrent-imports-lost'],
    ['contract.sku-twice', 'sku-stored-twice', { within: 'any import', counted: 'twice' }],
    ['contract.shade-count', 'shade-count-wrong', { what: 'that of its catalog, and', number: 1 }],
    ['contract.canary', 'session-changed', { field: 'locale', how: 'in lower case', length: 0, counted: '' }],
    ['contract.expiry', 'expiry-in-the-past'],
    ['contract.history', 'interactions-lost', { place: 'first' }],
    ['contract.acts-again', 'repeated-interaction-stored'],
    ['contract.acts-at-once', 'concurrent-interactions-lost', {}, 'interactions-lost'],
    ['contract.acts-unknown-sku', 'unknown-sku-accepted'],
    ['contract.acts-other-token', 'foreign-token-accepted'],
    ['contract.acts-altered-token', 'altered-token-accepted', { form: 'with a further character' }],
    ['contract.totals', 'analytics-pool-accounts'],
    ['contract.errors', 'server-errors', { op: 'read-session', effect: 'get 5xx' }],
  ];
  // That faults are shown and named, test/model says; here, one row in two is enough to see whose they are.
  it.each(rowsOf(planted, (_, place) => place % 2 === 0))(
    'fail %s where the service has the fault %s',
    async (id, cause, params, equal = cause) => {
      const findings = await judged(
        historyOf(played(visit, { cause, ...(params !== undefined && { params }) })),
      );
      expect(verdictsOf(findings)[id]).toBe('fail');
      expect([cause, equal].filter((each) => causesOf(findings, id).includes(each))).not.toEqual([]);
    },
  );

  it.each([
    [500, 'contract.malformed-requests'],
    [503, 'contract.errors'],
  ])('%i to a request that cannot be read fails %s alone', async (status, id) => {
    const calls = played().map((call) =>
      call.form === 'broken-json' ? { ...call, answer: { status } } : call,
    );
    const verdicts = verdictsOf(await judged(historyOf(calls)));
    expect(Object.keys(verdicts).filter((each) => verdicts[each] === 'fail')).toEqual([id]);
  });

  /** Ordinary requests, one in 20 ms, beside a sample's own. */
  const beside = (sample: SampleHistory, own: (ms: number) => Partial<SampleRequest>): SampleHistory => ({
    ...sample,
    requests: [
      ...(sample.requests ?? []),
      ...Array.from({ length: 100 }, (_, n): SampleRequest => {
        const ms = 900 + 20 * n;
        return { seq: 5_000 + n, endpoint: 'analytics', sentNs: ms * 1e6, intendedNs: ms * 1e6, ...own(ms) };
      }),
    ],
  });

  it('say nothing in an outage that other requests show: a pass names them', async () => {
    const fromMs = 1_300;
    const isDown = (ms: number): boolean => ms >= fromMs;
    const calls = played().map((call) =>
      call.by.kind === 'key' && call.by.key === 'load' && isDown(call.fromMs - zeroMs)
        ? { ...call, answer: { status: 401 } }
        : call,
    );
    const wrong = await judged(historyOf(calls));
    expect(wrong.filter(({ verdict }) => verdict === 'fail')).not.toEqual([]);
    const findings = await judged(beside(historyOf(calls), (ms) => ({ status: isDown(ms) ? 401 : 200 })));
    expect(findings.filter(({ verdict }) => verdict === 'fail')).toEqual([]);
    const catalog = findings.find(({ id }) => id === 'contract.catalog');
    expect(catalog?.reasons.map(({ code }) => code)).toContain('explored-left-out');
  });

  it('in an outage that no other request shows are judged as server errors: none of them is left out everywhere', async () => {
    const calls = played().map((call) =>
      call.by.kind === 'key' && call.fromMs - zeroMs >= 1_300 ? { ...call, answer: { status: 503 } } : call,
    );
    const sample = beside(historyOf(calls), (ms) => ({
      status: 200,
      sentNs: ((ms - 900) * 1e6) / 4,
      intendedNs: ((ms - 900) * 1e6) / 4,
    }));
    const explored = await judged(sample);
    expect(explored.flatMap(({ reasons }) => reasons.map(({ code }) => code))).toContain('explored-left-out');
    const errors = await withHistory(sample, checkErrors);
    expect(errors.verdict).toBe('fail');
    const failed = calls.filter(({ answer }) => answer.status === 503).length;
    expect(errors.evidence?.reduce((sum, { total = 0 }) => sum + total, 0)).toBe(failed);
  });

  it.each<[string, ProfileInput['channel'], Verdict]>([
    ['is open where the form of the channel was guessed', 'discover', 'inconclusive'],
    [
      'is wrong where the profile says where it is and whose credentials it takes',
      { path: '/sessions/{session_id}/interactions', auth: 'session-token' },
      'fail',
    ],
  ])('of which no event was accepted: a history %s', async (_, channel, verdict) => {
    const groups = [[imported('c', [shade('A'), shade('B')])], [opened('c')], [acted(1, 'a')], [shown(1)]];
    const calls = played(groups).map((call) => {
      const { answer, op } = call;
      if (op === 'interact') return { ...call, answer: { status: 422 } };
      const body = { ...(answer.body as object), interactions: [] };
      return op === 'read-session' ? { ...call, answer: { ...answer, body } } : call;
    });
    const verdicts = verdictsOf(await judged(historyOf(calls, { ...told, channel })));
    expect(verdicts['contract.history']).toBe(verdict);
  });

  it('are in no cache where analytics count nothing at all', async () => {
    const asked: CallGroup = [{ op: 'analytics', by: load, product: 'p1' }];
    const groups = [[imported('c', [shade('A')])], asked, [opened('c')], pause, pause, asked, asked];
    const none = {
      ...{ period: '', total_sessions: 0, avg_shades_per_session: 0, cart_intent_rate: 0, top_shades: [] },
    };
    const calls = played(groups).map((call) =>
      call.op === 'analytics' && call.answer.status === 200
        ? { ...call, answer: { status: 200, body: none } }
        : call,
    );
    const findings = await judged(historyOf(calls, { ...told, analytics: { freshness: '1s' } }));
    expect(verdictsOf(findings)['contract.totals']).toBe('fail');
    expect(causesOf(findings, 'contract.totals')).not.toContain('answers-cached');
  });

  it.each<[string, number, (call: ApiCall) => ApiCall['answer']]>([
    ['find a new session a little later, if they find none sooner', 1, () => ({ status: 404 })],
    [
      'show events a little later, if they show them then',
      3,
      ({ answer: { body, status } }) => ({ status, body: { ...(body as object), interactions: [] } }),
    ],
  ])('may %s', async (_, after, early) => {
    const groups = [
      [imported('c', [shade('A'), shade('B')])],
      ...[[opened('c')], [shown(1)], [acted(1, 'a')], [shown(1)], [shown(1)], pause, [shown(1)]],
    ];
    const calls = played(groups).map((call, place) => ({
      ...call,
      ...(call.op === 'read-session' && place > after && place < 8 && { answer: early(call) }),
    }));
    const wrong = async (some: readonly ApiCall[]) =>
      (await judged(historyOf(some, { ...told, session_visible: 'discover' }))).filter(
        ({ verdict }) => verdict === 'fail',
      );
    expect(await wrong(calls)).toEqual([]);
    const never = calls.map((call) => (call.op === 'read-session' ? { ...call, answer: early(call) } : call));
    expect(await wrong(never)).not.toEqual([]);
  });

  it('may be read once before their events show, and not a second later', async () => {
    const groups = [[imported('c', [shade('A')])], [opened('c')], [acted(1, 'a')], [shown(1)]];
    const wrong = async (waited: boolean) => {
      const calls = played(waited ? [...groups.slice(0, 3), pause, ...groups.slice(3)] : groups).map(
        (call) =>
          call.op === 'read-session'
            ? { ...call, answer: { status: 200, body: { interactions: [] } } }
            : call,
      );
      const results = await judged(historyOf(calls, told));
      return results.flatMap(({ id, verdict }) => (verdict === 'fail' ? [id] : []));
    };
    expect(await wrong(false)).toEqual([]);
    expect(await wrong(true)).toContain('contract.history');
  });

  it('are no matter of the call before where no events are stored but the first', async () => {
    const acts = [...'abcd'].flatMap((id) => [[acted(1, id)], [listed('c')]]);
    const groups = [[imported('c', [shade('A'), shade('B')])], [opened('c')], ...acts, pause, [shown(1)]];
    const calls = played(groups).map((each) => {
      // None shares a connection with another one.
      const call = { ...each, line: each.n };
      const body = Object.entries(call.answer.body ?? {}).map(([name, value]) => [
        name,
        Array.isArray(value) ? value.slice(0, 1) : value,
      ]);
      return call.op === 'read-session'
        ? { ...call, answer: { status: 200, body: Object.fromEntries(body) } }
        : call;
    });
    const findings = await judged(historyOf(calls));
    expect(verdictsOf(findings)['contract.history']).toBe('fail');
    expect(causesOf(findings, 'contract.history')).not.toContain('after-kind-of-call');
  });

  it.each<[string, Partial<ApiCall['answer']>]>([
    ['none came', { status: 0 }],
    ['each met the rate limit', { status: 429 }],
  ])('leave every check open where %s', async (_, answer) => {
    const calls = played().map((call) => ({ ...call, answer: { status: 0, ...answer } }));
    const verdicts = verdictsOf(await judged(historyOf(calls)));
    expect(new Set(Object.values(verdicts))).toEqual(new Set(['inconclusive']));
  });

  it('are none, and every check is open, where a run was to explore and did not', async () => {
    const verdicts = verdictsOf(await judged({ run: { ...sampleRun, explored: 450 }, profile: told }));
    expect(Object.values(verdicts)).toEqual(exploredChecks.map(() => 'inconclusive'));
    expect(await judged({})).toEqual([]);
  });

  it.each(
    rowsOf<[CheckId, ProfileInput, FreedomChoices]>(
      [
        ['contract.acts-again', { channel: { repeated_id: 'once' } }, { repeatedId: 'each' }],
        ['contract.acts-unknown-sku', { channel: { unknown_sku: 'refused' } }, { unknownSku: 'taken' }],
        ['contract.acts-other-token', { channel: { other_token: 'refused' } }, { otherToken: 'taken' }],
      ],
      ([id]) => id === 'contract.acts-again',
    ),
  )('of a service of another convention fail %s only where it is promised', async (id, profile, freedoms) => {
    const own = { ...promises, freedoms: { ...plainService.freedoms, ...freedoms } };
    const calls = played(visit, undefined, own, freedoms);
    expect(verdictsOf(await judged(historyOf(calls, profile)))[id]).toBe('fail');
    const open = await judged(historyOf(calls, {}));
    expect(open.filter(({ verdict }) => verdict === 'fail')).toEqual([]);
    expect(verdictsOf(open)[id]).toBeUndefined();
  });

  it.each<[string, ProfileInput['data_scope'], Verdict | undefined]>([
    ['accuse nobody where it is not told', 'discover', 'pass'],
    ['accuse nobody where it is promised', 'shared', undefined],
    ['are wrong where accounts are promised to be separate', 'per-key', 'fail'],
  ])('of a service whose keys share an account %s', async (_, data_scope, tenancy) => {
    const together = { ...promises, accounts: { load: 'one', bystander: 'one' } };
    const findings = await judged(historyOf(played(visit, undefined, together), { ...told, data_scope }));
    expect(verdictsOf(findings)['contract.tenancy']).toBe(tenancy);
    if (tenancy !== 'fail') expect(findings.filter(({ verdict }) => verdict === 'fail')).toEqual([]);
  });
});

describe('where nobody promises whether keys share an account, what explains all answers tells', () => {
  it('separate accounts that share their catalogs alone, which is open then', async () => {
    const calls = played(visit, { cause: 'foreign-import-stored' }, promises);
    const judgedAs = async (data_scope: 'discover' | 'per-key') =>
      verdictsOf(await judged(historyOf(calls, { ...told, data_scope })))['contract.tenancy'];
    expect(await judgedAs('discover')).toBe('inconclusive');
    expect(await judgedAs('per-key')).toBe('fail');
  });

  it.each<[string, ModelPromises['accounts'], ModelCause]>([
    [
      'keys of one account have separate sessions',
      { load: 'one', bystander: 'one' },
      'sessions-of-the-key-alone',
    ],
    ['separate accounts see all sessions', promises.accounts, 'accounts-not-separate'],
  ])('%s', async (_, accounts, cause) => {
    const calls = played(visit, { cause }, { ...promises, accounts });
    const findings = await judged(historyOf(calls, { ...told, data_scope: 'discover' }));
    const wrong = findings.filter(({ verdict }) => verdict === 'fail');
    expect(wrong.map(({ id }) => id)).toContain('contract.tenancy');
    for (const { causes = [] } of wrong) expect(causes.map((each) => each.cause.code)).toContain(cause);
  });
});

describe('a list in pages', () => {
  const shades = many(6);
  const wire = { ...sampleRun, explored: 2 };
  /** An import and its list, of which each page has these SKUs. */
  async function verdictOf(
    pages: readonly { readonly skus: string; readonly next: object; readonly status: number }[],
  ) {
    const [first, ...rest] = pages;
    const calls: ApiCall[] = [imported('c', shades), listed('c')].map((call, n) => ({
      ...{ ...call, n, fromMs: zeroMs + 100 * n, untilMs: zeroMs + 100 * n + 5, line: 1 },
      answer: { status: 200, body: n === 0 ? {} : bodyOf(first) },
    }));
    const sample = historyOf(calls);
    const requests = rest.map(
      ({ status }, n): SampleRequest => ({
        ...{
          seq: 3 + n,
          endpoint: 'list-shades',
          stage: 'settle',
          phase: 'explored',
          probe: 'explored',
          status,
        },
        ...{ catalogId: 'c', intendedNs: (200 + n) * 1e6 },
      }),
    );
    const answers = rest.map(
      (page, n): AnswerRecord => ({
        ...{ seq: 3 + n, endpoint: 'list-shades', pageOf: 2, body: bodyOf(page) },
        query: { catalog_id: 'c', path: `/shades?catalog_id=c&cursor=${n + 1}` },
      }),
    );
    const findings = await judged({
      ...{ ...sample, run: wire },
      requests: [...(sample.requests ?? []), ...requests],
      answers: [...(sample.answers ?? []), ...answers],
    });
    return verdictsOf(findings)['contract.catalog'];
  }
  const bodyOf = (page: { readonly skus: string; readonly next: object } | undefined): object => ({
    shades: [...(page?.skus ?? '')].map((n) => shades[Number(n)] ?? shade('Z')),
    ...page?.next,
  });
  const ends = {
    '>': { next_cursor: '1' },
    '.': { next_cursor: null },
    '?': { has_more: true },
    '!': {},
  } as const;
  /** Pages of shades: after `>` another follows, `.` is the end, `?` says that there are more but not how; `!` is a 503. */
  it.each<[string, pages: string, Verdict]>([
    ['is one list', '012> 345.', 'pass'],
    ['is wrong where it ends early', '012> 34.', 'fail'],
    ['accuses nobody where a page was not answered', '012> !', 'pass'],
    ['accuses nobody where its next page was not asked for', '012>', 'pass'],
    ['accuses nobody where no word says how to get on', '012?', 'pass'],
    ['accuses nobody where the guessed parameter gave the same page again', '012> 012>', 'pass'],
    [
      'accuses nobody where the guessed parameter moved the page by less than its length',
      '012> 123>',
      'pass',
    ],
    ['is wrong where a further page has shades of an earlier one among others', '012> 314.', 'fail'],
    ['is wrong where a page has a shade that was not imported so', '019> 2345.', 'fail'],
  ])('%s: %s', async (_, text, verdict) => {
    const pages = text.split(' ').map((page) => ({
      skus: page.slice(0, -1),
      next: ends[page.slice(-1) as keyof typeof ends],
      status: page === '!' ? 503 : 200,
    }));
    expect(await verdictOf(pages)).toBe(verdict);
  });
});
