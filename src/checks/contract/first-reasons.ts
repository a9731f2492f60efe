import { type Reason, reason } from '../reasons/reason.ts';

/** At most six reasons of a kind, and how many more there are. */
export function firstReasons(reasons: readonly Reason[], atMost = 6): readonly Reason[] {
  const more = reasons.length - atMost;
  return more > 0 ? [...reasons.slice(0, atMost), reason('more-of-these', { more })] : reasons;
}
