import { exitCode, TryonError } from '../../exit.ts';
import type * as calls from '../../target/calls.ts';
import type { Channel } from '../../target/channel.ts';
import type { TargetClient } from '../../target/client.ts';
import type { Exchange } from '../../target/exchange.ts';
import type { Keys } from '../../target/keys.ts';
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
  /** The client with the connections to use, where not those of all questions. */
  readonly client?: TargetClient;
}

export interface Reply {
  readonly seq: number;
  readonly exchange: Exchange<unknown>;
  readonly reading: Reading;
}

/** Tries per question if the answer is a 429; each try is a separate request in the history. */
const mostTries = 3;
/** How long to wait where a 429 does not say, in windows: one, and a little. */
const waitWindows = 1.05;
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
}

/** Asks questions outside the planned load, each paced under its key's rate limit. */
export class Asker {
  readonly #options: AskerOptions;
  /** When set, `ask` throws. */
  stopped = false;
  /** Why the target was given up on, in words. */
  gaveUp: string | undefined;
  #unanswered = 0;
  #hadSocket = false;
  /**
   * Keys that stayed rejected after every wait: they may be locked out for ever, so there are no more waits for them.
   */
  readonly #lockedOut = new Set<Credential>();

  constructor(options: AskerOptions) {
    this.#options = options;
  }

  /** Asks, and repeats after a 429. Throws `AskingStopped` when the run is ending. */
  async ask(question: Question): Promise<Reply> {
    const { credential } = question;
    for (let tries = 1; ; tries++) {
      const reply = await this.#once(question);
      const isRefused = reply.exchange.status === 429;
      if (isRefused && tries === mostTries) this.#lockedOut.add(credential);
      if (!isRefused && reply.exchange.status !== undefined) this.#lockedOut.delete(credential);
      if (!isRefused || this.#lockedOut.has(credential)) return reply;
      await this.until(this.#options.clock.nowNs() + this.#waitMs(reply.exchange) * 1e6);
    }
  }

  /**
   * Asks once, with an Authorization header that is no key's. It takes its room under the limit of the load key, which a
   * broken target may take it for.
   */
  async askWith(authorization: string, question: Question): Promise<Reply> {
    await this.until(this.#governorOf(question.credential).take());
    return this.#send(question, authorization);
  }

  /** Asks with a shopper's token or with a key, as a channel takes events. */
  askOnChannel({ auth }: Channel, token: string, question: Question): Promise<Reply> {
    return auth === 'session-token'
      ? this.#askAs(token, { ...question, credential: 'session' })
      : this.ask(question);
  }

  async #askAs(token: string, question: Question): Promise<Reply> {
    // An interaction may spend the rate limit of the key that opened the session.
    await this.until(this.#governorOf(question.credential).take());
    return this.#send(question, `Bearer ${token}`);
  }

  /**
   * Asks all at the same moment, without retries; with a shopper's token if one is given. It reserves room under the
   * rate limit first, since events may spend it.
   */
  async askAtOnce(questions: readonly Question[], token?: string): Promise<Reply[]> {
    const slots = questions.map(({ credential }) => this.#governorOf(credential).take());
    await this.until(Math.max(0, ...slots));
    return Promise.all(
      questions.map(async (question) => {
        if (question.afterNs !== undefined)
          await this.#options.clock.until(this.#options.clock.nowNs() + question.afterNs);
        return this.#send(
          question,
          token === undefined ? this.#authorization(question.credential) : `Bearer ${token}`,
        );
      }),
    );
  }

  /** Waits for an instant. Throws `AskingStopped` once the run is being ended: it may be minutes away. */
  async until(ns: number): Promise<void> {
    for (let nowNs = this.#options.clock.nowNs(); nowNs < ns; nowNs = this.#options.clock.nowNs()) {
      if (this.stopped) throw new AskingStopped();
      await this.#options.clock.until(Math.min(ns, nowNs + pollIntervalNs));
    }
  }

  async #once(question: Question): Promise<Reply> {
    await this.until(this.#governorOf(question.credential).take());
    return this.#send(question, this.#authorization(question.credential));
  }

  #governorOf(credential: Credential): Governor {
    return this.#options.governors[roles.find((each) => each === credential) ?? 'load'];
  }

  /** A probe that times out is sent once more: the network loses one by chance, a silent target both. */
  async #send(question: Question, authorization: string | undefined): Promise<Reply> {
    const reply = await this.#sendWithSocket(question, authorization);
    const { notSent, status } = reply.exchange;
    this.#unanswered = status === undefined && notSent !== 'bad-header' ? this.#unanswered + 1 : 0;
    // The first question ends with its specific error: it says why the target cannot be reached.
    if (this.#unanswered >= mostUnanswered) {
      this.gaveUp = `${mostUnanswered} requests in a row got no answer`;
      throw new AskingStopped();
    }
    return question.probe !== undefined && reply.exchange.lost === 'timeout'
      ? this.#sendOnce(question, authorization)
      : reply;
  }

  /**
   * Where this machine has no socket left, others are closed soon, and their ports are free after a minute. Throws an
   * error that says so where that does not help, or where there never was one.
   */
  async #sendWithSocket(question: Question, authorization: string | undefined): Promise<Reply> {
    for (let tries = 1; ; tries++) {
      const reply = await this.#sendOnce(question, authorization);
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

  async #sendOnce(question: Question, authorization: string | undefined): Promise<Reply> {
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
      ...question.call.about,
      ...(question.keeps === true ? { keepAnswer: question.call.query } : {}),
      ...question.known,
    };
    const exchange = await new Promise<Exchange<undefined>>((resolve) => {
      const call = this.#options.recorder.traced(question.call, asked.seq);
      (question.client ?? this.#options.client).send(call, authorization, undefined, { done: resolve });
    });
    const reading = this.#options.recorder.exchanged(asked, exchange);
    return { seq: asked.seq, exchange, reading };
  }

  #authorization(credential: Credential): string | undefined {
    if (credential === 'none') return undefined;
    if (credential === 'bad' || credential === 'session') return `Bearer ${unknownKey}`;
    // A pool's keys are for load alone.
    const key = credential === 'pool' ? undefined : this.#options.keys[credential];
    return key === undefined ? undefined : `Bearer ${key.value}`;
  }

  /** Retry-After in seconds, within reason: a limiter's own word is not trusted beyond two windows. */
  #waitMs(exchange: Exchange<unknown>): number {
    const seconds = Number(exchange.headers['retry-after']);
    const askedMs =
      Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : this.#options.windowMs * waitWindows;
    return Math.min(askedMs, this.#options.windowMs * 2);
  }
}

/** The run is ending; the remaining questions are not asked. */
export class AskingStopped extends Error {
  override readonly name = 'AskingStopped';
}
