import type { ProbeKind } from '../../../limits/probes.ts';
import type { Role } from '../../../vocabulary/roles.ts';

/** A probe and whose keys its two keys are. */
export interface Track {
  readonly kind: ProbeKind;
  readonly roles: readonly [Role, Role];
}

const loads: Readonly<Record<ProbeKind, string>> = {
  A: 'a burst, then steady requests',
  B: 'steady requests, then more of them',
  C: 'one request, then bursts late in its window and just after',
  D: 'two keys, one started after the other',
  E: 'a burst, steady requests, then bursts just after the window and later',
  F: 'a burst, silence, then single requests about a window apart',
  G: 'a burst, then a few single requests',
  H: 'one request, then dense requests before and after the end of its window',
};

/** `probe E (a burst, …) together with probe B (…)`. */
export function probesInWords(tracks: readonly Track[]): string {
  return tracks.map(({ kind }) => `probe ${kind} (${loads[kind]})`).join(' together with ');
}
