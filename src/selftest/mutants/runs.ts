import type { ProfileInput } from '../../target/profile.ts';
import { promising, type RunKind, runArguments } from '../runs.ts';

/** A run that mutants are put through. */
export interface MutantRun {
  readonly name: string;
  /** The service's promises beside those of the embedded service. */
  readonly profile: ProfileInput;
  /** Further arguments of `tryon serve`. */
  readonly serve: readonly string[];
  /** Arguments of `tryon` for the run, into a folder, with the file of the profile. */
  readonly arguments: (out: string, profile: string) => readonly string[];
}

/** The same for every mutant, so that nothing but the mutant differs. */
const seed = 1;
const otherLimiters = ['fixed-window', 'sliding-counter', 'token-bucket'] as const;
const usualRuns = [
  ...(['shoppers', 'fields', 'launch', 'limiter', 'quota', 'audit', 'busy'] as const),
  ...(['midnight', 'few', 'crowd'] as const),
];

/**
 * The runs in the order in which a mutant goes through them: those that show most for their time first. The service's
 * other limiters and its settable clock come last. `edge` is missing, since `limiter` begins with it.
 */
export const mutantRuns: readonly MutantRun[] = [
  ...usualRuns.map((kind) => ({
    ...{ name: kind, profile: promising, serve: [] },
    arguments: argumentsOf(kind),
  })),
  ...otherLimiters.flatMap((limiter) =>
    (['limiter', 'few', 'crowd'] as const).map((kind) => withLimiter(kind, limiter)),
  ),
  // The settable clock, which nothing sets.
  {
    ...{ name: 'shoppers settable-clock', profile: promising, serve: ['--clock-by-stdin'] },
    arguments: argumentsOf('shoppers'),
  },
  {
    ...{ name: 'analytics-days', profile: promising, serve: [] },
    arguments: (out, profile) => [
      ...['run', 'analytics-days', '--seed', String(seed), '--out', out, '--profile', profile],
    ],
  },
];

function withLimiter(kind: RunKind, limiter: (typeof otherLimiters)[number]): MutantRun {
  return {
    ...{ name: `${kind} ${limiter}`, profile: { ...promising, limiter } },
    serve: ['--limiter', limiter],
    arguments: argumentsOf(kind),
  };
}

function argumentsOf(kind: RunKind): MutantRun['arguments'] {
  return (out, profile) => runArguments(kind, seed, out, profile);
}
