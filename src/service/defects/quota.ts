import type { Defect } from './defect.ts';
import { tooManyRequests } from './quota/q1-429.ts';
import { oneSessionTooFew } from './quota/q2-one-too-few.ts';
import { oneSessionTooMany } from './quota/q2-one-too-many.ts';
import { overshoot } from './quota/q3-overshoot.ts';
import { readsSpend } from './quota/q5-reads-spend.ts';
import { readsRefused } from './quota/q7-reads-refused.ts';
import { eitherFirst } from './quota/q8-either-first.ts';
import { quotaShared } from './quota/q9-shared.ts';

export const quotaDefects: readonly Defect[] = [
  tooManyRequests,
  oneSessionTooMany,
  oneSessionTooFew,
  overshoot,
  readsSpend,
  readsRefused,
  eitherFirst,
  quotaShared,
];
