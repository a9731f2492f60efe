import { secondRefill, tokenBucket, windowRefill } from './bucket.ts';
import { fixedWindow, fixedWindowFirstRequest } from './fixed-window.ts';
import { type Algorithm, type Decide, keyOf, type LimiterKind, type Settled } from './kind.ts';
import { slidingLog, slidingLogAll } from './log.ts';
import { blockAfterRefusal, extendedByRefusals } from './prolonged.ts';
import {
  blockCache,
  slidingCounter,
  slidingCounterAll,
  slidingCounterAllFirstRequest,
  slidingCounterFirstRequest,
} from './sliding-counter.ts';

/** All kinds, from the plainest to the most particular: of two that explain a trace equally well, the earlier is preferred. */
export const kinds: readonly LimiterKind[] = [
  fixedWindow,
  windowRefill,
  fixedWindowFirstRequest,
  slidingLog,
  slidingLogAll,
  tokenBucket,
  secondRefill,
  slidingCounter,
  slidingCounterAll,
  slidingCounterFirstRequest,
  slidingCounterAllFirstRequest,
  blockCache,
  blockAfterRefusal,
  extendedByRefusals,
];

const variants = kinds.flatMap((kind) => [kind, ...(kind.coarser ?? [])]);
const byKey = new Map(variants.map((kind) => [keyOf(kind), kind]));

export function kindOf({ kind }: Settled): LimiterKind {
  const found = byKey.get(kind);
  if (found === undefined) throw new Error(`no kind of limiter is called ${kind}`);
  return found;
}

/** The algorithm of which a kind that a study found keeps the promise. */
export function algorithmOf(id: string): Algorithm | undefined {
  return variants.find((kind) => kind.id === id)?.keeps;
}

/** A fresh limiter for one key, which continues from real answers. */
export function deciderOf(settled: Settled): Decide {
  return kindOf(settled).decide(settled);
}

/** The kinds that a launch's load is compared with: those of the promised algorithm, or of any. */
export function promisable(algorithm: Algorithm | undefined): readonly LimiterKind[] {
  return kinds.filter(
    (kind) => kind.algorithm !== undefined && (algorithm ?? kind.algorithm) === kind.algorithm,
  );
}
