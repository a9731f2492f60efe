import { describe, expect, it } from 'vitest';
import type { CauseCode } from '../../../src/checks/causes/cause.ts';
import type { Verdict } from '../../../src/checks/core/verdict.ts';
import type { AnswerRecord, CatalogRecord } from '../../../src/history/record.ts';
import type { Shade } from '../../../src/wire.ts';
import type { SampleRequest } from '../../history/sample.ts';
import { causeCodes } from '../cause-codes.ts';
import { type Change, judged, second } from './target.ts';

const catalogId = 'cu';
const shade = (sku: string, version = ''): Shade => ({
  sku,
  name: `${sku}${version}`,
  hex: version === '' ? '#101010' : '#202020',
  finish: 'matte',
});
const old = ['U1', 'U2'].map((sku) => shade(sku));
const fresh = ['U1', 'U2', 'U3'].map((sku) => shade(sku, ' II'));
const together = ['U4', 'U5'].map((sku) => shade(sku));
const many = Array.from({ length: 5 }, (_, n) => shade(`M${n}`));
const whole = [...fresh, ...together];

/** What the probes of updates got, in their order. */
interface Got {
  readonly before: readonly (readonly Shade[])[];
  readonly after: readonly (readonly Shade[])[];
  readonly counts: readonly [number, number];
  readonly last: readonly Shade[];
  readonly kept: readonly Shade[] | 404;
  readonly again: number;
  /** Of the first import. */
  readonly first: number;
  /** After a large import, if there is one. */
  readonly large?: readonly Shade[];
}
const good: Got = {
  before: [old, old],
  after: [fresh, fresh],
  counts: [2, 3],
  last: whole,
  kept: whole,
  again: 200,
  first: 200,
};

function changeOf(got: Got): Change {
  const more: SampleRequest[] = [];
  const answers: AnswerRecord[] = [];
  const add = (request: SampleRequest, body?: unknown): void => {
    const seq = 900 + more.length;
    const intendedNs = 20 * second + seq * 1e7;
    more.push({ seq, intendedNs, catalogId, ...request });
    if (body !== undefined) answers.push({ seq, endpoint: request.endpoint, query: {}, body });
  };
  const list = (probe: string, shades: readonly Shade[]): void =>
    add({ endpoint: 'list-shades', probe, count: shades.length }, shades);
  const session = (count: number): void =>
    add({ endpoint: 'create-session', probe: 'update:create-session', sessionId: `u${count}`, count });
  add({
    endpoint: 'import-shades',
    probe: 'update:import',
    items: old.length,
    status: got.first,
  });
  for (const shades of got.before) list('update:before', shades);
  session(got.counts[0]);
  add({ endpoint: 'import-shades', probe: 'update:again', items: fresh.length, status: got.again });
  for (const shades of got.after) list('update:after', shades);
  session(got.counts[1]);
  for (const _ of together) add({ endpoint: 'import-shades', probe: 'together:import', items: 1 });
  list('together:list', got.last);
  if (got.large !== undefined) {
    add({ endpoint: 'import-shades', probe: 'update:large', items: many.length });
    list('update:large-list', got.large);
  }
  if (got.kept === 404) add({ endpoint: 'list-shades', probe: 'kept:list', status: 404 });
  else list('kept:list', got.kept);
  const catalog = [...old, ...fresh, ...together, ...(got.large === undefined ? [] : many)].map(
    (each): CatalogRecord => ({ catalogId, productId: '', productName: '', ...each }),
  );
  return { more, answers, catalog };
}

const stale = [...old, shade('U3', ' II')];
/** As they are listed where the finish of the first is that of another import. */
const refinished = whole.map((each) => (each.sku === 'U1' ? { ...each, finish: 'satin' } : each));

describe('a target to which the same SKUs are imported with other values', () => {
  it.each<[string, Partial<Got>, string, Verdict, ...CauseCode[]]>([
    ['may take them', {}, 'contract.import-update', 'pass'],
    ['shows after further imports what was sent', {}, 'contract.catalog', 'pass'],
    [
      'must not show another finish after further imports',
      { last: refinished, kept: refinished },
      'contract.catalog',
      'fail',
      'shade-field-changed',
    ],
    [
      'may keep what it has',
      { after: [stale, stale], last: [...stale, ...together], kept: [...stale, ...together] },
      'contract.import-update',
      'pass',
    ],
    [
      'may keep its shades at a large import, too',
      { large: [...whole, ...many], kept: [...whole, ...many] },
      'contract.import-update',
      'pass',
    ],
    [
      'may replace its shades at each import',
      { last: together, large: many, kept: many },
      'contract.import-update',
      'pass',
    ],
    [
      'must not replace its shades at a large import only',
      { large: many, kept: many },
      'contract.import-update',
      'fail',
      'large-import-replaces',
    ],
    [
      'may reject the import',
      {
        again: 409,
        after: [old, old],
        counts: [2, 2],
        last: [...old, ...together],
        kept: [...old, ...together],
      },
      'contract.import-update',
      'pass',
    ],
    [
      'must not change one of their values only',
      {
        after: [fresh, fresh].map((list) =>
          list.map((each) => (each.sku === 'U3' ? each : { ...each, name: each.sku })),
        ),
      },
      'contract.import-update',
      'fail',
      'import-applied-in-part',
    ],
    [
      'must not store another value than was sent, which is no partial update',
      { after: [fresh, fresh].map((list) => list.map((each) => ({ ...each, name: `${each.name}?` }))) },
      'contract.import-update',
      'fail',
      'shade-field-changed',
    ],
    [
      'must not change some of them only',
      { after: [fresh, fresh].map((list) => list.map((each) => (each.sku === 'U2' ? shade('U2') : each))) },
      'contract.import-update',
      'fail',
      'import-applied-in-part',
    ],
    [
      'must not show the old ones over another connection',
      { after: [fresh, old] },
      'contract.import-update',
      'fail',
      'lists-differ',
    ],
    [
      'must not lose the first import',
      { before: [[], []] },
      'contract.import-update',
      'fail',
      'shades-missing',
    ],
    [
      'may take the imports for later, and show them when they are in',
      { first: 202, again: 202, before: [[], old, old], after: [old, fresh, fresh] },
      'contract.import-update',
      'pass',
    ],
    [
      'must show what it has shown once to every connection',
      { first: 202, again: 202, after: [old, fresh, old] },
      'contract.import-update',
      'fail',
      'lists-differ',
    ],
    ['must count anew', { counts: [2, 2] }, 'contract.import-update', 'fail', 'shade-count-wrong'],
    [
      'must keep all imports that come at once',
      { last: [...fresh, shade('U5')], kept: [...fresh, shade('U5')] },
      'contract.imports-at-once',
      'fail',
      'concurrent-imports-lost',
    ],
    [
      'may replace the whole catalog with each import',
      { last: [shade('U5')], kept: [shade('U5')] },
      'contract.imports-at-once',
      'inconclusive',
    ],
    ['must still have the catalog at the end', { kept: 404 }, 'contract.lists-agree', 'fail', 'lists-differ'],
    [
      'must not change the catalog later',
      { kept: [...old, shade('U3'), ...together] },
      'contract.lists-agree',
      'fail',
      'lists-differ',
    ],
    ['lists the same each time', {}, 'contract.lists-agree', 'pass'],
    ['may list in any order', { kept: whole.toReversed() }, 'contract.lists-agree', 'pass'],
  ])('%s', async (_, got, id, verdict, ...causes) => {
    const finding = (await judged(changeOf({ ...good, ...got }))).find((each) => each.id === id);
    expect(finding?.verdict, finding?.explanation).toBe(verdict);
    expect(causeCodes([finding])).toEqual(causes);
  });

  const others = [shade('X1'), shade('X2')];
  it.each<[string, { kept: readonly Shade[]; beside: readonly Shade[]; apartS?: number }, CauseCode]>([
    [
      'must not show another catalog that is listed at the same moment',
      { kept: others, beside: others },
      'answers-of-others-at-once',
    ],
    [
      'must not change places with another catalog that is listed at the same moment',
      { kept: others, beside: whole },
      'answers-of-others-at-once',
    ],
    [
      'must not show another catalog that was listed long before',
      { kept: others, beside: others, apartS: 5 },
      'lists-differ',
    ],
    ['must not lose both catalogs', { kept: [], beside: [] }, 'lists-differ'],
  ])('%s', async (_, { apartS = 0, beside, kept }, cause) => {
    const { answers = [], catalog = [], more = [] } = changeOf({ ...good, kept });
    const [last, body] = [more.at(-1), answers.at(-1)];
    if (last?.intendedNs === undefined || body === undefined)
      throw new Error('the catalog is listed at the end');
    const other = { ...last, catalogId: 'cx' };
    const findings = await judged({
      more: [
        ...more,
        { ...other, seq: 980, intendedNs: last.intendedNs - 9 * second, count: others.length },
        { ...other, seq: 990, intendedNs: last.intendedNs - apartS * second, count: beside.length },
      ],
      answers: [...answers, { ...body, seq: 980, body: others }, { ...body, seq: 990, body: beside }],
      catalog: [
        ...catalog,
        ...others.map(
          (each): CatalogRecord => ({ catalogId: 'cx', productId: '', productName: '', ...each }),
        ),
      ],
    });
    const finding = findings.find(({ id }) => id === 'contract.lists-agree');
    expect(finding?.verdict).toBe('fail');
    expect(causeCodes([finding])).toEqual([cause]);
  });
});

const act = { id: 'e1', type: 'shade_selected', sku: 'A', at: '2026-05-01T12:00:00.000Z' };
const later = { ...act, id: 'e2', sku: 'B' };
const withoutId = { type: act.type, sku: act.sku, at: act.at };

describe('a session that is read twice', () => {
  it.each<[string, readonly object[], readonly object[], Verdict | undefined, ...CauseCode[]]>([
    ['may show more events', [act], [act, later], 'pass'],
    ['may show them in another order', [act, later], [later, act], 'pass'],
    ['may show them without ids', [withoutId], [withoutId], 'pass'],
    [
      'must show the same values',
      [act],
      [{ ...act, at: '2026-05-01T12:00:09.000Z' }],
      'fail',
      'history-changes',
    ],
    ['must show all of them again', [act, later], [later], 'fail', 'history-changes'],
    ['says nothing without events', [], [], undefined],
  ])('%s', async (_, first, again, verdict, ...causes) => {
    const read = { endpoint: 'read-session', sessionId: 's1' } as const;
    const bodies = [first, again].map((interactions) => ({ session_id: 's1', interactions }));
    const finding = (
      await judged({
        profile: { analytics: { freshness: '1s' } },
        more: bodies.map((__, n) => ({ ...read, seq: 950 + n, intendedNs: (30 + 10 * n) * second })),
        answers: bodies.map((body, n) => ({ seq: 950 + n, endpoint: read.endpoint, query: {}, body })),
      })
    ).find(({ id }) => id === 'contract.reads-agree');
    expect(finding?.verdict, finding?.explanation).toBe(verdict);
    expect(finding === undefined ? [] : causeCodes([finding])).toEqual(causes);
  });

  it.each<[string, readonly (readonly [second: number, events: readonly object[]])[], Verdict]>([
    [
      'may show an event late over another connection',
      [
        [30, [act, later]],
        [30.5, [act]],
        [40, [act, later]],
      ],
      'pass',
    ],
    [
      'must show it there in the end, whatever they have shown before',
      [
        [30, [act, later]],
        [30.5, [act]],
        [40, [act]],
      ],
      'fail',
    ],
  ])('%s', async (_, reads, verdict) => {
    const read = { endpoint: 'read-session', sessionId: 's1' } as const;
    const finding = (
      await judged({
        profile: { analytics: { freshness: '1s' } },
        more: reads.map(([at], n) => ({ ...read, seq: 950 + n, intendedNs: at * second })),
        answers: reads.map(([, interactions], n) => ({
          ...{ seq: 950 + n, endpoint: read.endpoint, query: {} },
          body: { session_id: 's1', interactions },
        })),
      })
    ).find(({ id }) => id === 'contract.reads-agree');
    expect(finding?.verdict, finding?.explanation).toBe(verdict);
  });

  it.each<[string, readonly number[], CauseCode]>([
    ['as its connection showed it before is stale', [1, 2, 1], 'session-read-stale'],
    ['with fewer events over a new connection has changed', [1, 2, 3], 'history-changes'],
  ])('%s', async (_, ports, cause) => {
    const read = { endpoint: 'read-session', sessionId: 's1' } as const;
    const shown = [[act], [act, later], [act]];
    const findings = await judged({
      profile: { analytics: { freshness: '1s' } },
      more: ports.map((localPort, n) => ({
        ...read,
        localPort,
        seq: 950 + n,
        intendedNs: (30 + 5 * n) * second,
      })),
      answers: shown.map((interactions, n) => ({
        ...{ seq: 950 + n, endpoint: read.endpoint, query: {} },
        body: { session_id: 's1', interactions },
      })),
    });
    expect(causeCodes([findings.find(({ id }) => id === 'contract.reads-agree')])).toEqual([cause]);
  });
});
