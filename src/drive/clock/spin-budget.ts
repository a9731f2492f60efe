/** Part of the time that a thread may spin. */
const share = 0.05;
/** Unspent time is saved up to this much: the warm-up spends 18 ms at once. */
const mostSavedMs = 200;
/** A wake that comes after its instant costs as much: the machine is busy, and spinning would make it busier. */
const latePenaltyMs = 10;

/** Limits how long a thread polls the clock to be awake at an instant. Times by `performance.now()`. */
export class SpinBudget {
  #leftMs: number;
  readonly #mostSavedMs: number;
  #countedAtMs: number;

  constructor(nowMs: number, savedMs = mostSavedMs) {
    this.#countedAtMs = nowMs;
    this.#leftMs = this.#mostSavedMs = savedMs;
  }

  /** Whether that many milliseconds are left. */
  allows(ms: number, nowMs: number): boolean {
    this.#leftMs = Math.min(this.#mostSavedMs, this.#leftMs + share * (nowMs - this.#countedAtMs));
    this.#countedAtMs = nowMs;
    return this.#leftMs >= ms;
  }

  spent(ms: number): void {
    this.#leftMs -= ms;
  }

  cameLate(): void {
    this.#leftMs -= latePenaltyMs;
  }
}
