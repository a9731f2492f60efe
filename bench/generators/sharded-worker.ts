/** One worker of `sharded.ts`: drives its shard of the plan as fast as it goes, and tells what that took of its thread. */
import { parentPort, workerData } from 'node:worker_threads';
import { Governor } from '../../src/drive/ask/governor.ts';
import { SessionSample } from '../../src/drive/ask/sample.ts';
import { Traffic } from '../../src/drive/load/traffic.ts';
import { KillSwitch } from '../../src/drive/record/ending.ts';
import { eventIds, Ledger } from '../../src/drive/record/ledger.ts';
import { Recorder } from '../../src/drive/record/recorder.ts';
import { LiveStatistics } from '../../src/drive/record/statistics.ts';
import { HistoryWriter } from '../../src/history/writer.ts';
import { openPool, TargetClient } from '../../src/target/client.ts';
import { profileSchema, usualChannel } from '../../src/target/profile.ts';
import { eachRole } from '../../src/vocabulary/roles.ts';
import { closedPlan, LeapingClock } from './closed.ts';
import type { ShardedTask, ShardedUsage } from './sharded-usage.ts';
import { apiKey, connections } from './usage.ts';

const { base, folder, kind, memory, requests, shard } = workerData as ShardedTask;

/** The first requests are not counted: the engine has not compiled their code yet. */
const warmUpRequests = 20_000;
let recorded = 0;
let before = process.threadCpuUsage();

const profile = profileSchema.parse({ connections, timeouts: { headers: '100h', body: '100h' } });
const baseUrl = new URL(base);
const clock = new LeapingClock();
const ledger = new Ledger(memory);
const writer = await HistoryWriter.createSegment(folder, shard.index + 1);
const statistics = new LiveStatistics();
const traffic = new Traffic({
  plan: closedPlan(kind, requests, shard.of),
  shard,
  ledger,
  clock,
  client: new TargetClient(baseUrl, openPool(baseUrl, profile), clock.nowNs, undefined),
  recorder: new Recorder({
    writer: {
      request: (record) => {
        writer.request(record);
        if (++recorded === warmUpRequests) before = process.threadCpuUsage();
        clock.answered();
      },
      interaction: (record) => writer.interaction(record),
      answer: () => {},
    },
    profile,
    secrets: [apiKey],
    statistics,
    ledger,
  }),
  keys: { load: { value: apiKey, from: 'bench' } },
  governors: eachRole(() => new Governor(clock, profile.rate_limit)),
  killSwitch: new KillSwitch(),
  inFlightBound: 10 * shard.of * connections,
  eventId: eventIds(),
  sample: new SessionSample(1_000, Math.random),
  cap: { requests: Number.POSITIVE_INFINITY, sessions: Number.POSITIVE_INFINITY },
});
clock.isFree = () => traffic.inFlight < connections;

parentPort?.once('message', async () => {
  await traffic.run({ startNs: clock.nowNs(), channel: usualChannel });
  const { system, user } = process.threadCpuUsage(before);
  await writer.end();
  const succeeded = [...statistics.counts.statuses].reduce(
    (sum, [status, n]) => sum + (status < 300 ? n : 0),
    0,
  );
  const usage: ShardedUsage = {
    sent: statistics.counts.sent,
    succeeded,
    cpuUsPerRequest: (system + user) / (statistics.counts.sent - warmUpRequests),
  };
  parentPort?.postMessage(usage);
});
parentPort?.postMessage('ready');
