import type { RunInfo } from '../history/run.ts';

/** What the target is called: by its profile, which says of the embedded service what was planted in it. */
export function targetName({ profile, target }: Pick<RunInfo, 'profile' | 'target'>): string {
  if (typeof profile.name === 'string') return profile.name;
  return target.kind === 'embedded' ? 'embedded reference service' : 'target';
}
