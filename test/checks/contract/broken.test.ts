import { describe, expect, it } from 'vitest';
import type { CauseCode } from '../../../src/checks/causes/cause.ts';
import { diagnose } from '../../../src/checks/diagnosis/diagnose.ts';
import { sampleRun } from '../../history/sample.ts';
import { expectSaid, type Said, said, saidAll } from './said.ts';
import { type Change, type ContractId, judged, second, session, shades } from './target.ts';

const emptyGrant =
  'session_id: expected string, got nothing; token: expected string, got nothing; expires_at: expected string, got nothing';

describe('a target that breaks the contract', () => {
  it.each<[string, Change, ContractId, Said, CauseCode]>([
    [
      'a token of another type',
      { requests: { session: { problem: 'token: expected string, got number' } } },
      'contract.answers',
      said('answers-form-wrong', {
        endpoint: 'create-session',
        problem: 'token: expected string, got number',
        answers: 1,
      }),
      'answers-malformed',
    ],
    [
      'a page for an unknown session',
      {
        profile: { error_bodies: 'json' },
        requests: {
          'unknown-session': { problem: 'content-type of a 404: expected application/json, got "text/html"' },
        },
      },
      'contract.answers',
      said('answers-form-wrong', {
        endpoint: 'read-session',
        problem: 'content-type of a 404: expected application/json, got "text/html"',
        answers: 1,
      }),
      'errors-not-json',
    ],
    [
      '201 for a new session',
      { requests: { session: { status: 201 } } },
      'contract.answers',
      said('answers-status-wrong', { endpoint: 'create-session', status: 201 }),
      'success-status-wrong',
    ],
    [
      'an endpoint without a guard',
      { requests: { 'bad-key:analytics': { status: 200 } } },
      'contract.auth',
      said('auth-status', { sent: 'bad-key', status: 200, endpoints: ['analytics'] }),
      'key-not-checked',
    ],
    [
      '500 for a bad key',
      { requests: { 'bad-key:create-session': { status: 500 } } },
      'contract.auth',
      said('auth-status', { sent: 'bad-key', status: 500, endpoints: ['create-session'] }),
      'key-check-crashes',
    ],
    [
      '403 for no key',
      { requests: { 'no-key:read-session': { status: 403 } } },
      'contract.auth',
      said('auth-status', { sent: 'no-key', status: 403, endpoints: ['read-session'] }),
      'key-refused-otherwise',
    ],
    [
      'an unguarded channel',
      { requests: { 'no-key:interact': { status: 202 } } },
      'contract.auth',
      said('auth-channel-status', { sent: 'no-key', status: 202 }),
      'key-not-checked',
    ],
    [
      'a guard that lets the second attempt pass',
      { more: [{ endpoint: 'list-shades', probe: 'bad-key:list-shades', credential: 'bad', status: 200 }] },
      'contract.auth',
      said('auth-status', { sent: 'bad-key', status: 200, endpoints: ['list-shades'] }),
      'key-not-checked',
    ],
    [
      '200 for an unknown session',
      { requests: { 'unknown-session': { status: 200 } } },
      'contract.not-found',
      said('not-found-status', { unknown: 'session', endpoint: 'read-session', status: 200 }),
      'unknown-id-answered',
    ],
    [
      '405 for a session with a long id',
      { more: [{ endpoint: 'read-session', probe: 'unknown-session:long', status: 405 }] },
      'contract.not-found',
      said('not-found-status', { unknown: 'session', endpoint: 'read-session', status: 405 }),
      'unknown-id-answered',
    ],
    [
      'a later list that lacks a shade, where one answer held them all',
      { requests: { shades: { count: 1 } }, bodies: { list: { shades, total: 2 } } },
      'contract.catalog',
      said('catalog-count-differs', { seen: { min: 1, max: 2 }, imported: { min: 2, max: 2 } }),
      'shades-missing',
    ],
    [
      'a list that lacks a shade that was imported twice',
      { bodies: { 'again-list': { shades: [shades[0]], next: null } } },
      'contract.import-again',
      said('import-listed-otherwise', { shades: 2, listed: 1 }),
      'shades-missing',
    ],
    [
      'a session that exists, read without a key',
      {
        more: [{ endpoint: 'read-session', probe: 'no-key:read-session', credential: 'none', status: 200 }],
      },
      'contract.auth',
      said('auth-status', { sent: 'no-key', status: 200, endpoints: ['read-session'] }),
      'key-not-checked',
    ],
    [
      'a session that is found by a part of its id',
      { more: [{ endpoint: 'read-session', probe: 'near-session:cut-by-1', status: 200 }] },
      'contract.not-found',
      said('not-found-status', { unknown: 'near-session', endpoint: 'read-session', status: 200 }),
      'session-id-compared-loosely',
    ],
    [
      'a server error for the altered id of a session',
      { more: [{ endpoint: 'read-session', probe: 'near-session:longer', status: 500 }] },
      'contract.not-found',
      said('not-found-status', { unknown: 'near-session', endpoint: 'read-session', status: 500 }),
      'server-errors',
    ],
    [
      'an empty list for an unknown catalog',
      { requests: { 'unknown-list': { status: 200, count: 0 } } },
      'contract.not-found',
      said('not-found-status', { unknown: 'catalog', endpoint: 'list-shades', status: 200 }),
      'unknown-id-answered',
    ],
    [
      'a shade_count of one too many',
      { requests: { session: { count: 3 } } },
      'contract.shade-count',
      said('shade-count-wrong', {
        catalog: 'c1',
        sessions: 1,
        seen: { min: 2, max: 3 },
        imported: { min: 2, max: 2 },
      }),
      'shade-count-wrong',
    ],
    [
      'a shade that is missing',
      { bodies: { list: [shades[0]] } },
      'contract.catalog',
      said('list-missing-shades', { catalog: 'c1', shades: 1, skus: ['B'] }),
      'shades-missing',
    ],
    [
      'a shade that is listed twice',
      { bodies: { list: [...shades, shades[1]] } },
      'contract.catalog',
      said('list-repeated-skus', { catalog: 'c1', shades: 1, skus: ['B'] }),
      'sku-stored-twice',
    ],
    [
      'a shade from elsewhere',
      { bodies: { list: [...shades, { ...shades[0], sku: 'Z' }] } },
      'contract.catalog',
      said('list-foreign-shades', { catalog: 'c1', shades: 1, skus: ['Z'] }),
      'foreign-shades',
    ],
    [
      'a name whose letters were mangled',
      { bodies: { list: [{ ...shades[0], name: 'RosÃ©' }, shades[1]] } },
      'contract.catalog',
      said('list-field-changed', { sku: 'A', field: 'name', sent: 'Rosé', got: 'RosÃ©' }),
      'shade-field-changed',
    ],
    [
      'a name in another normal form',
      { bodies: { list: [{ ...shades[0], name: 'Rose\u0301' }, shades[1]] } },
      'contract.catalog',
      said('list-field-changed', { sku: 'A', field: 'name' }),
      'shade-field-changed',
    ],
    [
      'a finish that is lost',
      { bodies: { list: [shades[0], { ...shades[1], finish: 'matte' }] } },
      'contract.catalog',
      said('list-field-changed', { sku: 'B', field: 'finish', sent: 'gloss', got: 'matte' }),
      'shade-field-changed',
    ],
    [
      'a finish that is dropped',
      { bodies: { list: [{ ...shades[0], finish: undefined }, shades[1]] } },
      'contract.catalog',
      said('list-unreadable', { catalog: 'c1', problem: '0.finish: expected string, got nothing' }),
      'answers-malformed',
    ],
    [
      'another colour',
      { bodies: { list: [{ ...shades[0], hex: '#AA0001' }, shades[1]] } },
      'contract.catalog',
      said('list-field-changed', { sku: 'A', field: 'hex', sent: '#AA0000', got: '#AA0001' }),
      'shade-field-changed',
    ],
    [
      'an imported catalog that is not found',
      { requests: { list: { status: 404 } } },
      'contract.catalog',
      said('list-status', { catalog: 'c1', status: 404 }),
      'shades-missing',
    ],
    [
      'a later list with fewer shades',
      { requests: { shades: { count: 1 } } },
      'contract.catalog',
      said('catalog-count-differs', {
        wrong: 1,
        lists: 2,
        seen: { min: 1, max: 2 },
        imported: { min: 2, max: 2 },
      }),
      'shades-missing',
    ],
    [
      'a full batch refused',
      { requests: { max: { status: 413 } } },
      'contract.batch-max',
      said('batch-max-status', { shades: 500, status: 413 }),
      'import-limit-too-low',
    ],
    [
      'a full batch cut short',
      { requests: { 'max-list': { count: 499 } } },
      'contract.batch-max',
      said('import-listed-otherwise', { shades: 500, listed: 499 }),
      'shades-missing',
    ],
    [
      'a page with a shade from elsewhere',
      { bodies: { list: { items: [{ ...shades[0], sku: 'Z' }], next: 'x' } } },
      'contract.catalog',
      said('list-foreign-shades', { catalog: 'c1', shades: 1, skus: ['Z'] }),
      'foreign-shades',
    ],
    [
      'later lists with more shades than imported, pages or not',
      { requests: { shades: { count: 3 } }, bodies: { list: { shades, total: 2 } } },
      'contract.catalog',
      said('catalog-count-differs', {
        wrong: 1,
        lists: 2,
        seen: { min: 2, max: 3 },
        imported: { min: 2, max: 2 },
      }),
      'foreign-shades',
    ],
    [
      'a page of a full batch with more than it held',
      { requests: { 'max-list': { count: 501 } } },
      'contract.batch-max',
      said('import-listed-otherwise', { shades: 500, listed: 501 }),
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
      said('list-missing-shades', { catalog: 'c1', shades: 1, skus: ['B'] }),
      'shades-missing',
    ],
    [
      'a path with another slash that needs no key',
      {
        more: [
          { endpoint: 'analytics', probe: 'spelled:double-slash:analytics', credential: 'none', status: 200 },
          // Served or not: anything but that will do.
          { endpoint: 'list-shades', probe: 'spelled:capital:list-shades', credential: 'none', status: 404 },
          { endpoint: 'read-session', probe: 'spelled:head:read-session', credential: 'none', status: 501 },
          {
            endpoint: 'create-session',
            probe: 'spelled:percent:create-session',
            credential: 'none',
            status: 301,
          },
        ],
      },
      'contract.auth',
      said('auth-spelled-served', { endpoints: ['analytics'], status: 200 }),
      'key-not-checked',
    ],
    [
      'a HEAD that needs no key',
      {
        more: [
          {
            endpoint: 'analytics',
            probe: 'spelled:head:analytics',
            credential: 'none',
            status: 200,
            problem: 'not JSON',
          },
        ],
      },
      'contract.auth',
      said('auth-spelled-served', { endpoints: ['analytics'], status: 200 }),
      'key-not-checked',
    ],
    [
      'a read that gets another session, while others get theirs',
      {
        more: [
          {
            endpoint: 'read-session',
            sessionId: 's1',
            stage: 'settle',
            problem: 'session_id: expected "s1", got "s2"',
          },
        ],
      },
      'contract.answers',
      said('answers-form-wrong', { endpoint: 'read-session', answers: 1 }),
      'answers-swapped',
    ],
    [
      'an error with the status of a success',
      { more: [{ ...session, sessionId: undefined, problem: emptyGrant }] },
      'contract.answers',
      said('answers-form-wrong', { endpoint: 'create-session', problem: emptyGrant, answers: 1 }),
      'errors-as-successes',
    ],
    [
      'a list that was whole and is not any more',
      {
        more: [{ endpoint: 'list-shades', probe: 'import:list', catalogId: 'c1', seq: 900 }],
        answers: [{ seq: 900, endpoint: 'list-shades', query: {}, body: [shades[0]] }],
      },
      'contract.catalog',
      said('list-missing-shades', { catalog: 'c1', shades: 1, skus: ['B'] }),
      'lists-differ',
    ],
    [
      'a full batch of 202 that still does not show when it has to',
      {
        profile: { import_visible: '10ms' },
        requests: { max: { status: 202 }, 'max-list': { count: 499, intendedNs: 5e9 } },
      },
      'contract.batch-max',
      said('import-listed-otherwise', { shades: 500, listed: 499 }),
      'shades-missing',
    ],
    [
      'a full batch that is lost',
      { requests: { 'max-list': { status: 404 } } },
      'contract.batch-max',
      said('import-list-status', { status: 404 }),
      'shades-missing',
    ],
    [
      'a batch over the limit accepted',
      { requests: { over: { status: 200 }, 'over-list': { status: 200, count: 501 } } },
      'contract.batch-over',
      saidAll(
        said('batch-over-status', { shades: 501, limit: 500, status: 200 }),
        said('import-partly-stored', { shades: 501, listed: 501 }),
      ),
      'import-limit-not-enforced',
    ],
    [
      'a batch over the limit truncated',
      { requests: { over: { status: 200 }, 'over-list': { status: 200, count: 500 } } },
      'contract.batch-over',
      saidAll(said('batch-over-status', { status: 200 }), said('import-partly-stored', { listed: 500 })),
      'import-truncated',
    ],
    [
      'a refused batch of which a part is stored',
      { requests: { 'over-list': { status: 200, count: 12 } } },
      'contract.batch-over',
      saidAll(
        said('import-got', { shades: 501, got: { status: 422 } }),
        said('import-partly-stored', { shades: 501, listed: 12 }),
      ),
      'refused-import-stored',
    ],
    [
      'a refused batch after which its catalog exists',
      { requests: { 'over-list': { status: 200, count: 0 } } },
      'contract.batch-over',
      said('import-left-catalog', { status: 422, listStatus: 200 }),
      'refused-import-leaves-catalog',
    ],
    [
      'a batch over the limit stored without an answer',
      { requests: { over: { lost: 'timeout' }, 'over-list': { status: 200, count: 501 } } },
      'contract.batch-over',
      saidAll(
        said('import-got', { got: { lost: 'timeout' } }),
        said('import-partly-stored', { listed: 501 }),
      ),
      'import-limit-not-enforced',
    ],
    [
      '500 for a batch over the limit',
      { requests: { over: { status: 500 } } },
      'contract.batch-over',
      said('batch-over-status', { shades: 501, status: 500 }),
      'server-errors',
    ],
    [
      'a session that has expired already',
      { requests: { session: { expiresAt: '2026-05-01T11:59:00Z' } } },
      'contract.expiry',
      said('expiry-past', { sessions: 1 }),
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
      said('expiry-past', { sessions: 1 }),
      'expiry-in-the-past',
    ],
    [
      'a token that an earlier session has',
      { requests: { session: { problem: 'token: expected a new one, got that of request 3' } } },
      'contract.answers',
      said('answers-form-wrong', { endpoint: 'create-session', answers: 1 }),
      'session-token-reused',
    ],
    [
      'another session read back',
      { requests: { 'canary-read': { problem: 'session_id: expected "canary", got "b"' } } },
      'contract.canary',
      said('canary-unreadable', { problem: 'session_id: expected "canary", got "b"' }),
      'answers-malformed',
    ],
    [
      'a session read back with another product',
      { bodies: { 'canary-read': { product_id: 'p2' } } },
      'contract.canary',
      said('canary-field-changed', { field: 'product_id', sent: 'p1', got: 'p2' }),
      'session-changed',
    ],
    [
      'a session that cannot be read back',
      { requests: { 'canary-read': { status: 404 } } },
      'contract.canary',
      said('canary-status', { endpoint: 'read-session', status: 404 }),
      'session-disappears',
    ],
    [
      'a session that is not found when the profile says',
      { profile: { session_visible: '1ms' }, requests: { 'canary-read': { status: 404 } } },
      'contract.canary',
      said('canary-status', { endpoint: 'read-session', status: 404 }),
      'session-disappears',
    ],
    [
      'a session that flaps',
      {
        more: [{ endpoint: 'read-session', probe: 'canary:read-session', sessionId: 'canary', status: 404 }],
      },
      'contract.canary',
      said('canary-status', { endpoint: 'read-session', status: 404 }),
      'session-disappears',
    ],
    [
      'a session that was found, and is then absent for a while',
      {
        more: [
          { ...session, sessionId: 'new', intendedNs: 21 * second, seq: 901 },
          { endpoint: 'read-session', sessionId: 'new', intendedNs: 21.2 * second, seq: 902 },
          { endpoint: 'read-session', sessionId: 'new', status: 404, intendedNs: 21.4 * second, seq: 903 },
          { endpoint: 'read-session', sessionId: 'new', intendedNs: 21.6 * second, seq: 904 },
        ],
      },
      'contract.errors',
      said('errors-status', { endpoint: 'read-session', status: 404 }),
      'session-disappears',
    ],
    [
      'a session that is found after 4 s',
      {
        more: [
          { ...session, sessionId: 'new', intendedNs: 21 * second, seq: 901 },
          { endpoint: 'read-session', sessionId: 'new', status: 404, intendedNs: 24.5 * second, seq: 902 },
          { endpoint: 'read-session', sessionId: 'new', intendedNs: 25 * second, seq: 903 },
        ],
      },
      'contract.errors',
      said('errors-status', { endpoint: 'read-session', status: 404 }),
      'session-disappears',
    ],
    [
      'a session that is not found later, beside one that is',
      {
        more: [
          { ...session, sessionId: 'new', intendedNs: 21 * second, seq: 901 },
          { endpoint: 'read-session', sessionId: 'new', status: 404, intendedNs: 21.2 * second, seq: 902 },
          { endpoint: 'read-session', sessionId: 'new', intendedNs: 21.4 * second, seq: 903 },
          { ...session, sessionId: 'other', intendedNs: 22 * second, seq: 910 },
          { endpoint: 'read-session', sessionId: 'other', status: 404, intendedNs: 22.3 * second, seq: 911 },
        ],
      },
      'contract.errors',
      said('errors-status', { endpoint: 'read-session', status: 404 }),
      'session-disappears',
    ],
    [
      'some sessions that are not found at first, where most are',
      {
        more: [
          { ...session, sessionId: 'new', intendedNs: 21 * second, seq: 901 },
          { endpoint: 'read-session', sessionId: 'new', status: 404, intendedNs: 21.2 * second, seq: 902 },
          { endpoint: 'read-session', sessionId: 'new', intendedNs: 21.4 * second, seq: 903 },
          { ...session, sessionId: 's1', intendedNs: 31 * second, seq: 930 },
          { endpoint: 'read-session', sessionId: 's1', intendedNs: 31.1 * second, seq: 931 },
          { ...session, sessionId: 's2', intendedNs: 32 * second, seq: 940 },
          { endpoint: 'read-session', sessionId: 's2', intendedNs: 32.1 * second, seq: 941 },
          { ...session, sessionId: 's3', intendedNs: 33 * second, seq: 950 },
          { endpoint: 'read-session', sessionId: 's3', intendedNs: 33.1 * second, seq: 951 },
        ],
      },
      'contract.errors',
      said('errors-status', { endpoint: 'read-session', status: 404 }),
      'session-disappears',
    ],
    [
      'an event that misses its session once others have found it',
      {
        more: [
          { ...session, sessionId: 'new', intendedNs: 21 * second, seq: 901 },
          {
            endpoint: 'interact',
            credential: 'session',
            sessionId: 'new',
            status: 202,
            intendedNs: 21.1 * second,
            seq: 902,
          },
          {
            endpoint: 'interact',
            credential: 'session',
            sessionId: 'new',
            status: 404,
            intendedNs: 21.4 * second,
            seq: 903,
          },
          {
            endpoint: 'interact',
            credential: 'session',
            sessionId: 'new',
            status: 202,
            intendedNs: 21.8 * second,
            seq: 904,
          },
        ],
      },
      'contract.errors',
      said('errors-status', { endpoint: 'interact', status: 404 }),
      'session-disappears',
    ],
    [
      'a session that is found later than promised',
      {
        profile: { session_visible: '300ms' },
        more: [
          { ...session, sessionId: 'new', intendedNs: 21 * second, seq: 901 },
          { endpoint: 'read-session', sessionId: 'new', status: 404, intendedNs: 21.4 * second, seq: 902 },
          { endpoint: 'read-session', sessionId: 'new', intendedNs: 21.6 * second, seq: 903 },
        ],
      },
      'contract.errors',
      said('errors-status', { endpoint: 'read-session', status: 404 }),
      'session-disappears',
    ],
    [
      'a server error',
      { more: [{ endpoint: 'list-shades', status: 503 }] },
      'contract.errors',
      saidAll(
        said('errors-status', { endpoint: 'list-shades', status: 503, answers: 1 }),
        said('errors-5xx', { errors: 1, judged: 1, bound: 0 }),
      ),
      'server-errors',
    ],
    [
      'a server error, beside another one that is not judged here',
      {
        more: [
          { endpoint: 'list-shades', status: 503 },
          { endpoint: 'create-session', stage: 'study', probe: 'precedence:create-session', status: 503 },
        ],
      },
      'contract.errors',
      said('errors-5xx', { errors: 2, judged: 1 }),
      'server-errors',
    ],
    [
      '404 for a session that exists',
      { more: [{ endpoint: 'read-session', sessionId: 's1', stage: 'settle', status: 404 }] },
      'contract.errors',
      said('errors-status', { endpoint: 'read-session', status: 404 }),
      'session-disappears',
    ],
    [
      '422 for a valid session',
      { more: [{ ...session, sessionId: 's9', status: 422 }] },
      'contract.errors',
      said('errors-status', { endpoint: 'create-session', status: 422 }),
      'unexpected-status',
    ],
    [
      '401 for a valid key',
      { more: [{ endpoint: 'list-shades', status: 401 }] },
      'contract.errors',
      said('errors-status', { endpoint: 'list-shades', status: 401 }),
      'valid-key-refused',
    ],
    [
      '401 for a valid key of a probe',
      { more: [{ endpoint: 'list-shades', probe: 'update:after', status: 401 }] },
      'contract.errors',
      said('errors-status', { endpoint: 'list-shades', status: 401 }),
      'valid-key-refused',
    ],
    [
      '402 for a read',
      { more: [{ endpoint: 'list-shades', status: 402 }] },
      'contract.errors',
      said('errors-status', { endpoint: 'list-shades', status: 402 }),
      'unexpected-status',
    ],
    [
      'a redirect',
      { more: [{ endpoint: 'analytics', status: 302 }] },
      'contract.errors',
      said('errors-status', { endpoint: 'analytics', status: 302 }),
      'unexpected-status',
    ],
    [
      '422 for dates that were accepted before',
      { more: [{ endpoint: 'analytics', stage: 'settle', status: 422 }] },
      'contract.errors',
      said('errors-status', { endpoint: 'analytics', status: 422 }),
      'unexpected-status',
    ],
  ])('by %s fails that check alone', async (_, change, id, why, cause) => {
    const results = await judged(change);
    const failed = results.filter((result) => result.verdict === 'fail');
    expect(failed.map((result) => result.id)).toContain(id);
    expectSaid(
      failed.find((result) => result.id === id),
      why,
    );
    // What is no valid answer for one check may leave nothing to see for another, but never accuses twice.
    const allowed = new Set<string>([
      id,
      ...(id === 'contract.canary' ? ['contract.answers'] : []),
      ...(cause === 'lists-differ' ? ['contract.lists-agree'] : []),
    ]);
    expect(failed.map((result) => result.id).filter((other) => !allowed.has(other))).toEqual([]);
    const diagnosis = diagnose(results);
    expect(diagnosis.causes.map(({ cause: { code } }) => code)).toEqual([cause]);
    expect(diagnosis.unexplained).toEqual([]);
  });

  it.each([404, 414])('is not one that answers %i to a long id', async (status) => {
    const results = await judged({
      more: [{ endpoint: 'read-session', probe: 'unknown-session:long', status }],
    });
    expect(results.find(({ id }) => id === 'contract.not-found')?.verdict).toBe('pass');
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
