import { TryonError } from '../exit.ts';
import type { Channel } from '../target/profile.ts';
import { sendsStep } from '../vocabulary/probes.ts';
import { Asker, AskingStopped } from './ask/ask.ts';
import { questionsAtTheLimit } from './budget.ts';
import { type DateFormat, type Days, dayQuery } from './clock/days.ts';
import { explore } from './explore/explore.ts';
import { pollBeside } from './load/freshness.ts';
import type { DriveOptions } from './load/load.ts';
import { askedAtTheLimit, askedWithBadKey, loadProbeInstants, probeLoaded } from './load/load-probe.ts';
import type { RunContext } from './run-context.ts';
import type { SetupOptions } from './setup/setup-options.ts';

interface Beside {
  readonly options: DriveOptions;
  readonly context: RunContext;
  /** Of the load, run nanoseconds. */
  readonly startNs: number;
  readonly days: Days;
  readonly dateFormat: DateFormat;
  readonly channel: Channel | undefined;
  readonly setup: Pick<SetupOptions, 'openConnection' | 'pages'>;
  /** Whether the caps leave room for one more request. */
  readonly maySend: () => boolean;
}

/**
 * Asks what can only be seen while the load is on: a key that was never issued, analytics at the limit, how soon sessions show
 * in them, and the explorer's calls.
 */
export async function askBeside(beside: Beside): Promise<void> {
  await Promise.all([askWhileLoaded(beside), askForFreshness(beside), exploreBeside(beside)]);
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

/** What ends the explorer here, such as a target that is silent under load, ends the load by rules of its own. */
async function exploreBeside(beside: Beside): Promise<void> {
  const { channel, context, dateFormat, days, maySend, options, setup, startNs } = beside;
  const { baseUrl, clock, explorationBeside: exploration, keys, plan, profile } = options;
  if (exploration === undefined || !sendsStep('explored', options.onlyProbes)) return;
  const endNs = startNs + plan.horizonNs;
  const isOver = (): boolean => context.load.stopped !== undefined || !maySend() || clock.nowNs() >= endNs;
  const asker = new Asker({
    clock,
    client: context.questions,
    ...{ recorder: context.recorder, keys, governors: context.governors, isOver },
    windowMs: profile.rate_limit.windowMs,
    mayAsk: () => !isOver() && context.ledger.spendBeside(context.cap),
  });
  try {
    await explore({
      ...{ exploration, profile, asker, clock, keys, channel, baseUrl, days, dateFormat, ...setup },
      onStep: () => undefined,
      duringLoad: { startNs, endNs },
    });
  } catch (error) {
    if (!(error instanceof AskingStopped || error instanceof TryonError)) throw error;
  }
}
