import type { ProbeKind } from '../../limits/probes.ts';
import type { Role } from '../../vocabulary/roles.ts';

/** A probe and whose keys its two keys are. */
export interface Track {
  readonly kind: ProbeKind;
  readonly roles: readonly [Role, Role];
}

const loads: Readonly<Record<ProbeKind, string>> = {
  A: 'a burst, then a drip',
  B: 'a paced load, then a drip',
  C: 'one request, then bursts late in its window and just after',
  D: 'two keys, one started after the other',
  E: 'a burst, a drip, and bursts as it is forgotten',
  F: 'a burst, and single requests about a window apart',
  G: 'a burst, then a trickle',
  H: 'one request, and a dense drip as its window ends',
};

/** `probe E (a burst, …) beside probe B (…)`. */
export function probesInWords(tracks: readonly Track[]): string {
  return tracks.map(({ kind }) => `probe ${kind} (${loads[kind]})`).join(' beside ');
}
