/** A worker thread: drives one shard of the plan, and writes the history of it. Told what to do by `Shards`. */
import { parentPort, workerData } from 'node:worker_threads';
import { type FileStates, HistoryWriter } from '../../history/writer.ts';
import { shareOf } from '../../plan/lanes.ts';
import { makePlan } from '../../plan/plan.ts';
import { randomStream } from '../../random.ts';
import { openTranslation } from '../../target/adapt/adapter-translation.ts';
import { loadSpread, openPool, TargetClient } from '../../target/client.ts';
import { BodyRoom } from '../../target/exchange.ts';
import { eachRole } from '../../vocabulary/roles.ts';
import type { SpendCertainty } from '../ask/governor.ts';
import { SessionSample } from '../ask/sample.ts';
import { systemClock } from '../clock/clock.ts';
import { Figures } from '../observe/figures.ts';
import { SelfWatch } from '../record/ending.ts';
import { eventIds, Ledger } from '../record/ledger.ts';
import { Recorder } from '../record/recorder.ts';
import { LiveStatistics } from '../record/statistics.ts';
import type { Start } from './load.ts';
import { warmUp } from './load-here.ts';
import type { FromWorker, ShardProgress, ShardTask, ToWorker } from './shards.ts';
import { Traffic } from './traffic.ts';

/** How often a worker reports, and checks that its history can still be written. */
const tellEveryMs = 200;

const task = workerData as ShardTask;
const { profile, shard } = task;
const worker = shard.index + 1;

/** Outcomes by second, until they are told. */
class Outcomes {
  /** The thread that receives from all workers states the reason. */
  readonly reason = undefined;
  #seconds = new Map<number, { all: number; failed: number }>();

  note(atNs: number, failed: boolean): void {
    const second = Math.floor(atNs / 1e9);
    const counts = this.#seconds.get(second) ?? { all: 0, failed: 0 };
    if (counts.all === 0) this.#seconds.set(second, counts);
    counts.all++;
    if (failed) counts.failed++;
  }

  take(): ShardProgress['outcomes'] {
    const taken = [...this.#seconds].map(([second, counts]) => ({ second, ...counts }));
    this.#seconds.clear();
    return taken;
  }
}

/** Requests on a key, until they are told. */
class Spent {
  #counts: Record<SpendCertainty, number> = { certain: 0, possible: 0 };

  note(_atNs: number, spending: SpendCertainty = 'certain'): void {
    this.#counts[spending]++;
  }

  take(): Readonly<Record<SpendCertainty, number>> {
    const counts = this.#counts;
    this.#counts = { certain: 0, possible: 0 };
    return counts;
  }
}

/** Requests of a plan made once and discarded. */
const discardedRequests = 2_000;

const clock = systemClock(task.zero);
const ledger = new Ledger(task.memory);
const memory = task.observed?.memories?.[worker];
const figures = memory === undefined ? undefined : new Figures(memory);
const statistics = new LiveStatistics(figures, task.polledProductId);
const outcomes = new Outcomes();
const spent = eachRole(() => new Spent());
const sample = new SessionSample(task.readBack, randomStream(task.seed, 'read-back', worker));
const writer = await HistoryWriter.createSegment(task.runDir, worker);
const baseUrl = new URL(task.baseUrl);
const connections = shareOf(profile.connections, shard);
const client = new TargetClient(
  baseUrl,
  openPool(baseUrl, { ...profile, connections }, { spread: loadSpread }),
  clock.nowNs,
  await openTranslation(profile, baseUrl),
  new BodyRoom(shard.of),
);
const plan = makePlan(task.planInput);
const traffic = new Traffic({
  plan,
  shard,
  ledger,
  clock,
  client,
  recorder: new Recorder({
    writer,
    profile,
    secrets: task.secrets,
    statistics,
    ledger,
    described: task.described,
    traceRun: task.observed?.traceRun,
  }),
  keys: task.keys,
  governors: spent,
  killSwitch: outcomes,
  inFlightBound: profile.in_flight,
  eventId: eventIds(),
  sample,
  cap: task.cap,
});

function progress(): ShardProgress {
  const spentNow = eachRole((role) => spent[role].take());
  return { statistics: statistics.handOver(), outcomes: outcomes.take(), spent: spentNow };
}

function tell(message: FromWorker): void {
  parentPort?.postMessage(message);
}

async function drive(start: Start): Promise<void> {
  const self = new SelfWatch({ clock, writer, statistics, inFlight: () => traffic.inFlight, worker });
  const telling = setInterval(() => {
    if (writer.failure !== undefined) traffic.stopped ??= 'error';
    tell({ kind: 'progress', progress: progress() });
  }, tellEveryMs);
  await traffic.run(start);
  clearInterval(telling);
  self.stop();
  await client.destroy();
  let error: unknown = traffic.failure;
  let files: FileStates | undefined;
  try {
    files = await writer.end();
  } catch (failure) {
    error ??= failure;
  }
  tell({ kind: 'done', progress: progress(), sample: sample.handOver(), files, error });
  parentPort?.close();
}

parentPort?.on('message', (message: ToWorker) => {
  // An error thrown here ends the thread, and the starting thread treats that as an error.
  if (message.kind === 'start') void drive(message.start);
  else void client.destroy();
});
// So that no measured request is made by cold code.
let made = 0;
for (const _ of plan.requests(shard)) if (++made >= discardedRequests) break;
await warmUp(task.planInput.catalogs.load, task.observed);
tell({ kind: 'ready' });
