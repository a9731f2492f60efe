import { analyticsVariants } from './analytics.ts';
import { answerVariants } from './answers.ts';
import { conductVariants } from './conduct.ts';
import type { Variant } from './variant.ts';

/** Every harmless variant of the service. */
export const variants: readonly Variant[] = [...analyticsVariants, ...answerVariants, ...conductVariants];
