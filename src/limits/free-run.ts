import { arrivalsOf, mismatches } from './arrivals.ts';
import type { Candidate } from './candidates.ts';
import { deciderOf } from './deciders.ts';
import type { Mechanism } from './hypotheses.ts';
import type { Trace } from './trace.ts';

/**
 * Lets a candidate with fitted parameters decide, with each request halfway through its round trip, and counts the
 * answers that differ. Judged step by step, a model can excuse each rejection; running free, it cannot. Arrivals are
 * guessed, so this ranks and proves nothing.
 */
export function freeRunMismatches(
  trace: Trace,
  candidate: Candidate,
  {
    limit,
    phaseNs,
    windowNs,
  }: { readonly limit: number; readonly windowNs: number; readonly phaseNs: number },
): number {
  const mechanism = mechanismOf(candidate);
  const scaleNs = mechanism.kind === 'bucket' ? windowNs / limit : windowNs;
  const boundaryNs = (trace.sentNs[0] ?? 0) + phaseNs;
  return mismatches(arrivalsOf(trace), deciderOf({ mechanism, limit, scaleNs, boundaryNs }));
}

function mechanismOf({ algorithm, counted, windows }: Candidate): Mechanism {
  switch (algorithm) {
    case 'fixed-window':
      return windows === 'first-request' ? { kind: 'opened', lastsFrom: 'opening' } : { kind: 'grid' };
    case 'sliding-log':
      return { kind: 'log', counted };
    case 'sliding-counter':
      return windows === 'first-request'
        ? { kind: 'opened-counter', counted }
        : { kind: 'counter', counted, blocks: false };
    case 'token-bucket':
      return { kind: 'bucket', grain: 0 };
  }
}
