import { describe, expect, it } from 'vitest';
import type { ApiCall, CallAnswer, CallRequest, SentShade } from '../../src/model/call.ts';
import { explain } from '../../src/model/faults/explain.ts';
import { powerOf } from '../../src/model/faults/power.ts';
import { modelFaults } from '../../src/model/faults/table.ts';
import type { FreedomPromises } from '../../src/model/freedoms.ts';
import { judge } from '../../src/model/judge.ts';
import { shrink } from '../../src/model/shrink.ts';
import { honestModel, usualPromises } from '../../src/model/stages.ts';

/** Hand-written histories: what was met by earlier models, one row each. */

type Written = CallRequest & {
  readonly at: number;
  readonly for?: number;
  readonly line?: number;
  readonly answer: CallAnswer;
};

const load = { kind: 'key', key: 'load' } as const;
const other = { kind: 'key', key: 'other' } as const;
const nobody = { kind: 'near', key: 'load', form: 'unknown' } as const;
const red = (name: string, more: Partial<SentShade> = {}): SentShade => ({
  ...{ sku: 'A', name, hex: '#AABBCC', finish: 'matte' },
  ...more,
});
const bad: SentShade = { sku: 'B', name: 'b', hex: 'red', finish: 'matte' };
const ok = (body: unknown = {}): CallAnswer => ({ status: 200, body });

const imported = (
  at: number,
  shades: readonly SentShade[],
  answer: CallAnswer = ok(),
  long?: number,
): Written => ({
  ...{ op: 'import-shades', by: load, catalog: 'c', shades, at, answer },
  ...(long !== undefined && { for: long }),
});
const listed = (at: number, shades: readonly SentShade[], by: CallRequest['by'] = load): Written => ({
  ...{ op: 'list-shades', by, catalog: 'c', at, answer: ok({ shades }) },
});
const listedInPages = (at: number, long: number, shades: readonly SentShade[]): Written => ({
  ...{ ...listed(at, shades), for: long, answer: { ...ok({ shades }), isPaged: true } },
});
const opened = (at: number, by: CallRequest['by'] = load, lifetimeMs = 1_800_000): Written => ({
  ...{ op: 'create-session', by, catalog: 'c', product: 'p', locale: 'en-GB', at },
  answer: ok({
    session_id: `s${at}`,
    expires_at: new Date(1e12 + at + lifetimeMs).toISOString(),
    shade_count: 1,
  }),
});
/** The SKU that an event of a row names: its id begins with it. */
const skuOf = (id: string): string => id.slice(0, 1).toUpperCase().replace('E', 'A');
const acted = (
  at: number,
  session: number,
  of: number | CallRequest['by'],
  status: number,
  events = [`e${at}`],
): Written => ({
  ...{ op: 'interact', by: typeof of === 'number' ? { kind: 'token', of } : of, session, at },
  answer: { status, body: {} },
  events: events.map((id) => ({
    id,
    type: 'shade_selected',
    sku: skuOf(id),
    atMs: 1e12,
  })),
});
const histories = (at: number, session: number, ids: readonly string[]): Written => ({
  ...{ op: 'read-session', by: load, session, at },
  answer: ok({
    interactions: ids.map((id) => ({
      ...{
        id,
        type: 'shade_selected',
        sku: skuOf(id),
        at: new Date(1e12).toISOString(),
      },
    })),
  }),
});

const expiring = (at: number, session: number, expiresMs: number): Written => ({
  ...{ op: 'read-session', by: load, session, at },
  answer: ok({ expires_at: new Date(1e12 + expiresMs).toISOString() }),
});
const analysed = (at: number, status: number): Written => ({
  ...{ op: 'analytics', by: load, product: 'p', at, answer: { status } },
});

const callsOf = (written: readonly Written[]): ApiCall[] =>
  written.map(({ at, for: long = 5, ...call }, n) => ({
    ...{ line: 0, ...call, n, fromMs: 1e12 + at, untilMs: 1e12 + at + long },
  }));

const divergences = (
  written: readonly Written[],
  { redeliveredMs = 0, ...freedoms }: TrapPromises,
): string[] =>
  judge(callsOf(written), honestModel({ ...usualPromises, freedoms, redeliveredMs })).divergences.map(
    ({ call, kind }) => `${call} ${kind}`,
  );

type TrapPromises = FreedomPromises & { readonly redeliveredMs?: number };

const old = red('old');
const neu = red('new');

const alteredToken = { kind: 'near token', of: 1, form: 'with a further character' } as const;
const sentAgain = [
  ...[imported(0, [old]), opened(10), acted(100, 1, 1, 202, ['A1']), acted(1_500, 1, 1, 202, ['A1'])],
];
/** One of a SKU that came after its session, and more events than are promised to be taken. */
const manyIds = ['B0', ...Array.from({ length: 25 }, (_, n) => `A${n}`)];
const skuThatComes = [
  ...[imported(0, [old]), opened(10), acted(100, 1, 1, 202, ['A1', 'B1', 'A2'])],
  imported(102, [red('b', { sku: 'B' })]),
];
const newSkuRefused = [
  ...[imported(0, [old]), opened(10), imported(20, [red('b', { sku: 'B' })])],
  acted(100, 1, 1, 422, ['A1', 'B1']),
];
const skusOfCreation: FreedomPromises = {
  ...{ skus: 'creation', unknownSku: 'refused', refusedEvents: 'all good' },
};

describe.each<{ name: string; calls: readonly Written[]; expected: string[]; promised?: TrapPromises }>([
  {
    name: 'a channel that takes an API key need not take that of another account',
    calls: [
      imported(0, [old]),
      opened(10),
      acted(100, 1, load, 200, ['A1']),
      acted(200, 1, other, 404, ['A2']),
    ],
    expected: [],
  },
  {
    name: 'and may not',
    calls: [
      imported(0, [old]),
      opened(10),
      acted(100, 1, load, 200, ['A1']),
      acted(200, 1, other, 200, ['A2']),
    ],
    expected: ['3 status'],
  },
  ...[[old, old], [old], [neu, red('b', { sku: 'B' })], [old, neu, red('b', { sku: 'B' })]].map((shades) => ({
    name: `between the pages of a list an import may land: ${shades.map(({ name }) => name).join(', ')}`,
    calls: [imported(0, [old, red('b', { sku: 'B' })]), imported(20, [neu]), listedInPages(10, 90, shades)],
    expected: [],
  })),
  {
    name: 'in which no SKU is shown that nobody imported',
    calls: [imported(0, [old]), imported(20, [neu]), listedInPages(10, 90, [old, red('c', { sku: 'C' })])],
    expected: ['2 extra'],
  },
  {
    name: 'without an import, each page is of one catalog',
    calls: [
      imported(0, [old, red('b', { sku: 'B' })]),
      imported(10, [neu]),
      listedInPages(20, 90, [neu, neu]),
    ],
    expected: ['2 twice', '2 missing'],
  },
  {
    name: 'an event that is left out for its SKU need not count as a repeat of an id in its batch',
    calls: [
      ...[
        imported(0, [old]),
        opened(10),
        acted(100, 1, 1, 409, ['A1', 'A1']),
        acted(200, 1, 1, 200, ['C1', 'A2']),
      ],
      acted(300, 1, 1, 200, ['C1', 'C1', 'A3']),
    ],
    expected: [],
  },
  {
    name: 'and one of a SKU of the catalog does',
    calls: [
      ...[
        imported(0, [old]),
        opened(10),
        acted(100, 1, 1, 409, ['A1', 'A1']),
        acted(200, 1, 1, 200, ['C1', 'A2']),
      ],
      acted(300, 1, 1, 200, ['C1', 'A3', 'A3']),
    ],
    expected: ['4 status'],
  },
  {
    name: 'of two imports at the same time either may be shown',
    calls: [imported(0, [old], ok(), 50), imported(10, [neu], ok(), 50), listed(100, [old])],
    expected: [],
  },
  {
    name: 'and then it stays: a list that changes without a write is wrong',
    calls: [
      ...[imported(0, [old], ok(), 50), imported(10, [neu], ok(), 50)],
      ...[listed(100, [old]), listed(200, [neu])],
    ],
    expected: ['3 value'],
  },
  {
    name: 'an import without an answer may have happened or not',
    calls: [
      imported(0, [old]),
      imported(10, [neu], { status: 0 }),
      listed(20_000, [old]),
      listed(20_100, [old]),
    ],
    expected: [],
  },
  {
    name: 'what a limit refuses changes nothing',
    calls: [imported(0, [old]), imported(10, [neu], { status: 429 }), listed(100, [neu])],
    expected: ['2 value'],
  },
  {
    name: 'a bad key is 401, whatever else is wrong',
    calls: [{ ...imported(0, [old], { status: 422 }), by: nobody, form: 'no-fields' }],
    expected: ['0 status'],
  },
  {
    name: 'but a body that is not JSON may be refused before the key is looked at',
    calls: [{ ...imported(0, [old], { status: 400 }), by: nobody, form: 'broken-json' }],
    expected: [],
  },
  {
    name: 'the case of a colour and the Unicode form of a name are free',
    calls: [imported(0, [red('é')]), listed(100, [red('e\u0301', { hex: '#aabbcc' })])],
    expected: [],
  },
  {
    name: 'a refused import stores nothing where that is promised',
    calls: [imported(0, [old]), imported(10, [neu, bad], { status: 422 }), listed(100, [neu])],
    expected: ['2 value'],
    promised: { refusedImport: 'nothing' },
  },
  {
    name: 'a refused import may store its good part where nothing is promised',
    calls: [imported(0, [old]), imported(10, [neu, bad], { status: 422 }), listed(100, [neu])],
    expected: [],
  },
  {
    name: 'and then it has to do so consistently',
    calls: [
      ...[imported(0, [old]), imported(10, [neu, bad], { status: 422 }), listed(100, [neu])],
      ...[imported(200, [red('third'), bad], { status: 422 }), listed(300, [neu])],
    ],
    expected: ['4 value'],
  },
  {
    name: 'a shade that is imported again may keep its first value',
    calls: [imported(0, [old]), imported(10, [neu]), listed(100, [old])],
    expected: [],
  },
  {
    name: 'and then always',
    calls: [
      ...[imported(0, [old]), imported(10, [neu]), listed(100, [old])],
      ...[imported(200, [red('third')]), listed(300, [red('third')])],
    ],
    expected: ['4 value'],
  },
  {
    name: 'an import that was answered 202 may be listed later',
    calls: [
      imported(0, [old]),
      imported(10, [neu], { status: 202 }),
      listed(1_000, [old]),
      listed(11_000, [neu]),
    ],
    expected: [],
  },
  {
    name: 'an import of a SKU that its catalog has may be refused',
    calls: [imported(0, [old]), imported(10, [neu], { status: 409 }), listed(100, [old])],
    expected: [],
  },
  {
    name: 'and then always',
    calls: [imported(0, [old]), imported(10, [neu], { status: 409 }), imported(20, [neu])],
    expected: ['2 status'],
  },
  {
    name: 'where one was taken, none is refused',
    calls: [imported(0, [old]), imported(10, [neu]), imported(20, [old], { status: 409 })],
    expected: ['2 status'],
  },
  {
    name: 'an import with a SKU twice may be refused',
    calls: [imported(0, [old, neu], { status: 422 }), imported(10, [old, neu])],
    expected: ['1 status'],
  },
  {
    name: 'a catalog may be of the account that made it alone',
    calls: [
      imported(0, [old]),
      { ...imported(10, [neu], { status: 409 }), by: other },
      { ...listed(20, []), by: other, answer: { status: 403 } },
      { ...imported(30, [neu]), by: other },
    ],
    expected: ['3 status'],
  },
  {
    name: 'a batch of events with an id that its session has may be refused',
    calls: [
      ...[imported(0, [old]), opened(10), acted(100, 1, 1, 202, ['A1']), acted(1_500, 1, 1, 409, ['A1'])],
      acted(3_000, 1, 1, 202, ['A1']),
    ],
    expected: ['4 status'],
  },
  {
    name: 'analytics of a product without sessions may be missing, until it has some',
    calls: [analysed(0, 404), imported(10, [old]), opened(20), analysed(20_000, 404)],
    expected: ['3 status'],
  },
  {
    name: 'a redirect to the usual spelling serves nothing',
    calls: [imported(0, [old]), { ...listed(100, []), form: 'slash', answer: { status: 308 } }],
    expected: [],
  },
  {
    name: 'a read may move the expiry of its session',
    calls: [imported(0, [old]), opened(10), expiring(5_000, 1, 1_805_002), expiring(9_000, 1, 1_809_003)],
    expected: [],
  },
  {
    name: 'but not beyond its lifetime, and not back',
    calls: [
      ...[imported(0, [old]), opened(10), expiring(5_000, 1, 1_805_002)],
      ...[expiring(6_000, 1, 1_800_000), expiring(7_000, 1, 1_820_000)],
    ],
    expected: ['3 number', '4 number'],
  },
  {
    name: 'another account has catalogs of its own',
    calls: [imported(0, [old]), listed(100, [old], other)],
    expected: ['1 status'],
  },
  {
    name: 'HEAD may be unknown to a server',
    calls: [imported(0, [old]), { ...listed(100, []), form: 'head', answer: { status: 404 } }],
    expected: [],
  },
  {
    name: 'the token of another session has no effect where it is refused',
    calls: [
      ...[imported(0, [old]), opened(10), opened(20), acted(100, 1, 2, 403), histories(2_000, 1, [])],
      histories(3_000, 1, ['e100']),
    ],
    expected: ['5 extra'],
    promised: { refusedEvents: 'nothing' },
  },
  {
    name: 'the token of another session is wrong where it is accepted against the promise',
    calls: [imported(0, [old]), opened(10), opened(20), acted(100, 1, 2, 202)],
    expected: ['3 status'],
    promised: { otherToken: 'refused' },
  },
  {
    name: 'an accepted event has to be in its history',
    calls: [imported(0, [old]), opened(10), acted(100, 1, 1, 202), histories(3_000, 1, [])],
    expected: ['3 missing'],
  },
  {
    name: 'what a refused import stores of a SKU that is in it twice depends on two freedoms',
    calls: [
      ...[imported(0, [red('other', { sku: 'C' })]), imported(10, [bad, old, neu], { status: 422 })],
      ...[imported(20, [old, neu]), listed(100, [neu])].map((call) => ({ ...call, catalog: 'd' })),
      listed(200, [red('other', { sku: 'C' })]),
    ],
    expected: [],
  },
  {
    name: 'where only the SKUs of the creation may be named, a later one makes a batch bad, which stores its others',
    calls: [...newSkuRefused, histories(2_000, 1, ['A1']), histories(2_100, 1, ['A1'])],
    expected: [],
    promised: skusOfCreation,
  },
  {
    name: 'and then the later one is not stored, and the others are',
    calls: [...newSkuRefused, histories(2_000, 1, ['A1', 'B1']), histories(2_100, 1, [])],
    expected: ['4 extra', '5 missing'],
    promised: skusOfCreation,
  },
  {
    name: 'a SKU that the creation had stays one of it after it is imported again',
    calls: [
      ...[imported(0, [old]), opened(100), imported(200, [neu]), listed(400, [neu]), acted(500, 1, 1, 202)],
    ],
    expected: [],
    promised: skusOfCreation,
  },
  {
    name: 'a batch that takes effect late may meet a SKU that was imported after it was answered',
    calls: [
      ...[imported(0, [old]), opened(10), acted(100, 1, 1, 202, ['A1', 'B1'])],
      ...[imported(200, [red('b', { sku: 'B' })]), listed(210, [old, red('b', { sku: 'B' })])],
      ...[histories(2_000, 1, ['A1', 'B1']), acted(3_000, 1, 1, 202, ['A2', 'C1'])],
      histories(5_000, 1, ['A1', 'B1', 'A2']),
    ],
    expected: [],
  },
  {
    name: 'a token that is refused near the end of its session may be refused for that alone',
    calls: [
      ...[imported(0, [old]), opened(10, load, 2_100), opened(20, load, 2_100)],
      ...[acted(1_000, 1, 2, 401), opened(1_100, load, 2_100), acted(1_200, 1, 4, 202)],
    ],
    expected: [],
  },
  {
    name: 'an event in a lost batch and in a later one may have arrived with either',
    calls: [
      ...[
        imported(0, [old]),
        opened(10),
        acted(100, 1, 1, 0, ['A1']),
        acted(15_000, 1, 1, 202, ['A2', 'A1']),
      ],
      ...[histories(20_000, 1, ['A2', 'A1']), histories(20_100, 1, ['A2', 'A1'])],
    ],
    expected: [],
    promised: { order: 'arrival' },
  },
  {
    name: 'an event that is sent again may be stored again',
    calls: [...sentAgain, histories(3_000, 1, ['A1', 'A1'])],
    expected: [],
  },
  {
    name: 'and then always',
    calls: [
      ...[...sentAgain, histories(3_000, 1, ['A1', 'A1']), acted(4_000, 1, 1, 202, ['A1'])],
      histories(6_000, 1, ['A1', 'A1']),
    ],
    expected: ['6 missing'],
  },
  {
    name: 'where it was stored once, it is never stored again',
    calls: [
      ...[...sentAgain, histories(3_000, 1, ['A1']), acted(4_000, 1, 1, 202, ['A1'])],
      histories(6_000, 1, ['A1', 'A1']),
    ],
    expected: ['6 twice'],
  },
  {
    name: 'and is never stored again where that is promised',
    calls: [...sentAgain, histories(3_000, 1, ['A1', 'A1'])],
    expected: ['4 twice'],
    promised: { repeatedId: 'once' },
  },
  {
    name: 'a channel may refuse more events in a request than anybody promised it takes, which says nothing of SKUs',
    calls: [
      ...[imported(0, [old]), opened(10), imported(20, [red('b', { sku: 'B' })])],
      ...[acted(100, 1, 1, 413, manyIds), acted(200, 1, 1, 202, ['B1']), histories(2_000, 1, ['B1'])],
    ],
    expected: [],
  },
  {
    name: 'and is wrong where it refuses fewer',
    calls: [imported(0, [old]), opened(10), acted(100, 1, 1, 413, manyIds.slice(1, 20))],
    expected: ['2 status'],
  },
  {
    name: 'what a batch leaves out for its SKU, its second delivery may add at the end',
    calls: [
      ...skuThatComes,
      histories(2_500, 1, ['A1', 'A2', 'B1']),
      histories(3_000, 1, ['A1', 'A2', 'B1']),
    ],
    expected: [],
    promised: { unknownSku: 'dropped', skus: 'live', order: 'arrival', redeliveredMs: 1_000 },
  },
  {
    name: 'and where there is no second delivery, the order is that of the batch',
    calls: [...skuThatComes, histories(2_500, 1, ['A1', 'A2', 'B1'])],
    expected: ['4 order'],
    promised: { unknownSku: 'dropped', skus: 'live', order: 'arrival' },
  },
  {
    name: 'an altered token may be refused as any service refuses a credential',
    calls: [imported(0, [old]), opened(10), acted(100, 1, alteredToken, 403)],
    expected: [],
  },
  {
    name: 'and is wrong where it is accepted',
    calls: [imported(0, [old]), opened(10), acted(100, 1, alteredToken, 202)],
    expected: ['2 status'],
  },
  {
    name: 'a shade without a colour may be taken, and is then not listed',
    calls: [imported(0, [old, bad]), listed(100, [old]), listed(200, [old, bad])],
    expected: ['2 extra'],
  },
  {
    name: 'an import of nothing may be taken, and removes nothing',
    calls: [imported(0, [old]), imported(10, []), listed(100, [old]), listed(200, [])],
    expected: ['3 missing'],
  },
  {
    name: 'a 5xx is wrong by itself',
    calls: [imported(0, [old], { status: 500 })],
    expected: ['0 status'],
  },
  {
    name: 'an answer that never came diverges nowhere',
    calls: [imported(0, [old], { status: 0 }), { ...listed(100, []), answer: { status: 0 } }],
    expected: [],
  },
])('$name', ({ calls, expected, promised = {} }) => {
  it('holds', () => {
    expect(divergences(calls, promised)).toEqual(expected);
  });
});

it('a divergence is shrunk to the calls that it needs', () => {
  const calls = callsOf([
    ...[
      imported(0, [old]),
      { ...imported(10, [old]), catalog: 'unrelated' },
      opened(20),
      acted(30, 2, 2, 202),
    ],
    ...[imported(2_000, [neu]), listed(3_000, [red('wrong')])],
  ]);
  const model = (): ReturnType<typeof honestModel> => honestModel();
  const [first] = judge(calls, model()).divergences;
  if (first === undefined) throw new Error('the list is right');
  const { calls: left, divergence } = shrink(calls, first, { model });
  expect(left.map(({ n }) => n)).toEqual([4, 5]);
  expect(divergence.kind).toBe('value');
});

describe('an explanation names a row only if it predicts the answers', () => {
  const causesOf = (written: readonly Written[]): string[] =>
    explain(callsOf(written), { faults: modelFaults, model: () => honestModel() }).causes.map(
      ({ fault }) => fault.cause,
    );

  it('a value that no row predicts is given to none, however much a row leaves open', () => {
    expect(causesOf([imported(0, [old]), listed(100, [red('wrong')])])).toEqual([]);
  });

  it('rows that predict the same answers are named together', () => {
    expect(causesOf([imported(0, [old]), listed(100, [old], other)])).toEqual(
      expect.arrayContaining(['foreign-import-stored', 'accounts-not-separate']),
    );
  });

  it('where the processes behind a balancer differ, a connection that was wrong once is wrong again', () => {
    const reads = [1, 2, 1, 2, 1, 2].map((line, at) => ({
      ...{ ...histories(100 + 100 * at, 1, []), line },
      ...(line === 2 && { answer: { status: 404 } }),
    }));
    const calls = [imported(0, [old]), opened(10), ...reads];
    expect(causesOf(calls.map((call) => ({ line: 1, ...call })))[0]).toBe('depends-on-connection');
  });
});

it('a run says why it does not show a fault', () => {
  const calls = callsOf([imported(0, [old]), listed(100, [old]), listed(200, [old])]);
  const power = powerOf(calls, modelFaults, () => honestModel());
  const whyOf = (says: string): string =>
    power.find(({ fault }) => fault.says.startsWith(says))?.why ?? 'it is shown';
  expect(whyOf('Listed shades have no {field}')).toBe('it is shown');
  expect(whyOf('A history leaves its')).toBe('untouched');
  expect(whyOf('An import stores only its first')).toBe('no difference');
  expect(whyOf('Imports that were accepted are lost')).toBe('uncertain');
});
