import { describe, expect, it } from 'vitest';
import type { ApiCall, CallAnswer, CallRequest, SentShade } from '../../src/model/call.ts';
import { explain } from '../../src/model/faults/explain.ts';
import { powerOf } from '../../src/model/faults/power.ts';
import { modelFaults } from '../../src/model/faults/table.ts';
import type { FreedomPromises } from '../../src/model/freedoms.ts';
import { judge } from '../../src/model/judge.ts';
import { shrink } from '../../src/model/shrink.ts';
import { honestModel } from '../../src/model/stages.ts';
import { usualPromises } from '../explore/conventions.ts';

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

/** Of each row the calls, and the wrong ones among them with what is wrong. */
type Row = readonly (Written & { readonly wrong?: string })[];
const wrong = (kinds: string, call: Written): Row[number] => ({ ...call, wrong: kinds });
type TrapPromises = FreedomPromises & { readonly redeliveredMs?: number };

/** Each row diverges in what is marked in it, and in nothing else. */
function holds(rows: Readonly<Record<string, Row>>, promised: TrapPromises = {}): void {
  const { redeliveredMs = 0, ...freedoms } = promised;
  const suffix = Object.keys(promised).length > 0 ? `, where ${JSON.stringify(promised)} is promised` : '';
  it.each(Object.entries(rows))(`%s${suffix}`, (_, row) => {
    const model = honestModel({ ...usualPromises, freedoms, redeliveredMs });
    const { divergences } = judge(callsOf(row.map(({ wrong: _wrong, ...call }) => call)), model);
    const marked = row.flatMap(
      ({ wrong: kinds }, n) => kinds?.split(' ').map((kind) => `${n} ${kind}`) ?? [],
    );
    expect(divergences.map(({ call, kind }) => `${call} ${kind}`)).toEqual(marked);
  });
}

const old = red('old');
const neu = red('new');
const b = red('b', { sku: 'B' });
const c = red('other', { sku: 'C' });
const long = red('n'.repeat(600), { sku: 'N' });
const refusing = (status: number) => ({ status });

const alteredToken = { kind: 'near token', of: 1, form: 'with a further character' } as const;
/** A session of a catalog with one shade, `s10`. */
const shop = [imported(0, [old]), opened(10)];
const sentAgain = [...shop, acted(100, 1, 1, 202, ['A1']), acted(1_500, 1, 1, 202, ['A1'])];
/** One of a SKU that came after its session, and more events than are promised to be taken. */
const manyIds = ['B0', ...Array.from({ length: 25 }, (_, n) => `A${n}`)];
const skuThatComes = [...shop, acted(100, 1, 1, 202, ['A1', 'B1', 'A2']), imported(102, [b])];
const newSkuRefused = [...shop, imported(20, [b]), acted(100, 1, 1, 422, ['A1', 'B1'])];
/** A batch with an id twice is refused, and one that leaves out a SKU is taken. */
const idTwiceRefused = [...shop, acted(100, 1, 1, 409, ['A1', 'A1']), acted(200, 1, 1, 200, ['C1', 'A2'])];
const atOnce = [imported(0, [old], ok(), 50), imported(10, [neu], ok(), 50)];
const refused = [imported(0, [old]), imported(10, [neu, bad], refusing(422))];

describe('imports and lists', () => {
  for (const shades of [[old, old], [old], [neu, b], [old, neu, b]])
    holds({
      [`between the pages of a list an import may land: ${shades.map(({ name }) => name).join(', ')}`]: [
        ...[imported(0, [old, b]), imported(20, [neu]), listedInPages(10, 90, shades)],
      ],
    });
  holds({
    'in which no SKU is shown that nobody imported': [
      imported(0, [old]),
      imported(20, [neu]),
      wrong('extra', listedInPages(10, 90, [old, red('c', { sku: 'C' })])),
    ],
    'without an import, each page is of one catalog': [
      imported(0, [old, b]),
      imported(10, [neu]),
      wrong('twice missing', listedInPages(20, 90, [neu, neu])),
    ],
    'of two imports at the same time either may be shown': [...atOnce, listed(100, [old])],
    'and then it stays: a list that changes without a write is wrong': [
      ...[...atOnce, listed(100, [old]), wrong('value', listed(200, [neu]))],
    ],
    'an import without an answer may have happened or not': [
      ...[imported(0, [old]), imported(10, [neu], refusing(0)), listed(20_000, [old]), listed(20_100, [old])],
    ],
    'what a limit refuses changes nothing': [
      ...[imported(0, [old]), imported(10, [neu], refusing(429)), wrong('value', listed(100, [neu]))],
    ],
    'a shade with a long text may be left out of an import that says how many it took': [
      imported(0, [old, long], ok({ accepted: 1, rejected: [{ index: 1 }] })),
      listed(100, [old]),
    ],
    'and its length may be refused later': [
      imported(0, [old, long], ok({ stored: 1 })),
      imported(100, [long], refusing(422)),
      listed(200, [old]),
    ],
    'where the answer does not say so, or says it of more than are long, it is stored': [
      imported(0, [old, long], ok({ accepted: 2, rejected: [] })),
      wrong('missing', listed(100, [old])),
    ],
    'and a short one is always stored': [
      imported(0, [old, b], ok({ accepted: 1, rejected: [{ index: 1 }] })),
      wrong('missing', listed(100, [old])),
    ],
    'a bad key is 401, whatever else is wrong': [
      wrong('status', { ...imported(0, [old], refusing(422)), by: nobody, form: 'no-fields' }),
    ],
    'but a body that is not JSON may be refused before the key is looked at': [
      { ...imported(0, [old], refusing(400)), by: nobody, form: 'broken-json' },
    ],
    'the case of a colour and the Unicode form of a name are free': [
      ...[imported(0, [red('é')]), listed(100, [red('e\u0301', { hex: '#aabbcc' })])],
    ],
    'a refused import may store its good part where nothing is promised': [...refused, listed(100, [neu])],
    'and then it has to do so consistently': [
      ...[...refused, listed(100, [neu]), imported(200, [red('third'), bad], refusing(422))],
      wrong('value', listed(300, [neu])),
    ],
    'a shade that is imported again may keep its first value': [
      ...[imported(0, [old]), imported(10, [neu]), listed(100, [old])],
    ],
    'and then always': [
      ...[imported(0, [old]), imported(10, [neu]), listed(100, [old]), imported(200, [red('third')])],
      wrong('value', listed(300, [red('third')])),
    ],
    'an import that was answered 202 may be listed later': [
      ...[
        imported(0, [old]),
        imported(10, [neu], refusing(202)),
        listed(1_000, [old]),
        listed(11_000, [neu]),
      ],
    ],
    'an import of a SKU that its catalog has may be refused': [
      ...[imported(0, [old]), imported(10, [neu], refusing(409)), listed(100, [old])],
    ],
    'which is then always so': [
      ...[imported(0, [old]), imported(10, [neu], refusing(409)), wrong('status', imported(20, [neu]))],
    ],
    'where one was taken, none is refused': [
      ...[imported(0, [old]), imported(10, [neu]), wrong('status', imported(20, [old], refusing(409)))],
    ],
    'an import with a SKU twice may be refused': [
      imported(0, [old, neu], refusing(422)),
      wrong('status', imported(10, [old, neu])),
    ],
    'a catalog may be of the account that made it alone': [
      imported(0, [old]),
      { ...imported(10, [neu], refusing(409)), by: other },
      { ...listed(20, []), by: other, answer: refusing(403) },
      wrong('status', { ...imported(30, [neu]), by: other }),
    ],
    'a redirect to the usual spelling serves nothing': [
      imported(0, [old]),
      { ...listed(100, []), form: 'slash', answer: refusing(308) },
    ],
    'another account has catalogs of its own': [
      imported(0, [old]),
      wrong('status', listed(100, [old], other)),
    ],
    'HEAD may be unknown to a server': [
      imported(0, [old]),
      { ...listed(100, []), form: 'head', answer: refusing(404) },
    ],
    'what a refused import stores of a SKU that is in it twice depends on two freedoms': [
      ...[imported(0, [c]), imported(10, [bad, old, neu], refusing(422))],
      ...[imported(20, [old, neu]), listed(100, [neu])].map((call) => ({ ...call, catalog: 'd' })),
      listed(200, [c]),
    ],
    'a shade without a colour may be taken, and is then not listed': [
      ...[imported(0, [old, bad]), listed(100, [old]), wrong('extra', listed(200, [old, bad]))],
    ],
    'an import of nothing may be taken, and removes nothing': [
      ...[imported(0, [old]), imported(10, []), listed(100, [old]), wrong('missing', listed(200, []))],
    ],
    'a 5xx is wrong by itself': [wrong('status', imported(0, [old], refusing(500)))],
    'an answer that never came diverges nowhere': [
      imported(0, [old], refusing(0)),
      { ...listed(100, []), answer: refusing(0) },
    ],
  });
  holds(
    { 'a refused import stores nothing': [...refused, wrong('value', listed(100, [neu]))] },
    { refusedImport: 'nothing' },
  );
});

describe('sessions, their events and analytics', () => {
  holds({
    'a channel that takes an API key need not take that of another account': [
      ...[...shop, acted(100, 1, load, 200, ['A1']), acted(200, 1, other, 404, ['A2'])],
    ],
    'and may not': [
      ...[...shop, acted(100, 1, load, 200, ['A1']), wrong('status', acted(200, 1, other, 200, ['A2']))],
    ],
    'an event that is left out for its SKU need not count as a repeat of an id in its batch': [
      ...[...idTwiceRefused, acted(300, 1, 1, 200, ['C1', 'C1', 'A3'])],
    ],
    'and one of a SKU of the catalog does': [
      ...[...idTwiceRefused, wrong('status', acted(300, 1, 1, 200, ['C1', 'A3', 'A3']))],
    ],
    'a batch of events with an id that its session has may be refused': [
      ...[...shop, acted(100, 1, 1, 202, ['A1']), acted(1_500, 1, 1, 409, ['A1'])],
      wrong('status', acted(3_000, 1, 1, 202, ['A1'])),
    ],
    'analytics of a product without sessions may be missing, until it has some': [
      ...[analysed(0, 404), imported(10, [old]), opened(20), wrong('status', analysed(20_000, 404))],
    ],
    'a read may move the expiry of its session': [
      ...[...shop, expiring(5_000, 1, 1_805_002), expiring(9_000, 1, 1_809_003)],
    ],
    'but not beyond its lifetime, and not back': [
      ...[...shop, expiring(5_000, 1, 1_805_002), wrong('number', expiring(6_000, 1, 1_800_000))],
      wrong('number', expiring(7_000, 1, 1_820_000)),
    ],
    'an accepted event has to be in its history': [
      ...[...shop, acted(100, 1, 1, 202), wrong('missing', histories(3_000, 1, []))],
    ],
    'a batch that takes effect late may meet a SKU that was imported after it was answered': [
      ...[...shop, acted(100, 1, 1, 202, ['A1', 'B1']), imported(200, [b]), listed(210, [old, b])],
      ...[histories(2_000, 1, ['A1', 'B1']), acted(3_000, 1, 1, 202, ['A2', 'C1'])],
      histories(5_000, 1, ['A1', 'B1', 'A2']),
    ],
    'a token that is refused near the end of its session may be refused for that alone': [
      ...[imported(0, [old]), opened(10, load, 2_100), opened(20, load, 2_100)],
      ...[acted(1_000, 1, 2, 401), opened(1_100, load, 2_100), acted(1_200, 1, 4, 202)],
    ],
    'an event that is sent again may be stored again': [...sentAgain, histories(3_000, 1, ['A1', 'A1'])],
    'and then always': [
      ...[...sentAgain, histories(3_000, 1, ['A1', 'A1']), acted(4_000, 1, 1, 202, ['A1'])],
      wrong('missing', histories(6_000, 1, ['A1', 'A1'])),
    ],
    'where it was stored once, it is never stored again': [
      ...[...sentAgain, histories(3_000, 1, ['A1']), acted(4_000, 1, 1, 202, ['A1'])],
      wrong('twice', histories(6_000, 1, ['A1', 'A1'])),
    ],
    'a channel may refuse more events in a request than anybody promised it takes, which says nothing of SKUs':
      [
        ...[...shop, imported(20, [b]), acted(100, 1, 1, 413, manyIds), acted(200, 1, 1, 202, ['B1'])],
        histories(2_000, 1, ['B1']),
      ],
    'and is wrong where it refuses fewer': [
      ...[...shop, wrong('status', acted(100, 1, 1, 413, manyIds.slice(1, 20)))],
    ],
    'an altered token may be refused as any service refuses a credential': [
      ...[...shop, acted(100, 1, alteredToken, 403)],
    ],
    'and is wrong where it is accepted': [...shop, wrong('status', acted(100, 1, alteredToken, 202))],
  });
  holds(
    {
      'the token of another session has no effect where it is refused': [
        ...[...shop, opened(20), acted(100, 1, 2, 403), histories(2_000, 1, [])],
        wrong('extra', histories(3_000, 1, ['e100'])),
      ],
    },
    { refusedEvents: 'nothing' },
  );
  holds(
    {
      'the token of another session is wrong where it is accepted': [
        ...[...shop, opened(20), wrong('status', acted(100, 1, 2, 202))],
      ],
    },
    { otherToken: 'refused' },
  );
  holds(
    {
      'a later SKU makes a batch bad, which stores its others': [
        ...[...newSkuRefused, histories(2_000, 1, ['A1']), histories(2_100, 1, ['A1'])],
      ],
      'and then the later one is not stored, and the others are': [
        ...[...newSkuRefused, wrong('extra', histories(2_000, 1, ['A1', 'B1']))],
        wrong('missing', histories(2_100, 1, [])),
      ],
      'a SKU that the creation had stays one of it after it is imported again': [
        ...[imported(0, [old]), opened(100), imported(200, [neu]), listed(400, [neu]), acted(500, 1, 1, 202)],
      ],
    },
    { skus: 'creation', unknownSku: 'refused', refusedEvents: 'all good' },
  );
  holds(
    {
      'an event in a lost batch and in a later one may have arrived with either': [
        ...[...shop, acted(100, 1, 1, 0, ['A1']), acted(15_000, 1, 1, 202, ['A2', 'A1'])],
        ...[histories(20_000, 1, ['A2', 'A1']), histories(20_100, 1, ['A2', 'A1'])],
      ],
    },
    { order: 'arrival' },
  );
  holds(
    { 'an event is never stored again': [...sentAgain, wrong('twice', histories(3_000, 1, ['A1', 'A1']))] },
    { repeatedId: 'once' },
  );
  const live: TrapPromises = { unknownSku: 'dropped', skus: 'live', order: 'arrival' };
  const last = histories(2_500, 1, ['A1', 'A2', 'B1']);
  holds(
    {
      'what a batch leaves out for its SKU, its second delivery may add at the end': [
        ...[...skuThatComes, last, { ...last, at: 3_000 }],
      ],
    },
    { ...live, redeliveredMs: 1_000 },
  );
  holds(
    { 'without a second delivery, the order is that of the batch': [...skuThatComes, wrong('order', last)] },
    live,
  );
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
  const model = (): ReturnType<typeof honestModel> => honestModel(usualPromises);
  const [first] = judge(calls, model()).divergences;
  if (first === undefined) throw new Error('the list is right');
  const { calls: left, divergence } = shrink(calls, first, { model });
  expect(left.map(({ n }) => n)).toEqual([4, 5]);
  expect(divergence.kind).toBe('value');
});

describe('an explanation names a row only if it predicts the answers', () => {
  const causesOf = (written: readonly Written[]): string[] =>
    explain(callsOf(written), { faults: modelFaults, model: () => honestModel(usualPromises) }).causes.map(
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

  it.each([
    { name: 'a text that is longer than all that it took', odd: red('x'.repeat(400), { sku: 'B' }) },
    { name: 'an oddity that it never took', odd: red('b', { sku: ' B ' }) },
  ])('an import that is rejected for $name may have stored what comes before', ({ odd }) => {
    const plain = red('new', { finish: undefined });
    const refusals = [imported(10, [odd], refusing(422)), imported(20, [plain, odd, c], refusing(422))];
    const calls = [imported(0, [red('old', { finish: undefined })]), ...refusals, listed(100, [plain])];
    expect(causesOf(calls)[0]).toBe('refused-import-stored');
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
  const power = powerOf(calls, modelFaults, () => honestModel(usualPromises));
  const whyOf = (says: string): string =>
    power.find(({ fault }) => fault.says.startsWith(says))?.why ?? 'it is shown';
  expect(whyOf('Listed shades have no {field}')).toBe('it is shown');
  expect(whyOf('Histories leave out events')).toBe('untouched');
  expect(whyOf('Shades after the first')).toBe('no difference');
  expect(whyOf('Accepted imports are lost')).toBe('uncertain');
});
