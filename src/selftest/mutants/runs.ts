import type { ProfileInput } from '../../target/profile.ts';
import { promising, type RunKind } from '../runs.ts';

/** A run of the selftest that mutants are put through. */
export interface MutantRun {
  readonly name: string;
  readonly kind: RunKind;
  /** The service's promises beside those of the embedded service. */
  readonly profile: ProfileInput;
  /** Further arguments of `tryon serve`. */
  readonly serve: readonly string[];
}

const otherLimiters = ['fixed-window', 'sliding-counter', 'token-bucket'] as const;

/**
 * The runs in the order in which a mutant goes through them, the cheap ones with many checks first. The service's other
 * limiters are part of it, and each is studied alone. `edge` is missing: `limiter` begins with it.
 */
export const mutantRuns: readonly MutantRun[] = [
  ...(['shoppers', 'quota', 'launch', 'limiter', 'audit', 'busy'] as const).map(
    (kind): MutantRun => ({ name: kind, kind, profile: promising, serve: [] }),
  ),
  ...otherLimiters.map(
    (limiter): MutantRun => ({
      name: `limiter ${limiter}`,
      kind: 'limiter',
      profile: { ...promising, limiter },
      serve: ['--limiter', limiter],
    }),
  ),
];
