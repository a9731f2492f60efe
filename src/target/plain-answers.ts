import type { SessionGrant, Shade } from '../wire.ts';
import { isObject } from './json.ts';

/**
 * A quick test whether a body is certainly as the interface promises. Nearly every answer of a run passes here; the
 * schemas judge and describe the others.
 */

/** The bounds are those of the schemas. */
const longestId = 4_096;
const plainInstant = /^20\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/;
const plainColour = /^#[0-9A-Fa-f]{6}$/;

export function isPlainGrant(body: unknown): body is SessionGrant {
  return (
    isObject(body) &&
    isText(body.session_id) &&
    body.session_id.length <= longestId &&
    body.session_id.isWellFormed() &&
    isText(body.token) &&
    isPlainInstant(body.expires_at) &&
    isCount(body.shade_count)
  );
}

export function arePlainShades(list: readonly unknown[]): list is readonly Shade[] {
  return list.every(
    (shade) =>
      isObject(shade) &&
      isText(shade.sku) &&
      typeof shade.name === 'string' &&
      typeof shade.hex === 'string' &&
      plainColour.test(shade.hex) &&
      typeof shade.finish === 'string',
  );
}

export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0;
}

function isPlainInstant(value: unknown): value is string {
  return typeof value === 'string' && plainInstant.test(value) && isTimeOfDay(value);
}

/** At offset 11: `hh:mm:ss` below 24:60:60. */
function isTimeOfDay(instant: string): boolean {
  return instant.slice(11, 13) < '24' && instant.slice(14, 16) < '60' && instant.slice(17, 19) < '60';
}
