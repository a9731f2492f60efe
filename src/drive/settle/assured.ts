import type { Scenario } from '../../scenario/define.ts';
import type { Profile } from '../../target/profile.ts';
import { parseAssurance, samplesFor } from '../../vocabulary/quantities.ts';

/**
 * How many sessions are drawn to be read back: as many as the scenario says, or as the profile's assurance takes. A
 * scenario that reads none back has none to read.
 */
export function readBackOf({ settle }: Scenario, { assurance }: Profile): number {
  if (assurance === undefined || settle.readBack === 0) return settle.readBack;
  return Math.max(settle.readBack, samplesFor(parseAssurance(assurance)));
}
