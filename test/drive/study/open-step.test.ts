import { describe, expect, it } from 'vitest';
import { newProgress } from '../../../src/drive/load/load.ts';
import { driveOpenStep, type OpenStepContext } from '../../../src/drive/study/capacity/open-step.ts';
import { judgeStep } from '../../../src/limits/capacity/step.ts';
import { randomStream } from '../../../src/random.ts';
import * as calls from '../../../src/target/calls.ts';
import { profileSchema } from '../../../src/target/profile.ts';
import { recording } from '../recording.ts';
import { type Behaviour, clientOf, VirtualClock } from '../virtual.ts';

const slo = { percentile: 90, maxMs: 50, errorShare: 0.01 };

/** A step of 200 requests a second for 5 s in virtual time. */
async function drive(
  behaviour: Behaviour,
  more: Partial<OpenStepContext> = {},
  during?: (clock: VirtualClock) => void,
) {
  const clock = new VirtualClock();
  const { recorder, requests } = recording();
  const ends: boolean[] = [];
  const keys: number[] = [];
  during?.(clock);
  const running = driveOpenStep(
    { step: 7, firstIndex: 40, ratePerSecond: 200, durationMs: 5_000, random: randomStream(1, 'step') },
    {
      clock,
      client: clientOf(clock, behaviour),
      recorder,
      slo,
      credential: 'pool',
      authorizationOf: (index) => {
        keys.push(index);
        return `Bearer key-${index}`;
      },
      callOf: () => calls.listShades('c'),
      profile: profileSchema.parse({ in_flight: 100 }),
      progress: newProgress(),
      mayGoOn: () => true,
      onSent: () => {},
      noteEnd: (_atNs, failed) => ends.push(failed),
      ...more,
    },
  );
  let over = false;
  void running.finally(() => {
    over = true;
  });
  while (!over) {
    await new Promise((resolve) => setImmediate(resolve));
    if (!over && clock.nowNs() > 5e9) await clock.advance();
    else if (!over && keys.length > 0) await clock.advance(clock.nowNs() + 1e8);
  }
  const result = await running;
  return { ...result, requests, ends, keys, outcome: judgeStep(result.figures, slo).outcome };
}

const answer = (afterMs: number, status = 200): ReturnType<Behaviour> => ({ afterMs, status, body: [] });

describe('a step of the open model', () => {
  it('sends at random instants, whether or not answers came, and remembers each as one of the step', async () => {
    const { figures, keys, outcome, requests, sent, ...step } = await drive(() => answer(40));
    expect(Math.abs(sent - 1_000)).toBeLessThan(130);
    expect(requests).toHaveLength(sent);
    expect(
      new Set(
        requests.map(({ credential, phase, probe, stage }) => [stage, phase, probe, credential].join()),
      ),
    ).toEqual(new Set(['study,capacity: open model,capacity:7,pool']));
    expect(keys.slice(0, 3)).toEqual([40, 41, 42]);
    expect(outcome).toBe('good');
    const counted = requests.filter(({ intendedNs }) => intendedNs >= step.countedFromNs);
    expect(figures).toMatchObject({
      ended: 'whole',
      planned: counted.length,
      judged: counted.length,
      over: 0,
      late: 0,
    });
    expect(requests.every(({ intendedNs, sentNs = 0 }) => sentNs - intendedNs < 1e6)).toBe(true);
  });

  it('is given up once no more can be kept of the promise', async () => {
    const { figures, outcome, sent } = await drive(() => answer(60));
    expect(figures).toMatchObject({ ended: 'hopeless' });
    expect(outcome).toBe('bad');
    expect(sent).toBeLessThan(500);
  });

  it('stops at the first rejection', async () => {
    const { figures, outcome, sent } = await drive(({ count }) => answer(5, count < 30 ? 200 : 429));
    expect(figures.ended).toBe('refused');
    expect(outcome).toBe('limited');
    expect(sent).toBeLessThan(40);
  });

  it('never has more under way than the bound, and does not blame the target for what it held back', async () => {
    const { figures, outcome, requests } = await drive(() => answer(49), {
      profile: profileSchema.parse({ in_flight: 5 }),
    });
    const heldBack = requests.filter(({ notSent }) => notSent === 'in-flight-bound');
    expect(heldBack.length).toBeGreaterThan(100);
    expect(figures).toMatchObject({ ended: 'whole', failed: 0 });
    expect(figures.late).toBe(figures.over);
    expect(outcome).toBe('unclear');
  });

  it('ends with the run, and tells of every failure', async () => {
    let left = 300;
    const { ends, figures, outcome, sent } = await drive(() => answer(5, 503), {
      slo: { ...slo, errorShare: 0.99 },
      mayGoOn: () => left-- > 0,
    });
    expect(sent).toBe(300);
    expect(figures.ended).toBe('stopped');
    expect(outcome).toBe('unfinished');
    expect(ends).toEqual(new Array(300).fill(true));
  });

  it('counts what this program sent late by its own fault, and then holds nothing against the target', async () => {
    // The machine stands still for 800 ms: 160 requests are late, all answered at once.
    const { figures, outcome } = await drive(
      () => answer(1),
      {},
      (clock) => clock.at(2.5e9, () => clock.stall(8e8)),
    );
    expect(figures.over).toBeGreaterThan(100);
    expect(figures.late).toBeGreaterThanOrEqual(figures.over);
    expect(outcome).toBe('unclear');
  });
});
