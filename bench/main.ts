/**
 * `npm run bench [-- parts…]`: figures about this program on this machine, beside autocannon, and beside wrk, hey,
 * vegeta, k6 and artillery where they are on the PATH. Prints them, and writes those of each part into
 * `bench/results.json`. Parts: cost, workers, shards, pacing, omission, analytics, reading, long; all of
 * them by default.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { type AnalyticsBench, measureAnalytics } from './analytics.ts';
import { kinds, measureCost } from './cost.ts';
import { serversHere } from './fast-server.ts';
import { type Quantiles, spreadText } from './figures.ts';
import { measureOmission } from './omission.ts';
import { measurePacing, type Paced } from './pacing.ts';
import { missingText } from './peers/on-path.ts';
import { longReadingText, measureLongReading, measureReading } from './reading.ts';
import { measureCuts, measureMerge, measureSame } from './shards.ts';
import { measureBarrier } from './shards-barrier.ts';
import { measureStart } from './shards-start.ts';
import { measureWorkers } from './workers.ts';

const requests = 200_000;
const rounds = 3;
/** Threads beside each other are at odds by chance more than one alone. */
const sharedRounds = 7;
/** How many shards, and of how many requests. */
const mergedSizes = [
  [10, 100_000],
  [100, 10_000],
  [1_000, 1_000],
  [100, 100_000],
] as const;
const pacedSeconds = 20;
const rates = [
  { count: 1_000, per: 'm' },
  { count: 500, per: 's' },
  { count: 2_000, per: 's' },
  { count: 5_000, per: 's' },
] as const;

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function tellMissing(): void {
  const missing = missingText();
  if (missing !== undefined) print(missing);
}

const parts: Readonly<Record<string, () => Promise<unknown>>> = {
  cost: async () => {
    tellMissing();
    print(`Cost of ${requests} requests on 50 connections: median (least–most) of ${rounds} rounds in turn`);
    const costs = [];
    for (const server of serversHere())
      for (const kind of kinds)
        for (const cost of await measureCost(kind, server, requests, rounds)) {
          costs.push(cost);
          print(
            `${server.padEnd(9)} ${kind.padEnd(9)} ${cost.generator.padEnd(18)} ${spreadText(cost.cpuUsPerRequest)} µs of CPU a request, ` +
              `${spreadText(cost.cpuRatio)} × autocannon; peak ${spreadText(cost.peakRssMib)} MiB`,
          );
        }
    return costs;
  },
  workers: async () => {
    const benches = await measureWorkers(requests, sharedRounds);
    print(
      `More than one core: ${requests} requests by each thread to ${benches[0]?.server ?? ''}, with history, on ${cpus().length} cores`,
    );
    for (const bench of benches)
      print(
        `${bench.kind.padEnd(9)} ${bench.way.padEnd(14)} ${spreadText(bench.cpuUsPerRequest)} µs of CPU a request; ` +
          `by the CPU of the busiest thread ${spreadText(bench.perSecondOfCpu)}/s, ${spreadText(bench.speedUpByCpu)} × one; ` +
          `by the clock, with the target on the same cores, ${spreadText(bench.perSecond)}/s, ${spreadText(bench.speedUpByWall)} × one`,
      );
    return benches;
  },
  shards: async () => {
    const cuts = measureCuts(1_000_000, [1, 2, 3, 4, 8]);
    for (const { different, missing, most, requests: all, shards, twice } of cuts)
      print(
        `${shards} shards of a plan of ${all}: ${missing} missing, ${twice} twice, ${different} different; the largest part has ${most}`,
      );
    const same = await measureSame(1_000_000, [2, 3, 4, 8]);
    for (const { checks, checksDiffer, percentiles, percentilesDiffer, records, shards } of same)
      print(
        `${records} records, whole and of ${shards} shards: ${percentilesDiffer} of ${percentiles} percentiles differ, ${checksDiffer.length} of ${checks} checks${checksDiffer.length === 0 ? '' : ` (${checksDiffer.join(', ')})`}`,
      );
    const merged = [];
    for (const [shards, records] of mergedSizes) {
      const measured = await measureMerge(shards, records);
      merged.push(measured);
      const { cpuSeconds, peakMib, seconds } = measured.merge;
      print(
        `tryon merge of ${shards} shards of ${records}: ${seconds} s (${cpuSeconds} s of CPU, at most ${peakMib} MiB); ${measured.bytesPerRecord} bytes a record`,
      );
    }
    const barriers = [];
    for (const shards of [10, 100, 1_000]) {
      const barrier = await measureBarrier(shards);
      barriers.push(barrier);
      print(
        `${shards} shards meet: ${barrier.tookMs} ms, the last ${barrier.spareMs} ms before the start; ${barrier.callsPerSecond} calls of the store a second`,
      );
    }
    const start = await measureStart(8, 13);
    const shown = ({ max, p50, p99 }: Quantiles): string => `${p50} / ${p99} / ${max}`;
    print(
      `8 shards start ${start.starts} times: how late, in ms, p50 / p99 / most: first requests ${shown(start.firstLateMs)}, all ${shown(start.allLateMs)}; said error of the clock ${shown(start.statedMs)}`,
    );
    return { cuts, same, merged, barriers, start };
  },
  pacing: async () => {
    tellMissing();
    print(`Pacing: how late each of ${pacedSeconds} s of requests is, in ms, p50 / p99 / most`);
    const pacings = [];
    const shown = ({ max, p50, p99 }: Paced['arrivalMs']): string => `${p50} / ${p99} / ${max}`;
    const arrived = (who: string, { arrivalMs, cpuShare }: Paced): string =>
      `${who.padEnd(10)} arrived ${shown(arrivalMs)}; ${Math.round(cpuShare * 100)} % of a core`;
    for (const rate of rates) {
      const pacing = await measurePacing(rate, pacedSeconds);
      pacings.push(pacing);
      print(
        `${pacing.rate.padEnd(9)} ${arrived('ours', pacing)}; sent ${shown(pacing.sendLagMs)}; ` +
          `a loop that does nothing else ${shown(pacing.machineMs)}`,
      );
      for (const [name, other] of Object.entries(pacing.others))
        print(`${''.padEnd(9)} ${arrived(name, other)}`);
      if (pacing.p99ByVegeta !== undefined)
        print(`${''.padEnd(9)} our p99 is ${pacing.p99ByVegeta} × vegeta's`);
    }
    return pacings;
  },
  omission: async () => {
    const omission = await measureOmission();
    print(
      `Coordinated omission: ${omission.perSecond}/s for ${omission.seconds} s, ${omission.server} stands still for 2 s`,
    );
    const line = (
      who: string,
      seen: { p99: number; p999: number },
      truth: { p99: number; p999: number },
    ): void =>
      print(
        `${who.padEnd(23)} p99 ${Math.round(seen.p99)} ms, p99.9 ${Math.round(seen.p999)} ms (true: ${truth.p99}, ${truth.p999})`,
      );
    const { autocannon, autocannonUncorrected, others, ours } = omission;
    line('ours, response time', ours.reported, ours.truth);
    line('ours, service time', ours.service, ours.truth);
    line('autocannon', autocannon.reported, autocannon.truth);
    line('autocannon, uncorrected', autocannonUncorrected.reported, autocannonUncorrected.truth);
    for (const [name, { reported, truth }] of Object.entries(others)) line(name, reported, truth);
    return omission;
  },
  analytics: async () => {
    print('Analytics: what every answer has to be, recomputed from a history under every convention');
    const measured: AnalyticsBench[] = [];
    // The naive implementation beside it where it takes seconds; at full size it would take hours.
    for (const [sessions, naive] of [
      [20_000, true],
      [2_500_000, false],
    ] as const) {
      const bench = await measureAnalytics({ sessions, days: 31, products: 40 }, rounds, naive);
      measured.push(bench);
      const { once, historyGB } = bench;
      print(
        `${once.sessions} sessions, ${once.interactions} interactions (${historyGB.toFixed(2)} GB), ${once.answers} answers: open ${Math.round(once.loadMs)} ms, compute ${Math.round(once.computeMs)} ms, ` +
          `digests and all ${Math.round(once.allMs)} ms (${Math.round(once.allCpuMs)} ms of CPU), at most ${once.peakGiB.toFixed(2)} GiB; ` +
          `if the profile leaves no convention open, all in ${Math.round(bench.oneConvention.allMs)} ms (${Math.round(bench.oneConvention.allCpuMs)} ms of CPU)`,
      );
      if (bench.naive !== undefined)
        print(
          `naively, under one convention: load ${Math.round(bench.naive.loadMs)} ms, compute ${Math.round(bench.naive.computeMs)} ms, ${bench.naive.ratio.toFixed(1)} × as long`,
        );
    }
    return measured;
  },
  reading: async () => {
    const reading = await measureReading(1_000_000, rounds);
    print(`tryon --help: ${spreadText(reading.helpMs)} ms (node alone: ${spreadText(reading.nodeMs)} ms)`);
    print(`tryon run smoke to its first request: ${spreadText(reading.firstRequestMs)} ms`);
    print(longReadingText(reading.history));
    return reading;
  },
  long: async () => {
    const reading = await measureLongReading(10_000_000);
    print(longReadingText(reading));
    return reading;
  },
};

const file = new URL('./results.json', import.meta.url);
const wanted = process.argv.slice(2);
const results = JSON.parse(await readFile(file, 'utf8').catch(() => '{}'));
Object.assign(results, {
  node: process.versions.node,
  cpu: cpus()[0]?.model ?? 'unknown',
  cores: cpus().length,
});
for (const [name, measure] of Object.entries(parts)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  results[name] = await measure();
  await writeFile(file, `${JSON.stringify(results, null, 2)}\n`);
}
