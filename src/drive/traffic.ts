import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Credential, NotSentReason } from '../history/record.ts';
import type { PlannedRequest, PlannedStep } from '../plan/phase-plan.ts';
import type { Plan } from '../plan/plan.ts';
import type { Act } from '../shoppers/journey.ts';
import * as calls from '../target/calls.ts';
import type { TargetClient } from '../target/client.ts';
import type { Exchange } from '../target/exchange.ts';
import type { Keys } from '../target/keys.ts';
import type { Channel, Role } from '../target/profile.ts';
import type { InteractionBatch, SessionGrant } from '../wire.ts';
import { type Clock, epochMs } from './clock.ts';
import type { Governor } from './governor.ts';
import type { KillSwitch } from './kill-switch.ts';
import type { Asked, Recorder } from './recorder.ts';
import type { SessionSample } from './sample.ts';

/** A shopper's session as the driver knows it. */
interface Visit {
  state: 'pending' | 'open' | 'refused' | 'left';
  readonly patienceMs: number;
  sessionId: string;
  /** Secret; lives here and in the header of the shopper's acts, nowhere else. */
  token: string;
  /** Steps that were due before the session was there, with their numbers. */
  readonly waiting: Due[];
}

/** A planned request whose time has come. */
interface Due {
  readonly planned: PlannedRequest;
  readonly index: number;
  readonly seq: number;
}

/** A request under way. */
interface UnderWay extends Due {
  readonly asked: Asked;
}

export interface TrafficOptions {
  readonly plan: Plan;
  readonly clock: Clock;
  readonly client: TargetClient;
  readonly recorder: Recorder;
  readonly keys: Keys;
  readonly governors: Readonly<Record<Role, Governor>>;
  readonly killSwitch: KillSwitch;
  readonly inFlightBound: number;
  /** Makes ids of acts: unique within the run. */
  readonly actId: () => string;
  readonly sample: SessionSample;
  /** Sessions and requests that the load may spend at most. */
  readonly cap: { readonly requests: number; readonly sessions: number };
}

/** So many requests that are not sent are counted before anything else gets a turn. */
const countedAtOnce = 2_000;

/** How often the wait for the next request looks whether the run was stopped. */
const glanceNs = 100e6;

/**
 * Drives a plan in the open model: each request is sent at its intended instant whether or not earlier answers came.
 * Only what cannot exist before an answer, such as an act in a session not yet open, waits for it. What cannot be sent
 * is counted with its reason and never made up for.
 */
export class Traffic {
  readonly #options: TrafficOptions;
  readonly #visits = new Map<number, Visit>();
  #startNs = 0;
  #channel: Channel | undefined;
  #idle: (() => void) | undefined;
  inFlight = 0;
  /** Set to end the load: what is still planned is counted as not sent. */
  stopped: 'interrupted' | 'kill-switch' | 'cap' | 'error' | undefined;
  /** What went wrong in this program while an answer was taken in. */
  failure: unknown;
  /** What has been put in flight so far. */
  requestsSent = 0;
  #sessionsSent = 0;

  constructor(options: TrafficOptions) {
    this.#options = options;
  }

  get cap(): TrafficOptions['cap'] {
    return this.#options.cap;
  }

  /**
   * Sends the whole plan, its zero at `startNs`; without a channel shoppers open sessions and cannot act in them.
   * Resolves when the last request has been answered or given up on.
   */
  async run(startNs: number, channel: Channel | undefined): Promise<void> {
    this.#startNs = startNs;
    this.#channel = channel;
    const { cap, clock } = this.#options;
    if (cap.requests <= 0 || cap.sessions <= 0) this.stopped ??= 'cap';
    let index = 0;
    for (const planned of this.#options.plan.requests()) {
      const dueNs = startNs + planned.atNs;
      let nowNs = clock.nowNs();
      while (nowNs < dueNs && this.stopped === undefined) {
        await clock.until(Math.min(dueNs, nowNs + glanceNs));
        nowNs = clock.nowNs();
      }
      this.#begin({ planned, index, seq: this.#options.recorder.nextSeq() });
      index++;
      // The rest of a long plan is counted in one go: answers, the disk and Ctrl-C want their turns meanwhile.
      if (this.stopped !== undefined && index % countedAtOnce === 0) await nextTurn();
      if (this.#options.killSwitch.reason !== undefined) this.stopped ??= 'kill-switch';
    }
    const endNs = startNs + this.#options.plan.horizonNs;
    while (clock.nowNs() < endNs && this.stopped === undefined)
      await clock.until(Math.min(endNs, clock.nowNs() + glanceNs));
    await this.#drained();
  }

  #drained(): Promise<void> {
    if (this.inFlight === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#idle = resolve;
    });
  }

  #begin(due: Due): void {
    const { step, shopper } = due.planned;
    if (this.stopped !== undefined) {
      this.#skip(due, 'stopped');
    } else if (step.kind === 'list-shades') {
      this.#send(due, calls.listShades(step.catalogId), { catalogId: step.catalogId });
    } else if (step.kind === 'create-session') {
      this.#open(due, step);
    } else {
      const visit = this.#visits.get(shopper);
      if (visit?.state === 'pending') visit.waiting.push(due);
      else this.#act(due, visit);
    }
  }

  #open(due: Due, step: Extract<PlannedStep, { kind: 'create-session' }>): void {
    const { productId, catalogId, locale, patienceMs } = step;
    if (!due.planned.last) {
      this.#visits.set(due.planned.shopper, {
        state: 'pending',
        patienceMs,
        sessionId: '',
        token: '',
        waiting: [],
      });
    }
    const body = { product_id: productId, catalog_id: catalogId, locale };
    this.#send(due, calls.createSession(body), { productId, catalogId, locale });
  }

  /** Acts in a session, or says why there is none. `readyNs`: when the session was there, for a step that had to wait for it. */
  #act(due: Due, visit: Visit | undefined, readyNs = 0): void {
    const { step } = due.planned;
    const channel = this.#channel;
    if (visit?.state !== 'open') {
      this.#skip(due, visit?.state === 'left' ? 'patience' : 'no-session');
    } else if (step.kind !== 'interact') {
      const { sessionId, token } = visit;
      this.#send(due, calls.readSession(sessionId), { sessionId, secrets: [token] }, readyNs);
    } else if (channel === undefined) {
      this.#skip(due, 'no-channel');
    } else {
      const { sessionId, token } = visit;
      const batch = this.#batchOf(step.acts);
      const call = calls.interact(channel, sessionId, batch);
      const known = { sessionId, batch, items: batch.interactions.length, secrets: [token] };
      this.#send(due, call, known, readyNs, channel.auth === 'session-token' ? token : undefined);
    }
  }

  #batchOf(acts: readonly Act[]): InteractionBatch {
    const at = new Date(epochMs(this.#options.clock, this.#options.clock.nowNs())).toISOString();
    return { interactions: acts.map(({ type, sku }) => ({ id: this.#options.actId(), type, sku, at })) };
  }

  #send(due: Due, call: calls.Call, known: Partial<Asked>, readyNs = 0, token?: string): void {
    const { cap, client, clock, governors, inFlightBound, keys, recorder } = this.#options;
    const { role } = due.planned;
    const asked = this.#asked(due, known, token === undefined ? role : 'session', readyNs);
    const secret = token ?? keys[role]?.value;
    if (secret === undefined || this.inFlight >= inFlightBound) {
      recorder.notSent(asked, call.endpoint, secret === undefined ? 'no-key' : 'in-flight-bound');
      this.#finished(due);
      return;
    }
    if (
      calls.spendsRate(call.endpoint, asked.credential) ||
      this.#channel?.counts_against_rate_limit === true
    )
      governors[role].note(clock.nowNs());
    this.inFlight++;
    this.requestsSent++;
    if (call.endpoint === 'create-session') this.#sessionsSent++;
    if (this.requestsSent >= cap.requests || this.#sessionsSent >= cap.sessions) this.stopped ??= 'cap';
    client.send<UnderWay>(call, `Bearer ${secret}`, { ...due, asked }, this);
  }

  #skip(due: Due, reason: NotSentReason): void {
    this.#options.recorder.notSent(this.#asked(due, {}, due.planned.role), due.planned.step.kind, reason);
    this.#finished(due);
  }

  #asked(due: Due, known: Partial<Asked>, credential: Credential, readyNs = 0): Asked {
    const { planned } = due;
    const intendedNs = this.#startNs + planned.atNs;
    return {
      seq: due.seq,
      stage: 'load',
      phase: this.#options.plan.phases[planned.phase]?.phase.name ?? '',
      credential,
      planned: due.index,
      shopper: planned.shopper,
      intendedNs,
      readyNs: Math.max(intendedNs, readyNs),
      ...known,
    };
  }

  done(exchange: Exchange<UnderWay>): void {
    this.inFlight--;
    try {
      this.#take(exchange);
    } catch (error) {
      // Nobody is above this on the stack but the HTTP client, which would take it for an error of the connection.
      this.failure ??= error;
      this.stopped ??= 'error';
    }
    if (this.inFlight === 0) this.#idle?.();
  }

  #take(exchange: Exchange<UnderWay>): void {
    const { asked } = exchange.context;
    const { clock, killSwitch, recorder } = this.#options;
    const reading = recorder.exchanged(asked, exchange);
    const failed = exchange.status === undefined ? exchange.lost !== 'stopped' : exchange.status >= 500;
    killSwitch.note(exchange.answeredNs ?? clock.nowNs(), failed);
    this.#remember(exchange, reading.grant);
    this.#finished(exchange.context);
  }

  /** What an answer changes for its shopper, and which sessions there are to read back. */
  #remember(exchange: Exchange<UnderWay>, grant: SessionGrant | undefined): void {
    const { asked, planned } = exchange.context;
    const { sample } = this.#options;
    if (grant !== undefined) sample.opened(planned.role, grant.session_id, grant.token);
    const ambiguous = exchange.lost !== undefined || (exchange.status ?? 0) >= 500;
    if (ambiguous && asked.batch !== undefined && asked.sessionId !== undefined) {
      sample.ambiguous(planned.role, asked.sessionId, asked.secrets?.[0] ?? '');
    }
    const visit = this.#visits.get(planned.shopper);
    if (visit === undefined) return;
    if (grant !== undefined) {
      visit.state = 'open';
      visit.sessionId = grant.session_id;
      visit.token = grant.token;
    }
    const tookNs = (exchange.answeredNs ?? 0) - asked.intendedNs;
    if (visit.state === 'open' && tookNs > visit.patienceMs * 1e6) visit.state = 'left';
  }

  /** After a step: lets the steps go that waited for it, and forgets the shopper after the last. */
  #finished(due: Due): void {
    const visit = this.#visits.get(due.planned.shopper);
    if (visit !== undefined && due.planned.step.kind === 'create-session') {
      if (visit.state === 'pending') visit.state = 'refused';
      const readyNs = this.#options.clock.nowNs();
      for (const waiting of visit.waiting.splice(0)) this.#act(waiting, visit, readyNs);
    }
    if (due.planned.last) this.#visits.delete(due.planned.shopper);
  }
}
