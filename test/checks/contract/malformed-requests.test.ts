import { describe, expect, it } from 'vitest';
import type { CauseCode } from '../../../src/checks/causes/cause.ts';
import type { Verdict } from '../../../src/checks/core/verdict.ts';
import { malformedRequests } from '../../../src/corners/malformed.ts';
import type { SampleRequest } from '../../history/sample.ts';
import { causeCodes } from '../cause-codes.ts';
import { expectSaid, type Said, said, saidAll } from './said.ts';
import { judged } from './target.ts';

const inSetUp = malformedRequests.filter(({ isEarly }) => isEarly);
const catalogId = 'tryon-x-invalid';
const listSeq = 999;

/** Every malformed request of set-up, rejected, and a list without a trace of them, but for what is changed. */
function sent(changes: Readonly<Record<string, Partial<SampleRequest>>> = {}): SampleRequest[] {
  const rows = inSetUp.map(({ endpoint, fault, field }): SampleRequest => {
    const { status = 422, ...change } = changes[`${endpoint} ${field}`] ?? {};
    return {
      stage: 'setup',
      endpoint,
      probe: `invalid:${endpoint}:${field}:${fault}`,
      ...(endpoint === 'import-shades' && { catalogId }),
      ...('lost' in change ? change : { status, ...change }),
    };
  });
  const list = { stage: 'setup', endpoint: 'list-shades', probe: 'invalid:list', catalogId } as const;
  return [...rows, { ...list, seq: listSeq, status: 404, ...changes.list }];
}

/** The second of the shades of an import, listed. */
function shade(field: string, fault: string, values: object = {}): object {
  const text = `${catalogId}-${field}-${fault}-2`;
  return { sku: text, name: text, hex: '#102030', finish: 'matte', ...values };
}

const undecodable = (status: number): SampleRequest => ({
  stage: 'settle',
  endpoint: 'list-shades',
  probe: 'invalid:list-shades:catalog_id:percent-alone',
  status,
});

const lenient = { 'import-shades hex': { status: 200 }, list: { status: 200 } };

describe('malformed requests', () => {
  it.each<[string, readonly SampleRequest[], readonly object[] | undefined, Verdict, Said, ...CauseCode[]]>([
    [
      'that get 4xx and leave nothing behind are no fault',
      sent(),
      undefined,
      'pass',
      said('malformed-rejected', { requests: 19 }),
    ],
    [
      'that get 5xx are one, with endpoint and field',
      sent({ 'import-shades sku': { status: 500 }, 'create-session catalog_id': { status: 502 } }),
      undefined,
      'fail',
      saidAll(
        said('malformed-status', { endpoint: 'import-shades', field: 'sku', fault: 'absent', status: 500 }),
        said('malformed-status', { endpoint: 'create-session', field: 'catalog_id', status: 502 }),
      ),
      'malformed-request-fails',
    ],
    [
      'that get 4xx and are stored in part are one',
      sent({ list: { status: 200 } }),
      [shade('sku', 'absent', { sku: `${catalogId}-sku-absent-1` })],
      'fail',
      said('malformed-stored', { field: 'sku', listed: 1, status: 422 }),
      'refused-import-stored',
    ],
    [
      'that are accepted and listed as no value of the interface are one',
      sent(lenient),
      [shade('hex', 'object', { hex: {} })],
      'fail',
      said('malformed-listed', { field: 'hex', fault: 'object', listed: 'a value of type object' }),
      'malformed-value-listed',
    ],
    [
      'that are accepted and listed without the field are one',
      sent({ 'import-shades finish': { status: 200 }, list: { status: 200 } }),
      [shade('finish', 'absent', { finish: undefined })],
      'fail',
      said('malformed-listed', { field: 'finish', listed: 'nothing' }),
      'malformed-value-listed',
    ],
    [
      'that are accepted and put right are none, and the pass names them',
      sent(lenient),
      [shade('hex', 'object', { hex: '#000000' })],
      'pass',
      said('malformed-accepted', { requests: 1, of: 19 }),
    ],
    [
      'for a session that are accepted are none',
      sent({ 'create-session locale': { status: 200 }, 'analytics start_date': { status: 200 } }),
      undefined,
      'pass',
      said('malformed-accepted', { requests: 2 }),
    ],
    [
      'with an id that cannot exist must not be answered with a session',
      sent({ 'read-session id': { status: 200 } }),
      undefined,
      'fail',
      said('malformed-status', { endpoint: 'read-session', field: 'id', status: 200 }),
      'unknown-id-answered',
    ],
    [
      'with events must be rejected, since the profile promises it',
      sent({ 'interact at': { status: 202 } }),
      undefined,
      'fail',
      said('malformed-status', { endpoint: 'interact', field: 'at', status: 202 }),
      'malformed-event-accepted',
    ],
    [
      'of which one has no answer show nothing about that one',
      sent({ 'read-session id': { lost: 'timeout' } }),
      undefined,
      'inconclusive',
      said('malformed-unclear', { endpoint: 'read-session', got: { lost: 'timeout' } }),
    ],
    [
      'of which none of a kind has an answer are a fault where all else is answered',
      [
        ...sent({ 'read-session id': { lost: 'reset' } }),
        {
          stage: 'setup',
          endpoint: 'read-session',
          probe: 'invalid:read-session:id:percent-alone',
          lost: 'reset',
        },
      ],
      undefined,
      'fail',
      said('malformed-unanswered', { endpoint: 'read-session', requests: 2 }),
      'requests-unanswered',
    ],
    [
      'with a catalog id that cannot be decoded are no fault where one without it is accepted, too',
      [...sent({ 'list-shades catalog_id': { status: 200 } }), undecodable(200)],
      undefined,
      'pass',
      said('malformed-accepted', { requests: 2 }),
    ],
    [
      'with a catalog id that cannot be decoded, and accepted, are one otherwise',
      [...sent(), undecodable(200)],
      undefined,
      'fail',
      said('malformed-status', { endpoint: 'list-shades', fault: 'percent-alone', status: 200 }),
      'unknown-id-answered',
    ],
    [
      'that meet the rate limit show nothing',
      sent({ 'import-shades sku': { status: 429 } }),
      undefined,
      'inconclusive',
      said('malformed-unclear', { field: 'sku', got: { status: 429 } }),
    ],
    [
      'whose list cannot be read are not said to have left nothing',
      sent({ list: { status: 500 } }),
      undefined,
      'inconclusive',
      said('import-list-unclear', { got: { status: 500 } }),
    ],
    [
      'that are all accepted show nothing',
      sent(
        Object.fromEntries(
          inSetUp.map(({ endpoint, field }) => [
            `${endpoint} ${field}`,
            { status: endpoint === 'read-session' || endpoint === 'interact' ? 429 : 200 },
          ]),
        ),
      ),
      undefined,
      'inconclusive',
      said('malformed-accepted', { of: 19 }),
    ],
  ])('%s', async (_, more, body, verdict, reasons, ...causes) => {
    const answers =
      body === undefined ? [] : [{ seq: listSeq, endpoint: 'list-shades' as const, query: {}, body }];
    const results = await judged({ more, answers });
    const found = results.find(({ id }) => id === 'contract.malformed-requests');
    expect(found?.verdict).toBe(verdict);
    expectSaid(found, reasons);
    expect(causeCodes([found])).toEqual(causes);
    // Their 5xx is this check's alone.
    expect(results.find(({ id }) => id === 'contract.errors')?.verdict).toBe('pass');
    expect(results.find(({ id }) => id === 'contract.answers')?.verdict).toBe('pass');
  });

  it('are not spoken of in a run that sent none', async () => {
    expect((await judged({})).map(({ id }) => id)).not.toContain('contract.malformed-requests');
  });
});
