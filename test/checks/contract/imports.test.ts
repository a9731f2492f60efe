import { describe, expect, it } from 'vitest';
import type { CauseCode } from '../../../src/checks/causes/cause.ts';
import type { Verdict } from '../../../src/checks/core/verdict.ts';
import { causeCodes } from '../cause-codes.ts';
import { expectSaid, type Said, said, saidAll } from './said.ts';
import { type Change, type ContractId, judged, named, shades } from './target.ts';

const doubled = [...shades, ...shades];
const page = { items: [shades[0]], next: 'x' };

describe('a target to which', () => {
  it.each<[string, Change, ContractId, Verdict, Said, ...CauseCode[]]>([
    [
      'a batch is sent again keeps each shade once',
      {},
      'contract.import-again',
      'pass',
      said('import-again-once', { shades: 2, secondStatus: 200 }),
    ],
    [
      'a batch is sent again may list it bare, and answer 201 and 202',
      {
        requests: { 'again-import': { status: 201 }, 'again-repeat': { status: 202 } },
        bodies: { 'again-list': shades },
      },
      'contract.import-again',
      'pass',
      said('import-again-once', { secondStatus: 202 }),
    ],
    [
      'a batch is sent again may refuse it the second time',
      { requests: { 'again-repeat': { status: 409 } } },
      'contract.import-again',
      'pass',
      said('import-again-once', { shades: 2, secondStatus: 409 }),
    ],
    [
      'a batch is sent again must not list its shades twice',
      { bodies: { 'again-list': { shades: doubled } } },
      'contract.import-again',
      'fail',
      said('import-again-repeats', { shades: 2, entries: 4, repeated: 2 }),
      'sku-stored-twice',
    ],
    [
      'a batch is sent again must not list its shades twice even if the answer was lost',
      {
        requests: { 'again-repeat': { lost: 'timeout' } },
        bodies: { 'again-list': { shades: doubled } },
      },
      'contract.import-again',
      'fail',
      said('import-again-repeats', { repeated: 2 }),
      'sku-stored-twice',
    ],
    [
      'shades were accepted must be found',
      { requests: { 'again-list': { status: 404 } } },
      'contract.import-again',
      'fail',
      said('import-list-status', { status: 404 }),
      'shades-missing',
    ],
    [
      'shades were accepted must be found, although it was asked for before',
      {
        requests: {
          'again-list': { status: 404 },
          'unknown-list': { catalogId: 'ca' },
        },
      },
      'contract.import-again',
      'fail',
      said('import-list-status', { status: 404 }),
      'absence-remembered',
    ],
    [
      'a batch of no shades is sent must not lose what it had',
      { requests: { 'empty-import': { status: 200 } }, bodies: { 'empty-list': { shades: [] } } },
      'contract.import-again',
      'fail',
      said('import-of-nothing-removes', { gone: 2, listed: 2 }),
      'empty-import-removes',
    ],
    [
      'a batch of no shades is sent may empty a catalog that each import replaces',
      {
        bodies: {
          'twice-list': { shades: shades.map((shade) => ({ ...shade, sku: `${shade.sku}-other` })) },
          'empty-list': { shades: [] },
        },
      },
      'contract.import-again',
      'pass',
      said('import-again-once', { shades: 2, secondStatus: 200 }),
    ],
    [
      'a batch of no shades is sent is not accused by one page',
      { bodies: { 'empty-list': page } },
      'contract.import-again',
      'pass',
      said('import-again-once', { shades: 2, secondStatus: 200 }),
    ],
    [
      'a batch is sent again without an answer is not judged by a list that is right',
      { requests: { 'again-repeat': { lost: 'timeout' } } },
      'contract.import-again',
      'inconclusive',
      said('import-again-unclear', { which: 'second', got: { lost: 'timeout' } }),
    ],
    [
      'a batch is sent again is not judged by one page',
      { bodies: { 'again-list': page } },
      'contract.import-again',
      'inconclusive',
      saidAll(said('import-listed-otherwise', { shades: 2, listed: 1 }), said('pages-unspecified')),
    ],
    [
      'a batch is sent again is not judged without a list',
      { requests: { 'again-list': { status: 429 } } },
      'contract.import-again',
      'inconclusive',
      said('import-list-unclear', { got: { status: 429 } }),
    ],
    [
      'a SKU is named twice may keep either entry',
      {},
      'contract.sku-twice',
      'pass',
      saidAll(said('import-got', { got: { status: 200 } }), said('sku-twice-equal', { listed: 2 })),
    ],
    [
      'a SKU is named twice may refuse the batch',
      { requests: { 'twice-import': { status: 422 } } },
      'contract.sku-twice',
      'pass',
      saidAll(said('import-got', { got: { status: 422 } }), said('sku-twice-equal', { listed: 2 })),
    ],
    [
      'a SKU is named twice must not count what was sent',
      { requests: { 'twice-session': { count: 3 } } },
      'contract.sku-twice',
      'fail',
      said('sku-twice-differs', { listed: 2, count: 3 }),
      'sku-counted-twice',
    ],
    [
      'a SKU is named twice must not count less than it lists',
      { requests: { 'twice-session': { count: 1 } }, bodies: { 'twice-list': page } },
      'contract.sku-twice',
      'pass',
      said('sku-twice-equal', { listed: 1 }),
    ],
    [
      'a SKU is named twice is not judged by one page',
      { bodies: { 'twice-list': page } },
      'contract.sku-twice',
      'inconclusive',
      saidAll(said('sku-twice-differs', { listed: 1, count: 2 }), said('pages-unspecified')),
    ],
    [
      'a SKU is named twice may still be at it after 202',
      { requests: { 'twice-import': { status: 202 }, 'twice-session': { count: 3 } } },
      'contract.sku-twice',
      'inconclusive',
      said('list-requested-early'),
    ],
    [
      'a SKU is named twice has to be through with it when the time for that is over',
      {
        profile: { import_visible: '10ms' },
        requests: {
          'twice-import': { status: 202 },
          'twice-list': { intendedNs: 5e9 },
          'twice-session': { count: 3 },
        },
      },
      'contract.sku-twice',
      'fail',
      said('sku-twice-differs', { count: 3 }),
      'sku-counted-twice',
    ],
    [
      'a SKU is named twice is not judged without a session',
      { requests: { 'twice-session': null } },
      'contract.sku-twice',
      'inconclusive',
      said('sku-twice-no-count', { got: { notSent: null } }),
    ],
    [
      'a SKU is named twice is not judged by a batch that was lost',
      { requests: { 'twice-import': { lost: 'reset' }, 'twice-session': { count: 3 } } },
      'contract.sku-twice',
      'inconclusive',
      said('import-unclear', { got: { lost: 'reset' } }),
    ],
    [
      'a malformed shade is sent may refuse it and keep nothing',
      {},
      'contract.batch-malformed',
      'pass',
      saidAll(said('import-got', { got: { status: 422 } }), said('import-none-stored')),
    ],
    [
      'a malformed shade is sent must not leave an empty catalog where an unknown one gets 404',
      {
        requests: { 'malformed-list': { status: 200, count: 0 } },
        bodies: { 'malformed-list': [] },
      },
      'contract.batch-malformed',
      'fail',
      said('import-left-catalog', { status: 422 }),
      'refused-import-leaves-catalog',
    ],
    [
      'a malformed shade is sent must not refuse the batch and keep a part of it',
      {
        requests: { 'malformed-list': { status: 200, count: 2 } },
        bodies: { 'malformed-list': { shades } },
      },
      'contract.batch-malformed',
      'fail',
      saidAll(
        said('import-got', { got: { status: 422 } }),
        said('import-partly-stored', { shades: 3, listed: 2 }),
      ),
      'refused-import-stored',
    ],
    [
      'a malformed shade is sent and which fails with 500 is not blamed for a part',
      {
        requests: { malformed: { status: 500 }, 'malformed-list': { status: 200, count: 2 } },
        bodies: { 'malformed-list': { shades } },
      },
      'contract.batch-malformed',
      'inconclusive',
      saidAll(
        said('import-got', { got: { status: 500 } }),
        said('import-partly-stored', { shades: 3, listed: 2 }),
      ),
    ],
    [
      'a malformed shade is sent is not judged without an answer',
      { requests: { malformed: { lost: 'timeout' } } },
      'contract.batch-malformed',
      'inconclusive',
      said('import-unclear', { got: { lost: 'timeout' } }),
    ],
    [
      'a malformed shade is sent is not judged without a list',
      { requests: { 'malformed-list': { status: 500 } } },
      'contract.batch-malformed',
      'inconclusive',
      said('import-list-unclear', { got: { status: 500 } }),
    ],
    [
      'names beyond ASCII are sent has to list them as they were sent',
      {},
      'contract.names',
      'pass',
      said('names-listed', { names: ['Œillet № 7', 'Pêche 🍑'] }),
    ],
    [
      'names beyond ASCII are sent must not mangle one',
      { bodies: { 'names-list': { shades: [named[0], { ...named[1], name: 'PÃªche ð\x9f\x8d\x91' }] } } },
      'contract.names',
      'fail',
      said('list-field-changed', { sku: 'N2', field: 'name', sent: 'Pêche 🍑', got: 'PÃªche ð\x9f\x8d\x91' }),
      'shade-field-changed',
    ],
    [
      'names beyond ASCII are sent must not write something else for what it has no letter for',
      { bodies: { 'names-list': { shades: [named[0], { ...named[1], name: 'Pêche ?' }] } } },
      'contract.names',
      'fail',
      said('list-field-changed', { sku: 'N2', field: 'name', sent: 'Pêche 🍑', got: 'Pêche ?' }),
      'shade-field-changed',
    ],
    [
      'names beyond ASCII are sent may leave out what it has no letter for, which leaves a doubt',
      {
        requests: { 'names-list': { count: 1 } },
        bodies: { 'names-list': { shades: named.slice(0, 1) } },
      },
      'contract.names',
      'inconclusive',
      said('list-missing-shades', { skus: ['N2'] }),
    ],
    [
      'names beyond ASCII are sent may refuse them',
      { requests: { 'names-import': { status: 422 }, 'names-list': { status: 404 } } },
      'contract.names',
      'inconclusive',
      said('names-rejected', { status: 422 }),
    ],
    [
      'names beyond ASCII are sent and which takes them for later has its time to list them',
      {
        profile: { import_visible: '10s' },
        requests: { 'names-import': { status: 202 }, 'names-list': { count: 0 } },
        bodies: { 'names-list': [] },
      },
      'contract.names',
      'inconclusive',
      said('list-requested-early'),
    ],
    [
      'names beyond ASCII are sent is not judged without a list',
      { requests: { 'names-list': null } },
      'contract.names',
      'inconclusive',
      said('names-not-listed'),
    ],
    [
      'names beyond ASCII are sent is not judged by a batch that was lost',
      { requests: { 'names-import': { lost: 'timeout' } } },
      'contract.names',
      'inconclusive',
      said('import-unclear', { got: { lost: 'timeout' } }),
    ],
  ])('%s', async (_, change, id, verdict, why, ...causes) => {
    const results = await judged(change);
    const result = results.find((each) => each.id === id);
    expectSaid(result, why);
    expect(result?.verdict).toBe(verdict);
    expect(causeCodes(results)).toEqual(causes);
    // What goes wrong here is no matter of any other check.
    const others = results.filter((each) => each.id !== id && each.verdict === 'fail');
    expect(others.map((each) => each.id)).toEqual([]);
  });

  it('a batch is sent again and fails with 503 is at fault, and whether it imports twice is not judged', async () => {
    const results = await judged({ requests: { 'again-repeat': { status: 503 } } });
    expectSaid(
      results.find(({ id }) => id === 'contract.import-again'),
      said('import-again-statuses', { firstStatus: 200, secondStatus: 503 }),
    );
    expect(results.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id)).toEqual([
      'contract.errors',
    ]);
    expect(causeCodes(results)).toEqual(['server-errors']);
  });

  it('no names beyond ASCII were sent, as in older runs, is not asked about them', async () => {
    const results = await judged({ requests: { 'names-import': null, 'names-list': null } });
    expect(results.map((each) => each.id)).not.toContain('contract.names');
  });
});

describe('an import that is listed late', () => {
  const late = (status: number): Change => ({
    profile: { import_visible: '1s' },
    requests: { import: { status }, list: { intendedNs: 3e9, count: 0 }, shades: { intendedNs: 5e9 } },
    bodies: { list: [] },
  });

  it.each<[string, number, CauseCode]>([
    ['is the cause where it was answered as done', 201, 'shades-listed-late'],
    ['makes the profile false where it was accepted for later', 202, 'profile-false'],
  ])('%s', async (_, status, cause) => {
    const results = await judged(late(status));
    expect(results.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id)).toEqual([
      'contract.catalog',
    ]);
    expect(causeCodes(results)).toEqual([cause]);
  });
});

describe('a target that takes a malformed shade', () => {
  it('breaks no promise, and shows nothing of what a refusal leaves behind', async () => {
    const results = await judged({
      requests: {
        malformed: { status: 200 },
        'malformed-list': { status: 200, problem: '2.hex: expected a colour such as #A1B2C3' },
      },
      bodies: { 'malformed-list': [...shades, { ...shades[0], sku: 'C', hex: 'no colour' }] },
    });
    expect(results.map(({ id }) => id)).not.toContain('contract.batch-malformed');
    expect(results.filter(({ verdict }) => verdict === 'fail')).toEqual([]);
  });
});
