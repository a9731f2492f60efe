import { seconds } from '../../../amounts.ts';
import type { LimiterInference } from '../../../limits/inference.ts';
import { admittedAtOnce, silenceAfter } from '../../../limits/probes.ts';
import type { Charging, Sharing } from '../../../limits/sent/traces.ts';
import { studyPhases } from '../../../vocabulary/phases.ts';
import type { ScopeProbe } from '../../../vocabulary/probes.ts';
import type { Reply } from '../../ask/ask.ts';
import { drip, type Stoppable } from '../sending/prober.ts';
import { controlOf, exhaust, type ScopeOptions, tryScope, tryWaits } from './at-limit.ts';
import { ProbeChoice, recoveryRestWindows, recoveryWindows } from './choice.ts';
import { lastLook } from './last-look.ts';
import {
  type LimitsStudyOptions,
  leastMsOfLimitsStudy,
  listRequest,
  playProbe,
  probesInWords,
  restWindows,
  unauthenticatedRequests,
  useOtherKeys,
  useSeldom,
} from './requests.ts';

/** The part of the limit that may be spent in the window before the first burst. */
const mostBefore = 0.5;
/** A rest, the first probes, and the last look. */
const firstProbesWindows = 6;
/** Requests on the bystander meanwhile, per window. */
const drippedPerWindow = 20;

/**
 * Studies the limiter: bursts to its limit, then tests at the limit (its scope, the order of checks, the advice of
 * rejections). Then it sends probes, each chosen by the models that remain; two keys probe at once if each has its
 * own limit. It ends when one kind is left, or time or requests run out.
 */
export async function studyLimiter(options: LimitsStudyOptions): Promise<void> {
  const { otherKeysPerSecond: perSecond = 0, pool = [] } = options;
  // Keys that are used while the study goes on, if others than its own are to be.
  const meanwhile: readonly Stoppable[] =
    pool.length === 0 || perSecond === 0
      ? []
      : [useOtherKeys(options, { perSecond, pool }), ...useSeldom(options)];
  try {
    await new LimitsConductor(options).run();
  } finally {
    await Promise.all(meanwhile.map((each) => each.stop()));
  }
}

class LimitsConductor {
  readonly #options: LimitsStudyOptions;
  readonly #windowNs: number;
  readonly #choice: ProbeChoice;

  constructor(options: LimitsStudyOptions) {
    this.#options = options;
    this.#windowNs = options.promised.windowMs * 1e6;
    this.#choice = new ProbeChoice(options);
  }

  async run(): Promise<void> {
    const { clock, isFresh, promised, prober, seen } = this.#options;
    const leastNs = leastMsOfLimitsStudy(this.#options.promised, isFresh) * 1e6;
    if (clock.nowNs() + leastNs > this.#options.deadlineNs) return;
    // Set-up may have spent much of a small limit just before.
    const before = seen.countSince('load', clock.nowNs() - this.#windowNs);
    if (!isFresh || before > mostBefore * promised.requests) {
      this.#say('waiting until the limiter forgets earlier requests');
      await prober.until(clock.nowNs() + restWindows * this.#windowNs);
    }
    await this.#atTheLimit();
    await this.#infer();
    await this.#probes();
    await lastLook(this.#options, this.#choice, (step) => this.#say(step));
  }

  /** Everything that a key at its limit can tell. */
  async #atTheLimit(): Promise<void> {
    const { catalogs, clock, clockSkewMs, prober, promised, tries } = this.#options;
    this.#say('bursts to the limit');
    const control = controlOf(catalogs.load.id);
    // Without probes, each further rejection leaves more limiters possible after an advised wait.
    const isProbing = this.#choice.first().length > 0;
    let atOnce = 0;
    const scope: ScopeOptions = {
      prober,
      limit: promised.requests,
      control,
      tries: new Map([...tries].filter(([probe]) => isProbing || probe !== 'scope:new-connection')),
      windowNs: this.#windowNs,
      onBurst: (replies) => {
        atOnce = Math.max(atOnce, this.#admittedAtOnce(replies));
      },
    };
    const meanwhile = this.#drip();
    try {
      if (!(await exhaust(scope))) return;
      this.#say('at the limit: other endpoints, keys and addresses, and the order of checks');
      this.#choice.sharing = await tryScope(scope, atOnce);
      this.#say('requests with an invalid key');
      await prober.volley(unauthenticatedRequests(this.#options));
      await tryWaits({
        prober,
        clock,
        control,
        clockSkewMs,
        longestMs: (round) => this.#longestWaitMs(round),
        onWait: (ms) => this.#say(`waiting ${seconds(ms)}, as a rejection advises`),
      });
    } finally {
      await meanwhile.stop();
    }
  }

  /**
   * Waits leave time for the first probes and the last look; the second wait also for a trickle. A budget too short
   * for any probe goes to the first wait: it shows when the key is admitted again.
   */
  #longestWaitMs(round: number): number {
    const { clock, deadlineNs, promised } = this.#options;
    const leftMs = (deadlineNs - clock.nowNs()) / 1e6;
    const isProbing = this.#choice.first().length > 0;
    const reserved = isProbing ? firstProbesWindows + round : round * (recoveryRestWindows + recoveryWindows);
    return Math.min(1.5, leftMs / promised.windowMs - reserved) * promised.windowMs;
  }

  #admittedAtOnce(replies: readonly Reply[]): number {
    const { requests, windowMs } = this.#options.promised;
    const sentNs = Math.min(...replies.map(({ exchange }) => exchange.sentNs ?? Number.POSITIVE_INFINITY));
    const answeredNs = Math.max(...replies.map(({ exchange }) => exchange.answeredNs ?? 0));
    const passed = replies.filter(({ exchange: { status = 0 } }) => status >= 200 && status < 300).length;
    const promised = { requests, windowNs: windowMs * 1e6 };
    return admittedAtOnce(passed, Math.max(0, answeredNs - sentNs), promised);
  }

  /** The probes, while they have something to tell and there is time. */
  async #probes(): Promise<void> {
    const { clock, prober, random } = this.#options;
    let next = this.#choice.first();
    while (next.length > 0 && this.#choice.hasRoomFor(next)) {
      const scale = this.#choice.scale();
      this.#say(`waiting, then ${probesInWords(next)}`);
      await prober.until(Math.max(clock.nowNs(), prober.lastSentNs + silenceAfter(scale, random) * 1e6));
      this.#say(probesInWords(next));
      const played = await Promise.allSettled(next.map((track) => playProbe(this.#options, track, scale)));
      for (const each of played) if (each.status === 'rejected') throw each.reason;
      this.#choice.noteSent(next);
      next = this.#choice.next(await this.#infer());
    }
  }

  /** Infers which limiters are still possible. */
  async #infer(): Promise<LimiterInference> {
    const { infer, promised, seen } = this.#options;
    this.#say('comparing the answers with every kind of limiter');
    const traces = seen.traces(this.#charging());
    const inference = await infer(traces, {
      clockOffset: seen.clockOffset(),
      promised: { requests: promised.requests, windowNs: promised.windowMs * 1e6 },
    });
    this.#choice.inference = inference;
    return inference;
  }

  /** What the limit counts, as far as is known. */
  #charging(): Charging {
    const { interactionsCount: told } = this.#options;
    const sharing = new Map<ScopeProbe, Sharing>([['scope:interact', 'unclear'], ...this.#choice.sharing]);
    return {
      interactionsCount: told === 'discover' ? sharing.get('scope:interact') !== 'separate' : told,
      tried: Array.from(sharing, ([probe, each]) => ({ probe, sharing: each })),
    };
  }

  /** A few steady requests on the bystander's key, while the other is at its limit. */
  #drip(): Stoppable {
    const { clock, keys, prober } = this.#options;
    if (keys.bystander === undefined) return { stop: () => Promise.resolve() };
    const request = listRequest(this.#options, 'bystander', studyPhases.scope);
    return drip(prober, clock, request, () => this.#windowNs / drippedPerWindow);
  }

  #say(step: string): void {
    const alive = (this.#choice.inference?.survivors ?? [])
      .filter(({ confidence }) => confidence > 0.001)
      .map(({ name, confidence }) => `${name} ${Math.round(confidence * 100)} %`);
    this.#options.onStep(step, alive);
  }
}
