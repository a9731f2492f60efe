import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KillSwitch } from '../../src/drive/record/ending.ts';

/** Notes outcomes at a steady rate between two seconds; `fails(n)` says which of them failed. */
function feed(
  killSwitch: KillSwitch,
  fromS: number,
  toS: number,
  perSecond: number,
  fails: (n: number) => boolean,
): void {
  const count = (toS - fromS) * perSecond;
  for (let n = 0; n < count; n++) killSwitch.note((fromS + n / perSecond) * 1e9, fails(n));
}

const always = (): boolean => true;
const never = (): boolean => false;

describe('the kill switch', () => {
  it.each<[string, (killSwitch: KillSwitch) => void, boolean]>([
    ['lets a healthy target be', (k) => feed(k, 0, 60, 20, never), false],
    ['lets a target be of which nothing is known', () => undefined, false],
    ['gives a failing target some seconds', (k) => feed(k, 0, 4, 50, always), false],
    ['gives up on a target that fails from the start', (k) => feed(k, 0, 7, 50, always), true],
    ['does not judge by a handful of outcomes', (k) => feed(k, 0, 9, 2, always), false],
    [
      'gives up once the good answers of before are forgotten',
      (k) => {
        feed(k, 0, 30, 50, never);
        feed(k, 30, 45, 50, always);
      },
      true,
    ],
    [
      'remembers the good answers of the last ten seconds',
      (k) => {
        feed(k, 0, 30, 50, never);
        feed(k, 30, 36, 50, always);
      },
      false,
    ],
    [
      'leaves a target that fails in every second request to the checks',
      (k) => feed(k, 0, 60, 50, (n) => n % 2 === 0),
      false,
    ],
    [
      'leaves a limiter that says 503 for 429 to the checks',
      (k) => feed(k, 0, 60, 50, (n) => n % 4 !== 0),
      false,
    ],
    [
      'forgets a failure that is long over',
      (k) => {
        feed(k, 0, 4, 50, always);
        feed(k, 100, 101, 30, never);
      },
      false,
    ],
    [
      'starts to count anew after a long silence',
      (k) => {
        feed(k, 0, 4, 50, always);
        feed(k, 1_000, 1_001, 50, never);
        feed(k, 1_010.5, 1_012, 50, always);
      },
      false,
    ],
  ])('%s', (_sentence, story, givesUp) => {
    const killSwitch = new KillSwitch();
    story(killSwitch);
    expect(killSwitch.reason !== undefined).toBe(givesUp);
  });

  it('says what it saw', () => {
    const killSwitch = new KillSwitch();
    feed(killSwitch, 0, 8, 10, always);
    expect(killSwitch.reason).toBe(
      '80 of the last 80 requests failed (5xx or connection errors) within 10 s',
    );
  });

  it('judges what several workers tell of their seconds as it would each outcome, and never sooner where they tell late', () => {
    let given = 0;
    fc.assert(
      fc.property(
        fc.array(fc.record({ failed: fc.nat(9), answered: fc.constantFrom(0, 0, 0, 0, 1, 9) }), {
          minLength: 12,
          maxLength: 20,
        }),
        fc.nat(3),
        (seconds, lateS) => {
          const inOrder = seconds.flatMap(({ answered, failed }, second) =>
            Array.from({ length: failed + answered }, (_, n) => ({ second, failed: n < failed })),
          );
          const one = new KillSwitch();
          for (const { failed, second } of inOrder) one.note((second + 0.5) * 1e9, failed);
          const sum = new KillSwitch();
          // What the second worker tells of a second comes after what the first one tells of some that follow.
          const told = [0, 1].flatMap((who) => {
            const own = Map.groupBy(
              inOrder.filter((_, n) => n % 2 === who),
              ({ second }) => second,
            );
            return [...own].map(([second, each]) => ({ at: second + who * lateS, second, each }));
          });
          for (const { each, second } of told.toSorted((a, b) => a.at - b.at))
            sum.noteSecond(second, each.length, each.filter(({ failed }) => failed).length);
          if (sum.reason !== undefined || lateS === 0) expect(sum.reason).toBe(one.reason);
          if (sum.reason !== undefined) given++;
        },
      ),
      { numRuns: 200 },
    );
    expect(given).toBeGreaterThan(0);
  });
});
