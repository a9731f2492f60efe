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
