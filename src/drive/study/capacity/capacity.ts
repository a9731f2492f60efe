import { counted } from '../../../amounts.ts';
import type { CapacityStep } from '../../../history/record.ts';
import { connectionLattice, nextTrial, rateLattice, type Trial } from '../../../limits/capacity/search.ts';
import { type CapacitySlo, isSaturated, judgeStep } from '../../../limits/capacity/step.ts';
import { randomStream } from '../../../random.ts';
import type { CapacityStudy } from '../../../scenario/study.ts';
import type * as calls from '../../../target/calls.ts';
import { loadSpread, openPool, TargetClient } from '../../../target/client.ts';
import { AskingStopped } from '../../ask/ask.ts';
import { type CannonTarget, callOf, cannonTarget } from '../../load/closed-loop.ts';
import type { RunUnderWay } from '../../load/load.ts';
import { driveClosedStep } from './closed-step.ts';
import { driveOpenStep, type OpenStepContext, type OpenStepResult } from './open-step.ts';
import { openShare, repeatMs, restMs } from './timing.ts';

type UsedByCapacity =
  | ('baseUrl' | 'catalogs' | 'clock' | 'governors' | 'keys' | 'learned' | 'ledger' | 'loadCap' | 'mayGoOn')
  | ('noteEnd' | 'pool' | 'profile' | 'progress' | 'recorder' | 'requestsLeft' | 'seed' | 'statistics')
  | ('translation' | 'writer');
/** What a study of capacity uses of a run. */
type CapacityRun = Pick<RunUnderWay, UsedByCapacity>;

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
export async function studyCapacity(study: CapacityStudy, run: CapacityRun): Promise<void> {
  const { baseUrl, clock, learned, profile, translation } = run;
  // As the client of the planned load: the generator's cost counts here.
  const pool = openPool(baseUrl, profile, { ...learned, spread: loadSpread });
  const client = new TargetClient(baseUrl, pool, clock.nowNs, translation);
  await new CapacityConductor(study, run, client).run().finally(() => client.destroy());
}

class CapacityConductor {
  readonly #study: CapacityStudy;
  readonly #run: CapacityRun;
  readonly #target: CannonTarget;
  readonly #context: OpenStepContext;
  readonly #slo: CapacitySlo;
  readonly #mostSessions: number;
  #step = 0;
  /** Requests of the open model so far; it selects keys and calls in turn. */
  #index = 0;
  #sessions = 0;

  constructor(study: CapacityStudy, run: CapacityRun, client: TargetClient) {
    const { governors, ledger, loadCap, mayGoOn, pool } = run;
    this.#study = study;
    this.#run = run;
    this.#target = { ...cannonTarget(run), isStopped: () => !mayGoOn() };
    this.#slo = { percentile: study.percentile, maxMs: study.maxMs, errorShare: study.errorShare };
    this.#mostSessions = loadCap.sessions - ledger.sessionsSent;
    const kinds = Array.from({ length: 4 }, (_, index) => callOf(this.#target, study.traffic, index));
    const authorizations = this.#target.keys.map((key) => `Bearer ${key}`);
    const hasPool = pool.length > 0;
    this.#context = {
      ...run,
      client,
      slo: this.#slo,
      credential: hasPool ? 'pool' : 'load',
      authorizationOf: (index) => authorizations[index % authorizations.length] ?? '',
      callOf: (index) => kinds[index % kinds.length] ?? callOf(this.#target, 'reads', index),
      mayGoOn: (call) => this.#mayGoOn(call),
      onSent: (atNs) => {
        if (!hasPool) governors.load.note(atNs);
      },
    };
  }

  #show(step: string): void {
    this.#run.progress.activity = { kind: 'study', step, alive: [] };
  }

  async run(): Promise<void> {
    const study = this.#study;
    const { connections, rates } = latticesOf(study);
    const startNs = this.#run.clock.nowNs();
    this.#show('open model: a first load, as warm-up');
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
    const { clock } = this.#run;
    const study = this.#study;
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
    this.#show(`open model, step ${step}: ${counted(ratePerSecond, 'request')} a second (${purpose})`);
    const durationMs = purpose === 'repeat' ? repeatMs(this.#study, ratePerSecond) : this.#study.stepMs;
    const { countedFromNs, endNs, figures, lagMs, self, startNs } = await this.#drive(
      step,
      ratePerSecond,
      durationMs,
    );
    this.#run.writer.event({
      ...{ kind: 'capacity', model: 'open', step, purpose, ratePerSecond, startNs, countedFromNs, endNs },
      ...{ ended: figures.ended, planned: figures.planned, late: figures.late, lagMs, self },
    });
    return judgeStep(figures, this.#slo).outcome;
  }

  async #drive(step: number, ratePerSecond: number, durationMs: number): Promise<OpenStepResult> {
    const random = randomStream(this.#run.seed, 'capacity', step);
    const result = await driveOpenStep(
      { step, firstIndex: this.#index, ratePerSecond, durationMs, random },
      this.#context,
    );
    this.#index += result.sent;
    return result;
  }

  #mayGoOn(call: calls.Call): boolean {
    if (call.endpoint === 'create-session' && ++this.#sessions > this.#mostSessions) return false;
    return this.#run.mayGoOn();
  }

  async #closed(connections: number, purpose: Trial['purpose']): Promise<Trial['outcome']> {
    const { mayGoOn, progress, requestsLeft, writer } = this.#run;
    const study = this.#study;
    const step = ++this.#step;
    this.#show(`closed loop, step ${step}: ${counted(connections, 'connection')} (${purpose})`);
    // Each connection makes at least one request, and any of them may open a session.
    const most = Math.floor(
      Math.min(
        requestsLeft(),
        this.#mostSessions - this.#sessions,
        (study.mostPerSecond * study.stepMs) / 1e3,
      ),
    );
    if (most < connections || !mayGoOn()) throw new AskingStopped();
    progress.studying = connections;
    const { figures, sent, ...result } = await driveClosedStep(connections, study.stepMs, most, {
      ...this.#run,
      ...this.#target,
      slo: this.#slo,
      traffic: study.traffic,
    });
    progress.studying = 0;
    progress.closedRequests += sent;
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
