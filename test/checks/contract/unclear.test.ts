import { describe, expect, it } from 'vitest';
import { checkContract } from '../../../src/checks/contract.ts';
import { withHistory } from '../../history/sample.ts';
import { type Change, type ContractId, judged, second, session, shades } from './target.ts';

describe('a history that cannot tell', () => {
  it.each<[string, Change, ContractId, RegExp]>([
    [
      'an endpoint never succeeded',
      { requests: { baseline: { status: 429 } } },
      'contract.answers',
      /No successful answer was seen from analytics/,
    ],
    [
      'a probe got no answer',
      { requests: { 'no-key:analytics': { lost: 'timeout' } } },
      'contract.auth',
      /no-key:analytics: no answer \(timeout\)/,
    ],
    [
      'a probe was rate limited',
      { requests: { 'bad-key:list-shades': { status: 429 } } },
      'contract.auth',
      /rate limited/,
    ],
    [
      'a probe was not sent',
      { requests: { 'bad-key:list-shades': { notSent: 'stopped' } } },
      'contract.auth',
      /not sent \(stopped\)/,
    ],
    [
      'a probe was not made',
      { requests: { 'unknown-session': null } },
      'contract.not-found',
      /unknown-session: not asked/,
    ],
    [
      'the quota was answered before the catalog',
      { requests: { 'unknown-create': { status: 402 } } },
      'contract.not-found',
      /create-session: not asked/,
    ],
    [
      'an import was lost',
      { requests: { import: { lost: 'reset' }, list: null } },
      'contract.shade-count',
      /catalog c1 holds 0 to 2 shades/,
    ],
    [
      'an import was refused for the rate, and may have been delivered again',
      { requests: { import: { status: 429 } }, profile: { redeliveries: 1 } },
      'contract.shade-count',
      /catalog c1 holds 0 to 2 shades/,
    ],
    ['a list was not kept', { bodies: { list: undefined } }, 'contract.catalog', /its body was not kept/],
    [
      'a list got no answer',
      { requests: { list: { lost: 'timeout' } } },
      'contract.catalog',
      /list: no answer/,
    ],
    [
      'a shade is missing of an import that was lost',
      { requests: { import: { lost: 'reset' } }, bodies: { list: [shades[0]] } },
      'contract.catalog',
      /B is missing/,
    ],
    [
      'the full batch was lost',
      { requests: { max: { lost: 'timeout' } } },
      'contract.batch-max',
      /no answer/,
    ],
    [
      'the list of the full batch was lost',
      { requests: { 'max-list': { lost: 'timeout' } } },
      'contract.batch-max',
      /its list says nothing/,
    ],
    [
      'the batch over the limit was lost and nothing stored',
      { requests: { over: { lost: 'timeout' } } },
      'contract.batch-over',
      /The batch says nothing: no answer \(timeout\)/,
    ],
    [
      'the list of the batch over the limit failed',
      { requests: { 'over-list': { status: 500 } } },
      'contract.batch-over',
      /its list says nothing: 500/,
    ],
    [
      'the canary was not opened',
      { requests: { canary: { lost: 'reset' } } },
      'contract.canary',
      /canary:create-session: no answer/,
    ],
    [
      'a list looks like a page of a longer one',
      { bodies: { list: { items: [shades[0]], next_cursor: 'x' } } },
      'contract.catalog',
      /c1: the answer looks like one page of several \(it has a field "next_cursor"\).*c1: B is missing/,
    ],
    [
      'a bare list comes with a link to its next page',
      { bodies: { list: [shades[0]] }, pagedBy: { list: 'link' } },
      'contract.catalog',
      /c1: the answer looks like one page of several \(it has a header "link"\).*c1: B is missing/,
    ],
    [
      'a list has its page in capitals',
      { bodies: { list: { items: [shades[0]], hasMore: true } } },
      'contract.catalog',
      /field "hasMore"/,
    ],
    [
      'later lists look like pages of longer ones',
      { requests: { shades: { count: 1 } }, bodies: { list: { shades, total: 2 } } },
      'contract.catalog',
      /lists held 1 to 2 shades, imported 2; the answer looks like one page/,
    ],
    [
      'the list of the full batch looks like a page',
      {
        requests: { 'max-list': { count: 100 } },
        bodies: { 'max-list': { shades: [shades[0]], Offset: 0, limit: 1 } },
      },
      'contract.batch-max',
      /500 shades were accepted and 1 listed; the answer looks like one page of several \(it has a field "Offset"\)/,
    ],
    [
      'an import of 202 did not show yet when it was last listed',
      { requests: { import: { status: 202 }, list: { count: 1 } }, bodies: { list: [shades[0]] } },
      'contract.catalog',
      /the import was answered 202 .*import_visible.*B is missing/,
    ],
    [
      'the catalog of an import of 202 was not there yet',
      { requests: { import: { status: 202 }, list: { status: 404 } } },
      'contract.catalog',
      /list: status 404; the import was answered 202/,
    ],
    [
      'a full batch of 202 did not show yet when it was last listed',
      { requests: { max: { status: 202 }, 'max-list': { count: 3 } } },
      'contract.batch-max',
      /3 listed; the import was answered 202/,
    ],
    [
      'sessions were opened before an import of 202 had to show',
      {
        requests: { import: { status: 202 }, list: { count: 0 }, session: { count: 1 } },
        bodies: { list: [] },
      },
      'contract.shade-count',
      /No session was opened/,
    ],
    [
      'one of a few requests was lost',
      { more: [{ endpoint: 'list-shades', lost: 'reset' }] },
      'contract.availability',
      /1 of 7 ordinary requests got no answer \(1 broken off\), over the 1 % .* fewer than 20/,
    ],
    [
      'the channel was only guessed',
      { requests: { act: { status: 404 }, channel: { status: 404 } } },
      'contract.errors',
      /the interface shows no interaction channel/,
    ],
    [
      'no form of dates was accepted',
      { requests: { baseline: { status: 422 } } },
      'contract.errors',
      /does not show the form of dates/,
    ],
  ])('since %s is inconclusive there and fails nowhere', async (_, change, id, explanation) => {
    const results = await judged(change);
    const result = results.find((each) => each.id === id);
    expect(result).toMatchObject({ verdict: 'inconclusive' });
    expect(result?.explanation).toMatch(explanation);
    expect(results.filter((each) => each.verdict === 'fail')).toEqual([]);
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
