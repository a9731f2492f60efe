import type { SessionGrant } from '../wire.ts';

/** How many tokens are remembered: those of sessions that are created at nearly the same time. */
const mostTokens = 2_000;
/** Ours: after this many sessions with a token of their own, tokens are not those of an account or of a moment. */
const enoughToTell = 100;

/**
 * Tokens of the last sessions: where each session has its own, one given twice would open both. Whether each has is promised
 * by the profile, or shown by the first sessions. In memory alone.
 */
export class RecentTokens {
  readonly #last = new Map<string, { readonly sessionId: string; readonly seq: number }>();
  readonly #isPromised: boolean;
  #isShared = false;

  constructor(isPromised: boolean) {
    this.#isPromised = isPromised;
  }

  problem({ session_id: sessionId, token }: SessionGrant, seq: number): string | undefined {
    if (this.#isShared) return undefined;
    const before = this.#last.get(token);
    const isRepeated = before !== undefined && before.sessionId !== sessionId;
    this.#isShared = isRepeated && !this.#isPromised && this.#last.size < enoughToTell;
    this.#last.set(token, { sessionId, seq });
    if (this.#last.size > mostTokens)
      for (const oldest of this.#last.keys()) {
        this.#last.delete(oldest);
        break;
      }
    return isRepeated && !this.#isShared
      ? `token: expected a new one, got that of request ${before.seq}`
      : undefined;
  }
}
