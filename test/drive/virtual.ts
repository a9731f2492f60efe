import { Governor } from '../../src/drive/ask/governor.ts';
import { SessionSample } from '../../src/drive/ask/sample.ts';
import type { Clock } from '../../src/drive/clock/clock.ts';
import { Traffic, type TrafficOptions } from '../../src/drive/load/traffic.ts';
import { KillSwitch } from '../../src/drive/record/ending.ts';
import type { AnswerRecord, InteractionRecord, RequestRecord } from '../../src/history/record.ts';
import { MinHeap } from '../../src/plan/heap.ts';
import { makePlan, type Plan, type PlanInput } from '../../src/plan/plan.ts';
import type { Catalog } from '../../src/scenario/catalog/catalog.ts';
import { generateCatalog } from '../../src/scenario/catalog/generate.ts';
import type { Phase } from '../../src/scenario/load.ts';
import { type ShopperSettingsInput, shopperSettingsSchema } from '../../src/scenario/shoppers/settings.ts';
import { type Connections, TargetClient } from '../../src/target/client.ts';
import { profileSchema, usualChannel } from '../../src/target/profile.ts';
import { recording } from './recording.ts';

/** A clock that stands still but for `until`, which runs what falls due on the way. A whole run takes milliseconds. */
export class VirtualClock implements Clock {
  readonly zeroEpochMs = Date.UTC(2026, 4, 1, 12);
  #nowNs = 0;
  readonly #events = new MinHeap<() => void>();

  nowNs = (): number => this.#nowNs;

  at(ns: number, event: () => void): void {
    this.#events.push(ns, event);
  }

  async until(ns: number): Promise<void> {
    await this.advance(ns);
    this.#nowNs = Math.max(this.#nowNs, ns);
  }

  /** The machine stands still: time passes, and nothing happens. */
  stall(ns: number): void {
    this.#nowNs += ns;
  }

  /** Runs everything due up to an instant, or everything there is. */
  async advance(untilNs = Number.MAX_SAFE_INTEGER): Promise<void> {
    while (this.#events.minKey <= untilNs) await this.step();
  }

  /** Runs what is due next. */
  protected async step(): Promise<void> {
    if (!Number.isFinite(this.#events.minKey)) return;
    this.#nowNs = Math.max(this.#nowNs, this.#events.minKey);
    this.#events.pop()?.();
    await Promise.resolve();
  }

  /** Lets time pass until a task is done. */
  async play<T>(task: Promise<T>): Promise<T> {
    let over = false;
    const done = () => {
      over = true;
    };
    void task.then(done, done);
    while (!over) {
      await new Promise((resolve) => setImmediate(resolve));
      await this.advance();
    }
    return task;
  }
}

/** A clock for several actors at once: time goes on only when all of them wait for it. */
export class SharedClock extends VirtualClock {
  override until(ns: number): Promise<void> {
    return new Promise((resolve) => this.at(Math.max(ns, this.nowNs()), resolve));
  }

  override advance(): Promise<void> {
    return this.step();
  }
}

/** What a scripted target does with a request that arrives at `atNs`. */
export type Behaviour = (request: {
  method: string;
  path: string;
  authorization: string;
  body: string;
  atNs: number;
  count: number;
}) =>
  | {
      readonly afterMs: number;
      readonly status: number;
      readonly body?: unknown;
      readonly headers?: Record<string, string>;
    }
  | { readonly afterMs: number; readonly error: Error }
  | 'refuse-connection';

export const sessionToken = (count: number): string => `secret-token-${count}`;

/** A target in its right mind: everything is answered as the interface says, after `latencyMs`. */
export function healthy(latencyMs = 5): Behaviour {
  return ({ method, path, count }) => {
    if (path.endsWith('/interactions')) return { afterMs: latencyMs, status: 202, body: { accepted: 1 } };
    if (method === 'POST') {
      const body = {
        session_id: `s${count}`,
        token: sessionToken(count),
        expires_at: '2026-05-01T12:30:00Z',
        shade_count: 3,
      };
      return { afterMs: latencyMs, status: 200, body };
    }
    if (path.includes('/sessions/')) return { afterMs: latencyMs, status: 200, body: {} };
    return { afterMs: latencyMs, status: 200, body: [] };
  };
}

export interface Simulation {
  readonly requests: readonly RequestRecord[];
  readonly interactions: readonly InteractionRecord[];
  readonly answers: readonly AnswerRecord[];
  readonly plan: Plan;
  readonly traffic: Traffic;
}

export const secretKey = 'secret-load-key';

/** Drives a load against a scripted target in virtual time, and gives back all that was recorded. */
export async function simulate(
  load: readonly Phase[],
  behaviour: Behaviour,
  options: {
    readonly shoppers?: ShopperSettingsInput;
    readonly seed?: number;
    readonly traffic?: Partial<TrafficOptions>;
    readonly channel?: boolean;
    readonly during?: (clock: VirtualClock, traffic: Traffic) => void;
  } = {},
): Promise<Simulation> {
  const clock = new VirtualClock();
  const { answers, interactions, recorder, requests } = recording({ secrets: [secretKey] });
  const profile = profileSchema.parse({});
  const plan = planOf(load, options.shoppers, options.seed);
  const governor = (): Governor => new Governor(clock, profile.rate_limit);
  const traffic = new Traffic({
    plan,
    clock,
    client: clientOf(clock, behaviour),
    recorder,
    keys: { load: { value: secretKey, from: 'test' }, quota: { value: 'secret-quota-key', from: 'test' } },
    governors: { load: governor(), quota: governor(), twin: governor(), bystander: governor() },
    killSwitch: new KillSwitch(),
    inFlightBound: 1_000,
    eventId: () => 'id',
    sample: new SessionSample(10, () => 0.5),
    cap: { requests: Number.POSITIVE_INFINITY, sessions: Number.POSITIVE_INFINITY },
    ...options.traffic,
  });
  options.during?.(clock, traffic);
  const run = traffic.run({
    startNs: 0,
    channel: options.channel === false ? undefined : usualChannel,
  });
  let over = false;
  void run.then(() => {
    over = true;
  });
  // At the plan's end no caller waits for the requests in flight, so time is advanced here.
  while (!over) {
    await new Promise((resolve) => setImmediate(resolve));
    const sending = traffic.stopped === undefined && clock.nowNs() < plan.horizonNs;
    if (traffic.inFlight > 0 && !sending) await clock.advance();
  }
  return { requests, interactions, answers, plan, traffic };
}

export const catalog: Catalog = generateCatalog({ seed: 1, tag: 'test', products: 2 });

export function planOf(
  load: readonly Phase[],
  shoppers: ShopperSettingsInput = {},
  seed = 1,
  more: Partial<Pick<PlanInput, 'interactionsSpend' | 'excerpt'>> = {},
): Plan {
  return makePlan({
    seed,
    load,
    catalogs: { load: catalog, quota: catalog, twin: catalog, bystander: catalog },
    shoppers: shopperSettingsSchema.parse(shoppers),
    quota: 10,
    ...more,
  });
}

const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

export const baseUrl = new URL('http://127.0.0.1:1/v1');

/** A client of a target that does as it is told. */
export function clientOf(clock: VirtualClock, behaviour: Behaviour): TargetClient {
  let count = 0;
  const connections: Connections = {
    dispatch({ authorization = '', body: sent, method, path }, handler) {
      const body = typeof sent === 'string' ? sent : '';
      const atNs = clock.nowNs();
      const does = behaviour({ method, path, authorization, body, atNs, count: count++ });
      if (does === 'refuse-connection') {
        clock.at(atNs, () => handler.onError(refused));
        return;
      }
      handler.onSent();
      clock.at(atNs + does.afterMs * 1e6, () => {
        if ('error' in does) {
          handler.onError(does.error);
          return;
        }
        handler.onHead(does.status, {
          'content-type': 'application/json',
          ...does.headers,
        });
        if (does.body !== undefined) handler.onData(Buffer.from(JSON.stringify(does.body)));
        handler.onEnd();
      });
    },
    destroy: () => Promise.resolve(),
  };
  return new TargetClient(baseUrl, connections, clock.nowNs, undefined);
}
