import type { Candidate } from './candidates.ts';
import { admitted, ambiguous, limited, type Trace } from './trace.ts';

/** A limiter at work: one decision per arrival, instants ascending. */
type Decide = (atNs: number) => boolean;

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
  const arrival = trace.sentNs.map((sent, i) => {
    const answered = trace.answeredNs[i] as number;
    return trace.outcome[i] === ambiguous ? sent : (sent + answered) / 2;
  });
  const order = Int32Array.from(arrival, (_, i) => i).sort(
    (a, b) => (arrival[a] as number) - (arrival[b] as number),
  );
  const decide = limiter(candidate, limit, windowNs, (trace.sentNs[0] ?? 0) + phaseNs);
  let mismatches = 0;
  for (const i of order) {
    const passes = decide(arrival[i] as number);
    if (trace.outcome[i] === (passes ? limited : admitted)) mismatches++;
  }
  return mismatches;
}

function limiter(candidate: Candidate, limit: number, windowNs: number, gridNs: number): Decide {
  const countRefused = candidate.counted === 'all';
  switch (candidate.algorithm) {
    case 'fixed-window':
      return candidate.windows === 'first-request'
        ? windowsOfRequests(limit, windowNs)
        : gridWindows(limit, windowNs, gridNs);
    case 'sliding-log':
      return slidingLog(limit, windowNs, countRefused);
    case 'sliding-counter':
      return slidingCounter(limit, windowNs, gridNs, countRefused);
    case 'token-bucket':
      return tokenBucket(limit, windowNs);
  }
}

function gridWindows(limit: number, windowNs: number, gridNs: number): Decide {
  let window = Number.NaN;
  let count = 0;
  return (atNs) => {
    const current = Math.floor((atNs - gridNs) / windowNs);
    if (current !== window) {
      window = current;
      count = 0;
    }
    if (count >= limit) return false;
    count++;
    return true;
  };
}

function windowsOfRequests(limit: number, windowNs: number): Decide {
  let endsNs = Number.NEGATIVE_INFINITY;
  let count = 0;
  return (atNs) => {
    if (atNs >= endsNs) {
      endsNs = atNs + windowNs;
      count = 0;
    }
    if (count >= limit) return false;
    count++;
    return true;
  };
}

function slidingLog(limit: number, windowNs: number, countRefused: boolean): Decide {
  const log: number[] = [];
  let oldest = 0;
  return (atNs) => {
    while (oldest < log.length && (log[oldest] as number) <= atNs - windowNs) oldest++;
    const passes = log.length - oldest < limit;
    if (passes || countRefused) log.push(atNs);
    return passes;
  };
}

function slidingCounter(limit: number, windowNs: number, gridNs: number, countRefused: boolean): Decide {
  let window = Number.NaN;
  let current = 0;
  let previous = 0;
  return (atNs) => {
    const at = (atNs - gridNs) / windowNs;
    const now = Math.floor(at);
    if (now !== window) {
      previous = now === window + 1 ? current : 0;
      current = 0;
      window = now;
    }
    const passes = current + previous * (1 - (at - now)) < limit;
    if (passes || countRefused) current++;
    return passes;
  };
}

function tokenBucket(limit: number, windowNs: number): Decide {
  let level = 0;
  let lastNs = Number.NEGATIVE_INFINITY;
  return (atNs) => {
    level = Math.max(0, level - ((atNs - lastNs) * limit) / windowNs);
    lastNs = atNs;
    if (level > limit - 1) return false;
    level++;
    return true;
  };
}
