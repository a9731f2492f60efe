import { describe, expect, it } from 'vitest';
import { inCommon, isDivided, type OutcomeCount, traitsOfRequests } from '../../src/checks/core/in-common.ts';
import type { Verdict } from '../../src/checks/core/verdict.ts';
import { checkEachConnection } from '../../src/checks/latency/connections.ts';
import { randomStream } from '../../src/random.ts';
import { times } from '../effort.ts';
import { type SampleRequest, withHistory } from '../history/sample.ts';

const groups = (...each: readonly (readonly [requests: number, failed: number])[]): OutcomeCount[] =>
  each.map(([requests, failed]) => ({ requests, failed }));

describe('whether outcomes are divided among groups', () => {
  it.each<[string, OutcomeCount[], boolean]>([
    [
      'half of eight groups fail each time, and the others never',
      groups(...Array.from({ length: 8 }, (_, n) => [10, n < 4 ? 10 : 0] as const)),
      true,
    ],
    [
      'one of eight groups fails each time',
      groups([10, 10], ...Array.from({ length: 7 }, () => [10, 0] as const)),
      true,
    ],
    ['one group fails but once', groups([10, 9], [10, 0], [10, 10], [10, 0]), false],
    ['no group fails', groups([100, 0], [100, 0]), false],
    ['all fail', groups([100, 100], [100, 100]), false],
    [
      'there is one request a group, which always fails or never',
      groups([1, 1], [1, 0], [1, 1], [1, 0]),
      false,
    ],
    ['there are too few to exclude chance', groups([3, 3], [3, 0], [3, 3]), false],
  ])('%s', (_, given, expected) => {
    expect(isDivided(given)).toBe(expected);
  });

  it('is not said of chance', () => {
    let said = 0;
    for (let seed = 1; seed <= times(2_000, 20_000); seed++) {
      const random = randomStream(seed, 'divided');
      const rate = random();
      const given = Array.from({ length: 8 }, () => {
        const outcomes = Array.from({ length: 1 + Math.floor(4 * random()) }, () => random() < rate);
        return { requests: outcomes.length, failed: outcomes.filter(Boolean).length };
      });
      if (isDivided(given)) said++;
    }
    // At most 1 in 10,000 each.
    expect(said).toBeLessThanOrEqual(2);
  });
});

/** Sessions that are opened on eight connections in turn, each read five times on others. */
function visits(isKnown: (opened: number, read: number, atMs: number) => boolean): SampleRequest[] {
  let atMs = 0;
  const at = (): Pick<SampleRequest, 'intendedNs' | 'sentNs' | 'answeredNs'> => {
    atMs += 10;
    return { intendedNs: atMs * 1e6, sentNs: atMs * 1e6, answeredNs: atMs * 1e6 + 2e6 };
  };
  return Array.from({ length: 40 }, (_, session) => session).flatMap((session) => {
    const opened = session % 8;
    const sessionId = `s${session}`;
    const open = { endpoint: 'create-session', sessionId, localPort: 50_000 + opened, ...at() } as const;
    return [
      open,
      ...[0, 1, 2, 5, 7].map((further): SampleRequest => {
        const read = (opened + further) % 8;
        const when = at();
        const status = isKnown(opened, read, atMs) ? 200 : 404;
        return { endpoint: 'read-session', sessionId, localPort: 50_000 + read, status, ...when };
      }),
    ];
  });
}

describe('requests that fail on some connections', () => {
  const found = (requests: SampleRequest[]): ReturnType<typeof inCommon> =>
    withHistory({ requests }, (history) =>
      inCommon(history, traitsOfRequests("endpoint = 'read-session'", 'status = 404'), [
        'connection',
        'connections',
      ]),
    );

  it.each<[string, Parameters<typeof visits>[0], 'connection' | 'connections' | undefined]>([
    ['all on every second one are told', (_, read) => read % 2 === 0, 'connection'],
    [
      'those to sessions that another process opened are told',
      (opened, read) => opened % 2 === read % 2,
      'connections',
    ],
    [
      'those to sessions that any other connection opened are told',
      (opened, read) => opened === read,
      'connections',
    ],
    [
      'every seventh one, whichever the connection, are not told',
      (_o, _r, atMs) => atMs % 70 !== 0,
      undefined,
    ],
    ['all after some instant are not told', (_o, _r, atMs) => atMs < 1_200, undefined],
    ['none', () => true, undefined],
  ])('%s', async (_, isKnown, trait) => {
    const common = await found(visits(isKnown));
    expect(common?.trait).toBe(trait);
    if (common !== undefined) expect(common.failed).toBeGreaterThan(50);
  });

  it('are not told where a restart ended the connections, and forgot their sessions', async () => {
    const restarted = visits((_o, _r, atMs) => atMs < 1_200).map((request): SampleRequest => {
      const port = (request.localPort ?? 0) + ((request.sentNs ?? 0) < 1_200e6 ? 0 : 100);
      return { ...request, localPort: port, status: 200 };
    });
    const forgotten = Array.from({ length: 40 }, (_, n): SampleRequest => {
      const atNs = (1_210 + 15 * n) * 1e6;
      const moment = { intendedNs: atNs, sentNs: atNs, answeredNs: atNs + 2e6 };
      return {
        endpoint: 'read-session',
        sessionId: `s${n % 15}`,
        localPort: 50_100 + (n % 8),
        status: 404,
        ...moment,
      };
    });
    expect(await found([...restarted, ...forgotten])).toBeUndefined();
  });
});

/** Requests on connections in turn, and what each takes. */
function load(
  connections: number,
  requests: number,
  tookMs: (connection: number, nth: number) => number,
): SampleRequest[] {
  return Array.from({ length: requests }, (_, n) => {
    const connection = n % connections;
    const sentNs = n * 100e6;
    return {
      endpoint: 'list-shades',
      stage: 'load',
      localPort: 50_000 + connection,
      ...{ intendedNs: sentNs, sentNs, answeredNs: sentNs + tookMs(connection, n) * 1e6 },
    } as const;
  });
}

describe('the connections of the load', () => {
  it.each<[string, SampleRequest[], Verdict | undefined]>([
    ['that are equally fast pass', load(8, 400, () => 4), 'pass'],
    [
      'half of which take 120 ms longer fail',
      load(8, 400, (connection) => (connection % 2) * 120 + 4),
      'fail',
    ],
    [
      'one of which takes 60 ms longer fails',
      load(8, 400, (connection) => (connection === 3 ? 64 : 4)),
      'fail',
    ],
    [
      'one of which takes 40 ms longer pass',
      load(8, 400, (connection) => (connection === 3 ? 44 : 4)),
      'pass',
    ],
    ['of which each is slow now and then pass', load(8, 400, (_, n) => (n % 3 === 0 ? 300 : 4)), 'pass'],
    ['that are all slow for a while pass', load(8, 400, (_, n) => (n > 100 && n < 200 ? 300 : 4)), 'pass'],
    ['that carried too little are not judged', load(8, 80, (connection) => connection * 100), undefined],
    ['are not judged where there is one', load(1, 400, () => 4), undefined],
  ])('%s', async (_, requests, verdict) => {
    const [finding] = await withHistory({ requests }, checkEachConnection);
    expect(finding?.verdict).toBe(verdict);
    expect(finding?.causes?.map(({ cause: { code } }) => code) ?? []).toEqual(
      verdict === 'fail' ? ['some-connections-slow'] : [],
    );
  });

  it('of a slow minute alone are no slower than others', async () => {
    const slow = load(2, 60, () => 300).map((request) => ({
      ...request,
      localPort: (request.localPort ?? 0) + 500,
    }));
    const later = load(8, 400, () => 4).map((request): SampleRequest => {
      const { answeredNs = 0, intendedNs, sentNs = 0 } = request;
      const byNs = 20e9;
      return {
        ...request,
        intendedNs: (intendedNs ?? 0) + byNs,
        sentNs: sentNs + byNs,
        answeredNs: answeredNs + byNs,
      };
    });
    const [finding] = await withHistory({ requests: [...slow, ...later] }, checkEachConnection);
    expect(finding?.verdict).toBe('pass');
  });
});
