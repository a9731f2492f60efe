import { describe, expect, it } from 'vitest';
import type { CheckResult, Verdict } from '../../../src/checks/core/verdict.ts';
import { sampleRun } from '../../history/sample.ts';
import { allPass, type Change, judged, second, session, shades } from './target.ts';

function verdicts(results: readonly CheckResult[]): Record<string, Verdict> {
  return Object.fromEntries(results.map((result) => [result.id, result.verdict]));
}

const event = { endpoint: 'interact', credential: 'session' } as const;

describe('a target that keeps the contract', () => {
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
      'passes with a session read that shows nothing but its history',
      { bodies: { 'canary-read': { events: [] } } },
    ],
    [
      'passes with a session that is found as soon as the profile says, at a later read',
      {
        profile: { session_visible: '300ms' },
        requests: { 'canary-read': { status: 404 } },
        bodies: { 'canary-read': undefined },
        more: [
          {
            ...{ endpoint: 'read-session', probe: 'canary:read-session', sessionId: 'canary' },
            ...{ intendedNs: 20 * second, seq: 900 },
          },
          { ...session, sessionId: 'new', intendedNs: 21 * second, seq: 901 },
          { endpoint: 'read-session', sessionId: 'new', status: 404, intendedNs: 21.2 * second, seq: 902 },
        ],
        answers: [{ seq: 900, endpoint: 'read-session', query: {}, body: { session_id: 'canary' } }],
      },
    ],
    [
      'passes with sessions that are each found a little after their creation, where nothing is promised',
      {
        requests: { 'canary-read': { status: 404 } },
        bodies: { 'canary-read': undefined },
        more: [
          {
            ...{ endpoint: 'read-session', probe: 'canary:read-session', sessionId: 'canary' },
            ...{ intendedNs: 20 * second, seq: 900 },
          },
          { ...session, sessionId: 'new', intendedNs: 21 * second, seq: 901 },
          { endpoint: 'read-session', sessionId: 'new', status: 404, intendedNs: 21.4 * second, seq: 902 },
          { endpoint: 'read-session', sessionId: 'new', intendedNs: 21.6 * second, seq: 903 },
        ],
        answers: [{ seq: 900, endpoint: 'read-session', query: {}, body: { session_id: 'canary' } }],
      },
    ],
    [
      'passes with events that miss their session for a little after its creation, and reads that come later',
      {
        requests: { act: { intendedNs: 20 * second } },
        more: [
          { ...session, sessionId: 'new', intendedNs: 21 * second, seq: 901 },
          { ...event, sessionId: 'new', status: 404, intendedNs: 21.1 * second, seq: 902 },
          { ...event, sessionId: 'new', status: 404, intendedNs: 21.4 * second, seq: 903 },
          { ...event, sessionId: 'new', status: 202, intendedNs: 21.8 * second, seq: 904 },
          { endpoint: 'read-session', sessionId: 'new', intendedNs: 22 * second, seq: 905 },
        ],
      },
    ],
    ['passes with lists in one page that says so', { bodies: { list: { shades, total: 2, next: null } } }],
    [
      'passes with a list that showed an import of 202 at the second attempt',
      {
        requests: {
          import: { status: 202 },
          list: { count: 0 },
          max: { status: 202 },
          'max-list': { count: 3 },
        },
        bodies: { list: [] },
        more: [
          {
            endpoint: 'list-shades',
            probe: 'import:list',
            catalogId: 'c1',
            count: 2,
            intendedNs: 5e8,
            seq: 900,
          },
          {
            endpoint: 'list-shades',
            probe: 'batch-max:list',
            catalogId: 'cm',
            count: 500,
            intendedNs: 5e8,
            seq: 901,
          },
          { ...session, sessionId: 's9', intendedNs: 6e8, seq: 902 },
        ],
        answers: [{ seq: 900, endpoint: 'list-shades', query: {}, body: shades }],
      },
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
