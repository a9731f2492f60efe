import { questionsAtTheLimit } from './budget.ts';
import { type DateFormat, type Days, dayQuery } from './clock/days.ts';
import type { DriveOptions } from './load/drive-options.ts';
import { pollBeside } from './load/freshness.ts';
import { askedAtTheLimit, askedWithBadKey, loadProbeInstants, probeLoaded } from './load/load-probe.ts';
import type { RunContext } from './run-context.ts';

interface Beside {
  readonly options: DriveOptions;
  readonly context: RunContext;
  /** Of the load, run nanoseconds. */
  readonly startNs: number;
  readonly days: Days;
  readonly dateFormat: DateFormat;
  /** Whether the caps leave room for one more request. */
  readonly maySend: () => boolean;
}

/**
 * Asks what can only be seen while the load is on: a key that was never issued, analytics at the limit, and how soon sessions
 * show in them.
 */
export async function askBeside(beside: Beside): Promise<void> {
  await Promise.all([askWhileLoaded(beside), askForFreshness(beside)]);
}

async function askWhileLoaded(beside: Beside): Promise<void> {
  const { context, dateFormat, days, maySend, options, startNs } = beside;
  const { catalogs, clock, keys, plan, profile, roles, scenario } = options;
  if (!scenario.probes || roles.length === 0) return;
  const common = {
    startNs,
    clock,
    client: context.questions,
    recorder: context.recorder,
    spend: () => context.ledger.spendBeside(context.cap),
    mayGoOn: () => context.load.stopped === undefined && maySend(),
  };
  const going = [
    probeLoaded({
      ...common,
      question: askedWithBadKey(catalogs.load.id),
      instants: loadProbeInstants(plan, profile.rate_limit),
    }),
  ];
  if (keys.load !== undefined)
    going.push(
      probeLoaded({
        ...common,
        question: askedAtTheLimit(keys.load, () => dayQuery(days.wide(), dateFormat)),
        instants: questionsAtTheLimit(plan, scenario, profile),
      }),
    );
  await Promise.all(going);
}

async function askForFreshness(beside: Beside): Promise<void> {
  const { dateFormat, days, context, maySend, options, startNs } = beside;
  const { cap, clock, keys } = options;
  // Where requests are counted out, none is spent on what is only good to know.
  if (context.freshness === undefined || keys.load === undefined || Number.isFinite(cap.requests)) return;
  await pollBeside({
    plan: context.freshness,
    startNs,
    clock,
    client: context.questions,
    recorder: context.recorder,
    governor: context.governors.load,
    key: keys.load,
    days,
    dateFormat,
    mayGoOn: () => context.load.stopped === undefined && maySend(),
  });
}
