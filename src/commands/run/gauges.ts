import { readLimitHeaders } from '../../checks/rate-limit/headers/dialects.ts';
import type { LiveTallies } from '../../drive/record/statistics.ts';
import type { FailureLine, LimitGauge, ProgressState } from '../../report/progress.ts';
import type { Profile } from '../../target/profile.ts';
import { type Role, roles } from '../../vocabulary/roles.ts';

/** Follows what a run has spent of limit and quota, and its failures, for the display. */
export class Gauges {
  readonly #tallies: LiveTallies;
  readonly #profile: Profile;
  /** Totals of admitted requests, each at an instant of the trailing window. */
  #totals: { readonly atMs: number; readonly admitted: number }[] = [];

  constructor(tallies: LiveTallies, profile: Profile) {
    this.#tallies = tallies;
    this.#profile = profile;
  }

  at(elapsedMs: number): Pick<ProgressState, 'limit' | 'quota' | 'failures'> {
    const { quota, limit_scope: scope } = this.#profile;
    const created = sumOf(
      this.#tallies.created,
      quota.twin === 'same-account' ? ['quota', 'twin'] : ['quota'],
    );
    const admitted = sumOf(this.#tallies.admitted, scope === 'shared' ? roles : ['load']);
    return {
      ...(admitted > 0 ? { limit: this.#limit(elapsedMs, admitted) } : {}),
      ...(created > 0
        ? { quota: quota.sessions === undefined ? { created } : { created, quota: quota.sessions } }
        : {}),
      failures: this.#failures(),
    };
  }

  /** Counts from the first drawing in the window on: rather a request too few than one too many. */
  #limit(atMs: number, admitted: number): LimitGauge {
    const { requests: limit, windowMs } = this.#profile.rate_limit;
    this.#totals.push({ atMs, admitted });
    this.#totals = this.#totals.filter((each) => each.atMs >= atMs - windowMs);
    const isFromStart = atMs <= windowMs;
    const used = isFromStart ? admitted : admitted - (this.#totals[0]?.admitted ?? 0);
    const said = readLimitHeaders(this.#tallies.limitHeaders ?? null).find(
      ({ remaining }) => remaining !== undefined,
    );
    return {
      used,
      limit,
      windowMs,
      // Old headers say nothing about now.
      ...(used > 0 && said?.remaining !== undefined
        ? { said: { remaining: said.remaining, limit: said.limit } }
        : {}),
    };
  }

  #failures(): FailureLine[] {
    return [...this.#tallies.failures]
      .map(([kind, { count, firstNs }]) => ({ kind, count, firstMs: firstNs / 1e6 }))
      .toSorted((a, b) => a.firstMs - b.firstMs);
  }
}

function sumOf(counts: LiveTallies['admitted'], keys: readonly Role[]): number {
  return keys.reduce((sum, key) => sum + (counts.get(key) ?? 0), 0);
}
