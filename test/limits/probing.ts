import { inferLimiter } from '../../src/limits/infer.ts';
import { isSettled, type LimiterInference } from '../../src/limits/inference.ts';
import type { PromisedLimit } from '../../src/limits/kinds/kind.ts';
import {
  nextProbe,
  type ProbeKind,
  type ProbeScale,
  type ProbeSend,
  probeSchedule,
  probeWindows,
  silenceAfter,
} from '../../src/limits/probes.ts';
import { clockOffsetFrom } from '../../src/limits/span.ts';
import { admitted, ambiguous, limited, type Trace } from '../../src/limits/trace.ts';
import { type Random, randomStream } from '../../src/random.ts';
import type { SimulatedService, Truth } from './services.ts';
import { type Network, usualNetwork } from './simulate.ts';
import { type TraceRequest, traceOf } from './trace-of.ts';

const giveUpMs = 10_000;

/** Everything that one simulated target was asked in virtual time, and what the prober saw. */
export class SimulatedStudy {
  readonly scale: ProbeScale;
  readonly #network: Network;
  readonly #random: Random;
  readonly #epochMs: number;
  readonly #services: readonly [SimulatedService, SimulatedService];
  readonly #seen: [TraceRequest[], TraceRequest[]] = [[], []];
  readonly #dates: { sentNs: number; answeredNs: number; dateEpochMs: number }[] = [];
  #nowMs = 0;
  #requests = 0;

  constructor(truth: Truth, scale: ProbeScale, seed: number, network: Network = usualNetwork) {
    this.scale = scale;
    this.#network = network;
    // The name seeds the draws behind the figures in docs/accuracy.md.
    this.#random = randomStream(seed, 'laboratory');
    this.#epochMs = 1.77e12 + Math.floor(this.#random() * 1e10) + this.#random();
    const serve = truth.make(scale.limit, scale.windowMs, { epochMs: this.#epochMs, random: this.#random });
    this.#services = [serve(), serve()];
  }

  /** Sends a probe, and is silent afterwards. */
  probe(kind: ProbeKind): void {
    this.#send(probeSchedule(kind, this.scale, this.#random));
    this.#nowMs += probeWindows[kind] * this.scale.windowMs + silenceAfter(this.scale, this.#random);
  }

  traces(): Trace[] {
    return this.#seen.map((requests) => traceOf(requests));
  }

  infer(promised?: PromisedLimit): LimiterInference {
    const clockOffset = clockOffsetFrom(this.#dates);
    return inferLimiter(this.traces(), { clockOffset, ...(promised && { promised }) });
  }

  #send(sends: readonly ProbeSend[]): void {
    const { meanRoundTripMs, loss } = this.#network;
    const passing = this.#standstills(sends.at(-1)?.atMs ?? 0);
    const oneWayMs = (): number => (meanRoundTripMs / 2) * (0.3 - 0.7 * Math.log(1 - this.#random()));
    const trips = sends.map(({ atMs, key }) => {
      const lost = this.#random() < loss;
      const sentMs = this.#nowMs + atMs;
      return {
        key,
        sentMs,
        arrivesMs: passing(sentMs + oneWayMs()),
        lost,
        isGone: lost && this.#random() < 0.5,
      };
    });
    for (const { key, sentMs, arrivesMs, lost, isGone } of trips.toSorted(
      (a, b) => a.arrivesMs - b.arrivesMs,
    )) {
      const answer = isGone ? undefined : this.#services[key](arrivesMs);
      const answeredMs =
        answer === undefined || lost ? sentMs + giveUpMs : passing(arrivesMs + answer.delayMs + oneWayMs());
      const outcome = answer === undefined || lost ? ambiguous : answer.passes ? admitted : limited;
      const sentNs = sentMs * 1e6;
      const answeredNs = answeredMs * 1e6;
      this.#seen[key].push({ seq: ++this.#requests, sentNs, answeredNs, outcome });
      if (outcome !== ambiguous) {
        const wroteMs = this.#epochMs + arrivesMs + (answer?.delayMs ?? 0);
        this.#dates.push({ sentNs, answeredNs, dateEpochMs: Math.floor(wroteMs / 1e3) * 1e3 });
      }
    }
  }

  /** When something gets on that comes at an instant, where everything stands still now and then during a probe. */
  #standstills(probeMs: number): (ms: number) => number {
    const { standstillsPerS = 0 } = this.#network;
    const spans: { readonly fromMs: number; readonly toMs: number }[] = [];
    if (standstillsPerS > 0) {
      const gapMs = (): number => (this.#random() * 2_000) / standstillsPerS;
      for (let atMs = gapMs(); atMs < probeMs; atMs += gapMs()) {
        const fromMs = this.#nowMs + atMs;
        spans.push({ fromMs, toMs: fromMs + 10 + 120 * this.#random() ** 2 });
      }
    }
    return (ms) => {
      const span = spans.find(({ fromMs, toMs }) => fromMs <= ms && ms < toMs);
      return span === undefined ? ms : span.toMs + 0.2 * this.#random();
    };
  }
}

/** The probes of the full budget. */
export const fullBudget: readonly ProbeKind[] = ['B', 'C', 'D', 'E', 'F', 'G', 'H'];

/**
 * Probes adaptively: the burst first, then the probe that separates best, until one kind is left or the budget is
 * spent.
 */
export function probeAdaptively(
  study: SimulatedStudy,
  most: number,
): { inference: LimiterInference; probes: ProbeKind[] } {
  const probes: ProbeKind[] = ['E'];
  study.probe('E');
  for (;;) {
    const inference = study.infer();
    const next = nextProbe(inference, probes, study.scale);
    if (probes.length >= most || next === undefined || (isSettled(inference, 0.999) && probes.length > 1))
      return { inference, probes };
    probes.push(next);
    study.probe(next);
  }
}
