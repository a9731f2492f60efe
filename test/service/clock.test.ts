import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { obeyClockLines } from '../../src/commands/serve/serve.ts';
import { movableClock } from '../../src/service/options.ts';
import type { SessionGrant } from '../../src/wire.ts';
import { serve } from './served.ts';
import { manualClock, shade } from './service-under-test.ts';

const leapDay = Date.parse('2028-02-29T00:00:00Z');

describe('a movable clock', () => {
  test('shows the machine’s time until it is set, and goes on from there', () => {
    const machine = manualClock();
    const clock = movableClock(machine);
    expect(clock.wallMs()).toBe(machine.wallMs());
    clock.set(leapDay);
    machine.pass(1_500);
    expect(clock.wallMs()).toBe(leapDay + 1_500);
  });

  test('leaves monotonic time alone, which the limiters go by', () => {
    const machine = manualClock();
    const clock = movableClock(machine);
    clock.set(leapDay);
    expect(clock.monotonicMs()).toBe(machine.monotonicMs());
  });

  test('is not moved by a correction of the machine’s', () => {
    const machine = manualClock();
    const clock = movableClock(machine);
    clock.set(leapDay);
    machine.setWall('2026-03-10T18:00:00.000Z');
    expect(clock.wallMs()).toBe(leapDay);
  });
});

describe('lines that set a clock', () => {
  test.each([
    ['{"clock":"2028-02-29T00:00:00.000Z"}', '{"clock":"2028-02-29T00:00:00.000Z"}', leapDay],
    ['{"clock":"tomorrow"}', '{"error":', undefined],
    ['{"clock":"2028-02-30T00:00:00Z"}', '{"error":', undefined],
    ['{"clock":"2028-02-29T00:00:00Z","speed":2}', '{"error":', undefined],
    ['go', '{"error":', undefined],
  ])('%s is answered with %s', async (line, answer, setTo) => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    let shown: number | undefined;
    obeyClockLines(input, output, {
      set: (epochMs) => {
        shown = epochMs;
      },
    });
    input.write(`${line}\n`);
    const { value } = await createInterface({ input: output })[Symbol.asyncIterator]().next();
    expect(value).toMatch(new RegExp(`^${answer.replaceAll(/[{}.]/g, '\\$&')}`));
    expect(shown).toBe(setTo);
  });
});

test('tryon serve whose clock is set has its date in sessions, expiry, analytics and Date, and the same limit', async () => {
  const served = await serve([
    ...['--clock-by-stdin', '--session-lifetime', '3d', '--rate-limit', '6/1h', '--key', 'k=load'],
  ]);
  const key = served.keys.k ?? '';
  const lines = createInterface({ input: served.process.stdout ?? new PassThrough() });
  const set = async (clock: string): Promise<void> => {
    const echoed = new Promise((resolve) => lines.once('line', resolve));
    served.process.stdin?.write(`${JSON.stringify({ clock })}\n`);
    expect(await echoed).toBe(JSON.stringify({ clock }));
  };
  await set('2028-02-29T12:00:00.000Z');
  const imported = await served.request('POST', '/shades', key, {
    catalog_id: 'spring',
    shades: [shade('A')],
  });
  expect(imported.headers.get('date')).toMatch(/^Tue, 29 Feb 2028 12:00:0\d GMT$/);
  const opened = await served.request('POST', '/sessions', key, {
    product_id: 'lipstick',
    catalog_id: 'spring',
    locale: 'en-US',
  });
  const { expires_at } = (await opened.json()) as SessionGrant;
  expect(expires_at).toMatch(/^2028-03-03T12:00:0/);
  const sessions = async (day: string): Promise<unknown> => {
    const query = `/analytics/sessions?start_date=${day}&end_date=${day}`;
    return ((await (await served.request('GET', query, key)).json()) as { total_sessions: number })
      .total_sessions;
  };
  expect([await sessions('2028-02-28'), await sessions('2028-02-29')]).toEqual([0, 1]);
  await set('2028-03-01T12:00:00.000Z');
  // A day later by the clock, and two requests short of the limit of an hour.
  const statuses = [1, 2, 3].map(() => served.request('GET', '/shades?catalog_id=spring', key));
  expect((await Promise.all(statuses)).map(({ status }) => status).toSorted()).toEqual([200, 200, 429]);
});
