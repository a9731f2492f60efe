import { describe, expect, it } from 'vitest';
import { checkContract } from '../../src/checks/contract.ts';
import type { CheckResult, Verdict } from '../../src/checks/verdict.ts';
import type { AnswerRecord, CatalogRecord } from '../../src/history/record.ts';
import { type SampleHistory, type SampleRequest, sampleRun, withHistory } from '../history/sample.ts';

const second = 1e9;
const expiresAt = '2026-05-01T12:30:00.000Z';
const session = {
  endpoint: 'create-session',
  sessionId: 's1',
  productId: 'p1',
  catalogId: 'c1',
  locale: 'de-DE',
  count: 2,
  expiresAt,
} as const;
const shades = [
  { sku: 'A', name: 'Rosé', hex: '#AA0000', finish: 'matte' },
  { sku: 'B', name: 'Nº 5 “Küss”', hex: '#BB0000', finish: 'gloss' },
] as const;
const catalog: readonly CatalogRecord[] = shades.map((shade) => ({
  catalogId: 'c1',
  productId: 'p1',
  productName: 'Velvet',
  ...shade,
}));

/** The first seconds of a target that does everything right, with one named record for each thing that is asked. */
const named: Readonly<Record<string, SampleRequest>> = {
  baseline: { endpoint: 'analytics', stage: 'setup' },
  import: { endpoint: 'import-shades', stage: 'setup', catalogId: 'c1', items: 2, status: 201 },
  list: { endpoint: 'list-shades', stage: 'setup', probe: 'import:list', catalogId: 'c1', count: 2 },
  ...Object.fromEntries(
    (
      ['create-session', 'read-session', 'list-shades', 'import-shades', 'analytics', 'interact'] as const
    ).flatMap((endpoint) => [
      [`no-key:${endpoint}`, { endpoint, probe: `no-key:${endpoint}`, credential: 'none', status: 401 }],
      [`bad-key:${endpoint}`, { endpoint, probe: `bad-key:${endpoint}`, credential: 'bad', status: 401 }],
    ]),
  ),
  'unknown-session': { endpoint: 'read-session', probe: 'unknown-session', sessionId: 'x', status: 404 },
  'unknown-create': { endpoint: 'create-session', probe: 'unknown-catalog:create-session', status: 404 },
  'unknown-list': { endpoint: 'list-shades', probe: 'unknown-catalog:list-shades', status: 404 },
  max: { endpoint: 'import-shades', probe: 'batch-max', catalogId: 'cm', items: 500 },
  'max-list': { endpoint: 'list-shades', probe: 'batch-max:list', catalogId: 'cm', count: 500 },
  over: { endpoint: 'import-shades', probe: 'batch-over', catalogId: 'co', items: 501, status: 422 },
  'over-list': { endpoint: 'list-shades', probe: 'batch-over:list', catalogId: 'co', status: 404 },
  canary: { ...session, probe: 'canary:create-session', sessionId: 'canary' },
  'canary-read': { endpoint: 'read-session', probe: 'canary:read-session', sessionId: 'canary' },
  channel: { endpoint: 'interact', probe: 'channel', sessionId: 'canary', status: 202 },
  session: { ...session, planned: 0 },
  shades: { endpoint: 'list-shades', catalogId: 'c1', count: 2, planned: 1 },
  act: { endpoint: 'interact', sessionId: 's1', credential: 'session', status: 202 },
  limited: { endpoint: 'create-session', catalogId: 'c1', status: 429, planned: 2 },
};
const bodies: Readonly<Record<string, unknown>> = {
  list: { shades },
  'canary-read': {
    session_id: 'canary',
    product_id: 'p1',
    catalog_id: 'c1',
    locale: 'de-DE',
    interactions: [],
  },
};

/** Fields to replace in a record; `undefined` takes one out. */
type Edit = { readonly [Name in keyof SampleRequest]?: SampleRequest[Name] | undefined };

interface Change {
  /** Replaces fields of named records; `null` leaves the record out. */
  readonly requests?: Readonly<Record<string, Edit | null>>;
  readonly more?: readonly SampleRequest[];
  readonly bodies?: Readonly<Record<string, unknown>>;
  readonly profile?: SampleHistory['profile'];
  readonly run?: SampleHistory['run'];
}

function history(change: Change): SampleHistory {
  const names = Object.keys(named).filter((name) => change.requests?.[name] !== null);
  const requests = names.map((name, index) => {
    const edit = change.requests?.[name] ?? {};
    // A record that is edited to have no answer has no status either.
    const status: Edit = 'lost' in edit || 'notSent' in edit ? { status: undefined } : {};
    return { intendedNs: index * 1e7, ...named[name], ...edit, ...status } as SampleRequest;
  });
  const kept = { ...bodies, ...change.bodies };
  const answers = Object.keys(kept).flatMap((name): AnswerRecord[] => {
    const index = names.indexOf(name);
    const request = requests[index];
    if (request === undefined) return [];
    return [{ seq: index + 1, endpoint: request.endpoint, query: {}, body: kept[name] }];
  });
  return {
    requests: [...requests, ...(change.more ?? [])],
    answers,
    catalog,
    ...(change.profile === undefined ? {} : { profile: change.profile }),
    ...(change.run === undefined ? {} : { run: change.run }),
  };
}

async function judged(change: Change): Promise<readonly CheckResult[]> {
  return withHistory(history(change), checkContract);
}

function verdicts(results: readonly CheckResult[]): Record<string, Verdict> {
  return Object.fromEntries(results.map((result) => [result.id, result.verdict]));
}

const allPass = {
  'contract.answers': 'pass',
  'contract.auth': 'pass',
  'contract.not-found': 'pass',
  'contract.shade-count': 'pass',
  'contract.catalog': 'pass',
  'contract.batch-max': 'pass',
  'contract.batch-over': 'pass',
  'contract.expiry': 'pass',
  'contract.canary': 'pass',
  'contract.errors': 'pass',
} as const satisfies Record<string, Verdict>;
type Id = keyof typeof allPass;

describe.concurrent('a target that keeps the contract', () => {
  it.each<[string, Change]>([
    ['passes every check', {}],
    [
      'passes with 201 for an import and 202 for reads',
      { requests: { list: { status: 202 }, shades: { status: 202 } } },
    ],
    ['passes with a bare list of shades', { bodies: { list: shades } }],
    [
      'passes with a list in another order, lower-case hex and metadata',
      { bodies: { list: { items: [{ ...shades[1], hex: '#bb0000', tone: 1 }, shades[0]] } } },
    ],
    [
      'passes with an empty list for the refused batch',
      { requests: { 'over-list': { status: 200, count: 0 } } },
    ],
    [
      'passes with a session read that shows nothing but its history',
      { bodies: { 'canary-read': { events: [] } } },
    ],
    ['passes with 413 for the batch over the limit', { requests: { over: { status: 413 } } }],
    [
      'passes when a retried probe got through at the second attempt',
      {
        more: [{ endpoint: 'import-shades', probe: 'batch-max', catalogId: 'cm', items: 500 }],
        requests: { max: { status: 429 } },
      },
    ],
    [
      'passes with a clock that is 400 ms ahead and says so',
      { requests: { session: { serverDateMs: sampleRun.zero_epoch_ms + 400 } } },
    ],
    [
      'passes with an expiry without fractions at +00:00',
      { requests: { session: { expiresAt: '2026-05-01T12:30:00+00:00' } } },
    ],
    [
      'passes when a session is refused once it has expired',
      {
        requests: {
          session: { expiresAt: '2026-05-01T12:00:01Z' },
          act: { status: 401, intendedNs: 2 * second },
        },
      },
    ],
    [
      'passes with 402 for a new session, which is for the quota check',
      {
        requests: {
          session: {
            status: 402,
            sessionId: undefined,
            count: undefined,
            expiresAt: undefined,
          },
        },
      },
    ],
    [
      'passes when the form of dates had to be found first',
      { more: [{ endpoint: 'analytics', stage: 'setup', status: 422 }] },
    ],
  ])('%s', async (_, change) => {
    expect(verdicts(await judged(change))).toEqual(allPass);
  });
});

describe.concurrent('a target that breaks the contract', () => {
  it.each<[string, Change, Id, RegExp]>([
    [
      'a token of another type',
      { requests: { session: { problem: 'token: expected string, got number' } } },
      'contract.answers',
      /token: expected string, got number \(1×\)/,
    ],
    [
      '201 for a new session',
      { requests: { session: { status: 201 } } },
      'contract.answers',
      /create-session: status 201 where 200/,
    ],
    [
      'an endpoint without a guard',
      { requests: { 'bad-key:analytics': { status: 200 } } },
      'contract.auth',
      /bad-key:analytics got 200/,
    ],
    [
      '500 for a bad key',
      { requests: { 'bad-key:create-session': { status: 500 } } },
      'contract.auth',
      /bad-key:create-session got 500/,
    ],
    [
      '403 for no key',
      { requests: { 'no-key:read-session': { status: 403 } } },
      'contract.auth',
      /no-key:read-session got 403/,
    ],
    [
      'an unguarded channel',
      { requests: { 'no-key:interact': { status: 202 } } },
      'contract.auth',
      /no-key:interact got 202/,
    ],
    [
      'a guard that lets the second attempt pass',
      { more: [{ endpoint: 'list-shades', probe: 'bad-key:list-shades', credential: 'bad', status: 200 }] },
      'contract.auth',
      /bad-key:list-shades got 200/,
    ],
    [
      '200 for an unknown session',
      { requests: { 'unknown-session': { status: 200 } } },
      'contract.not-found',
      /unknown-session got 200/,
    ],
    [
      'an empty list for an unknown catalog',
      { requests: { 'unknown-list': { status: 200, count: 0 } } },
      'contract.not-found',
      /unknown-catalog:list-shades got 200/,
    ],
    [
      'a shade_count of one too many',
      { requests: { session: { count: 3 } } },
      'contract.shade-count',
      /1 session of catalog c1 showed 2 to 3 shades where 2 were imported/,
    ],
    ['a shade that is missing', { bodies: { list: [shades[0]] } }, 'contract.catalog', /c1: B is missing/],
    [
      'a shade that is listed twice',
      { bodies: { list: [...shades, shades[1]] } },
      'contract.catalog',
      /c1: B is listed twice/,
    ],
    [
      'a shade from elsewhere',
      { bodies: { list: [...shades, { ...shades[0], sku: 'Z' }] } },
      'contract.catalog',
      /Z was never imported/,
    ],
    [
      'a name whose letters were mangled',
      { bodies: { list: [{ ...shades[0], name: 'RosÃ©' }, shades[1]] } },
      'contract.catalog',
      /A has the name "RosÃ©", imported "Rosé"/,
    ],
    [
      'a name in another normal form',
      { bodies: { list: [{ ...shades[0], name: 'Rose\u0301' }, shades[1]] } },
      'contract.catalog',
      /A has the name/,
    ],
    [
      'a finish that is lost',
      { bodies: { list: [shades[0], { ...shades[1], finish: 'matte' }] } },
      'contract.catalog',
      /B has the finish "matte", imported "gloss"/,
    ],
    [
      'a finish that is dropped',
      { bodies: { list: [{ ...shades[0], finish: undefined }, shades[1]] } },
      'contract.catalog',
      /0\.finish: expected string, got nothing/,
    ],
    [
      'another colour',
      { bodies: { list: [{ ...shades[0], hex: '#AA0001' }, shades[1]] } },
      'contract.catalog',
      /A has the hex #AA0001, imported #AA0000/,
    ],
    [
      'an imported catalog that is not found',
      { requests: { list: { status: 404 } } },
      'contract.catalog',
      /c1: list: status 404/,
    ],
    [
      'a later list with fewer shades',
      { requests: { shades: { count: 1 } } },
      'contract.catalog',
      /1 of 2 lists held 1 to 2 shades, imported 2/,
    ],
    [
      'a full batch refused',
      { requests: { max: { status: 413 } } },
      'contract.batch-max',
      /500 shades, which the interface allows, was answered with 413/,
    ],
    [
      'a full batch cut short',
      { requests: { 'max-list': { count: 499 } } },
      'contract.batch-max',
      /500 shades were accepted and 499 listed/,
    ],
    [
      'a full batch that is lost',
      { requests: { 'max-list': { status: 404 } } },
      'contract.batch-max',
      /then answered 404/,
    ],
    [
      'a batch over the limit accepted',
      { requests: { over: { status: 200 }, 'over-list': { status: 200, count: 501 } } },
      'contract.batch-over',
      /501 shades, more than the 500 of the interface, were answered with 200 and 501 of them listed/,
    ],
    [
      'a batch over the limit truncated',
      { requests: { over: { status: 200 }, 'over-list': { status: 200, count: 500 } } },
      'contract.batch-over',
      /200 and 500 of them listed/,
    ],
    [
      'a refused batch of which a part is stored',
      { requests: { 'over-list': { status: 200, count: 12 } } },
      'contract.batch-over',
      /answered with 422, yet 12 of its 501 shades are listed/,
    ],
    [
      'a batch over the limit stored without an answer',
      { requests: { over: { lost: 'timeout' }, 'over-list': { status: 200, count: 501 } } },
      'contract.batch-over',
      /no answer \(timeout\), yet 501/,
    ],
    [
      '500 for a batch over the limit',
      { requests: { over: { status: 500 } } },
      'contract.batch-over',
      /answered with 500, not with a 4xx/,
    ],
    [
      'a session that has expired already',
      { requests: { session: { expiresAt: '2026-05-01T11:59:00Z' } } },
      'contract.expiry',
      /1 session had expired/,
    ],
    [
      'an expiry before the Date header',
      {
        requests: {
          session: {
            expiresAt: '2026-05-01T14:00:00Z',
            serverDateMs: sampleRun.zero_epoch_ms + 3 * 3_600_000,
          },
        },
      },
      'contract.expiry',
      /1 session had expired/,
    ],
    [
      'another session read back',
      { requests: { 'canary-read': { problem: 'session_id: expected "canary", got "b"' } } },
      'contract.canary',
      /session_id: expected "canary", got "b"/,
    ],
    [
      'a session read back with another product',
      { bodies: { 'canary-read': { product_id: 'p2' } } },
      'contract.canary',
      /product_id: expected "p1", got "p2"/,
    ],
    [
      'a session that cannot be read back',
      { requests: { 'canary-read': { status: 404 } } },
      'contract.canary',
      /canary:read-session got 404/,
    ],
    [
      'a session that flaps',
      {
        more: [{ endpoint: 'read-session', probe: 'canary:read-session', sessionId: 'canary', status: 404 }],
      },
      'contract.canary',
      /canary:read-session got 404/,
    ],
    [
      'a server error',
      { more: [{ endpoint: 'list-shades', status: 503 }] },
      'contract.errors',
      /list-shades 503 \(1×\); 1 server error in all/,
    ],
    [
      '404 for a session that exists',
      { more: [{ endpoint: 'read-session', sessionId: 's1', stage: 'settle', status: 404 }] },
      'contract.errors',
      /read-session 404/,
    ],
    [
      '422 for a valid session',
      { more: [{ ...session, sessionId: 's9', status: 422 }] },
      'contract.errors',
      /create-session 422/,
    ],
    [
      '402 for a read',
      { more: [{ endpoint: 'list-shades', status: 402 }] },
      'contract.errors',
      /list-shades 402/,
    ],
    ['a redirect', { more: [{ endpoint: 'analytics', status: 302 }] }, 'contract.errors', /analytics 302/],
    [
      '422 for dates that were accepted before',
      { more: [{ endpoint: 'analytics', stage: 'settle', status: 422 }] },
      'contract.errors',
      /analytics 422/,
    ],
  ])('by %s fails that check alone', async (_, change, id, explanation) => {
    const results = await judged(change);
    const failed = results.filter((result) => result.verdict === 'fail');
    expect(failed.map((result) => result.id)).toContain(id);
    expect(failed.find((result) => result.id === id)?.explanation).toMatch(explanation);
    // What is no valid answer for one check may leave nothing to see for another, but never accuses twice.
    const allowed = new Set<string>([id, ...(id === 'contract.canary' ? ['contract.answers'] : [])]);
    expect(failed.map((result) => result.id).filter((other) => !allowed.has(other))).toEqual([]);
  });

  it('by an expiry that is no instant fails both the form and the expiry', async () => {
    const problem = 'expires_at: expected an ISO 8601 instant in UTC, got "soon"';
    const { expiresAt: _, count: __, sessionId: ___, ...ungranted } = session;
    const results = await judged({ more: [{ ...ungranted, problem }] });
    expect(results.filter((result) => result.verdict === 'fail').map((result) => result.id)).toEqual([
      'contract.answers',
      'contract.expiry',
    ]);
  });

  it('is shown with the requests that show it', async () => {
    const results = await judged({ more: [{ endpoint: 'list-shades', status: 503, seq: 900 }] });
    const errors = results.find((result) => result.id === 'contract.errors');
    expect(errors?.evidence).toEqual([{ what: 'list-shades answered 503', seqs: [900], total: 1 }]);
  });
});

describe.concurrent('a history that cannot tell', () => {
  it.each<[string, Change, Id, RegExp]>([
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
