import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Governor } from '../src/drive/ask/governor.ts';
import { SessionSample } from '../src/drive/ask/sample.ts';
import { systemClock } from '../src/drive/clock/clock.ts';
import { warmUp } from '../src/drive/load/load-here.ts';
import { Traffic } from '../src/drive/load/traffic.ts';
import { KillSwitch } from '../src/drive/record/ending.ts';
import { Recorder } from '../src/drive/record/recorder.ts';
import { LiveStatistics } from '../src/drive/record/statistics.ts';
import type { RequestRecord } from '../src/history/record.ts';
import { HistoryWriter } from '../src/history/writer.ts';
import { makePlan } from '../src/plan/plan.ts';
import { generateCatalog } from '../src/scenario/catalog/generate.ts';
import { steady } from '../src/scenario/load.ts';
import { shopperSettingsSchema } from '../src/scenario/shoppers/settings.ts';
import { openPool, TargetClient } from '../src/target/client.ts';
import { profileSchema } from '../src/target/profile.ts';
import { eachRole } from '../src/vocabulary/roles.ts';

/** More than any part of the bench makes. */
const mostRequests = 200_000;

export interface Driven {
  /** Every request that was answered with 200, in the order in which they were intended. Run nanoseconds. */
  readonly times: readonly Times[];
  /** CPU of this process meanwhile, as a share of one core. */
  readonly cpuShare: number;
}

export interface Times {
  readonly intendedNs: number;
  readonly sentNs: number;
  readonly answeredNs: number;
}

/** Reads lists of shades at a rate for a while, with the driver and the history of every run. */
export async function driveReads(baseUrl: URL, rate: string, seconds: number): Promise<Driven> {
  const profile = profileSchema.parse({ connections: 1_024, in_flight: 10_000 });
  const catalog = generateCatalog({ seed: 1, tag: 'bench', products: 1 });
  const plan = makePlan({
    seed: 1,
    load: [steady(rate, `${seconds}s`, { traffic: 'reads' })],
    catalogs: eachRole(() => catalog),
    shoppers: shopperSettingsSchema.parse({}),
    quota: undefined,
  });
  const clock = systemClock();
  const client = new TargetClient(baseUrl, openPool(baseUrl, profile), clock.nowNs, undefined);
  const folder = await mkdtemp(join(tmpdir(), 'tryon-bench-'));
  const writer = await HistoryWriter.create(folder);
  // Numbers only: a run keeps no records either, and the collector would have to look after them.
  const kept = new Float64Array(3 * mostRequests);
  let count = 0;
  const sink = {
    request: (record: RequestRecord) => {
      writer.request(record);
      if (record.status === 200) {
        kept.set(
          [record.intendedNs, record.sentNs ?? Number.NaN, record.answeredNs ?? Number.NaN],
          3 * count,
        );
        count++;
      }
    },
    interaction: () => {},
    answer: () => {},
  };
  const traffic = new Traffic({
    plan,
    clock,
    client,
    recorder: new Recorder({ writer: sink, profile, secrets: [], statistics: new LiveStatistics() }),
    keys: { load: { value: 'bench', from: 'bench' } },
    governors: eachRole(() => new Governor(clock, profile.rate_limit)),
    killSwitch: new KillSwitch(),
    inFlightBound: profile.in_flight,
    eventId: () => '',
    sample: new SessionSample(0, Math.random),
    cap: { requests: Number.POSITIVE_INFINITY, sessions: Number.POSITIVE_INFINITY },
  });
  await warmUp(catalog);
  const before = process.cpuUsage();
  await traffic.run({ startNs: clock.nowNs() + 200e6, channel: undefined });
  const { system, user } = process.cpuUsage(before);
  await client.destroy();
  await writer.close();
  await rm(folder, { recursive: true });
  const times = Array.from({ length: count }, (_, n): Times => {
    const [intendedNs = Number.NaN, sentNs = Number.NaN, answeredNs = Number.NaN] = kept.subarray(
      3 * n,
      3 * n + 3,
    );
    return { intendedNs, sentNs, answeredNs };
  });
  return {
    times: times.sort((a, b) => a.intendedNs - b.intendedNs),
    cpuShare: (user + system) / 1e6 / seconds,
  };
}
