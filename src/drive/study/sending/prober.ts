import type { Call } from '../../../target/calls.ts';
import type { TargetClient } from '../../../target/client.ts';
import type { Exchange } from '../../../target/exchange.ts';
import type { Keys } from '../../../target/keys.ts';
import { studyPhases } from '../../../vocabulary/phases.ts';
import type { Probe } from '../../../vocabulary/probes.ts';
import { type Role, roles } from '../../../vocabulary/roles.ts';
import { AskingStopped, type Reply, unknownKey } from '../../ask/ask.ts';
import type { Governor } from '../../ask/governor.ts';
import type { SessionSample } from '../../ask/sample.ts';
import type { Clock } from '../../clock/clock.ts';
import type { Asked, Recorder } from '../../record/recorder.ts';

/** The token of a session, and whose key opened it: its limit may be what the request spends. */
interface ShopperToken {
  readonly token: string;
  readonly openedBy: Role;
}

/** A key of the pool: a secret. */
interface PoolKey {
  readonly poolKey: string;
}

/** One request of a study. */
export interface StudyRequest {
  readonly call: Call;
  readonly credential: Role | 'bad' | 'none' | ShopperToken | PoolKey;
  /** One of `studyPhases`, or such a phase with a letter after it. */
  readonly phase: string;
  readonly probe?: Probe;
  readonly known?: Partial<Asked>;
  /** From another address of this machine, or over a connection that is opened for it. */
  readonly from?: 'elsewhere' | 'new-connection';
}

/** A request whose record says what its call is about. */
export function aboutItsCall(call: Call, request: Omit<StudyRequest, 'call' | 'known'>): StudyRequest {
  return { call, ...request, known: call.about };
}

/** The most that a study spends. */
export interface StudyCost {
  /** On each key. */
  readonly requests: number;
  readonly sessions: Readonly<Partial<Record<Role, number>>>;
  /** On a pool of keys, all together. `orLoad`: on the load key where there is no pool; otherwise not at all. */
  readonly pool?: { readonly requests: number; readonly sessions: number; readonly orLoad: boolean };
  readonly ms: number;
}

/** A request and its instant, run nanoseconds. */
export interface TimedRequest {
  readonly atNs: number;
  readonly request: StudyRequest;
}

export interface ProberOptions {
  readonly clock: Clock;
  readonly client: TargetClient;
  /** The same target from another address; undefined if there is none. */
  readonly elsewhere: TargetClient | undefined;
  /** The same target over connections that nothing has used yet; undefined where no request asks for one. */
  readonly openClient: (() => TargetClient) | undefined;
  readonly recorder: Recorder;
  /** Told of sessions that were opened. */
  readonly sample: SessionSample;
  readonly keys: Keys;
  readonly governors: Readonly<Record<Role, Governor>>;
  /** Throws `AskingStopped` once nothing more may be sent. */
  readonly assertGoingOn: () => void;
  /** Told of each end: whether it was a failure of the target. */
  readonly noteEnd: (atNs: number, failed: boolean) => void;
  /** The most sessions to request. */
  readonly mostSessions: number;
  /** Requests that may be under way at once. */
  readonly inFlightBound: number;
}

/**
 * Sends the requests of a study when they are due, regardless of earlier answers; past the limit, if told to.
 */
export class Prober {
  readonly #options: ProberOptions;
  /** Requests sent so far, and the instant of the last; without those of keys that are not studied. */
  sent = 0;
  lastSentNs = 0;
  inFlight = 0;
  /** From then on nothing is sent, run nanoseconds: the study under way has used up its time. */
  deadlineNs = Number.POSITIVE_INFINITY;
  #sessions = 0;
  /** Whether the target has let anything through: then a 5xx may be its form of rejection, not a breakdown. */
  #isServing = false;

  constructor(options: ProberOptions) {
    this.#options = options;
  }

  /** Sends now. Resolves with the answer, or with what became of it. */
  send(request: StudyRequest, intendedNs = this.#options.clock.nowNs()): Promise<Reply> {
    const { client, clock, elsewhere, governors, noteEnd, openClient, recorder, sample } = this.#options;
    this.#assertGoingOn();
    if (request.call.endpoint === 'create-session' && ++this.#sessions > this.#options.mostSessions)
      throw new AskingStopped();
    const { credential } = request;
    const asked: Asked = {
      seq: recorder.nextSeq(),
      stage: 'study',
      phase: request.phase,
      credential: typeof credential === 'string' ? credential : 'poolKey' in credential ? 'pool' : 'session',
      intendedNs,
      readyNs: intendedNs,
      ...(request.probe === undefined ? {} : { probe: request.probe }),
      ...request.known,
    };
    const role = payerOf(request);
    if (role !== undefined) governors[role].note(clock.nowNs());
    this.inFlight++;
    if (asked.credential !== 'pool' && request.phase !== studyPhases.otherKeys) {
      this.sent++;
      this.lastSentNs = clock.nowNs();
    }
    const own = request.from === 'new-connection' ? openClient?.() : undefined;
    const from = own ?? (request.from === 'elsewhere' ? (elsewhere ?? client) : client);
    return new Promise((resolve) => {
      const call = recorder.traced(request.call, asked.seq);
      from.send(call, this.#authorization(request.credential), undefined, {
        done: (exchange: Exchange<undefined>) => {
          this.inFlight--;
          const { status } = exchange;
          if (status !== undefined && status < 300) this.#isServing = true;
          const failed = exchange.wasFailed || ((status ?? 0) >= 500 && !this.#isServing);
          noteEnd(exchange.answeredNs ?? clock.nowNs(), failed);
          const reading = recorder.exchanged(asked, exchange);
          if (role !== undefined && reading.grant !== undefined)
            sample.opened(role, reading.grant.session_id, reading.grant.token);
          resolve({ seq: asked.seq, exchange, reading });
          void own?.destroy();
        },
      });
    });
  }

  /** All at once, as far as the bound on requests in flight allows; resolves with the answers in the order of the requests. */
  async volley(requests: readonly StudyRequest[]): Promise<Reply[]> {
    const replies: Reply[] = [];
    for (let at = 0; at < requests.length; at += this.#options.inFlightBound) {
      const nowNs = this.#options.clock.nowNs();
      const together = requests.slice(at, at + this.#options.inFlightBound);
      replies.push(...(await Promise.all(together.map((request) => this.send(request, nowNs)))));
    }
    return replies;
  }

  /** Each at its instant. Resolves when all were answered or given up on. */
  async play(requests: readonly TimedRequest[]): Promise<Reply[]> {
    const replies: Promise<Reply>[] = [];
    try {
      for (const { atNs, request } of requests) {
        await this.until(atNs);
        replies.push(this.send(request, atNs));
      }
    } finally {
      // What is in flight is to be in the history, also when the run is being ended.
      await Promise.all(replies);
    }
    return Promise.all(replies);
  }

  /** Waits for an instant. Throws `AskingStopped` once the run is being ended or the study's time is up. */
  async until(ns: number): Promise<void> {
    const { clock } = this.#options;
    for (let nowNs = clock.nowNs(); nowNs < ns; nowNs = clock.nowNs()) {
      this.#assertGoingOn();
      await clock.until(Math.min(ns, nowNs + pollIntervalNs));
    }
  }

  #assertGoingOn(): void {
    this.#options.assertGoingOn();
    if (this.#options.clock.nowNs() > this.deadlineNs) throw new AskingStopped();
  }

  #authorization(credential: StudyRequest['credential']): string | undefined {
    if (credential === 'none') return undefined;
    if (credential === 'bad') return `Bearer ${unknownKey}`;
    if (typeof credential !== 'string')
      return `Bearer ${'poolKey' in credential ? credential.poolKey : credential.token}`;
    const key = this.#options.keys[credential];
    if (key === undefined) throw new AskingStopped();
    return `Bearer ${key.value}`;
  }
}

/** Whose limit a request may spend. */
function payerOf({ credential }: StudyRequest): Role | undefined {
  if (typeof credential === 'string') return roles.find((each) => each === credential);
  return 'poolKey' in credential ? undefined : credential.openedBy;
}

/** How often a wait looks whether the run, or what goes on meanwhile, is being ended. */
const pollIntervalNs = 50e6;

/** Something that goes on until it is stopped; `stop` resolves when the last request was answered. */
export interface Stoppable {
  stop(): Promise<void>;
}

/** Goes on as long as it `isOn`. Where the study is being ended, it ends with it. */
export function meanwhile(goOn: (isOn: () => boolean) => Promise<void>): Stoppable {
  let on = true;
  const going = goOn(() => on).catch((error: unknown) => {
    // The study stops for the same reason, and says so.
    if (!(error instanceof AskingStopped)) throw error;
  });
  return {
    stop: () => {
      on = false;
      return going;
    },
  };
}

/** A little on a key. `gapNs`: how long it waits after a request, by the number of requests before that. */
export function drip(
  prober: Prober,
  clock: Clock,
  request: StudyRequest,
  gapNs: (before: number) => number,
): Stoppable {
  return meanwhile(async (isOn) => {
    for (let sent = 0; isOn(); sent++) {
      await prober.send(request);
      const nextNs = clock.nowNs() + gapNs(sent);
      while (isOn() && clock.nowNs() < nextNs)
        await clock.until(Math.min(nextNs, clock.nowNs() + pollIntervalNs));
    }
  });
}
