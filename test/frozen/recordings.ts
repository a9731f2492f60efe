import { promising } from '../../src/commands/selftest/expectations.ts';
import type { ProfileInput } from '../../src/target/profile.ts';
import type { ForeignChoices } from '../e2e/foreign-service.ts';

/** A run whose history is kept in the folder of this name. */
export interface Recording {
  readonly name: string;
  /** The run, as a sentence about its target or its end. */
  readonly sentence: string;
  /** The path of a scenario, from the root of the project. */
  readonly scenario: string;
  readonly arguments: readonly string[];
  readonly profile: ProfileInput;
  /** It is given the description of the reference service. */
  readonly described?: boolean;
  readonly target:
    | { readonly kind: 'embedded' }
    | { readonly kind: 'foreign'; readonly choices: ForeignChoices };
  readonly end: End;
  /** What the run comes to. A recording that comes to something else is made again. */
  readonly verdict: 'pass' | 'fail' | 'inconclusive';
}

/** How a run ends: by itself, or by a signal so long after a text stood in its requests. */
export type End =
  | { readonly kind: 'itself' }
  | {
      readonly kind: 'signal';
      readonly signal: 'SIGINT' | 'SIGKILL';
      readonly after: string;
      readonly waitMs: number;
    };

const smoke = 'scenarios/smoke.ts';
const selftest = (name: string): string => `src/commands/selftest/scenarios/${name}.ts`;
/** A minute is scaled to 6 s. */
const scaled = ['--rate-limit', '100/6s', '--quota', '20'];

const onEmbedded = {
  arguments: [] as readonly string[],
  profile: promising,
  target: { kind: 'embedded' },
  end: { kind: 'itself' },
} as const;

function planted(
  defect: string,
  sentence: string,
  scenario: string,
  settings: readonly string[] = [],
): Recording {
  return {
    ...onEmbedded,
    name: defect.toLowerCase(),
    sentence,
    scenario,
    arguments: [...settings, '--defect', defect],
    verdict: 'fail',
  };
}

/** A target that is honest but for one promise: its profile says that interactions do not spend the limit. */
const falsePromise = {
  arguments: [],
  profile: {
    ...promising,
    rate_limit: '60/2s',
    quota: { sessions: 15, fresh: true },
    analytics: { freshness: '1s', exclusive: true },
    channel: { counts_against_rate_limit: false },
  },
  target: { kind: 'foreign', choices: { interactionsCount: true } },
  end: { kind: 'itself' },
  verdict: 'fail',
} as const;

export const recordings: readonly Recording[] = [
  {
    ...onEmbedded,
    name: 'honest',
    sentence: 'an honest service, asked for everything',
    scenario: selftest('launch'),
    arguments: scaled,
    verdict: 'pass',
  },
  planted('R2', 'a limit of 90 where 100 is promised', selftest('limiter'), scaled),
  planted('R3', 'a limit of 101 where 100 is promised', selftest('limiter'), scaled),
  planted('R6', 'refused requests that extend the block', selftest('limiter'), scaled),
  planted('R7', 'a counter of the limit on each node', selftest('limiter'), scaled),
  planted('R13', 'an endpoint without a limit', selftest('limiter'), [...scaled, '--budget', '30s']),
  planted('Q2', 'a quota of one session too many', selftest('quota'), scaled),
  planted('Q3', 'a quota that concurrent requests overshoot', selftest('quota'), scaled),
  planted('Q5', 'reads that spend the quota', selftest('quota'), scaled),
  planted('Y1', 'an end date that is exclusive, where it is promised to be inclusive', smoke),
  planted('Y6', 'top_shades of all products where one is asked for', smoke),
  planted('Y12', 'ties in top_shades that change places', smoke),
  planted('Y18', 'repeated interactions that are counted again', smoke),
  planted('P5', 'a service that stands still for 5 s', selftest('busy')),
  {
    ...falsePromise,
    name: 'interactions-count-load',
    sentence: 'interactions that count, where the profile says that they do not: met by a load',
    scenario: 'test/e2e/scenarios/launch-scaled.ts',
  },
  {
    ...falsePromise,
    name: 'interactions-count-study',
    sentence: 'interactions that count, where the profile says that they do not: met by a study',
    scenario: selftest('limiter'),
    arguments: ['--budget', '30s'],
  },
  {
    ...onEmbedded,
    name: 'described',
    sentence: 'an honest service, and its own OpenAPI description',
    scenario: 'test/e2e/scenarios/launch-scaled.ts',
    arguments: ['--rate-limit', '60/2s', '--quota', '15'],
    profile: { ...promising, analytics: { freshness: '1s' }, send_lag_bound: '5s' },
    described: true,
    verdict: 'pass',
  },
  {
    ...onEmbedded,
    name: 'interrupted',
    sentence: 'an honest service, and a run that was interrupted with SIGINT during its load',
    scenario: selftest('launch'),
    arguments: scaled,
    end: { kind: 'signal', signal: 'SIGINT', after: ',over the limit,', waitMs: 2_000 },
    verdict: 'inconclusive',
  },
  {
    ...onEmbedded,
    name: 'killed',
    sentence: 'an honest service, and a run that was killed with SIGKILL while analytics were read',
    scenario: smoke,
    end: { kind: 'signal', signal: 'SIGKILL', after: ',settle,analytics,', waitMs: 400 },
    verdict: 'inconclusive',
  },
];
