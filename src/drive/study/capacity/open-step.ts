import { build } from 'hdr-histogram-js';
import {
  type CapacitySlo,
  isHopeless,
  poissonArrivals,
  type StepEnd,
  type StepFigures,
} from '../../../limits/capacity/step.ts';
import type { Random } from '../../../random.ts';
import type * as calls from '../../../target/calls.ts';
import type { TargetClient } from '../../../target/client.ts';
import type { Exchange } from '../../../target/exchange.ts';
import { studyPhases } from '../../../vocabulary/phases.ts';
import type { RunUnderWay } from '../../load/load.ts';
import { keepPace } from '../../load/pace.ts';
import type { Asked } from '../../record/recorder.ts';
import { rounded, StepWatch, warmUpShare } from './timing.ts';

/** What every open step has in common. */
export interface OpenStepContext
  extends Pick<RunUnderWay, 'clock' | 'noteEnd' | 'profile' | 'progress' | 'recorder'> {
  readonly client: TargetClient;
  readonly slo: CapacitySlo;
  readonly credential: 'pool' | 'load';
  /** For the `index`-th request of the study. */
  readonly authorizationOf: (index: number) => string;
  readonly callOf: (index: number) => calls.Call;
  /** Whether the run goes on, and its caps leave room for this request. */
  readonly mayGoOn: (call: calls.Call) => boolean;
  readonly onSent: (atNs: number) => void;
}

interface OpenStep {
  readonly step: number;
  /** The study's first request that this step is to send. */
  readonly firstIndex: number;
  readonly ratePerSecond: number;
  readonly durationMs: number;
  readonly random: Random;
}

export interface OpenStepResult {
  readonly figures: StepFigures;
  readonly sent: number;
  readonly startNs: number;
  readonly countedFromNs: number;
  readonly endNs: number;
  readonly lagMs: { readonly p99: number; readonly max: number };
  readonly self: ReturnType<StepWatch['end']>['self'];
}

/** Requests are under way before the first instant is due. */
const leadNs = 2e6;
/** A request that this program sends later than this part of the bound may owe it its latency. */
const lateShare = 0.1;

interface OpenStepRequest {
  readonly asked: Asked;
  /** Whether it is no part of the warm-up. */
  readonly counts: boolean;
}

/**
 * Sends arrivals at random at a rate, each at its instant whether or not earlier ones were answered, and waits for what is
 * under way. Every request goes into the history; here are only sums, by which the next step is chosen.
 */
export async function driveOpenStep(step: OpenStep, context: OpenStepContext): Promise<OpenStepResult> {
  return new OpenDrive(step, context).run();
}

class OpenDrive {
  readonly #step: OpenStep;
  readonly #context: OpenStepContext;
  readonly #watch = new StepWatch();
  readonly #lagUs = build({ numberOfSignificantValueDigits: 2 });
  #startNs = 0;
  #countedFromNs = 0;
  #ended: StepEnd = 'whole';
  #failure: unknown;
  #inFlight = 0;
  #idle: (() => void) | undefined;
  #sent = 0;
  readonly #counts = { planned: 0, judged: 0, over: 0, failed: 0, refused: 0, late: 0 };

  constructor(step: OpenStep, context: OpenStepContext) {
    this.#step = step;
    this.#context = context;
  }

  async run(): Promise<OpenStepResult> {
    const { clock } = this.#context;
    const { durationMs, random, ratePerSecond } = this.#step;
    const instants = poissonArrivals(ratePerSecond, durationMs, random);
    this.#startNs = clock.nowNs() + leadNs;
    this.#countedFromNs = this.#startNs + warmUpShare * durationMs * 1e6;
    const warmUpNs = this.#countedFromNs - this.#startNs;
    this.#counts.planned = instants.reduce((sum, atNs) => sum + (atNs >= warmUpNs ? 1 : 0), 0);
    await keepPace({
      requests: timed(instants),
      startNs: this.#startNs,
      endNs: this.#startNs + durationMs * 1e6,
      clock,
      isStopped: () => this.#ended !== 'whole',
      begin: ({ atNs }) => this.#begin(this.#startNs + atNs),
    });
    const endNs = clock.nowNs();
    const { self } = this.#watch.end();
    await this.#drained();
    if (this.#failure !== undefined) throw this.#failure;
    return {
      figures: { ...this.#counts, ended: this.#ended },
      sent: this.#sent,
      startNs: this.#startNs,
      countedFromNs: this.#countedFromNs,
      endNs,
      lagMs: {
        p99: rounded(this.#lagUs.getValueAtPercentile(99) / 1e3),
        max: rounded(this.#lagUs.maxValue / 1e3),
      },
      self,
    };
  }

  #drained(): Promise<void> {
    if (this.#inFlight === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#idle = resolve;
    });
  }

  #begin(intendedNs: number): void {
    if (this.#ended !== 'whole') return;
    const { callOf, client, clock, mayGoOn, profile, progress, recorder } = this.#context;
    const index = this.#step.firstIndex + this.#sent;
    const call = callOf(index);
    if (!mayGoOn(call)) {
      this.#ended = 'stopped';
      return;
    }
    const asked: Asked = {
      seq: recorder.nextSeq(),
      stage: 'study',
      phase: studyPhases.capacityOpen,
      credential: this.#context.credential,
      intendedNs,
      readyNs: intendedNs,
      probe: `capacity:${this.#step.step}`,
      ...call.about,
    };
    const counts = intendedNs >= this.#countedFromNs;
    if (this.#inFlight >= profile.in_flight) {
      recorder.notSent(asked, call.endpoint, 'in-flight-bound');
      if (counts) this.#heldBack();
      return;
    }
    const nowNs = clock.nowNs();
    if (counts) this.#noteLag(nowNs - intendedNs);
    this.#sent++;
    this.#inFlight++;
    this.#context.onSent(nowNs);
    progress.studying = this.#inFlight;
    const traced = recorder.traced(call, asked.seq);
    client.send(traced, this.#context.authorizationOf(index), { asked, counts }, this);
  }

  /** It would have come too late, or so it is to be feared; but that is for this program to answer for. */
  #heldBack(): void {
    this.#counts.judged++;
    this.#counts.over++;
    this.#counts.late++;
  }

  #noteLag(lagNs: number): void {
    this.#lagUs.recordValue(Math.max(0, Math.round(lagNs / 1e3)));
    if (lagNs > lateShare * this.#context.slo.maxMs * 1e6) this.#counts.late++;
  }

  done(exchange: Exchange<OpenStepRequest>): void {
    this.#inFlight--;
    try {
      this.#take(exchange);
    } catch (error) {
      // Only the HTTP client would catch this, and would treat it as an error of the connection.
      this.#failure ??= error;
      this.#ended = 'stopped';
    }
    this.#context.progress.studying = this.#inFlight;
    if (this.#inFlight === 0) this.#idle?.();
  }

  #take(exchange: Exchange<OpenStepRequest>): void {
    const { clock, noteEnd, recorder, slo } = this.#context;
    const { asked, counts } = exchange.context;
    recorder.exchanged(asked, exchange);
    const { answeredNs = clock.nowNs(), lost, notSent, status } = exchange;
    const wasStopped = lost === 'stopped' || notSent === 'stopped';
    noteEnd(answeredNs, status === undefined ? exchange.wasFailed : status >= 500);
    if (wasStopped) this.#end('stopped');
    else if (status === 429 || status === 402) {
      this.#counts.refused++;
      this.#end('refused');
    } else if (counts && (notSent === 'no-socket' || lost === 'no-room')) {
      this.#heldBack();
    } else if (counts) {
      this.#counts.judged++;
      if (status === undefined || status < 200 || status > 299) this.#counts.failed++;
      const tookMs = (answeredNs - asked.intendedNs) / 1e6;
      if (status === undefined || tookMs > slo.maxMs) this.#counts.over++;
      // What would have been in time over a connection that is open says nothing of the target's capacity.
      const waitedMs = exchange.carrier?.opened?.waitedMs ?? 0;
      if (status !== undefined && tookMs > slo.maxMs && tookMs - waitedMs <= slo.maxMs) this.#counts.late++;
      if (isHopeless({ ...this.#counts, ended: this.#ended }, slo)) this.#end('hopeless');
    }
  }

  /** Sends nothing more. Once all is sent, that is no matter. */
  #end(why: StepEnd): void {
    const isSending = this.#context.clock.nowNs() < this.#startNs + this.#step.durationMs * 1e6;
    if (this.#ended === 'whole' && isSending) this.#ended = why;
  }
}

function* timed(instants: Float64Array): Generator<{ readonly atNs: number }> {
  for (const atNs of instants) yield { atNs };
}
