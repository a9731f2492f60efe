import type { History } from '../../../history/history.ts';
import { referenceConventions } from '../../../target/profile.ts';
import { fits, type Suspect } from '../../causes/cause.ts';

/** Conventions of analytics that a profile can tell. */
export type Convention = Exclude<keyof typeof referenceConventions, 'decimals'>;

/** Whether the profile tells a convention that is not the usual one, so that it may be an error in the profile. */
export function isTold({ profile }: Pick<History, 'profile'>, convention: Convention): boolean {
  const promised = String(profile.analytics[convention]);
  return promised !== 'discover' && promised !== String(referenceConventions[convention]);
}

/** A convention as the answers with these numbers show it. */
interface FoundConvention {
  readonly convention: Convention;
  readonly found: string;
  readonly seqs: readonly number[];
}

/** A convention that the answers show otherwise than promised: a profile that is not true, or what `broken` says of the target. */
export function unlikePromised(
  history: Pick<History, 'profile'>,
  { convention, found, seqs }: FoundConvention,
  broken: (promised: string) => Suspect,
): Suspect {
  const promised = String(history.profile.analytics[convention]);
  return isTold(history, convention)
    ? fits('profile-false', { field: `analytics.${convention}`, told: promised, found }, seqs)
    : broken(promised);
}
