import { accompany, companionInstants } from './companion.ts';
import type { DateFormat, Days } from './days.ts';
import type { DriveOptions } from './drive-options.ts';
import type { Equipment } from './equipment.ts';
import { pollBeside } from './freshness.ts';

export interface Beside {
  readonly options: DriveOptions;
  readonly equipment: Equipment;
  /** Of the load, run nanoseconds. */
  readonly startNs: number;
  readonly days: Days;
  readonly dateFormat: DateFormat;
  /** Whether the caps leave room for one more request. */
  readonly maySend: () => boolean;
}

/** Asks what can only be seen while the load is on: a key that was never issued, and how soon sessions show in analytics. */
export async function askBeside(beside: Beside): Promise<void> {
  await Promise.all([askWithBadKey(beside), askForFreshness(beside)]);
}

async function askWithBadKey({ equipment, maySend, options, startNs }: Beside): Promise<void> {
  const { catalogs, clock, plan, profile, roles, scenario } = options;
  if (!scenario.probes || roles.length === 0) return;
  await accompany({
    instants: companionInstants(plan, profile.rate_limit),
    startNs,
    clock,
    client: equipment.questions,
    recorder: equipment.recorder,
    catalogId: catalogs.load.id,
    spend: () => equipment.ledger.spendBeside(equipment.cap),
    mayGoOn: () => equipment.load.stopped === undefined && maySend(),
  });
}

async function askForFreshness(beside: Beside): Promise<void> {
  const { dateFormat, days, equipment, maySend, options, startNs } = beside;
  const { cap, clock, keys } = options;
  // Where requests are counted out, none is spent on what is only good to know.
  if (equipment.freshness === undefined || keys.load === undefined || Number.isFinite(cap.requests)) return;
  await pollBeside({
    plan: equipment.freshness,
    startNs,
    clock,
    client: equipment.questions,
    recorder: equipment.recorder,
    governor: equipment.governors.load,
    key: keys.load,
    days,
    dateFormat,
    mayGoOn: () => equipment.load.stopped === undefined && maySend(),
  });
}
