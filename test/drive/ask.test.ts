import { describe, expect, it } from 'vitest';
import { Asker, type Question } from '../../src/drive/ask/ask.ts';
import { Governor } from '../../src/drive/ask/governor.ts';
import * as calls from '../../src/target/calls.ts';
import { profileSchema } from '../../src/target/profile.ts';
import type { Probe } from '../../src/vocabulary/probes.ts';
import { eachRole } from '../../src/vocabulary/roles.ts';
import { recording } from './recording.ts';
import { clientOf, VirtualClock } from './virtual.ts';

const windowMs = 60_000;

/** What a target does with a request: its status, with seconds in `Retry-After`; or it is silent, or breaks off, or refuses connections. */
type Deed = number | readonly [status: number, retryAfter: number] | 'silent' | 'reset' | 'refuses';

/** Asks questions of a target, each once the one before is answered; or all at the same moment. */
async function asked(
  questions: number,
  deedOf: (n: number) => Deed,
  {
    atOnce = false,
    patienceMs,
    probe,
  }: { readonly atOnce?: boolean; readonly patienceMs?: number; readonly probe?: Probe | undefined } = {},
) {
  const clock = new VirtualClock();
  const sentMs: number[] = [];
  const { recorder, requests: records } = recording();
  const client = clientOf(clock, ({ atNs, count }) => {
    sentMs.push(atNs / 1e6);
    const deed = deedOf(count);
    if (deed === 'refuses') return 'refuse-connection';
    if (typeof deed === 'string') {
      const code = deed === 'silent' ? 'ETIMEDOUT' : 'ECONNRESET';
      return { afterMs: deed === 'silent' ? 7_000 : 1, error: Object.assign(new Error(deed), { code }) };
    }
    const [status, retryAfter] = typeof deed === 'number' ? [deed] : deed;
    const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
    return { afterMs: 5, status, body: [], headers };
  });
  const profile = profileSchema.parse({});
  const asker = new Asker({
    clock,
    client,
    recorder,
    keys: { load: { value: 'key', from: 'test' } },
    governors: eachRole(() => new Governor(clock, profile.rate_limit)),
    windowMs,
    mayAsk: () => true,
  });
  const question: Question = {
    ...{ call: calls.listShades('c'), stage: 'settle', phase: 'analytics', credential: 'load', probe },
  };
  const statuses: (number | undefined)[] = [];
  const asking = (async () => {
    if (atOnce) {
      const replies = await asker.askAtOnce(new Array<Question>(questions).fill(question));
      statuses.push(...replies.map(({ exchange }) => exchange.status));
    } else
      for (let n = 0; n < questions; n++) {
        const { exchange } = await (patienceMs === undefined
          ? asker.ask(question)
          : asker.untilReady(question, patienceMs));
        statuses.push(exchange.status);
      }
  })();
  await clock.play(asking);
  return { requests: sentMs.length, sentMs, records, statuses, tookMs: clock.nowNs() / 1e6 };
}

/** What a target does first, and from then on. */
const inTurn =
  (first: readonly Deed[], then: Deed = 200) =>
  (n: number): Deed =>
    first[n] ?? then;

describe('a question that is rejected (429)', () => {
  it('is asked again when the window is over', async () => {
    const { requests, statuses, tookMs } = await asked(1, inTurn([429]));
    expect(statuses).toEqual([200]);
    expect(requests).toBe(2);
    expect(tookMs).toBeGreaterThanOrEqual(windowMs);
  });

  it('is not waited for without end where the key is locked out for ever', async () => {
    const { requests, statuses, tookMs } = await asked(40, () => 429);
    expect(new Set(statuses)).toEqual(new Set([429]));
    expect(requests).toBe(3 + 39);
    expect(tookMs).toBeLessThan(3 * windowMs);
  });

  it('is waited for again after the key was admitted again', async () => {
    // Three refusals lock it out, the fourth request shows that it is not, and the fifth is waited out.
    const { statuses } = await asked(4, inTurn([429, 429, 429, 200, 429]));
    expect(statuses).toEqual([429, 200, 200, 200]);
  });

  it('makes all later ones come slower than what was rejected', async () => {
    // The 31st request of a second is rejected.
    const { sentMs, statuses } = await asked(120, inTurn([...new Array<Deed>(30).fill(200), [429, 1]]));
    expect(new Set(statuses)).toEqual(new Set([200]));
    const inSecond = sentMs.map((from) => sentMs.filter((ms) => ms >= from && ms < from + 1_000).length);
    expect(Math.max(...inSecond.slice(0, 31))).toBe(31);
    expect(Math.max(...inSecond.slice(31))).toBeLessThanOrEqual(23);
  });
});

describe('a question without an answer to what it asks', () => {
  it.each<
    [sentence: string, deeds: readonly Deed[], then: Deed, status: number | undefined, requests: number]
  >([
    ['is asked again after a 503', [503], 200, 200, 2],
    ['is asked a third time after two', [500, 502], 200, 200, 3],
    ['keeps its 5xx where it gets one each time', [], 500, 500, 3],
    ['is asked again after a time-out', ['silent'], 200, 200, 2],
    ['is asked again after its connection broke', ['reset'], 200, 200, 2],
    ['is asked twice of a target that stays silent', [], 'silent', undefined, 2],
    ['is asked on where one kind follows the other', [503, 'reset'], 200, 200, 3],
  ])('%s', async (_, deeds, then, status, requests) => {
    for (const probe of [undefined, 'connection:again'] as const) {
      const got = await asked(1, inTurn(deeds, then), { probe });
      expect(got.statuses).toEqual([status]);
      expect(got.requests).toBe(requests);
      // Each repetition names what it repeats.
      expect(got.records.map(({ repeats }) => repeats)).toEqual(
        got.records.map((_record, place) => (place === 0 ? undefined : place)),
      );
    }
  });

  it('waits as long as a 503 says, but not for minutes', async () => {
    expect((await asked(1, inTurn([[503, 2]]))).sentMs[1]).toBeGreaterThanOrEqual(2_000);
    expect((await asked(1, inTurn([[503, 600]]))).sentMs[1]).toBeLessThan(6_000);
  });

  it('is not waited for once another one got 5xx each time: that is no outage', async () => {
    const { requests, tookMs } = await asked(60, () => 500);
    expect(requests).toBe(3 + 59 * 2);
    expect(tookMs).toBeLessThan(5_000);
  });

  it('is asked again by itself where several were asked at the same moment', async () => {
    const { requests, statuses } = await asked(4, inTurn([200, 503, 429, 'reset']), { atOnce: true });
    expect(statuses).toEqual([200, 200, 200, 200]);
    expect(requests).toBe(4 + 3);
  });
});

describe('the first question', () => {
  it.each<[sentence: string, deeds: readonly Deed[], then: Deed, status: number | undefined]>([
    ['waits while connections are refused', ['refuses', 'refuses'], 200, 200],
    [
      'waits while the target answers 503',
      [
        [503, 1],
        [503, 1],
      ],
      200,
      200,
    ],
    ['takes another status for an answer', [], 401, 401],
    ['ends with what it got when the time is up', [], 503, 503],
  ])('%s', async (_, deeds, then, status) => {
    const { records, statuses, tookMs } = await asked(1, inTurn(deeds, then), { patienceMs: 4_000 });
    expect(statuses).toEqual([status]);
    expect(tookMs).toBeLessThan(4_500);
    // What came before readiness is no ordinary request.
    const early = records.filter((record) => record.status === undefined || record.status >= 500);
    expect(new Set(early.map(({ probe }) => probe))).toEqual(new Set(early.length === 0 ? [] : ['ready']));
  });
});
