import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { generateCatalog } from '../src/catalog/generate.ts';
import { systemClock } from '../src/drive/clock.ts';
import { Governor } from '../src/drive/governor.ts';
import { KillSwitch } from '../src/drive/kill-switch.ts';
import { Recorder } from '../src/drive/recorder.ts';
import { SessionSample } from '../src/drive/sample.ts';
import { LiveStatistics } from '../src/drive/statistics.ts';
import { Traffic } from '../src/drive/traffic.ts';
import type { RequestRecord } from '../src/history/record.ts';
import { makePlan } from '../src/plan/plan.ts';
import { steady } from '../src/scenario/load.ts';
import { shopperSettingsSchema } from '../src/shoppers/settings.ts';
import { openPool, TargetClient } from '../src/target/client.ts';
import { profileSchema } from '../src/target/profile.ts';

/** How exactly a rate was kept. Lags in milliseconds, CPU as a share of one core. */
export interface Pacing {
  readonly rate: string;
  readonly requests: number;
  /** Sent minus intended, as the generator saw it. */
  readonly sendLagMs: Quantiles;
  /** Arrival at the server minus intended, less the smallest such difference: clocks' offset and the shortest way there. */
  readonly arrivalMs: Quantiles;
  readonly cpuShare: number;
}

interface Quantiles {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** Drives a bare local server at a rate for a while, with the real driver, and measures the pacing error. */
export async function measurePacing(rate: string, seconds: number): Promise<Pacing> {
  const server = spawn(process.execPath, [fileURLToPath(new URL('./server.ts', import.meta.url))], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  try {
    const [line] = await once(server.stdout, 'data');
    const baseUrl = new URL(`http://127.0.0.1:${String(line).trim()}/v1`);
    return await drive(baseUrl, rate, seconds);
  } finally {
    server.stdin.end();
  }
}

async function drive(baseUrl: URL, rate: string, seconds: number): Promise<Pacing> {
  const profile = profileSchema.parse({});
  const catalog = generateCatalog({ seed: 1, tag: 'bench', products: 1 });
  const plan = makePlan({
    seed: 1,
    load: [steady(rate, `${seconds}s`, { traffic: 'reads' })],
    catalogs: { load: catalog, quota: catalog, bystander: catalog },
    shoppers: shopperSettingsSchema.parse({}),
    quota: undefined,
  });
  const clock = systemClock();
  const client = new TargetClient(baseUrl, openPool(baseUrl, profile), clock.nowNs);
  const records: RequestRecord[] = [];
  const sink = {
    request: (record: RequestRecord) => records.push(record),
    interaction: () => {},
    answer: () => {},
  };
  const governor = (): Governor => new Governor(clock, profile.rate_limit);
  const traffic = new Traffic({
    plan,
    clock,
    client,
    recorder: new Recorder(sink, profile, [], new LiveStatistics()),
    keys: { load: { value: 'bench', from: 'bench' } },
    governors: { load: governor(), quota: governor(), bystander: governor() },
    killSwitch: new KillSwitch(),
    inFlightBound: 10_000,
    actId: () => '',
    sample: new SessionSample(0, Math.random),
    cap: { requests: Number.POSITIVE_INFINITY, sessions: Number.POSITIVE_INFINITY },
  });
  const cpuBefore = process.cpuUsage();
  const startNs = clock.nowNs() + 200e6;
  await traffic.run(startNs, undefined);
  const cpu = process.cpuUsage(cpuBefore);
  const answer = await fetch(new URL('/v1/arrivals', baseUrl));
  const arrivals = z.array(z.number()).parse(await answer.json());
  await client.destroy();
  const inOrder = records.toSorted((a, b) => a.intendedNs - b.intendedNs);
  const offsets = inOrder.map(({ intendedNs }, index) => (arrivals[index] ?? Number.NaN) - intendedNs / 1e6);
  const least = Math.min(...offsets);
  return {
    rate,
    requests: records.length,
    sendLagMs: quantiles(records.map(({ sentNs = Number.NaN, intendedNs }) => (sentNs - intendedNs) / 1e6)),
    arrivalMs: quantiles(offsets.map((offset) => offset - least)),
    cpuShare: (cpu.user + cpu.system) / 1e6 / seconds,
  };
}

function quantiles(values: readonly number[]): Quantiles {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number =>
    Math.round((sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN) * 1e3) /
    1e3;
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
}
