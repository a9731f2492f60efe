import { counted } from '../../../amounts.ts';
import type { CapacityStep } from '../../../history/record.ts';
import type { HistoryWriter } from '../../../history/writer.ts';
import { connectionLattice, nextTrial, rateLattice, type Trial } from '../../../limits/capacity/search.ts';
import { type CapacitySlo, isSaturated, judgeStep } from '../../../limits/capacity/step.ts';
import { randomStream } from '../../../random.ts';
import type { CapacityStudy } from '../../../scenario/study.ts';
import type * as calls from '../../../target/calls.ts';
import type { TargetClient } from '../../../target/client.ts';
import { AskingStopped } from '../../ask/ask.ts';
import type { Clock } from '../../clock/clock.ts';
import { type CannonTarget, callOf } from '../../load/closed-loop.ts';
import type { Recorder } from '../../record/recorder.ts';
import { driveClosedStep } from './closed-step.ts';
import { driveOpenStep, type OpenStepContext, type OpenStepResult } from './open-step.ts';
import { openShare, repeatMs, restMs } from './timing.ts';

interface CapacityOptions {
  readonly study: CapacityStudy;
  readonly seed: number;
  readonly target: CannonTarget;
  readonly credential: 'pool' | 'load';
  readonly clock: Clock;
  readonly client: TargetClient;
  readonly recorder: Recorder;
  readonly writer: Pick<HistoryWriter, 'event'>;
  readonly inFlightBound: number;
  /** Whether the run goes on and its caps leave room for one more request. */
  readonly mayGoOn: () => boolean;
  /** Requests that the caps leave for a closed loop. */
  readonly requestsLeft: () => number;
  readonly mostSessions: number;
  readonly onSent: (atNs: number) => void;
  readonly onClosedRequests: (requests: number) => void;
  readonly onClosed: (status: number | undefined, tookMs: number) => void;
  readonly noteEnd: (atNs: number, failed: boolean) => void;
  readonly onInFlight: (requests: number) => void;
  readonly onStep: (step: string) => void;
}

/** The step number of warm-up requests. No step of the history has it, so they are not judged. */
const wakingStep = 0;

/** The loads that a study may try. */
export function latticesOf(study: CapacityStudy): {
  readonly rates: readonly number[];
  readonly connections: readonly number[];
} {
  return {
    rates: rateLattice(study.fromPerSecond, study.mostPerSecond, study.factor),
    connections: connectionLattice(study.mostConnections, study.factor),
  };
}

/**
 * The most requests of a capacity study: its highest rate for all of its time; the closed loop keeps to it as well.
 */
export function requestsOfCapacity({ budgetMs, mostPerSecond }: CapacityStudy): number {
  return Math.ceil((mostPerSecond * budgetMs) / 1e3);
}

/**
 * Searches for the knee in the open model, then in a closed loop. Each search ends when the knee is found, a limit
 * interferes, or its time is up. Throws `AskingStopped` when the run is ending.
 */
export async function studyCapacity(options: CapacityOptions): Promise<void> {
  await new CapacityConductor(options).run();
}

class CapacityConductor {
  readonly #options: CapacityOptions;
  readonly #slo: CapacitySlo;
  readonly #calls: readonly calls.Call[];
  readonly #authorizations: readonly string[];
  #step = 0;
  /** Requests of the open model so far; it selects keys and calls in turn. */
  #index = 0;
  #sessions = 0;

  constructor(options: CapacityOptions) {
    this.#options = options;
    const { study, target } = options;
    this.#slo = { percentile: study.percentile, maxMs: study.maxMs, errorShare: study.errorShare };
    this.#calls = Array.from({ length: 4 }, (_, index) => callOf(target, study.traffic, index));
    this.#authorizations = target.keys.map((key) => `Bearer ${key}`);
  }

  async run(): Promise<void> {
    const { clock, study } = this.#options;
    const { connections, rates } = latticesOf(study);
    const startNs = clock.nowNs();
    this.#options.onStep('open model: a first load, as warm-up');
    await this.#drive(wakingStep, rates[0] ?? 1, study.stepMs);
    const isLimited = await this.#search(rates, startNs + openShare * study.budgetMs * 1e6, (next) =>
      this.#open(rates[next.place] ?? 0, next.purpose),
    );
    // A limit that ends the open model ends a closed loop as well.
    if (isLimited) return;
    await this.#search(connections, startNs + study.budgetMs * 1e6, (next) =>
      this.#closed(connections[next.place] ?? 1, next.purpose),
    );
  }

  /** Whether a limit ended it. */
  async #search(
    lattice: readonly number[],
    deadlineNs: number,
    drive: (next: Pick<Trial, 'place' | 'purpose'>) => Promise<Trial['outcome']>,
  ): Promise<boolean> {
    const { clock, study } = this.#options;
    const rules = { lattice, factor: study.factor, mostRepeats: study.mostRepeats };
    const done: Trial[] = [];
    for (let next = nextTrial(done, rules); next !== undefined; next = nextTrial(done, rules)) {
      const longestMs = next.purpose === 'repeat' ? repeatMs(study, lattice[next.place] ?? 1) : study.stepMs;
      if (clock.nowNs() + longestMs * 1e6 > deadlineNs) break;
      const outcome = await drive(next);
      done.push({ ...next, outcome });
      if (outcome === 'unfinished') throw new AskingStopped();
      await clock.until(clock.nowNs() + restMs * 1e6);
    }
    return done.some(({ outcome }) => outcome === 'limited');
  }

  async #open(ratePerSecond: number, purpose: Trial['purpose']): Promise<Trial['outcome']> {
    const step = ++this.#step;
    this.#options.onStep(
      `open model, step ${step}: ${counted(ratePerSecond, 'request')} a second (${purpose})`,
    );
    const { study } = this.#options;
    const durationMs = purpose === 'repeat' ? repeatMs(study, ratePerSecond) : study.stepMs;
    const { countedFromNs, endNs, figures, lagMs, self, startNs } = await this.#drive(
      step,
      ratePerSecond,
      durationMs,
    );
    this.#options.writer.event({
      ...{ kind: 'capacity', model: 'open', step, purpose, ratePerSecond, startNs, countedFromNs, endNs },
      ...{ ended: figures.ended, planned: figures.planned, late: figures.late, lagMs, self },
    });
    return judgeStep(figures, this.#slo).outcome;
  }

  async #drive(step: number, ratePerSecond: number, durationMs: number): Promise<OpenStepResult> {
    const random = randomStream(this.#options.seed, 'capacity', step);
    const result = await driveOpenStep(
      { step, firstIndex: this.#index, ratePerSecond, durationMs, random },
      this.#openContext(),
    );
    this.#index += result.sent;
    return result;
  }

  #openContext(): OpenStepContext {
    const { clock, client, credential, inFlightBound, noteEnd, onInFlight, onSent, recorder, target } =
      this.#options;
    return {
      clock,
      client,
      recorder,
      slo: this.#slo,
      credential,
      inFlightBound,
      authorizationOf: (index) => this.#authorizations[index % this.#authorizations.length] ?? '',
      callOf: (index) => this.#calls[index % this.#calls.length] ?? callOf(target, 'reads', index),
      knownOf: ({ endpoint }) =>
        endpoint === 'create-session'
          ? { productId: target.productId, catalogId: target.catalogId, locale: target.locale }
          : { catalogId: target.catalogId },
      mayGoOn: (call) => this.#mayGoOn(call),
      onSent,
      noteEnd,
      onInFlight,
    };
  }

  #mayGoOn(call: calls.Call): boolean {
    if (call.endpoint === 'create-session' && ++this.#sessions > this.#options.mostSessions) return false;
    return this.#options.mayGoOn();
  }

  async #closed(connections: number, purpose: Trial['purpose']): Promise<Trial['outcome']> {
    const { clock, mayGoOn, mostSessions, noteEnd, onClosed, onClosedRequests } = this.#options;
    const { onInFlight, onStep, requestsLeft, study, target, writer } = this.#options;
    const step = ++this.#step;
    onStep(`closed loop, step ${step}: ${counted(connections, 'connection')} (${purpose})`);
    // Each connection makes at least one request, and any of them may open a session.
    const most = Math.floor(
      Math.min(requestsLeft(), mostSessions - this.#sessions, (study.mostPerSecond * study.stepMs) / 1e3),
    );
    if (most < connections || !mayGoOn()) throw new AskingStopped();
    onInFlight(connections);
    const { figures, sent, ...result } = await driveClosedStep(connections, study.stepMs, most, {
      ...target,
      clock,
      slo: this.#slo,
      traffic: study.traffic,
      noteEnd,
      onClosed,
      isStopped: () => !mayGoOn(),
    });
    onInFlight(0);
    onClosedRequests(sent);
    this.#sessions += sent;
    const { failed, judged, over } = figures;
    const event: CapacityStep = {
      ...{ kind: 'capacity', model: 'closed', step, purpose, connections, ended: figures.ended },
      ...{ counted: judged, over, failed, ...result },
    };
    writer.event(event);
    return judgeStep({ ...figures, late: isSaturated(result) ? judged : 0 }, this.#slo).outcome;
  }
}
