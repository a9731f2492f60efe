import type { History } from '../../history/history.ts';
import { referenceConventions } from '../../target/reference-conventions.ts';
import { fits, type Suspect } from '../diagnosis/cause.ts';

/** Conventions of analytics that a profile can tell. */
type Convention = Exclude<keyof typeof referenceConventions, 'decimals'>;

/** A convention that the answers show otherwise than promised: a profile that is not true, or what `broken` says of the target. */
export function unlikePromised(
  { profile, run }: Pick<History, 'profile' | 'run'>,
  convention: Convention,
  found: string,
  broken: (promised: string) => Suspect,
): Suspect {
  const promised = String(profile.analytics[convention]);
  // The reference service promises its own conventions; whatever differs from them was told.
  const isOwn = run.target.kind === 'embedded' && promised === String(referenceConventions[convention]);
  return promised === 'discover' || isOwn
    ? broken(promised)
    : fits('profile-false', { field: `analytics.${convention}`, told: promised, found });
}
