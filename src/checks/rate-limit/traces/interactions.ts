import { z } from 'zod';
import type { History } from '../../../history/history.ts';
import { oncePerHistory } from '../../../history/tables.ts';
import { isWord, rowsWhere, type SentRequests } from '../../../sent/columns.ts';
import { interactionsCount, type Profile } from '../../../target/profile.ts';
import { type TriedProbe, triedAtLimit } from './scope.ts';

/** Whether the run studied the limiter. */
export function studiesLimits({ run }: Pick<History, 'run'>): boolean {
  return run.studies?.some(({ kind }) => kind === 'limits') === true;
}

/**
 * Whether interactions spend the rate limit of the key that opened their session: as the profile says, else as the study found
 * while the key was at its limit. Undefined where neither tells.
 */
export function interactionsKnownToCount(
  told: Profile['channel'],
  tried: readonly TriedProbe[] = [],
): boolean | undefined {
  const count = interactionsCount(told);
  if (count !== 'discover') return count;
  const sharing = tried.find(({ probe }) => probe === 'scope:interact')?.sharing;
  return sharing === 'shared' ? true : sharing === 'separate' ? false : undefined;
}

/** What is to be tried of a run: what is known, else both, the likelier first. */
export function interactionReadings(known: boolean | undefined, sent: SentRequests): readonly boolean[] {
  if (known !== undefined) return [known];
  const interactions = rowsWhere(sent, isWord(sent.endpoint, 'interact'));
  if (interactions.length === 0) return [false];
  // Those that spend nothing have no reason to get 429.
  return interactions.some((row) => sent.status[row] === 429) ? [true, false] : [false, true];
}

/**
 * Whether interactions count, at first sight: as is known, else because some got 429. Good enough for a picture of the run,
 * not for a verdict.
 */
export const interactionsLookCounted = oncePerHistory(async (history): Promise<boolean> => {
  const tried = studiesLimits(history) ? await triedAtLimit(history, 429) : [];
  const known = interactionsKnownToCount(history.profile.channel, tried);
  if (known !== undefined) return known;
  const [rejected] = await history.rows(
    z.object({ n: z.number() }),
    "SELECT count(*) AS n FROM requests WHERE endpoint = 'interact' AND status = 429",
  );
  return (rejected?.n ?? 0) > 0;
});
