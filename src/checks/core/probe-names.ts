import { z } from 'zod';
import { sqlText } from '../../history/tables.ts';
import type { Probe } from '../../vocabulary/probes.ts';

/** A column with the name of a probe. Histories are written by this program: a name that it does not know matches nothing. */
export const probeColumn = z.custom<Probe>((value) => typeof value === 'string');

/** The part of a name before its first colon, where there is one. */
type ProbeFamily = Probe extends infer Name
  ? Name extends `${infer Family}:${string}`
    ? Family
    : never
  : never;

/** SQL: the request is one of these probes. */
export function isProbe(...probes: readonly [Probe, ...Probe[]]): string {
  return `coalesce(probe IN (${probes.map((probe) => sqlText(probe)).join(', ')}), false)`;
}

/** SQL: the request is a probe of this family. */
export function isProbeOf(family: ProbeFamily): string {
  return `starts_with(coalesce(probe, ''), ${sqlText(`${family}:`)})`;
}
