import type { Defect } from './defect.ts';
import { slowHundredth } from './latency/p1-every-hundredth-slow.ts';
import { growsWithCatalog } from './latency/p2-grows-with-catalog.ts';
import { kneeBelowTheLimit } from './latency/p4-single-worker.ts';
import { hiddenStall } from './latency/p5-stall.ts';

export const latencyDefects: readonly Defect[] = [
  slowHundredth,
  growsWithCatalog,
  kneeBelowTheLimit,
  hiddenStall,
];
