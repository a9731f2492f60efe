import { exitCode, TryonError } from '../../exit.ts';
import type * as calls from '../../target/calls.ts';
import type { TargetClient } from '../../target/client.ts';
import type { Exchange } from '../../target/exchange.ts';
import type { Keys } from '../../target/keys.ts';
import type { Channel } from '../../target/profile.ts';
import type { Probe } from '../../vocabulary/probes.ts';
import type { Credential, Stage } from '../../vocabulary/requests.ts';
import { type Role, roles } from '../../vocabulary/roles.ts';
import type { Clock } from '../clock/clock.ts';
import type { Asked, Reading, Recorder } from '../record/recorder.ts';
import type { Governor } from './governor.ts';

/** What set-up and settling ask, one at a time. */
export interface Question {
  readonly call: calls.Call;
  readonly stage: Exclude<Stage, 'load'>;
  readonly phase: string;
  readonly credential: Credential;
  readonly probe?: Probe | undefined;
  /** A check needs the answer's body. */
  readonly keeps?: boolean | undefined;
  /** What is known of it beside what the call is about. */
  readonly known?: Partial<Asked>;
  /** How much later than the others of `askAtOnce` it is sent. */
  readonly afterNs?: number;
  /** Its moment matters: what gets no answer then is not asked again. */
  readonly isOnce?: boolean;
  /** The Authorization header, where it is not that of the credential. */
  readonly authorization?: string;
  /** The client with the connections to use, where not those of all questions. */
  readonly client?: TargetClient;
}

export interface Reply {
  readonly seq: number;
  readonly exchange: Exchange<unknown>;
  readonly reading: Reading;
}

/** Tries per question that gets no answer to what it asks: a 429, a 5xx, or none. Each is a separate request in the history. */
const mostTries = 3;
/** Of them, those that may be lost: the network loses one by chance, a silent target both. */
const mostLost = 2;
type Unanswered = 'refused' | 'error' | 'lost';
/** How long to wait where a 429 does not say, in windows: one, and a little. */
const waitWindows = 1.05;
/** The same after a 5xx, and the longest that its `Retry-After` is waited for. */
const errorWaitMs = { usual: 250, most: 5_000 } as const;
/** The asker gives up on the target after this many questions in a row without an answer. */
const mostUnanswered = 5;

/** A port is kept for a minute after its connection: so long is one waited for. */
const socketWaitNs = 5e9;
const mostSocketTries = 14;

/** How often a wait looks whether asking was stopped. */
const pollIntervalNs = 100e6;

/** A key in the right form that was certainly never issued. */
export const unknownKey = 'tryon-probe-key-that-was-never-issued';

interface AskerOptions {
  readonly clock: Clock;
  readonly client: TargetClient;
  readonly recorder: Recorder;
  readonly keys: Keys;
  readonly governors: Readonly<Record<Role, Governor>>;
  readonly windowMs: number;
  /** Whether the caps of the run leave room for one more request. */
  readonly mayAsk: () => boolean;
  /** Whether a wait is to end, too, because there is nothing to ask any more. */
  readonly isOver?: () => boolean;
}

/** Asks questions outside the planned load, each paced under its key's rate limit. */
export class Asker {
  readonly #options: AskerOptions;
  /** When set, `ask` throws. */
  stopped = false;
  /** Questions without an answer yet. */
  underWay = 0;
  /** Why the target was given up on, in words. */
  gaveUp: string | undefined;
  #unanswered = 0;
  #hadSocket = false;
  /**
   * Keys that stayed rejected after every wait: they may be locked out for ever, so there are no more waits for them.
   */
  readonly #lockedOut = new Set<Credential>();
  /** Some question got 5xx each time. */
  #errorsStay = false;

  constructor(options: AskerOptions) {
    this.#options = options;
  }

  /** Asks until there is an answer to the question, within bounds. Throws `AskingStopped` when the run is ending. */
  ask(question: Question): Promise<Reply> {
    return this.#untilAnswered(question);
  }

  /** Asks with a shopper's token or with a key, as a channel takes events. */
  askOnChannel({ auth }: Channel, token: string, question: Question): Promise<Reply> {
    if (auth !== 'session-token') return this.ask(question);
    return this.ask({ ...question, credential: 'session', authorization: `Bearer ${token}` });
  }

  /**
   * Asks all at the same moment; with a shopper's token if one is given. It reserves room under the rate limit first, since
   * events may spend it. What gets no answer is asked again afterwards, one by one.
   */
  async askAtOnce(asked: readonly Question[], token?: string): Promise<Reply[]> {
    const questions =
      token === undefined ? asked : asked.map((each) => ({ authorization: `Bearer ${token}`, ...each }));
    const slots = questions.map(({ credential }) => this.#governorOf(credential).take());
    await this.until(Math.max(0, ...slots));
    const replies = await Promise.all(
      questions.map(async (question) => {
        if (question.afterNs !== undefined)
          await this.#options.clock.until(this.#options.clock.nowNs() + question.afterNs);
        return this.#send(question);
      }),
    );
    const answered: Reply[] = [];
    for (const [place, question] of questions.entries()) {
      const reply = replies[place];
      if (reply === undefined) continue;
      if (question.isOnce === true && unansweredBy(reply.exchange) === 'refused')
        this.#governorOf(question.credential).rejected();
      answered.push(
        question.isOnce === true ? this.#noted(reply) : await this.#untilAnswered(question, reply),
      );
    }
    return answered;
  }

  /**
   * Asks until the target is there, for at most `patienceMs`: a target that starts refuses connections, or answers 5xx. What
   * it gets until then is recorded as the probe `ready`, which no check judges.
   */
  async untilReady(question: Question, patienceMs: number): Promise<Reply> {
    const { clock } = this.#options;
    const deadlineNs = clock.nowNs() + patienceMs * 1e6;
    for (;;) {
      await this.until(this.#governorOf(question.credential).take());
      const reply = await this.#send(question, { readyUntilNs: deadlineNs });
      const leftMs = (deadlineNs - clock.nowNs()) / 1e6;
      if (!isStarting(reply.exchange)) return this.#untilAnswered(question, reply);
      if (leftMs <= 0) return reply;
      await this.until(clock.nowNs() + Math.min(this.#waitMs('error', reply.exchange), leftMs) * 1e6);
    }
  }

  /** Waits for an instant. Throws `AskingStopped` once the run is being ended: it may be minutes away. */
  async until(ns: number): Promise<void> {
    for (let nowNs = this.#options.clock.nowNs(); nowNs < ns; nowNs = this.#options.clock.nowNs()) {
      if (this.stopped || this.#options.isOver?.() === true) throw new AskingStopped();
      await this.#options.clock.until(Math.min(ns, nowNs + pollIntervalNs));
    }
  }

  /** Asks, and again what gets no answer. `first`: its first reply, where it was sent already. */
  async #untilAnswered(question: Question, first?: Reply): Promise<Reply> {
    const { credential } = question;
    let reply = first;
    let lost = 0;
    for (let tries = 1; ; tries++) {
      if (reply === undefined) {
        await this.until(this.#governorOf(credential).take());
        reply = await this.#send(question, first === undefined ? {} : { repeats: first.seq });
      }
      const why = unansweredBy(reply.exchange);
      if (why === 'refused') this.#governorOf(credential).rejected();
      if (why !== 'refused' && reply.exchange.status !== undefined) this.#lockedOut.delete(credential);
      if (why === 'lost') lost++;
      // Where 5xx are no outage, one more try tells those by chance.
      const most = why === 'error' && this.#errorsStay ? 2 : mostTries;
      const isLast = why === undefined || tries >= most || lost >= mostLost;
      if (why === 'refused' && isLast) this.#lockedOut.add(credential);
      if (why === 'error' && isLast) this.#errorsStay = true;
      if (isLast || (why === 'refused' && this.#lockedOut.has(credential))) return this.#noted(reply);
      if (why !== 'lost')
        await this.until(this.#options.clock.nowNs() + this.#waitMs(why, reply.exchange) * 1e6);
      first = reply;
      reply = undefined;
    }
  }

  #governorOf(credential: Credential): Governor {
    return this.#options.governors[roles.find((each) => each === credential) ?? 'load'];
  }

  /** Notes what a question got in the end. Throws once the target is given up on. */
  #noted(reply: Reply): Reply {
    const { notSent, status } = reply.exchange;
    this.#unanswered = status === undefined && notSent !== 'bad-header' ? this.#unanswered + 1 : 0;
    // The first question ends with its specific error: it says why the target cannot be reached.
    if (this.#unanswered < mostUnanswered) return reply;
    this.gaveUp = `${mostUnanswered} requests in a row got no answer`;
    throw new AskingStopped();
  }

  /**
   * Where this machine has no socket left, others are closed soon, and their ports are free after a minute. Throws an
   * error that says so where that does not help, or where there never was one.
   */
  async #send(question: Question, sending: HowSent = {}): Promise<Reply> {
    for (let tries = 1; ; tries++) {
      const reply = await this.#sendOnce(question, sending);
      const { cause, notSent } = reply.exchange;
      if (notSent !== 'no-socket') {
        this.#hadSocket = true;
        return reply;
      }
      if (!this.#hadSocket || tries === mostSocketTries)
        throw new TryonError(
          exitCode.inconclusive,
          `${cause?.message ?? 'this machine has no socket left'}. That is a limit of the machine that tryon runs on (ulimit -n, the range of local ports), not of the target; tryon doctor says what a scenario needs`,
          { cause },
        );
      await this.until(this.#options.clock.nowNs() + socketWaitNs);
    }
  }

  async #sendOnce(question: Question, { readyUntilNs, repeats }: HowSent): Promise<Reply> {
    if (this.stopped || !this.#options.mayAsk()) throw new AskingStopped();
    const nowNs = this.#options.clock.nowNs();
    const asked: Asked = {
      seq: this.#options.recorder.nextSeq(),
      stage: question.stage,
      phase: question.phase,
      credential: question.credential,
      intendedNs: nowNs,
      readyNs: nowNs,
      ...(question.probe === undefined ? {} : { probe: question.probe }),
      ...(repeats === undefined ? {} : { repeats }),
      ...question.call.about,
      ...(question.keeps === true ? { keepAnswer: question.call.query ?? {} } : {}),
      ...question.known,
    };
    this.underWay++;
    const exchange = await new Promise<Exchange<undefined>>((resolve) => {
      const call = this.#options.recorder.traced(question.call, asked.seq);
      const client = question.client ?? this.#options.client;
      client.send(call, this.#authorizationOf(question), undefined, { done: resolve });
    });
    this.underWay--;
    const isEarly = readyUntilNs !== undefined && isStarting(exchange);
    const reading = this.#options.recorder.exchanged(
      isEarly ? { ...asked, probe: 'ready' } : asked,
      exchange,
    );
    return { seq: asked.seq, exchange, reading };
  }

  #authorizationOf({ authorization, credential }: Question): string | undefined {
    if (authorization !== undefined) return authorization;
    if (credential === 'none') return undefined;
    if (credential === 'bad' || credential === 'session') return `Bearer ${unknownKey}`;
    // A pool's keys are for load alone.
    const key = credential === 'pool' ? undefined : this.#options.keys[credential];
    return key === undefined ? undefined : `Bearer ${key.value}`;
  }

  /**
   * `Retry-After` in seconds, within reason: a limiter's own word is not trusted beyond two windows. Where some question gets
   * nothing but 5xx, others may, too: these are no outage, and are not waited for.
   */
  #waitMs(why: 'refused' | 'error', { headers }: Exchange<unknown>): number {
    const { windowMs } = this.#options;
    const seconds = Number(headers['retry-after']);
    const told = Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : undefined;
    if (why === 'refused') return Math.min(told ?? windowMs * waitWindows, windowMs * 2);
    return this.#errorsStay ? 0 : Math.min(told ?? errorWaitMs.usual, errorWaitMs.most);
  }
}

/** How a question is sent: the `seq` of the request that it repeats, and until when the target may still be starting. */
interface HowSent {
  readonly repeats?: number;
  readonly readyUntilNs?: number;
}

/** Why an exchange is no answer to what was asked; undefined where it is one. */
function unansweredBy({ lost, status }: Exchange<unknown>): Unanswered | undefined {
  if (status === 429) return 'refused';
  if (status !== undefined && status >= 500) return 'error';
  return lost !== undefined && lost !== 'stopped' ? 'lost' : undefined;
}

/** What a target that is not ready yet does: refuses connections, breaks them off, is silent, or answers 5xx. */
export function isStarting({ cause, lost, status }: Exchange<unknown>): boolean {
  if (status !== undefined) return status >= 500;
  if (lost !== undefined) return lost === 'reset' || lost === 'timeout';
  const errors = cause instanceof AggregateError ? cause.errors : [cause];
  return errors.some((error) => error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED');
}

/** The run is ending; the remaining questions are not asked. */
export class AskingStopped extends Error {
  override readonly name = 'AskingStopped';
}
