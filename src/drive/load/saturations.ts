import { tlsOf } from '../../target/client.ts';
import type { CannonTarget } from './cannon.ts';
import type { DriveOptions } from './drive-options.ts';
import { saturate } from './saturate.ts';

/** What the run allows closed loops, and what they report. */
interface ClosedLoopHooks extends Pick<CannonTarget, 'addresses'> {
  /** Requests that the next phase may make. */
  readonly most: () => number;
  readonly isStopped: () => boolean;
  readonly onCapped: () => void;
  readonly onStep: (connections: number) => void;
  /** How many requests a phase made. */
  readonly onRequests: (n: number) => void;
  /** Each of them, once it is over. */
  readonly onClosed: (status: number | undefined, tookMs: number) => void;
}

/** Plays the plan's closed-loop phases, each when its time has come. `startNs`: of the load, run nanoseconds. */
export async function saturateInTurn(
  { baseUrl, catalogs, clock, keys, plan, pool, profile, translation, writer }: DriveOptions,
  startNs: number,
  { addresses, isStopped, most, onCapped, onClosed, onRequests, onStep }: ClosedLoopHooks,
): Promise<void> {
  for (const placed of plan.phases) {
    if (placed.kind !== 'closed') continue;
    await clock.until(startNs + placed.startNs);
    const made = await saturate({
      baseUrl,
      phase: placed.phase,
      clock,
      writer,
      keys: pool.length > 0 || keys.load === undefined ? pool : [keys.load.value],
      catalogId: catalogs.load.id,
      productId: catalogs.load.products[0]?.id ?? '',
      locale: catalogs.load.locale,
      timeoutMs: profile.timeouts.headers,
      addresses,
      tls: tlsOf(profile),
      translation,
      most: most(),
      isStopped,
      onCapped,
      onStep,
      onAnswer: onClosed,
      onError: () => onClosed(undefined, 0),
    });
    onRequests(made);
  }
}
