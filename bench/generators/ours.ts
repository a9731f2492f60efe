/**
 * `ours.ts <base URL> pressure|journeys <requests> [folder for the history]`: the same requests by our driver, as fast as
 * they go on so many connections. Plan, traffic, client and recorder are those of every run; only the clock is another.
 */
import { mkdir } from 'node:fs/promises';
import { generateCatalog } from '../../src/catalog/generate.ts';
import { actIds } from '../../src/drive/act-ids.ts';
import { type Clock, systemClock } from '../../src/drive/clock.ts';
import { Governor } from '../../src/drive/governor.ts';
import { KillSwitch } from '../../src/drive/kill-switch.ts';
import { Recorder } from '../../src/drive/recorder.ts';
import { SessionSample } from '../../src/drive/sample.ts';
import { LiveStatistics } from '../../src/drive/statistics.ts';
import { Traffic } from '../../src/drive/traffic.ts';
import { HistoryWriter } from '../../src/history/writer.ts';
import { journeysFrom, sessionsInSlots } from '../../src/plan/phase-plan.ts';
import type { Plan } from '../../src/plan/plan.ts';
import { createPopulation } from '../../src/shoppers/population.ts';
import { openPool, TargetClient } from '../../src/target/client.ts';
import { channelSchema, profileSchema } from '../../src/target/profile.ts';
import { actsPerJourney, apiKey, connections, tellUsage } from './usage.ts';

const [, , base = '', kind, amount, historyDir] = process.argv;
const requests = Number(amount);

/** Time between requests of the plan, in the time that the clock below shows. */
const stepNs = 1e6;
/** About twice what an answer takes in that time, so that about as many shoppers are under way as in the closed loop. */
const thinkMs = 100;

/**
 * A clock that leaps: whoever waits for an instant waits for a free connection only, and then it is that instant. So an
 * open plan goes as fast as a closed loop would.
 */
class LeapingClock implements Clock {
  readonly #real = systemClock();
  readonly zeroEpochMs = this.#real.zeroEpochMs;
  #leapNs = 0;
  #free: (() => void) | undefined;
  isFree = (): boolean => true;

  nowNs = (): number => this.#real.nowNs() + this.#leapNs;

  async until(ns: number): Promise<void> {
    if (!this.isFree()) {
      await new Promise<void>((resolve) => {
        this.#free = resolve;
      });
    }
    this.#leapNs += Math.max(0, ns - this.nowNs());
  }

  /** An answer came. */
  answered(): void {
    if (this.#free === undefined || !this.isFree()) return;
    const free = this.#free;
    this.#free = undefined;
    free();
  }
}

function* instants(count: number, everyNs: number): Generator<number> {
  for (let n = 0; n < count; n++) yield (n + 1) * everyNs;
}

const catalog = generateCatalog({ seed: 1, tag: 'bench', products: 12 });
const population = createPopulation({ seed: 1, catalog });
const perJourney = actsPerJourney + 2;
const context = {
  phase: 0,
  role: 'load',
  startNs: 0,
  horizonNs: Number.POSITIVE_INFINITY,
  catalog,
  firstShopper: 0,
  population: {
    errand: population.errand,
    journey: (k: number) => {
      // The price of making a journey is paid; then every shopper does the same, so that both generators do.
      const journey = population.journey(k);
      const sku = catalog.products[journey.product]?.shades[0]?.sku ?? '';
      const act = { kind: 'interact', afterMs: thinkMs, acts: [{ type: 'shade_selected', sku }] } as const;
      const acts = Array.from({ length: actsPerJourney }, () => act);
      const steps = [
        { kind: 'create-session', afterMs: 0 } as const,
        ...acts,
        { kind: 'read-session', afterMs: thinkMs } as const,
      ];
      return { ...journey, patienceMs: 1e9, steps };
    },
  },
} as const;
const plan: Plan = {
  phases: [],
  horizonNs: 0,
  requests: () =>
    kind === 'journeys'
      ? journeysFrom(context, instants(requests / perJourney, stepNs * perJourney))
      : sessionsInSlots(context, instants(requests, stepNs)),
};

/** Resident memory after each so many requests. */
const rssEvery = 500_000;
const rssMib: number[] = [];
let recorded = 0;

const baseUrl = new URL(base);
const profile = profileSchema.parse({ connections, timeouts: { headers: '100h', body: '100h' } });
const clock = new LeapingClock();
if (historyDir !== undefined) await mkdir(historyDir);
const writer = historyDir === undefined ? undefined : await HistoryWriter.create(historyDir);
const statistics = new LiveStatistics();
const governor = (): Governor => new Governor(clock, profile.rate_limit);
const traffic = new Traffic({
  plan,
  clock,
  client: new TargetClient(baseUrl, openPool(baseUrl, profile), clock.nowNs),
  recorder: new Recorder(
    {
      request: (record) => {
        writer?.request(record);
        if (++recorded % rssEvery === 0) rssMib.push(Math.round(process.memoryUsage.rss() / 2 ** 20));
        clock.answered();
      },
      interaction: (record) => writer?.interaction(record),
      answer: () => {},
    },
    profile,
    [apiKey],
    statistics,
  ),
  keys: { load: { value: apiKey, from: 'bench' } },
  governors: { load: governor(), quota: governor(), twin: governor(), bystander: governor() },
  killSwitch: new KillSwitch(),
  inFlightBound: 10 * connections,
  actId: actIds(),
  sample: new SessionSample(1_000, Math.random),
  cap: { requests: Number.POSITIVE_INFINITY, sessions: Number.POSITIVE_INFINITY },
});
clock.isFree = () => traffic.inFlight < connections;

const startMs = performance.now();
await traffic.run(clock.nowNs(), channelSchema.parse({}));
await writer?.close();
const seconds = (performance.now() - startMs) / 1e3;
const succeeded = [...statistics.statuses].reduce(
  (sum, [status, count]) => sum + (status < 300 ? count : 0),
  0,
);
tellUsage(statistics.sent, succeeded, seconds, rssMib);
process.exit();
