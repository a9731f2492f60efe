import { counted, number } from '../amounts.ts';
import type { ExploredPower } from '../checks/contract/explored/power.ts';

/** What a pass of the contract excludes, for a terminal; nothing where it excludes nothing. */
export function powerLine(power: ExploredPower | undefined): string | undefined {
  if (power === undefined) return undefined;
  const { faults, shown } = power;
  return `Would have shown ${number(shown)} of ${counted(faults, 'known fault')} of keys, shades, sessions and events (see the report).`;
}
