import type { Shard } from '../../plan/lanes.ts';
import type { PlannedRequest } from '../../plan/phase-plan.ts';
import type { Plan } from '../../plan/plan.ts';
import type { ShopperEvent } from '../../scenario/shoppers/population.ts';
import * as calls from '../../target/calls.ts';
import type { TargetClient } from '../../target/client.ts';
import type { Exchange } from '../../target/exchange.ts';
import type { Keys } from '../../target/keys.ts';
import { type Channel, interactionsCount } from '../../target/profile.ts';
import type { NotSentReason } from '../../vocabulary/requests.ts';
import { eachRole, type Role } from '../../vocabulary/roles.ts';
import type { InteractionBatch, SessionGrant } from '../../wire.ts';
import type { Governor, SpendCertainty } from '../ask/governor.ts';
import type { SessionSample } from '../ask/sample.ts';
import { type Clock, epochMs, isoTimes } from '../clock/clock.ts';
import type { KillSwitch, StopReason } from '../record/ending.ts';
import { type Cap, Ledger } from '../record/ledger.ts';
import type { Asked, Recorder } from '../record/recorder.ts';
import type { Start } from './load.ts';
import { keepPace } from './pace.ts';
import { type Visit, Visits } from './visit.ts';

/** A planned request whose time has come, and then the request under way: the left half of its record. */
interface Due extends Writable<Asked> {
  readonly request: PlannedRequest;
  /** Whose step it is, if that shopper has or will have more than one. */
  readonly visit: Visit<Due> | undefined;
}

type Writable<T> = { -readonly [Field in keyof T]: T[Field] };

export interface TrafficOptions {
  readonly plan: Plan;
  /** The part of the plan that is sent here; all of it by default. */
  readonly shard?: Shard;
  /** Shared with the senders of the other parts. */
  readonly ledger?: Ledger;
  readonly clock: Clock;
  readonly client: TargetClient;
  readonly recorder: Recorder;
  readonly keys: Keys;
  readonly governors: Readonly<Record<Role, Pick<Governor, 'note'>>>;
  readonly killSwitch: Pick<KillSwitch, 'note' | 'reason'>;
  readonly inFlightBound: number;
  /** Makes event ids that are unique within the run. */
  readonly eventId: () => string;
  readonly sample: SessionSample;
  /** What the load may spend, all parts together. */
  readonly cap: Cap;
}

/**
 * Drives a plan in the open model: each request is sent at its intended instant, whether or not earlier answers came.
 * Only a request that needs an answer, such as an event in a session not yet open, waits. A request that cannot be
 * sent is counted with its reason and never made up for.
 */
export class Traffic {
  readonly #options: TrafficOptions;
  readonly #visits = new Visits<Due>();
  readonly #isoTime = isoTimes();
  readonly #authorizations: Readonly<Record<Role, string | undefined>>;
  readonly #openings = eachRole(() => new calls.Openings());
  #startNs = 0;
  #channel: Channel | undefined;
  #idle: (() => void) | undefined;
  readonly #ledger: Ledger;
  inFlight = 0;
  /** What went wrong in this program while an answer was taken in. */
  failure: unknown;

  constructor(options: TrafficOptions) {
    this.#options = options;
    this.#ledger = options.ledger ?? new Ledger();
    this.#authorizations = eachRole((role) => {
      const key = options.keys[role];
      return key === undefined ? undefined : `Bearer ${key.value}`;
    });
  }

  /** Set to end the load: what is still planned is counted as not sent. */
  get stopped(): StopReason | undefined {
    return this.#ledger.stopped;
  }

  set stopped(reason: StopReason | undefined) {
    this.#ledger.stopped = reason;
  }

  /**
   * Sends the whole plan, its zero at `startNs`; without a channel shoppers only open sessions. `corners`: unusual shades for some
   * of them. Resolves when the last request has been answered or given up.
   */
  async run({ channel, corners, startNs }: Omit<Start, 'corners'> & Partial<Start>): Promise<void> {
    this.#startNs = startNs;
    this.#channel = channel;
    const { cap, clock, plan, shard } = this.#options;
    if (this.#ledger.left(cap) <= 0 || cap.sessions <= 0) this.stopped ??= 'cap';
    await keepPace({
      requests: plan.requests(shard, corners),
      startNs,
      endNs: startNs + this.#options.plan.horizonNs,
      clock,
      isStopped: () => this.stopped !== undefined,
      begin: (planned) => this.#begin(planned),
      open: () => this.#options.client.open(),
      prepare: (planned) => this.#prepare(planned),
    });
    await this.#drained();
  }

  /** Gives up on what is in flight. */
  destroy(): Promise<void> {
    return this.#options.client.destroy();
  }

  #drained(): Promise<void> {
    if (this.inFlight === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#idle = resolve;
    });
  }

  /** Makes a request without sending it. */
  #prepare(planned: PlannedRequest): void {
    const due = this.#due(planned, 0, undefined);
    const { client, recorder } = this.#options;
    client.prepare(recorder.traced(calls.listShades(''), 0), this.#authorizations[planned.role], due, this);
  }

  #begin(planned: PlannedRequest): void {
    const { step } = planned;
    const due = this.#due(planned, this.#options.recorder.nextSeq(), this.#visits.of(planned));
    if (this.stopped !== undefined) {
      this.#skip(due, 'stopped');
    } else if (step.kind === 'list-shades') {
      this.#send(due, calls.listShades(step.catalogId));
    } else if (step.kind === 'create-session') {
      const { productId, catalogId, locale } = step;
      this.#send(due, this.#openings[due.request.role].of(productId, catalogId, locale));
    } else if (due.visit?.state === 'pending') due.visit.waiting.push(due);
    else this.#interact(due);
  }

  /** Sends events in a session, or notes why there is none. */
  #interact(due: Due): void {
    const { visit } = due;
    const { step } = due.request;
    const channel = this.#channel;
    if (visit?.state !== 'open') {
      this.#skip(due, visit?.state === 'left' ? 'patience' : 'no-session');
    } else if (step.kind !== 'interact') {
      this.#send(due, calls.readSession(visit.sessionId));
    } else if (channel === undefined) {
      this.#skip(due, 'no-channel');
    } else {
      visit.eventsPath ??= calls.eventsPath(channel, visit.sessionId);
      const call = calls.interact(channel, visit.sessionId, this.#batchOf(step.events), visit.eventsPath);
      this.#send(due, call, channel.auth === 'session-token' ? visit.authorization : undefined);
    }
  }

  #batchOf(events: readonly ShopperEvent[]): InteractionBatch {
    const at = this.#isoTime(epochMs(this.#options.clock, this.#options.clock.nowNs()));
    return { interactions: events.map(({ type, sku }) => ({ id: this.#options.eventId(), type, sku, at })) };
  }

  /** `shoppers`: the authorization, where it is not the key's. */
  #send(due: Due, call: calls.Call, shoppers?: string): void {
    const { client, clock, governors, recorder } = this.#options;
    const { role } = due.request;
    const { batch, catalogId, items, locale, productId, sessionId } = call.about;
    due.sessionId = sessionId;
    due.productId = productId;
    due.catalogId = catalogId;
    due.locale = locale;
    due.items = items;
    due.batch = batch;
    due.secrets = due.visit?.secrets;
    if (shoppers !== undefined) due.credential = 'session';
    const authorization = shoppers ?? this.#authorizations[role];
    const refusal = this.#refusal(authorization, call.endpoint);
    if (refusal !== undefined) {
      recorder.notSent(due, call.endpoint, refusal);
      this.#finished(due);
      return;
    }
    const spending = this.#spendingOf(call.endpoint);
    if (spending !== undefined) governors[role].note(clock.nowNs(), spending);
    this.inFlight++;
    client.send(recorder.traced(call, due.seq), authorization, due, this);
  }

  /** Whether a request spends its key's rate limit; undefined where it does not. */
  #spendingOf(endpoint: calls.Call['endpoint']): SpendCertainty | undefined {
    if (endpoint !== 'interact') return 'certain';
    const count = interactionsCount(this.#channel ?? 'none');
    if (count === 'discover') return 'possible';
    return count ? 'certain' : undefined;
  }

  /** Reserves what a request needs, or returns what prevents it. */
  #refusal(authorization: string | undefined, endpoint: calls.Call['endpoint']): NotSentReason | undefined {
    const { cap, inFlightBound } = this.#options;
    if (authorization === undefined) return 'no-key';
    if (!this.#ledger.enter(inFlightBound)) return 'in-flight-bound';
    if (this.#ledger.spend(endpoint === 'create-session', cap)) return undefined;
    this.#ledger.leave();
    return 'stopped';
  }

  #skip(due: Due, reason: NotSentReason): void {
    const { recorder } = this.#options;
    // What it waited for never came.
    due.readyNs = due.intendedNs;
    recorder.notSent(due, due.request.step.kind, reason);
    this.#finished(due);
  }

  /** Every field is given, so that all are of one shape. */
  #due(request: PlannedRequest, seq: number, visit: Visit<Due> | undefined): Due {
    const intendedNs = this.#startNs + request.atNs;
    return {
      request,
      visit,
      seq,
      stage: 'load',
      phase: this.#options.plan.phases[request.phase]?.phase.name ?? '',
      credential: request.role,
      intendedNs,
      readyNs: intendedNs,
      planned: request.number,
      probe: undefined,
      shopper: request.shopper,
      sessionId: undefined,
      productId: undefined,
      catalogId: undefined,
      locale: undefined,
      items: undefined,
      batch: undefined,
      secrets: undefined,
      keepAnswer: undefined,
      pageOf: undefined,
    };
  }

  done(exchange: Exchange<Due>): void {
    this.inFlight--;
    this.#ledger.leave();
    try {
      this.#take(exchange);
    } catch (error) {
      // Only the HTTP client would catch this, and would treat it as an error of the connection.
      this.failure ??= error;
      this.stopped ??= 'error';
    }
    if (this.inFlight === 0) this.#idle?.();
  }

  #take(exchange: Exchange<Due>): void {
    const due = exchange.context;
    const { clock, killSwitch, recorder } = this.#options;
    const { grant } = recorder.exchanged(due, exchange);
    const failed = exchange.wasFailed || (exchange.status ?? 0) >= 500;
    killSwitch.note(exchange.answeredNs ?? clock.nowNs(), failed);
    if (killSwitch.reason !== undefined) this.stopped ??= 'kill-switch';
    this.#remember(exchange, grant);
    this.#finished(due);
  }

  /** What an answer changes for its shopper, and which sessions there are to read back. */
  #remember(exchange: Exchange<Due>, grant: SessionGrant | undefined): void {
    const { batch, intendedNs, request, secrets, sessionId, visit } = exchange.context;
    const { sample } = this.#options;
    if (grant !== undefined) sample.opened(request.role, grant.session_id, grant.token);
    const ambiguous = exchange.lost !== undefined || (exchange.status ?? 0) >= 500;
    if (ambiguous && batch !== undefined && sessionId !== undefined) {
      sample.ambiguous(request.role, sessionId, secrets?.[0] ?? '');
    }
    visit?.answered(grant, (exchange.answeredNs ?? 0) - intendedNs);
  }

  /** After a step: lets the steps go that waited for it, and forgets the shopper after the last. */
  #finished({ request, visit }: Due): void {
    if (visit === undefined) return;
    if (request.step.kind === 'create-session') {
      if (visit.state === 'pending') visit.state = 'refused';
      if (visit.waiting.length > 0) {
        const readyNs = this.#options.clock.nowNs();
        for (const waiting of visit.waiting.splice(0)) {
          waiting.readyNs = Math.max(waiting.intendedNs, readyNs);
          this.#interact(waiting);
        }
      }
    }
    if (request.last) this.#visits.end(request.shopper);
  }
}
