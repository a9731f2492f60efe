/**
 * `ours.ts <base URL> pressure|journeys <requests> [folder for the history [metrics] [traces]]`: the same requests by our
 * driver, as fast as its connections allow, observed if it is told so. Plan, traffic, client and recorder are those of every run; only the clock differs.
 */
import { mkdir } from 'node:fs/promises';
import { Governor } from '../../src/drive/ask/governor.ts';
import { SessionSample } from '../../src/drive/ask/sample.ts';
import { holdYoungGeneration } from '../../src/drive/load/load-here.ts';
import { Traffic } from '../../src/drive/load/traffic.ts';
import { Figures } from '../../src/drive/observe/figures.ts';
import { KillSwitch } from '../../src/drive/record/ending.ts';
import { eventIds } from '../../src/drive/record/ledger.ts';
import { Recorder } from '../../src/drive/record/recorder.ts';
import { LiveStatistics } from '../../src/drive/record/statistics.ts';
import { HistoryWriter } from '../../src/history/writer.ts';
import { openPool, TargetClient } from '../../src/target/client.ts';
import { profileSchema, usualChannel } from '../../src/target/profile.ts';
import { closedPlan, LeapingClock } from './closed.ts';
import { apiKey, connections, tellUsage } from './usage.ts';

const [, , base = '', kind, amount, historyDir, ...shown] = process.argv;
const requests = Number(amount);

const plan = closedPlan(kind === 'journeys' ? 'journeys' : 'pressure', requests);

/** Resident memory is sampled after this many requests. */
const rssEvery = 500_000;
const rssMib: number[] = [];
let recorded = 0;

const baseUrl = new URL(base);
const profile = profileSchema.parse({ connections, timeouts: { headers: '100h', body: '100h' } });
const clock = new LeapingClock();
if (historyDir !== undefined) await mkdir(historyDir);
const writer = historyDir === undefined ? undefined : await HistoryWriter.create(historyDir);
const statistics = new LiveStatistics(shown.includes('metrics') ? new Figures() : undefined);
const governor = (): Governor => new Governor(clock, profile.rate_limit);
const traffic = new Traffic({
  plan,
  clock,
  client: new TargetClient(baseUrl, openPool(baseUrl, profile), clock.nowNs, undefined),
  recorder: new Recorder({
    writer: {
      request: (record) => {
        writer?.request(record);
        if (++recorded % rssEvery === 0) rssMib.push(Math.round(process.memoryUsage.rss() / 2 ** 20));
        clock.answered();
      },
      interaction: (record) => writer?.interaction(record),
      answer: () => {},
    },
    profile,
    secrets: [apiKey],
    statistics,
    traceRun: shown.includes('traces') ? '0123456789abcdef' : undefined,
  }),
  keys: { load: { value: apiKey, from: 'bench' } },
  governors: { load: governor(), quota: governor(), twin: governor(), bystander: governor() },
  killSwitch: new KillSwitch(),
  inFlightBound: 10 * connections,
  eventId: eventIds(),
  sample: new SessionSample(1_000, Math.random),
  cap: { requests: Number.POSITIVE_INFINITY, sessions: Number.POSITIVE_INFINITY },
});
clock.isFree = () => traffic.inFlight < connections;

const startMs = performance.now();
const young = holdYoungGeneration();
await traffic.run({ startNs: clock.nowNs(), channel: usualChannel });
young.stop();
await writer?.close();
const seconds = (performance.now() - startMs) / 1e3;
const succeeded = [...statistics.counts.statuses].reduce(
  (sum, [status, count]) => sum + (status < 300 ? count : 0),
  0,
);
tellUsage(statistics.counts.sent, succeeded, seconds, rssMib);
process.exit();
