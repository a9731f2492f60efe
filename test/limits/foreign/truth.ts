import { expect } from 'vitest';
import {
  isSettled,
  type LimiterInference,
  type OpenBounds,
  type Survivor,
} from '../../../src/limits/inference.ts';
import type { ProbeScale } from '../../../src/limits/probes.ts';
import type { Fixture } from './fixture.ts';
import { type Finding, isHindered, studied } from './study.ts';

/** Small enough to be studied in half a minute: 40 in 2 s stands for 1,000 in 60 s. */
export const scale: ProbeScale = { limit: 40, windowMs: 2_000 };

/** HAProxy leaves longer pauses out of its clock. */
const longestStandstillMs = 100;

/** What a limiter is known to be, since it was told so. */
export interface Truth {
  readonly algorithm: string;
  readonly limit?: number;
  readonly windowMs?: number;
  readonly blockMs?: number;
  /** Whether its clock leaves out pauses; those while this program stood still, too, cannot be seen. */
  readonly leavesOutPauses?: true;
}

/**
 * Studies a limiter and compares the result with the truth: it is never refuted, its parameters lie within the
 * reported bounds, and no other kind is certain. Where unseen pauses may have changed a window, only the last is
 * compared. How sure the study becomes depends on the machine's load; an undecided study is printed, and is not a
 * failure, as is one during which this program itself stood still.
 */
export async function expectToBeKnown(
  start: () => Promise<Fixture>,
  truth: Truth,
  options?: Parameters<typeof studied>[2],
): Promise<Finding> {
  const fixture = await start();
  try {
    const finding = await studied(fixture, scale, options);
    const { inference, probes, standstillMs } = finding;
    if (isHindered(finding)) return finding;
    if (isSettled(inference))
      expect(inference.survivors[0]?.algorithm, wrongKind(finding, truth)).toBe(truth.algorithm);
    else console.warn(`Undecided after probes ${probes.join(' ')}: ${likeliest(inference)}`);
    if (truth.leavesOutPauses && standstillMs > longestStandstillMs) {
      console.warn(
        `This program stood still for ${Math.round(standstillMs)} ms: the target's clock may have, too.`,
      );
      return finding;
    }
    const found = inference.survivors.find(({ algorithm }) => algorithm === truth.algorithm);
    expect(found, `${truth.algorithm} was refuted: ${refutation(inference, truth.algorithm)}`).toBeDefined();
    if (found !== undefined) expectToContain(found, truth);
    return finding;
  } finally {
    await fixture.stop();
  }
}

/** What is needed to look at a wrong study again: it depends on the machine's load, so it may not come twice. */
function wrongKind({ inference, probes, traces }: Finding, { algorithm }: Truth): string {
  const recorded = traces.map(({ answeredNs, outcome, sentNs }) =>
    Array.from(sentNs, (sent, i) => [
      Math.round(sent / 1e3),
      Math.round((answeredNs[i] ?? 0) / 1e3),
      outcome[i],
    ]),
  );
  return `after probes ${probes.join(' ')}: ${likeliest(inference)}; ${algorithm}: ${refutation(inference, algorithm)}. Sent, answered (µs) and outcome, by key: ${JSON.stringify(recorded)}`;
}

function expectToContain(found: Survivor, { limit, windowMs, blockMs }: Truth): void {
  expectWithin(found.limitBounds, limit, 'limit');
  expectWithin(found.windowMsBounds, windowMs, 'window');
  expectWithin(found.blockMsBounds ?? null, blockMs, 'block');
}

function expectWithin(bounds: OpenBounds | null, value: number | undefined, what: string): void {
  if (value === undefined) return;
  expect(bounds, `bounds of the ${what}`).not.toBeNull();
  expect(bounds?.min, `least ${what}`).toBeLessThanOrEqual(value);
  expect(bounds?.max ?? Number.POSITIVE_INFINITY, `largest ${what}`).toBeGreaterThanOrEqual(value);
}

function refutation({ refuted }: LimiterInference, algorithm: string): string {
  return refuted.find((each) => each.algorithm === algorithm)?.because ?? 'it was not even considered';
}

function likeliest({ survivors }: LimiterInference): string {
  return survivors
    .slice(0, 3)
    .map(({ algorithm, confidence }) => `${algorithm} ${Math.round(confidence * 100)} %`)
    .join(', ');
}
