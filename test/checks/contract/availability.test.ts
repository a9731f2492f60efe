import { describe, expect, it } from 'vitest';
import { checkAvailability } from '../../../src/checks/contract/errors/availability.ts';
import { checkErrors } from '../../../src/checks/contract/errors/errors.ts';
import { render } from '../../../src/checks/core/render.ts';
import type { Verdict } from '../../../src/checks/core/verdict.ts';
import type { ProfileInput } from '../../../src/target/profile.ts';
import { type SampleRequest, withHistory } from '../../history/sample.ts';
import { causeCodes } from '../cause-codes.ts';
import { expectSaid, type Said, said, saidAll } from './said.ts';

function times(count: number, request: Partial<SampleRequest> = {}): SampleRequest[] {
  return Array.from({ length: count }, () => ({ endpoint: 'list-shades', ...request }));
}

/** As many as show that the target is not just slow. */
const answeredProbes = times(10, { probe: 'acts:read' });

it.each<[string, readonly SampleRequest[], Verdict, Said, ProfileInput?]>([
  [
    'answered every request',
    times(100),
    'pass',
    saidAll(
      said('availability-lost', { requests: 100, lost: 0, kinds: [] }),
      said('availability-within', { bound: 0.01 }),
    ),
  ],
  [
    'answered with errors has answered',
    times(100, { status: 503 }),
    'pass',
    said('availability-lost', { requests: 100, lost: 0 }),
  ],
  [
    'lost one in a hundred is within the bound',
    [...times(99), ...times(1, { lost: 'timeout' })],
    'pass',
    saidAll(
      said('availability-lost', { requests: 100, lost: 1, kinds: [{ kind: 'timeout', requests: 1 }] }),
      said('availability-within', { bound: 0.01 }),
    ),
  ],
  [
    'lost two in a hundred is over it',
    [...times(98), ...times(2, { lost: 'reset' })],
    'fail',
    saidAll(
      said('availability-lost', { requests: 100, lost: 2, kinds: [{ kind: 'reset', requests: 2 }] }),
      said('availability-over', { bound: 0.01 }),
    ),
  ],
  [
    'lost them in several ways has each counted',
    [
      ...times(90),
      ...times(5, { notSent: 'no-connection' }),
      ...times(3, { lost: 'timeout' }),
      ...times(2, { lost: 'protocol' }),
    ],
    'fail',
    said('availability-lost', {
      requests: 100,
      lost: 10,
      kinds: [
        { kind: 'no-connection', requests: 5 },
        { kind: 'timeout', requests: 3 },
        { kind: 'protocol', requests: 2 },
      ],
    }),
  ],
  [
    'closed idle connections is within its rights',
    [...times(100), ...times(5, { lost: 'closed-idle' })],
    'pass',
    saidAll(
      said('availability-lost', { requests: 100, lost: 0 }),
      said('availability-not-counted', { kind: 'closed-idle', requests: 5 }),
    ),
  ],
  [
    'could not be reached for want of sockets or an address of its name is not to blame, and not cleared either',
    [...times(98), ...times(1, { notSent: 'no-socket' }), ...times(2, { notSent: 'no-address' })],
    'inconclusive',
    saidAll(
      said('availability-lost', { requests: 98, lost: 0 }),
      said('availability-not-counted', { kind: 'no-address', requests: 2 }),
      said('availability-not-counted', { kind: 'no-socket', requests: 1 }),
    ),
  ],
  [
    'answered at too great a length is over it',
    [...times(95), ...times(5, { lost: 'too-long' })],
    'fail',
    said('availability-lost', { requests: 100, lost: 5, kinds: [{ kind: 'too-long', requests: 5 }] }),
  ],
  [
    'refused every connection is over it',
    times(20, { notSent: 'no-connection' }),
    'fail',
    said('availability-lost', { requests: 20, lost: 20, kinds: [{ kind: 'no-connection', requests: 20 }] }),
  ],
  [
    'may lose more by its profile',
    [...times(95), ...times(5, { lost: 'reset' })],
    'pass',
    said('availability-within', { bound: 0.05 }),
    { lost_bound: 0.05 },
  ],
  [
    'may lose none by its profile',
    [...times(999), ...times(1, { lost: 'reset' })],
    'fail',
    said('availability-over', { bound: 0 }),
    { lost_bound: 0 },
  ],
  [
    'was asked too little to speak of a share',
    [...times(18), ...times(1, { lost: 'reset' })],
    'inconclusive',
    saidAll(
      said('availability-lost', { requests: 19, lost: 1 }),
      said('availability-too-few', { fewest: 20 }),
    ),
  ],
  ['was asked little and answered', times(3), 'pass', said('availability-lost', { requests: 3, lost: 0 })],
  [
    'was cut off when the run was stopped is not blamed for it',
    [...times(98), ...times(50, { lost: 'stopped' }), ...times(50, { notSent: 'stopped' })],
    'pass',
    said('availability-lost', { requests: 98, lost: 0 }),
  ],
  [
    'was spared what the harness held back is not blamed for it',
    [...times(98), ...times(50, { notSent: 'in-flight-bound' }), ...times(50, { notSent: 'patience' })],
    'pass',
    said('availability-lost', { requests: 98, lost: 0 }),
  ],
  [
    'did not answer probes is judged by ordinary traffic',
    [...times(98), ...times(50, { lost: 'reset', probe: 'batch-over' })],
    'pass',
    said('availability-lost', { requests: 98, lost: 0 }),
  ],
  [
    'never answers one kind of request, however rare it is',
    [...times(98), ...answeredProbes, ...times(2, { lost: 'timeout', probe: 'acts:other-token' })],
    'fail',
    said('availability-silent', { kinds: ['list-shades acts:other-token'] }),
  ],
  [
    'is silent as long as it is not ready',
    [...times(98), ...answeredProbes, ...times(3, { lost: 'timeout', probe: 'ready' })],
    'pass',
    said('availability-lost', { requests: 98, lost: 0 }),
  ],
  [
    'answers such a request when it is sent again',
    [
      ...times(98),
      ...answeredProbes,
      ...times(1, { lost: 'timeout', probe: 'acts:other-token' }),
      ...times(1, { status: 401, probe: 'acts:other-token' }),
    ],
    'pass',
    said('availability-lost', { requests: 98, lost: 0 }),
  ],
  [
    'is slow with other probes as well',
    [
      ...times(98),
      ...answeredProbes,
      ...times(2, { lost: 'timeout', probe: 'acts:other-token' }),
      ...times(1, { lost: 'timeout', probe: 'batch-max' }),
    ],
    'pass',
    said('availability-lost', { requests: 98, lost: 0 }),
  ],
  [
    'answers nothing else to show that it is not just slow',
    [...times(98), ...times(2, { lost: 'timeout', probe: 'acts:other-token' })],
    'pass',
    said('availability-lost', { requests: 98, lost: 0 }),
  ],
  ['was asked nothing', times(5, { notSent: 'stopped' }), 'inconclusive', said('availability-no-requests')],
])('a target that %s', async (_, requests, verdict, why, profile = {}) => {
  const result = render(await withHistory({ requests, profile }, checkAvailability));
  expectSaid(result, why);
  expect(result.verdict).toBe(verdict);
  expect(causeCodes([result])).toEqual(verdict === 'fail' ? ['requests-unanswered'] : []);
});

it('shows which requests got no answer', async () => {
  const result = await withHistory(
    { requests: [...times(40), ...times(12, { lost: 'timeout' })] },
    checkAvailability,
  );
  expect(result).toMatchObject({
    observed: { requests: 52, 'without an answer': 12, timeout: 12 },
    evidence: [{ what: 'requests timed out', seqs: [41, 42, 43, 44, 45, 46, 47, 48, 49, 50], total: 12 }],
  });
});

/** Requests over `connections`, of which some are lost: by the number of the request on its connection, from 1. */
function overConnections(
  connections: number,
  each: number,
  isLost: (nth: number, connection: number) => boolean,
  apartMs = 1_000,
): SampleRequest[] {
  return Array.from({ length: connections }, (_, connection) =>
    Array.from(
      { length: each },
      (__, n): SampleRequest => ({
        endpoint: 'list-shades',
        localPort: 40_000 + connection,
        sentNs: (connection * apartMs + n * 20) * 1e6,
        ...(isLost(n + 1, connection) ? { lost: 'closed-idle' } : {}),
      }),
    ),
  ).flat();
}

it.each<[string, SampleRequest[], Verdict]>([
  ['is a fault at one place of each connection', overConnections(12, 41, (nth) => nth === 41), 'fail'],
  ['is chance at many places', overConnections(40, 41, (nth, connection) => nth === 41 - connection), 'pass'],
  [
    'is chance at one place if most connections end right before it',
    [...overConnections(40, 40, () => false), ...overConnections(49, 41, (nth) => nth === 41).slice(40 * 41)],
    'pass',
  ],
  [
    'is chance at one place if others go on there',
    overConnections(40, 60, (nth, n) => nth === 41 && n < 10),
    'pass',
  ],
  ['is a fault on three that break one after another', overConnections(3, 41, (nth) => nth === 41), 'fail'],
  ['is chance on two', overConnections(2, 41, (nth) => nth === 41), 'pass'],
  ['is chance where five break at one instant', overConnections(5, 41, (nth) => nth === 41, 0), 'pass'],
])('a lost request over a kept connection %s', async (_, requests, verdict) => {
  const result = await withHistory({ requests }, checkAvailability);
  expect(result.verdict).toBe(verdict);
  expect(causeCodes([render(result)])).toEqual(verdict === 'fail' ? ['nth-request-dropped'] : []);
});

const error = { status: 503 } as const;
const named = { probe: 'names:import', endpoint: 'import-shades' } as const;
const odd = { probe: 'corners:import', endpoint: 'import-shades' } as const;

describe('server errors of one in a hundred answers that may be of chance', () => {
  // The first request has number 1, so that it can be named as the one that is repeated.
  it.each<[sentence: string, requests: readonly SampleRequest[], verdict: Verdict, ProfileInput?]>([
    ['fail where the profile allows none', [...times(1, error), ...times(199)], 'fail'],
    ['pass within what it allows', [...times(1, error), ...times(199)], 'pass', { server_errors: 0.01 }],
    [
      'are none of it where one endpoint gets little else',
      [
        ...times(2, { ...error, endpoint: 'analytics' }),
        ...times(1, { endpoint: 'analytics' }),
        ...times(397),
      ],
      'fail',
      { server_errors: 0.01 },
    ],
    ['fail beyond it', [...times(3, error), ...times(197)], 'fail', { server_errors: 0.01 }],
    [
      'are of chance where a probe is answered when it is sent again',
      [...times(1, { ...named, ...error }), ...times(1, { ...named, repeats: 1 }), ...times(199)],
      'pass',
      { server_errors: 0.01 },
    ],
    [
      'or when it is sent a third time',
      [
        ...times(1, { ...named, ...error }),
        ...times(1, { ...named, ...error, repeats: 1 }),
        ...times(1, { ...named, repeats: 2 }),
        ...times(199),
      ],
      'pass',
      { server_errors: 0.01 },
    ],
    [
      'are none of it where it gets them each time',
      [...times(1, { ...named, ...error }), ...times(1, { ...named, ...error, repeats: 1 }), ...times(199)],
      'fail',
      { server_errors: 0.01 },
    ],
    [
      'are none of it where it gets them each time, and others do not',
      [
        ...times(1, { ...named, ...error }),
        ...times(1, { ...named, repeats: 1 }),
        ...times(1, { ...named, ...error }),
        ...times(1, { ...named, ...error, repeats: 3 }),
        ...times(199),
      ],
      'fail',
      { server_errors: 0.01 },
    ],
    [
      'count where an unusual value is taken in the end',
      [...times(1, { ...odd, ...error }), ...times(1, { ...odd, repeats: 1 }), ...times(199)],
      'fail',
    ],
    [
      'are judged by another check where an unusual value gets them each time',
      [...times(1, { ...odd, ...error }), ...times(1, { ...odd, ...error, repeats: 1 }), ...times(199)],
      'pass',
    ],
    [
      'do not count before the target is ready',
      [...times(3, { probe: 'ready', ...error }), ...times(199)],
      'pass',
    ],
    [
      'fail in any case where all with one value get them',
      [...times(20, { ...error, locale: 'fr-FR' }), ...times(3_000, { locale: 'en-GB' })].map((each) => ({
        ...each,
        endpoint: 'create-session' as const,
      })),
      'fail',
      { server_errors: 0.01 },
    ],
  ])('%s', async (_, requests, verdict, profile = {}) => {
    const result = await withHistory({ requests, profile }, checkErrors);
    expect(result.verdict).toBe(verdict);
    // A pass says how many it has left out.
    const leaves = verdict === 'pass' && profile.server_errors !== undefined;
    expect(result.reasons.some(({ code }) => code === 'errors-within')).toBe(leaves);
  });
});

/** A request for analytics of a day, or of three, and what it got. */
const asksFor = (status: number, days = 1, request: Partial<SampleRequest> = {}) => ({
  status,
  days,
  request,
});

describe('analytics that have nothing to be about', () => {
  it.each<[string, ReturnType<typeof asksFor>[], Verdict, ProfileInput?]>([
    ['may refuse a period from a day to the same day', [asksFor(422), asksFor(200, 3)], 'pass'],
    ['may not refuse it now and then', [asksFor(422), asksFor(200), asksFor(200, 3)], 'fail'],
    ['are not known where every period is refused', [asksFor(422), asksFor(422, 3)], 'inconclusive'],
    [
      'may not refuse it where end_date belongs to a period',
      [asksFor(422), asksFor(200, 3)],
      'fail',
      { analytics: { end_date: 'inclusive' } },
    ],
    ['may not find a product before its first session', [asksFor(404, 3, { productId: 'p1' })], 'pass'],
    [
      'find a product once its session has to be there',
      [asksFor(200, 3), asksFor(404, 3, { productId: 'p1', intendedNs: 60e9 })],
      'fail',
    ],
  ])('%s', async (_, asked, verdict, profile = {}) => {
    const made: SampleRequest = { endpoint: 'create-session', productId: 'p1', sessionId: 's1', status: 201 };
    const requests = [
      made,
      ...asked.map(({ request, status }): SampleRequest => ({ endpoint: 'analytics', status, ...request })),
    ];
    const answers = asked.map(({ days }, at) => ({
      seq: at + 2,
      endpoint: 'analytics' as const,
      query: { start_date: '2026-05-01', end_date: `2026-05-0${days}` },
      body: {},
    }));
    const result = await withHistory({ requests, answers, profile }, checkErrors);
    expect(result.verdict).toBe(verdict);
    // A pass says how many it has left out.
    const codes = result.reasons.map(({ code }) => code);
    const isOf = (is: (each: (typeof asked)[number]) => boolean): boolean =>
      verdict === 'pass' && asked.some(is);
    expect(codes.includes('errors-empty-periods')).toBe(isOf(({ days }) => days === 1));
    expect(codes.includes('errors-new-products')).toBe(isOf(({ status }) => status === 404));
  });
});
