import { describe, expect, it } from 'vitest';
import { checkContract } from '../../../src/checks/contract.ts';
import { latestEndDate } from '../../../src/vocabulary/phases.ts';
import { withHistory } from '../../history/sample.ts';
import { expectSaid, type Said, said, saidAll } from './said.ts';
import { type Change, type ContractId, judged, second, session, shades } from './target.ts';

describe('a history that cannot tell', () => {
  it.each<[string, Change, ContractId, Said]>([
    [
      'an endpoint never succeeded',
      { requests: { baseline: { status: 429 } } },
      'contract.answers',
      said('answers-unseen', { endpoints: ['analytics'] }),
    ],
    [
      'a probe got no answer',
      { requests: { 'no-key:analytics': { lost: 'timeout' } } },
      'contract.auth',
      said('auth-unclear', { sent: 'no-key', endpoint: 'analytics', got: { lost: 'timeout' } }),
    ],
    [
      'a probe was rate limited',
      { requests: { 'bad-key:list-shades': { status: 429 } } },
      'contract.auth',
      said('auth-unclear', { sent: 'bad-key', endpoint: 'list-shades', got: { status: 429 } }),
    ],
    [
      'a probe was not sent',
      { requests: { 'bad-key:list-shades': { notSent: 'stopped' } } },
      'contract.auth',
      said('auth-unclear', { got: { notSent: 'stopped' } }),
    ],
    [
      'a probe was not made',
      { requests: { 'unknown-session': null } },
      'contract.not-found',
      said('not-found-unclear', { unknown: 'session', got: { notSent: null } }),
    ],
    [
      'the quota was answered before the catalog',
      { requests: { 'unknown-create': { status: 402 } } },
      'contract.not-found',
      said('not-found-unclear', { unknown: 'catalog', endpoint: 'create-session', got: { notSent: null } }),
    ],
    [
      'an import was lost',
      { requests: { import: { lost: 'reset' }, list: null } },
      'contract.shade-count',
      said('shade-count-import-unclear', { catalog: 'c1', imported: { min: 0, max: 2 } }),
    ],
    [
      'an import was refused for the rate, and may have been delivered again',
      { requests: { import: { status: 429 } }, profile: { redeliveries: 1 } },
      'contract.shade-count',
      said('shade-count-import-unclear', { catalog: 'c1', imported: { min: 0, max: 2 } }),
    ],
    [
      'a list was not kept',
      { bodies: { list: undefined } },
      'contract.catalog',
      said('list-not-kept', { catalog: 'c1' }),
    ],
    [
      'a list got no answer',
      { requests: { list: { lost: 'timeout' } } },
      'contract.catalog',
      said('list-unanswered', { got: { lost: 'timeout' } }),
    ],
    [
      'a shade is missing of an import that was lost',
      { requests: { import: { lost: 'reset' } }, bodies: { list: [shades[0]] } },
      'contract.catalog',
      said('list-missing-shades', { catalog: 'c1', shades: 1, skus: ['B'] }),
    ],
    [
      'the full batch was lost',
      { requests: { max: { lost: 'timeout' } } },
      'contract.batch-max',
      said('import-unclear', { got: { lost: 'timeout' } }),
    ],
    [
      'the list of the full batch was lost',
      { requests: { 'max-list': { lost: 'timeout' } } },
      'contract.batch-max',
      said('import-list-unclear', { got: { lost: 'timeout' } }),
    ],
    [
      'the batch over the limit was lost and nothing stored',
      { requests: { over: { lost: 'timeout' } } },
      'contract.batch-over',
      said('import-unclear', { got: { lost: 'timeout' } }),
    ],
    [
      'the list of the batch over the limit failed',
      { requests: { 'over-list': { status: 500 } } },
      'contract.batch-over',
      said('import-list-unclear', { got: { status: 500 } }),
    ],
    [
      'the canary was not opened',
      { requests: { canary: { lost: 'reset' } } },
      'contract.canary',
      said('canary-unclear', { endpoint: 'create-session', got: { lost: 'reset' } }),
    ],
    [
      'a list looks like a page of a longer one',
      { bodies: { list: { items: [shades[0]], next_cursor: 'x' } } },
      'contract.catalog',
      saidAll(
        said('pages-unspecified', { why: 'it has a field "next_cursor"' }),
        said('list-missing-shades', { catalog: 'c1', shades: 1, skus: ['B'] }),
      ),
    ],
    [
      'a bare list comes with a link to its next page',
      { bodies: { list: [shades[0]] }, pagedBy: { list: 'link' } },
      'contract.catalog',
      saidAll(
        said('pages-unspecified', { why: 'it has a header "link"' }),
        said('list-missing-shades', { catalog: 'c1', shades: 1, skus: ['B'] }),
      ),
    ],
    [
      'a list has its page in capitals',
      { bodies: { list: { items: [shades[0]], hasMore: true } } },
      'contract.catalog',
      said('pages-unspecified', { why: 'it has a field "hasMore"' }),
    ],
    [
      'later lists look like pages of longer ones',
      { requests: { shades: { count: 1 } }, bodies: { list: { shades, offset: 0 } } },
      'contract.catalog',
      saidAll(
        said('catalog-count-differs', { seen: { min: 1, max: 2 }, imported: { min: 2, max: 2 } }),
        said('pages-unspecified'),
      ),
    ],
    [
      'the list of the full batch looks like a page',
      {
        requests: { 'max-list': { count: 100 } },
        bodies: { 'max-list': { shades: [shades[0]], Offset: 0, limit: 1 } },
      },
      'contract.batch-max',
      saidAll(
        said('import-listed-otherwise', { shades: 500, listed: 1 }),
        said('pages-unspecified', { why: 'it has a field "Offset"' }),
      ),
    ],
    [
      'an import of 202 did not show yet when it was last listed',
      { requests: { import: { status: 202 }, list: { count: 1 } }, bodies: { list: [shades[0]] } },
      'contract.catalog',
      saidAll(
        said('list-requested-early'),
        said('list-missing-shades', { catalog: 'c1', shades: 1, skus: ['B'] }),
      ),
    ],
    [
      'the catalog of an import of 202 was not there yet',
      { requests: { import: { status: 202 }, list: { status: 404 } } },
      'contract.catalog',
      saidAll(said('list-status', { status: 404 }), said('list-requested-early')),
    ],
    [
      'a full batch of 202 did not show yet when it was last listed',
      { requests: { max: { status: 202 }, 'max-list': { count: 3 } } },
      'contract.batch-max',
      saidAll(said('import-listed-otherwise', { listed: 3 }), said('list-requested-early')),
    ],
    [
      'sessions were opened before an import of 202 had to show',
      {
        requests: { import: { status: 202 }, list: { count: 0 }, session: { count: 1 } },
        bodies: { list: [] },
      },
      'contract.shade-count',
      said('shade-count-no-session'),
    ],
    [
      'one of a few requests was lost',
      { more: [{ endpoint: 'list-shades', lost: 'reset' }] },
      'contract.availability',
      saidAll(
        said('availability-lost', { requests: 7, lost: 1, kinds: [{ kind: 'reset', requests: 1 }] }),
        said('availability-over', { bound: 0.01 }),
        said('availability-too-few', { fewest: 20 }),
      ),
    ],
    [
      'the channel was only guessed',
      { requests: { act: { status: 404 }, channel: { status: 404 } } },
      'contract.errors',
      said('errors-excused', { endpoint: 'interact', why: 'no-channel' }),
    ],
    [
      'no form of dates was accepted',
      { requests: { baseline: { status: 422 } } },
      'contract.errors',
      said('errors-excused', { why: 'no-date-format' }),
    ],
  ])('since %s is inconclusive there and fails nowhere', async (_, change, id, why) => {
    const results = await judged(change);
    const result = results.find((each) => each.id === id);
    expect(result).toMatchObject({ verdict: 'inconclusive' });
    expectSaid(result, why);
    expect(results.filter((each) => each.verdict === 'fail')).toEqual([]);
  });

  it.each([
    ['is inconclusive in nothing, if it was found that a period may not end later', latestEndDate, 'pass'],
    ['fails, if nothing was found', 'something else', 'fail'],
  ] as const)('of a period that ends tomorrow %s', async (_, what, verdict) => {
    const results = await judged({
      profile: { analytics: { date_format: 'date' } },
      more: [
        { endpoint: 'analytics', stage: 'setup', phase: 'baseline', status: 400 },
        { endpoint: 'analytics', stage: 'setup', phase: 'baseline', status: 200 },
      ],
      events: [{ kind: 'discovered', what, value: 'today' }],
    });
    expect(results.find(({ id }) => id === 'contract.errors')?.verdict).toBe(verdict);
  });

  it('since it is empty is inconclusive everywhere', async () => {
    const results = await withHistory({}, checkContract);
    expect(new Set(results.map((result) => result.verdict))).toEqual(new Set(['inconclusive']));
  });
});

it('ids of any characters are judged like others', async () => {
  const id = `c'1"; DROP TABLE requests; -- é`;
  const results = await withHistory(
    {
      run: { catalogs: [{ id, role: 'load', shades: 7 }] },
      requests: [
        { endpoint: 'import-shades', catalogId: id, items: 7 },
        { ...session, catalogId: id, count: 6, intendedNs: second },
      ],
    },
    checkContract,
  );
  expect(results.find((result) => result.id === 'contract.shade-count')).toMatchObject({
    verdict: 'fail',
    observed: { [id]: { min: 6, max: 6 } },
  });
});
