import { z } from 'zod';
import { type CoveredClass, coverageOf } from '../../corners/coverage.ts';
import type { Need } from '../../corners/value-class.ts';
import type { History } from '../../history/history.ts';
import { oncePerHistory } from '../../history/once.ts';
import { isProbeOf } from '../core/probe-names.ts';
import { sentValues } from './sent.ts';

/**
 * The classes of values that a run reached, by its history alone. For a long history only the first events and sessions
 * are looked at, so a class may be reached and not shown.
 */
export const readCoverage = oncePerHistory(async (history): Promise<readonly CoveredClass[]> => {
  const { run } = history;
  return coverageOf(await sentValues(history), {
    reach: run.corners,
    has: await had(history),
    cutOff: run.ended !== undefined && run.ended.how !== 'completed',
    isCapped:
      (run.left_out ?? []).length > 0 ||
      [run.asked?.max_requests, run.asked?.max_sessions, run.asked?.max_minutes].some(
        (cap) => cap !== undefined,
      ),
    triesQuota: run.quota_attempts > 0,
  });
});

const flags = z.object({ sessions: z.boolean(), channel: z.boolean(), cut_keys: z.boolean() });

async function had(history: History): Promise<ReadonlySet<Need>> {
  const { profile, run } = history;
  const [found] = await history.rows(
    flags,
    `SELECT coalesce(bool_or(endpoint = 'create-session' AND status BETWEEN 200 AND 299), false) AS sessions,
       coalesce(bool_or(endpoint = 'interact' AND sent_ns IS NOT NULL AND probe IS DISTINCT FROM 'channel'), false) AS channel,
       coalesce(bool_or(${isProbeOf('near-key')} AND split_part(probe, ':', 2) = 'cut-by-1'), false) AS cut_keys
     FROM requests`,
  );
  const has: readonly (readonly [Need, boolean])[] = [
    ['sessions', found?.sessions ?? false],
    ['channel', found?.channel ?? false],
    // Where no key was cut, nothing is known of its length.
    ['long-key', !(found?.cut_keys ?? false)],
    ['quota', run.keys.quota !== undefined],
    ['other-finish', profile.finishes.some((finish) => finish !== 'matte')],
  ];
  return new Set(has.flatMap(([need, is]) => (is ? [need] : [])));
}

/** How many classes there are, and what became of them. */
export interface CoverageTotals {
  readonly classes: number;
  readonly reached: number;
  readonly rejected: number;
}

export function totalsOf(coverage: readonly CoveredClass[]): CoverageTotals {
  const count = (outcome: CoveredClass['outcome']): number =>
    coverage.filter((each) => each.outcome === outcome).length;
  return { classes: coverage.length, reached: count('reached'), rejected: count('rejected') };
}
