import { availableParallelism } from 'node:os';
import { counted, number } from '../../amounts.ts';
import { usageError } from '../../exit.ts';
import { mostWorkers } from '../../history/files.ts';
import type { Plan } from '../../plan/plan.ts';
import type { Scenario } from '../../scenario/define.ts';
import type { Profile } from '../../target/profile.ts';

/** What `--workers` says. */
export type WorkersWanted = number | 'auto';

/** How many threads drive a run's load; `why` gives the reason if it is not obvious. */
export interface Workers {
  readonly count: number;
  readonly why?: string;
}

/** Each worker goes through all slots and arrivals to find its own, so that from some number on more of them gain little. */
const mostByItself = 8;

/** Throws a usage error for what is no number of workers. */
export function parseWorkers(argument: string | undefined): WorkersWanted {
  if (argument === undefined) return 1;
  if (argument === 'auto') return 'auto';
  const count = /^\d+$/.test(argument) ? Number(argument) : 0;
  if (count < 1 || count > mostWorkers)
    throw usageError(`--workers: expected auto or a whole number from 1 to ${mostWorkers}, got ${argument}`);
  return count;
}

/**
 * The number of workers that share the load. `auto` leaves a core to the rest of the program, and takes one worker if
 * the run has nothing to share. With an explicit number, that throws a usage error that says what to do.
 */
export function workersFor(
  wanted: WorkersWanted,
  run: {
    readonly scenario: Pick<Scenario, 'name' | 'study'>;
    readonly plan: Pick<Plan, 'phases'>;
    readonly profile: Pick<Profile, 'connections'>;
  },
  cores = availableParallelism(),
): Workers {
  if (wanted === 1) return { count: 1 };
  const obstacle = obstacleTo(run);
  const { connections } = run.profile;
  if (wanted === 'auto') {
    if (obstacle !== undefined) return { count: 1, why: obstacle };
    const count = Math.max(1, Math.min(cores - 1, connections, mostByItself));
    return { count, why: `${counted(cores, 'core')}` };
  }
  if (obstacle !== undefined) throw usageError(`--workers ${wanted}: ${obstacle}; leave --workers out`);
  if (connections < wanted)
    throw usageError(
      `--workers ${wanted}: each needs a connection, and the profile allows ${number(connections)} (connections); raise that, or use fewer workers`,
    );
  return { count: wanted };
}

/** Why one thread has to do it all. */
function obstacleTo({ plan, scenario }: Parameters<typeof workersFor>[1]): string | undefined {
  if (scenario.study.length > 0)
    return `the studies of ${scenario.name} choose each request by all earlier answers, so one thread sends them`;
  if (!plan.phases.some(({ kind }) => kind === 'open'))
    return `${scenario.name} plans no requests that threads could share: one thread drives closed loops`;
  return undefined;
}

/** For the announcement; nothing for what is always so. */
export function workersLine({ count, why }: Workers): string | undefined {
  if (count === 1 && why === undefined) return undefined;
  const reason = why === undefined ? '' : ` (auto: ${why})`;
  return count === 1
    ? `one thread drives the load${reason}`
    : `${counted(count, 'thread')} share the load${reason}`;
}
