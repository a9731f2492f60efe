import { arrivalsOf, mismatches } from './arrivals.ts';
import type { Candidate } from './candidates.ts';
import { deciderOf } from './deciders.ts';
import type { Mechanism } from './hypotheses.ts';
import type { Trace } from './trace.ts';

/**
 * Lets a candidate with fitted parameters decide for itself, each request arriving halfway through its round trip, and
 * counts the answers that differ from those observed. Judging step by step from the observed outcomes can leave a model
 * with a free excuse for each refusal; running free it has none. Not proof of anything (arrivals are guessed): a ranking.
 */
export function freeRunMismatches(
  trace: Trace,
  candidate: Candidate,
  limit: number,
  windowNs: number,
  phaseNs: number,
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
