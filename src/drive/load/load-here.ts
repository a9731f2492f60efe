import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { PerformanceObserver } from 'node:perf_hooks';
import v8 from 'node:v8';
import { makePlan } from '../../plan/plan.ts';
import type { Catalog } from '../../scenario/catalog/catalog.ts';
import { steady } from '../../scenario/load.ts';
import { shopperSettingsSchema } from '../../scenario/shoppers/settings.ts';
import { openPool, TargetClient } from '../../target/client.ts';
import { profileSchema, usualChannel } from '../../target/profile.ts';
import { eachRole } from '../../vocabulary/roles.ts';
import { SessionSample } from '../ask/sample.ts';
import { systemClock } from '../clock/clock.ts';
import { Figures } from '../observe/figures.ts';
import { eventIds } from '../record/ledger.ts';
import { Recorder } from '../record/recorder.ts';
import { LiveStatistics } from '../record/statistics.ts';
import {
  type DriveOptions,
  type FoundInSetup,
  type Load,
  nothing,
  type Observed,
  type Segments,
  type Start,
} from './load.ts';
import { Traffic, type TrafficOptions } from './traffic.ts';

/** 200 requests: by then the engine has compiled the code of the send path. */
const load = steady('4000/s', '50ms');

/**
 * Waits after which the engine has compiled the code for good. Otherwise it compiles in a load's first seconds, for 2
 * to 20 ms each time.
 */
const waits = 60;
const waitNs = 1.4e6;

/**
 * V8 compiles for instants within 31 bits of nanoseconds and recompiles 2.1 s after zero. A zero 10 s ago avoids
 * that.
 */
const zeroAgoNs = 10_000_000_000n;

/**
 * Drives a few shoppers against an in-process stand-in and discards the result, so that no measured request runs cold
 * code: also what only an observed run does. Returns the number of successful requests: 0 where listening on loopback is not permitted.
 */
export async function warmUp(catalog: Catalog, observed: Observed = {}): Promise<number> {
  const sockets = new Set<Socket>();
  const standIn = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('data', (request) => socket.write(answerTo(request.toString('latin1'))));
  });
  standIn.on('error', () => {});
  try {
    standIn.listen(0, '127.0.0.1');
    await once(standIn, 'listening');
  } catch {
    return 0;
  }
  const address = standIn.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  try {
    return await drive(new URL(`http://127.0.0.1:${port}/v1`), catalog, observed);
  } finally {
    for (const socket of sockets) socket.destroy();
    standIn.close();
  }
}

async function drive(baseUrl: URL, catalog: Catalog, { memories, traceRun }: Observed): Promise<number> {
  const profile = profileSchema.parse({});
  const clock = systemClock({
    epochMs: Date.now() - Number(zeroAgoNs) / 1e6,
    hrtimeNs: process.hrtime.bigint() - zeroAgoNs,
  });
  const client = new TargetClient(baseUrl, openPool(baseUrl, profile), clock.nowNs, undefined);
  const nothing = (): void => {};
  const statistics = new LiveStatistics(memories === undefined ? undefined : new Figures());
  const catalogs = eachRole(() => catalog);
  const shoppers = shopperSettingsSchema.parse({});
  const traffic = new Traffic({
    plan: makePlan({ seed: 1, load: [load], catalogs, shoppers, quota: undefined }),
    clock,
    client,
    recorder: new Recorder({
      writer: { request: nothing, interaction: nothing, answer: nothing },
      profile,
      secrets: [],
      statistics,
      traceRun,
    }),
    keys: { load: { value: 'warm-up', from: 'the warm-up' } },
    governors: eachRole(() => ({ note: nothing })),
    killSwitch: { note: nothing, reason: undefined },
    inFlightBound: profile.in_flight,
    eventId: eventIds(),
    sample: new SessionSample(0, Math.random),
    cap: { requests: Number.POSITIVE_INFINITY, sessions: Number.POSITIVE_INFINITY },
  });
  await traffic.run({ startNs: clock.nowNs(), channel: usualChannel });
  for (let wait = 0; wait < waits; wait++) await clock.until(clock.nowNs() + waitNs);
  await client.destroy();
  const { statuses } = statistics.counts;
  return (statuses.get(200) ?? 0) + (statuses.get(202) ?? 0);
}

const grant = {
  session_id: 'ts_warm_up',
  token: 'tok_warm_up',
  expires_at: '2099-01-01T00:00:00.000Z',
  shade_count: 1,
};

/** Every request comes in one piece: its first line says all. */
function answerTo(request: string): string {
  const [method = '', path = ''] = request.split(' ', 2);
  if (method !== 'POST') return answer(200, path.includes('/shades') ? [] : {});
  return path.endsWith('/sessions') ? answer(200, grant) : answer(202, { accepted: 1 });
}

function answer(status: number, body: unknown): string {
  const text = JSON.stringify(body);
  return `HTTP/1.1 ${status} OK\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`;
}

/** The load of one thread, sent here. */
export class LoadHere extends Traffic implements Load {
  readonly unheard = 0;
  readonly segments: Segments = { kind: 'whole', files: {} };
  readonly #run: Pick<DriveOptions, 'catalogs' | 'clock' | 'observed'>;

  constructor(run: TrafficOptions & Pick<DriveOptions, 'catalogs' | 'observed'>) {
    super(run);
    this.#run = run;
  }

  async ready(found: FoundInSetup = nothing): Promise<Start> {
    const { catalogs, clock, observed } = this.#run;
    await warmUp(catalogs.load, observed);
    return { startNs: clock.nowNs(), ...found };
  }

  override async run(start: Start): Promise<void> {
    const young = holdYoungGeneration();
    try {
      await super.run(start);
    } finally {
      young.stop();
    }
  }
}

/**
 * Keeps the space for young objects at 16 MiB until stopped. V8 doubles it up to 128 MiB, which reads as a leak in a
 * long run and does not speed up driving. V8 reads the factor at each growth; the start size is a command-line option
 * only. The factor is the process's, so it holds in workers too.
 */
export function holdYoungGeneration(): { stop(): void } {
  const look = (): void => {
    const young = v8.getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
    if ((young?.space_size ?? 0) < enoughBytes) return;
    observer.disconnect();
    v8.setFlagsFromString('--semi-space-growth-factor=1');
  };
  const observer = new PerformanceObserver(look);
  observer.observe({ entryTypes: ['gc'] });
  look();
  return {
    stop() {
      observer.disconnect();
      v8.setFlagsFromString(`--semi-space-growth-factor=${usualFactor}`);
    },
  };
}

/** What the space for young objects holds where it is kept from growing on: two halves of 8 MiB. */
const enoughBytes = 16 * 2 ** 20;

/** V8's own (`node --v8-options`). */
const usualFactor = 2;
