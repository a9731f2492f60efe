import type { SessionGrant } from '../wire.ts';

/** How many tokens are remembered: those of sessions that are created at nearly the same time. */
const mostTokens = 2_000;

/** Tokens of the last sessions: where each session has its own, one given twice would open both. In memory alone. */
export class RecentTokens {
  readonly #last = new Map<string, { readonly sessionId: string; readonly seq: number }>();

  problem({ session_id: sessionId, token }: SessionGrant, seq: number): string | undefined {
    const before = this.#last.get(token);
    this.#last.set(token, { sessionId, seq });
    if (this.#last.size > mostTokens)
      for (const oldest of this.#last.keys()) {
        this.#last.delete(oldest);
        break;
      }
    return before === undefined || before.sessionId === sessionId
      ? undefined
      : `token: expected a new one, got that of request ${before.seq}`;
  }
}
