import type { RunInfo } from '../history/run.ts';

/** The target's name, by its profile; for the embedded service with its planted defects. */
export function targetName({ profile, target }: Pick<RunInfo, 'profile' | 'target'>): string {
  if (typeof profile.name === 'string') return profile.name;
  return target.kind === 'embedded' ? 'embedded reference service' : 'target';
}
