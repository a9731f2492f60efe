import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { inferAside } from '../../../src/drive/study/limits/infer-aside.ts';
import { isSettled, type LimiterInference } from '../../../src/limits/inference.ts';
import {
  measuringProbe,
  nextProbe,
  type ProbeKind,
  type ProbeScale,
  type ProbeSend,
  probeSchedule,
  probeWindows,
  reachingProbe,
  silenceAfter,
} from '../../../src/limits/probes.ts';
import { clockOffsetFrom, type DateSample } from '../../../src/limits/span.ts';
import { admitted, ambiguous, limited, type RequestOutcome, type Trace } from '../../../src/limits/trace.ts';
import { type Random, randomStream } from '../../../src/random.ts';
import { type TraceRequest, traceOf } from '../trace-of.ts';
import { type Fixture, probedPath } from './fixture.ts';

/** Longer than any queue of these tests is; what takes longer has no answer. */
const giveUpMs = 20_000;

const warmUpRounds = 3;
const warmUpConnections = 32;

/** Everything that one real target was asked over HTTP, and what came back. */
export class Study {
  readonly #fixture: Fixture;
  readonly #scale: ProbeScale;
  readonly #refusal: number;
  readonly #random: Random;
  readonly #agent = new Agent({ connections: 128, pipelining: 1 });
  readonly #seen: [TraceRequest[], TraceRequest[]] = [[], []];
  readonly #dates: DateSample[] = [];
  readonly #delay = monitorEventLoopDelay({ resolution: 10 });
  #requests = 0;

  /** `refusal`: the status by which the target refuses. */
  constructor(fixture: Fixture, scale: ProbeScale, refusal: number, seed: number) {
    this.#fixture = fixture;
    this.#scale = scale;
    this.#refusal = refusal;
    this.#random = randomStream(seed, 'study');
    this.#delay.enable();
  }

  /** Opens connections, by requests without a key: what is new would otherwise be slow, and early in a burst. */
  async warmUp(): Promise<void> {
    const dispatcher = this.#agent;
    const url = `${this.#fixture.baseUrl}${probedPath}`;
    for (let round = 0; round < warmUpRounds; round++) {
      await Promise.all(
        Array.from({ length: warmUpConnections }, async () =>
          (await request(url, { dispatcher })).body.dump(),
        ),
      );
    }
  }

  /** Sends a probe on the real clock, and is silent afterwards. */
  async probe(kind: ProbeKind): Promise<void> {
    const beginMs = performance.now() + 20;
    const answers: Promise<void>[] = [];
    for (const send of probeSchedule(kind, this.#scale, this.#random)) {
      await until(beginMs + send.atMs);
      answers.push(this.#send(send));
    }
    await Promise.all(answers);
    await until(beginMs + probeWindows[kind] * this.#scale.windowMs);
    await sleep(silenceAfter(this.#scale, this.#random));
  }

  traces(): Trace[] {
    return this.#seen.map((requests) => traceOf(requests));
  }

  /** In another thread: a study beside this one would stand still meanwhile. */
  infer(): Promise<LimiterInference> {
    const promised = { requests: this.#scale.limit, windowNs: this.#scale.windowMs * 1e6 };
    return inferAside(this.traces(), { clockOffset: clockOffsetFrom(this.#dates), promised });
  }

  /** The longest time for which this program itself stood still. */
  get standstillMs(): number {
    return this.#delay.max / 1e6;
  }

  close(): Promise<void> {
    this.#delay.disable();
    return this.#agent.destroy();
  }

  async #send({ key }: ProbeSend): Promise<void> {
    const seq = ++this.#requests;
    const sentNs = performance.now() * 1e6;
    let outcome: RequestOutcome = ambiguous;
    let date: string | undefined;
    try {
      const { statusCode, headers, body } = await request(`${this.#fixture.baseUrl}${probedPath}`, {
        dispatcher: this.#agent,
        headers: { authorization: `Bearer ${this.#fixture.keys[key]}` },
        signal: AbortSignal.timeout(giveUpMs),
      });
      if (statusCode === 200) outcome = admitted;
      else if (statusCode === this.#refusal) outcome = limited;
      if (typeof headers.date === 'string') date = headers.date;
      await body.dump();
    } catch {
      outcome = ambiguous;
    }
    const answeredNs = performance.now() * 1e6;
    this.#seen[key].push({ seq, sentNs, answeredNs, outcome });
    if (date !== undefined) this.#dates.push({ sentNs, answeredNs, dateEpochMs: Date.parse(date) });
  }
}

/** An eighth of the window of 2 s, as 7.5 s are of a minute: a run that stood still for longer says that it is generator-bound. */
const mostStandstillMs = 250;

/** Whether this program stood still for so long that its study proves nothing; says so aloud. */
export function isHindered({ standstillMs }: Pick<Finding, 'standstillMs'>): boolean {
  if (standstillMs <= mostStandstillMs) return false;
  console.warn(`This program stood still for ${Math.round(standstillMs)} ms: its study proves nothing.`);
  return true;
}

/** What was found out, and by which probes. */
export interface Finding {
  readonly inference: LimiterInference;
  readonly probes: readonly ProbeKind[];
  readonly traces: readonly Trace[];
  readonly standstillMs: number;
}

/**
 * Probes adaptively: a burst first, then the probe that separates best, until one kind is left or `most` probes are
 * spent.
 */
export async function studied(
  fixture: Fixture,
  scale: ProbeScale,
  { refusal = 429, most = 5, seed = 1 } = {},
): Promise<Finding> {
  const study = new Study(fixture, scale, refusal, seed);
  try {
    await study.warmUp();
    const probes: ProbeKind[] = [];
    let next: ProbeKind | undefined = 'E';
    for (;;) {
      await study.probe(next);
      probes.push(next);
      const inference = await study.infer();
      const isCertain = probes.length > 1 && isSettled(inference, 0.999);
      next = isCertain ? measuringProbe(inference, probes) : nextProbe(inference, probes, scale);
      if (next === undefined && !probes.includes('B')) next = reachingProbe(inference, scale);
      if (probes.length >= most || next === undefined)
        return { inference, probes, traces: study.traces(), standstillMs: study.standstillMs };
    }
  } finally {
    await study.close();
  }
}

async function until(ms: number): Promise<void> {
  const leftMs = ms - performance.now();
  if (leftMs > 0) await sleep(leftMs);
}
