import type { answerReasons } from '../../../src/checks/reasons/contract/answers.ts';
import type { exploredReasons } from '../../../src/checks/reasons/contract/explored.ts';
import type { openApiReasons } from '../../../src/checks/reasons/contract/openapi.ts';
import type { Examples } from './examples.ts';

export const contractExamples: Examples<
  typeof answerReasons & typeof exploredReasons & typeof openApiReasons
> = {
  'explored-differs': {
    seq: 4121,
    endpoint: 'read-session',
    kind: 'missing',
    of: 'tx-17',
    expected: '',
    got: '',
  },
  'explored-share': { wrong: 2, answers: 31 },
  'explored-agrees': { answers: 31, faults: 12 },
  'explored-none': { calls: 450 },
  'count-wrong': {
    of: 'sessions',
    catalog: 'c1',
    answers: 3,
    seen: { min: 35, max: 36 },
    imported: { min: 36, max: 36 },
  },
  'count-right': { answers: 12, of: 'lists' },
  'openapi-operation': { operation: 'GET /shades', status: 200, answers: 3 },
  'openapi-status': { operation: 'GET /shades', status: 404, answers: 3, described: ['200', '4XX'] },
  'openapi-media-type': {
    operation: 'GET /shades',
    status: 200,
    answers: 3,
    wants: ['application/json'],
    got: 'text/html',
  },
  'openapi-header-missing': { operation: 'GET /shades', status: 200, answers: 3, header: 'etag' },
  'openapi-header-value': {
    operation: 'GET /shades',
    status: 200,
    answers: 3,
    header: 'x-page',
    mismatch: { at: '', keyword: 'type', wants: '"integer"', got: 'string' },
  },
  'openapi-not-json': { operation: 'GET /shades', status: 200, answers: 3 },
  'openapi-body': {
    operation: 'GET /shades',
    status: 200,
    answers: 3,
    mismatch: { at: 'shades.*.hex', keyword: 'pattern', wants: '"^#"', got: '"red"' },
  },
  'openapi-unread': { unread: [{ answer: 'POST /sessions 200', answers: 300 }] },
  'openapi-uncalled': { operations: ['DELETE /sessions/{id}'] },
  'answers-status-wrong': { endpoint: 'create-session', status: 201, answers: 3 },
  'answers-unseen': { endpoints: ['analytics', 'list-shades'] },
  'errors-of-other-type': { endpoints: ['read-session'], statuses: [401, 404] },
  'errors-status': { endpoint: 'create-session', status: 503, answers: 3 },
  'answers-clock-stepped': { byMs: -5_040, atMs: 12_300 },
  'errors-5xx': { errors: 3, judged: 2, answers: 515, bound: 0 },
  'errors-within': { errors: 3, answers: 515, bound: 0.01 },
  'errors-excused': { endpoint: 'analytics', status: 422, answers: 3, why: 'no-date-format' },
  'errors-none': { answers: 3871, rejected: 114 },
  'sessions-visible-after': { foundMs: 480, reads: 12 },
  'availability-silent': { kinds: ['interact acts:other-token'] },
  'availability-lost': { requests: 100, lost: 2, kinds: [{ kind: 'timeout', requests: 2 }] },
  'availability-within': { bound: 0.01, requests: 100, lost: 0 },
  'availability-over': { bound: 0.01, requests: 100, lost: 2 },
  'availability-not-counted': { kind: 'no-socket', requests: 5 },
  'auth-under-load-status': { statuses: [200], wrong: 1, answers: 4 },
};
