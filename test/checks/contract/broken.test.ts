import { describe, expect, it } from 'vitest';
import type { CauseCode } from '../../../src/checks/diagnosis/cause.ts';
import { diagnose } from '../../../src/checks/diagnosis/diagnose.ts';
import { sampleRun } from '../../history/sample.ts';
import { type Change, type ContractId, judged, session, shades } from './target.ts';

describe('a target that breaks the contract', () => {
  it.each<[string, Change, ContractId, RegExp, CauseCode]>([
    [
      'a token of another type',
      { requests: { session: { problem: 'token: expected string, got number' } } },
      'contract.answers',
      /token: expected string, got number \(1×\)/,
      'answers-malformed',
    ],
    [
      '201 for a new session',
      { requests: { session: { status: 201 } } },
      'contract.answers',
      /create-session: status 201 where 200/,
      'success-status-wrong',
    ],
    [
      'an endpoint without a guard',
      { requests: { 'bad-key:analytics': { status: 200 } } },
      'contract.auth',
      /bad-key:analytics got 200/,
      'key-not-checked',
    ],
    [
      '500 for a bad key',
      { requests: { 'bad-key:create-session': { status: 500 } } },
      'contract.auth',
      /bad-key:create-session got 500/,
      'key-check-crashes',
    ],
    [
      '403 for no key',
      { requests: { 'no-key:read-session': { status: 403 } } },
      'contract.auth',
      /no-key:read-session got 403/,
      'key-refused-otherwise',
    ],
    [
      'an unguarded channel',
      { requests: { 'no-key:interact': { status: 202 } } },
      'contract.auth',
      /no-key:interact got 202/,
      'key-not-checked',
    ],
    [
      'a guard that lets the second attempt pass',
      { more: [{ endpoint: 'list-shades', probe: 'bad-key:list-shades', credential: 'bad', status: 200 }] },
      'contract.auth',
      /bad-key:list-shades got 200/,
      'key-not-checked',
    ],
    [
      '200 for an unknown session',
      { requests: { 'unknown-session': { status: 200 } } },
      'contract.not-found',
      /unknown-session got 200/,
      'unknown-id-answered',
    ],
    [
      'an empty list for an unknown catalog',
      { requests: { 'unknown-list': { status: 200, count: 0 } } },
      'contract.not-found',
      /unknown-catalog:list-shades got 200/,
      'unknown-id-answered',
    ],
    [
      'a shade_count of one too many',
      { requests: { session: { count: 3 } } },
      'contract.shade-count',
      /1 session of catalog c1 showed 2 to 3 shades where 2 were imported/,
      'shade-count-wrong',
    ],
    [
      'a shade that is missing',
      { bodies: { list: [shades[0]] } },
      'contract.catalog',
      /c1: B is missing/,
      'shades-missing',
    ],
    [
      'a shade that is listed twice',
      { bodies: { list: [...shades, shades[1]] } },
      'contract.catalog',
      /c1: B is listed twice/,
      'sku-stored-twice',
    ],
    [
      'a shade from elsewhere',
      { bodies: { list: [...shades, { ...shades[0], sku: 'Z' }] } },
      'contract.catalog',
      /Z was never imported/,
      'foreign-shades',
    ],
    [
      'a name whose letters were mangled',
      { bodies: { list: [{ ...shades[0], name: 'RosÃ©' }, shades[1]] } },
      'contract.catalog',
      /A has the name "RosÃ©", imported "Rosé"/,
      'shade-field-changed',
    ],
    [
      'a name in another normal form',
      { bodies: { list: [{ ...shades[0], name: 'Rose\u0301' }, shades[1]] } },
      'contract.catalog',
      /A has the name/,
      'shade-field-changed',
    ],
    [
      'a finish that is lost',
      { bodies: { list: [shades[0], { ...shades[1], finish: 'matte' }] } },
      'contract.catalog',
      /B has the finish "matte", imported "gloss"/,
      'shade-field-changed',
    ],
    [
      'a finish that is dropped',
      { bodies: { list: [{ ...shades[0], finish: undefined }, shades[1]] } },
      'contract.catalog',
      /0\.finish: expected string, got nothing/,
      'answers-malformed',
    ],
    [
      'another colour',
      { bodies: { list: [{ ...shades[0], hex: '#AA0001' }, shades[1]] } },
      'contract.catalog',
      /A has the hex #AA0001, imported #AA0000/,
      'shade-field-changed',
    ],
    [
      'an imported catalog that is not found',
      { requests: { list: { status: 404 } } },
      'contract.catalog',
      /c1: list: status 404/,
      'shades-missing',
    ],
    [
      'a later list with fewer shades',
      { requests: { shades: { count: 1 } } },
      'contract.catalog',
      /1 of 2 lists held 1 to 2 shades, imported 2/,
      'shades-missing',
    ],
    [
      'a full batch refused',
      { requests: { max: { status: 413 } } },
      'contract.batch-max',
      /500 shades, which the interface allows, was answered with 413/,
      'import-limit-too-low',
    ],
    [
      'a full batch cut short',
      { requests: { 'max-list': { count: 499 } } },
      'contract.batch-max',
      /500 shades were accepted and 499 listed/,
      'shades-missing',
    ],
    [
      'a page with a shade from elsewhere',
      { bodies: { list: { items: [{ ...shades[0], sku: 'Z' }], next: 'x' } } },
      'contract.catalog',
      /Z was never imported/,
      'foreign-shades',
    ],
    [
      'later lists with more shades than imported, pages or not',
      { requests: { shades: { count: 3 } }, bodies: { list: { shades, total: 2 } } },
      'contract.catalog',
      /1 of 2 lists held 2 to 3 shades, imported 2\.$/,
      'foreign-shades',
    ],
    [
      'a page of a full batch with more than it held',
      { requests: { 'max-list': { count: 501 } } },
      'contract.batch-max',
      /500 shades were accepted and 501 listed/,
      'foreign-shades',
    ],
    [
      'an import of 202 that still does not show when it has to',
      {
        profile: { import_visible: '1s' },
        requests: { import: { status: 202 } },
        bodies: { list: [] },
        more: [
          { endpoint: 'list-shades', probe: 'import:list', catalogId: 'c1', intendedNs: 2e9, seq: 900 },
          { ...session, sessionId: 's9', intendedNs: 3e9, seq: 902 },
        ],
        answers: [{ seq: 900, endpoint: 'list-shades', query: {}, body: [shades[0]] }],
      },
      'contract.catalog',
      /c1: B is missing/,
      'shades-missing',
    ],
    [
      'a list that was whole and is not any more',
      {
        more: [{ endpoint: 'list-shades', probe: 'import:list', catalogId: 'c1', seq: 900 }],
        answers: [{ seq: 900, endpoint: 'list-shades', query: {}, body: [shades[0]] }],
      },
      'contract.catalog',
      /c1: B is missing/,
      'shades-missing',
    ],
    [
      'a full batch of 202 that still does not show when it has to',
      {
        profile: { import_visible: '10ms' },
        requests: { max: { status: 202 }, 'max-list': { count: 499, intendedNs: 5e9 } },
      },
      'contract.batch-max',
      /500 shades were accepted and 499 listed\.$/,
      'shades-missing',
    ],
    [
      'a full batch that is lost',
      { requests: { 'max-list': { status: 404 } } },
      'contract.batch-max',
      /then answered 404/,
      'shades-missing',
    ],
    [
      'a batch over the limit accepted',
      { requests: { over: { status: 200 }, 'over-list': { status: 200, count: 501 } } },
      'contract.batch-over',
      /501 shades, more than the 500 of the interface, were answered with 200 and 501 of them listed/,
      'import-limit-not-enforced',
    ],
    [
      'a batch over the limit truncated',
      { requests: { over: { status: 200 }, 'over-list': { status: 200, count: 500 } } },
      'contract.batch-over',
      /200 and 500 of them listed/,
      'import-truncated',
    ],
    [
      'a refused batch of which a part is stored',
      { requests: { 'over-list': { status: 200, count: 12 } } },
      'contract.batch-over',
      /answered with 422, yet 12 of its 501 shades are listed/,
      'refused-import-stored',
    ],
    [
      'a batch over the limit stored without an answer',
      { requests: { over: { lost: 'timeout' }, 'over-list': { status: 200, count: 501 } } },
      'contract.batch-over',
      /no answer \(timeout\), yet 501/,
      'import-limit-not-enforced',
    ],
    [
      '500 for a batch over the limit',
      { requests: { over: { status: 500 } } },
      'contract.batch-over',
      /answered with 500, not with a 4xx/,
      'server-errors',
    ],
    [
      'a session that has expired already',
      { requests: { session: { expiresAt: '2026-05-01T11:59:00Z' } } },
      'contract.expiry',
      /1 session had expired/,
      'expiry-in-the-past',
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
      'expiry-in-the-past',
    ],
    [
      'another session read back',
      { requests: { 'canary-read': { problem: 'session_id: expected "canary", got "b"' } } },
      'contract.canary',
      /session_id: expected "canary", got "b"/,
      'answers-malformed',
    ],
    [
      'a session read back with another product',
      { bodies: { 'canary-read': { product_id: 'p2' } } },
      'contract.canary',
      /product_id: expected "p1", got "p2"/,
      'session-changed',
    ],
    [
      'a session that cannot be read back',
      { requests: { 'canary-read': { status: 404 } } },
      'contract.canary',
      /canary:read-session got 404/,
      'session-disappears',
    ],
    [
      'a session that flaps',
      {
        more: [{ endpoint: 'read-session', probe: 'canary:read-session', sessionId: 'canary', status: 404 }],
      },
      'contract.canary',
      /canary:read-session got 404/,
      'session-disappears',
    ],
    [
      'a server error',
      { more: [{ endpoint: 'list-shades', status: 503 }] },
      'contract.errors',
      /list-shades 503 \(1×\); 1 server error in all/,
      'server-errors',
    ],
    [
      '404 for a session that exists',
      { more: [{ endpoint: 'read-session', sessionId: 's1', stage: 'settle', status: 404 }] },
      'contract.errors',
      /read-session 404/,
      'session-disappears',
    ],
    [
      '422 for a valid session',
      { more: [{ ...session, sessionId: 's9', status: 422 }] },
      'contract.errors',
      /create-session 422/,
      'unexpected-status',
    ],
    [
      '402 for a read',
      { more: [{ endpoint: 'list-shades', status: 402 }] },
      'contract.errors',
      /list-shades 402/,
      'unexpected-status',
    ],
    [
      'a redirect',
      { more: [{ endpoint: 'analytics', status: 302 }] },
      'contract.errors',
      /analytics 302/,
      'unexpected-status',
    ],
    [
      '422 for dates that were accepted before',
      { more: [{ endpoint: 'analytics', stage: 'settle', status: 422 }] },
      'contract.errors',
      /analytics 422/,
      'unexpected-status',
    ],
  ])('by %s fails that check alone', async (_, change, id, explanation, cause) => {
    const results = await judged(change);
    const failed = results.filter((result) => result.verdict === 'fail');
    expect(failed.map((result) => result.id)).toContain(id);
    expect(failed.find((result) => result.id === id)?.explanation).toMatch(explanation);
    // What is no valid answer for one check may leave nothing to see for another, but never accuses twice.
    const allowed = new Set<string>([id, ...(id === 'contract.canary' ? ['contract.answers'] : [])]);
    expect(failed.map((result) => result.id).filter((other) => !allowed.has(other))).toEqual([]);
    const diagnosis = diagnose(results);
    expect(diagnosis.causes.map(({ cause: { code } }) => code)).toEqual([cause]);
    expect(diagnosis.unexplained).toEqual([]);
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
