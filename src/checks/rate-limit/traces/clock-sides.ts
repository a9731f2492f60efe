import { countBelow } from '../../../limits/arrays.ts';
import { type SentRequests, without } from '../../../sent/columns.ts';
import type { Profile } from '../../../target/profile.ts';
import type { DateStep } from '../../core/clock-step.ts';

/** How long after a step a limiter may still count what came before it, by either clock. */
export function doubtNs({ byMs }: DateStep, { rate_limit }: Pick<Profile, 'rate_limit'>): number {
  return (rate_limit.windowMs + Math.abs(byMs)) * 1e6;
}

/** The requests before a step of the target's clock, and those after it, without headers that may still speak of the others. */
export function sidesOf(
  sent: SentRequests,
  step: DateStep,
  profile: Pick<Profile, 'rate_limit'>,
): { readonly before: SentRequests; readonly after: SentRequests } {
  const stepNs = step.atMs * 1e6;
  const isLater = (row: number): boolean => (sent.sentNs[row] as number) >= stepNs;
  const after = without(sent, (row) => !isLater(row));
  const doubted = countBelow(after.sentNs, stepNs + doubtNs(step, profile));
  after.retryAfter.code.fill(0, 0, doubted);
  after.limitHeaders.code.fill(0, 0, doubted);
  return { before: without(sent, isLater), after };
}
