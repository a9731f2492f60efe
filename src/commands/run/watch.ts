import { number, seconds } from '../../amounts.ts';
import type { Budget } from '../../drive/budget.ts';
import type { Clock } from '../../drive/clock/clock.ts';
import type { Activity } from '../../drive/load/load.ts';
import type { LiveCounts, LiveStatistics } from '../../drive/record/statistics.ts';
import type { Drive } from '../../drive/run.ts';
import { readLimitHeaders } from '../../history/limit-headers.ts';
import type { RunInfo } from '../../history/run.ts';
import type { Plan } from '../../plan/plan.ts';
import { startLive } from '../../report/live.ts';
import {
  eachCount,
  type FailureLine,
  type LimitGauge,
  type ProgressCounts,
  type ProgressState,
} from '../../report/progress.ts';
import type { Profile } from '../../target/profile.ts';
import { type Role, roles } from '../../vocabulary/roles.ts';
import type { RunArguments } from '../options.ts';
import { longestMs } from './announce.ts';
import type { PlannedRun } from './plan-run.ts';

interface WatchOptions {
  readonly drive: Drive;
  readonly info: RunInfo;
  readonly clock: Clock;
  readonly run: PlannedRun;
}

const drawEveryMs = 250;
const secondMs = 1_000;

/**
 * Shows a run while it goes on. `interrupt` ends its load, and says what comes then; `close` gives the terminal back.
 */
export function watch(options: WatchOptions): { readonly interrupt: () => void; readonly close: () => void } {
  const { drive } = options;
  const live = startLive(process.stderr);
  const counts = new Seconds(drive.statistics);
  const gauges = new Gauges(drive.statistics, options.run.target.profile);
  const now = (): ProgressState => stateOf(options, counts, gauges);
  const draw = setInterval(() => live.update(now()), drawEveryMs);
  const end = endInTime(drive, options.run);
  const interrupt = (): void => {
    live.message(
      'Interrupted: waiting for requests in flight, then judging the run. Press Ctrl-C again to stop at once.',
    );
    drive.stop();
  };
  const close = (): void => {
    clearInterval(draw);
    end.cancel();
    live.update({ ...now(), isOver: true });
    live.close();
  };
  return { interrupt, close };
}

interface EndedRun {
  readonly args: Pick<RunArguments, 'max-minutes'>;
  readonly budget: Pick<Budget, 'aroundMs' | 'totalMs'>;
}

/** Ends a run at its cap on minutes; without one, once it takes much longer than it announced. */
export function endInTime(
  drive: Pick<Drive, 'stopLoad' | 'timeUp'>,
  { args, budget }: EndedRun,
): { cancel(): void } {
  const { aroundMs, totalMs } = budget;
  if (args['max-minutes'] !== undefined) {
    const capMs = args['max-minutes'] * 60_000;
    // The load ends early enough to read sessions back within the cap; at the cap everything ends.
    const loadUp = setTimeout(() => drive.stopLoad(), Math.max(0, capMs - aroundMs));
    const timeUp = setTimeout(() => drive.timeUp(), capMs);
    return { cancel: () => [loadUp, timeUp].forEach(clearTimeout) };
  }
  const mostMs = longestMs(budget);
  const why = `the target answers so slowly that the run took ${seconds(mostMs)}; it had announced ${seconds(totalMs)}. --max-minutes sets another bound`;
  const timeUp = setTimeout(() => drive.timeUp(why), mostMs);
  return { cancel: () => clearTimeout(timeUp) };
}

function stateOf(
  { drive, info, clock, run: { budget, plan } }: WatchOptions,
  seconds: Seconds,
  gauges: Gauges,
): ProgressState {
  const { aroundMs, studyMs } = budget;
  const elapsedMs = clock.nowNs() / 1e6;
  const loadMs = plan.horizonNs / 1e6;
  const { activity, loadStartNs, settleStartNs } = drive.progress;
  const setUpMs = (loadStartNs ?? 0) / 1e6;
  const phase =
    loadStartNs === undefined || activity.kind !== 'load'
      ? undefined
      : phaseAt(plan, clock.nowNs() - loadStartNs);
  const { second, totals } = seconds.at(elapsedMs);
  return {
    scenario: info.scenario.name,
    target: `${info.target.base_url} (${info.target.kind})`,
    phase: phase?.name ?? stageNames[activity.kind],
    pace: phase?.pace,
    step: activity.step,
    stage: activity.step && stageOf(activity, activity.step),
    alive: activity.kind === 'study' ? activity.alive : [],
    elapsedMs,
    // A study may end long before its time.
    totalMs: Math.min(
      Math.max(setUpMs, aroundMs) + loadMs + studyMs,
      settleStartNs === undefined ? Number.POSITIVE_INFINITY : settleStartNs / 1e6 + aroundMs,
    ),
    planned: info.planned_requests,
    notSent: drive.statistics.counts.notSent,
    totals,
    lastSecond: second.counts,
    ...gauges.at(elapsedMs),
    inFlight: drive.inFlight,
    sendLagP99Ms: second.latency?.sendLagP99Ms,
    latencyMs: second.latency && { p50: second.latency.p50Ms, p99: second.latency.p99Ms },
  };
}

const stageNames: Readonly<Record<Activity['kind'], string>> = {
  setup: 'setting up',
  load: 'load',
  study: 'studying',
  settle: 'settling',
};

function stageOf(activity: Activity, step: string): string {
  if (!('total' in activity) || activity.total === undefined || activity.total <= 1) return step;
  return `${step}: ${number(activity.done ?? 0)} of ${number(activity.total)}`;
}

/** The phases on at an instant of the load, each with its pace; that of the last is apart. */
function phaseAt(plan: Plan, loadNs: number): { readonly name: string; readonly pace: string } | undefined {
  const current = plan.phases.filter((phase) => phase.startNs <= loadNs && loadNs < phase.endNs);
  const last = current.at(-1);
  if (last === undefined) return undefined;
  const before = current.slice(0, -1).map((each) => `${each.phase.name} ${paceOf(each)} + `);
  return { name: `${before.join('')}${last.phase.name}`, pace: paceOf(last) };
}

/** The pace of shoppers is that of requests with the key: interactions come on top. */
function paceOf({ phase }: Plan['phases'][number]): string {
  return phase.unit === 'requests' && phase.traffic === 'journeys'
    ? `${phase.pace} plus interactions`
    : phase.pace;
}

const noCounts = eachCount(() => 0);

interface Second {
  readonly counts: ProgressCounts;
  readonly latency: ReturnType<LiveStatistics['second']>;
}

/** Cuts running totals into seconds. */
class Seconds {
  readonly #statistics: LiveStatistics;
  #before: ProgressCounts = noCounts;
  #startedMs = 0;
  #second: Second = { counts: noCounts, latency: undefined };

  constructor(statistics: LiveStatistics) {
    this.#statistics = statistics;
  }

  at(elapsedMs: number): { readonly totals: ProgressCounts; readonly second: Second } {
    const totals = countsOf(this.#statistics);
    if (elapsedMs - this.#startedMs >= secondMs) {
      this.#second = {
        counts: eachCount((name) => totals[name] - this.#before[name]),
        latency: this.#statistics.second(),
      };
      this.#before = totals;
      this.#startedMs = elapsedMs;
    }
    return { totals, second: this.#second };
  }
}

function countsOf({ closed, counts: { lost, sent, statuses } }: LiveStatistics): ProgressCounts {
  const counts = { ...noCounts, sent: sent + closed.sent, lost: lost + closed.lost };
  for (const [status, n] of [...statuses, ...closed.statuses]) {
    if (status === 429) counts.limited += n;
    else if (status === 402) counts.overQuota += n;
    else if (status >= 500) counts.serverErrors += n;
    else if (status >= 400) counts.clientErrors += n;
    else counts.admitted += n;
  }
  return counts;
}

/** Follows what a run has spent of limit and quota, and its failures, for the display. */
export class Gauges {
  readonly #statistics: Pick<LiveStatistics, 'counts'>;
  readonly #profile: Profile;
  /** Totals of admitted requests, each at an instant of the trailing window. */
  #totals: { readonly atMs: number; readonly admitted: number }[] = [];

  constructor(statistics: Pick<LiveStatistics, 'counts'>, profile: Profile) {
    this.#statistics = statistics;
    this.#profile = profile;
  }

  at(elapsedMs: number): Pick<ProgressState, 'limit' | 'quota' | 'failures'> {
    const { quota, limit_scope: scope } = this.#profile;
    const created = sumOf(
      this.#statistics.counts.created,
      quota.twin === 'same-account' ? ['quota', 'twin'] : ['quota'],
    );
    const admitted = sumOf(this.#statistics.counts.admitted, scope === 'shared' ? roles : ['load']);
    return {
      limit: admitted > 0 ? this.#limit(elapsedMs, admitted) : undefined,
      quota: created > 0 ? { created, quota: quota.sessions } : undefined,
      failures: this.#failures(),
    };
  }

  /** Counts from the first drawing in the window on: rather a request too few than one too many. */
  #limit(atMs: number, admitted: number): LimitGauge {
    const { requests: limit, windowMs } = this.#profile.rate_limit;
    this.#totals.push({ atMs, admitted });
    this.#totals = this.#totals.filter((each) => each.atMs >= atMs - windowMs);
    const isFromStart = atMs <= windowMs;
    const used = isFromStart ? admitted : admitted - (this.#totals[0]?.admitted ?? 0);
    const said = readLimitHeaders(this.#statistics.counts.limitHeaders ?? null).find(
      ({ remaining }) => remaining !== undefined,
    );
    return {
      used,
      limit,
      windowMs,
      // Old headers say nothing about now.
      said:
        used > 0 && said?.remaining !== undefined
          ? { remaining: said.remaining, limit: said.limit }
          : undefined,
    };
  }

  #failures(): FailureLine[] {
    return [...this.#statistics.counts.failures]
      .map(([kind, { count, firstNs }]) => ({ kind, count, firstMs: firstNs / 1e6 }))
      .toSorted((a, b) => a.firstMs - b.firstMs);
  }
}

function sumOf(counts: LiveCounts['admitted'], keys: readonly Role[]): number {
  return keys.reduce((sum, key) => sum + (counts.get(key) ?? 0), 0);
}
