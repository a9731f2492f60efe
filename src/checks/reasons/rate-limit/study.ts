import { kindReasons } from './study/kind.ts';
import { scopeReasons } from './study/scope.ts';
import { sideEffectReasons } from './study/side-effects.ts';

/** Reasons of the limiter study. */
export const studyReasons = { ...kindReasons, ...scopeReasons, ...sideEffectReasons } as const;
