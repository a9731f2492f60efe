import { catalogue } from '../../../corners/catalogue.ts';
import { isPair } from '../../../corners/value-class.ts';
import type { Shade } from '../../../wire.ts';
import { type Suspect, shown } from '../../causes/cause.ts';
import { isUnlikely } from '../../core/by-connection.ts';

const fields = ['sku', 'name', 'hex', 'finish'] as const;
/** Fields in which shades of one catalog may well be equal. */
const repeatable = ['name', 'hex'] as const;
/** Of the number of classes and fields that are tried. */
const logTries = Math.log(100);

/**
 * What all shades that a list lacks have in common, and none that it shows: a class of values, or the name or colour of one
 * that it shows. `imported`: all shades, each SKU once.
 */
export function missingAlike(
  imported: readonly Shade[],
  missing: ReadonlySet<string>,
  seqs: readonly number[],
): Suspect | undefined {
  const lost = imported.filter(({ sku }) => missing.has(sku));
  const kept = imported.filter(({ sku }) => !missing.has(sku));
  // By chance, one of these would be true of a few shades.
  if (!isUnlikely({ failed: lost.length, requests: imported.length }, logTries)) return undefined;
  const counts = { missing: lost.length, others: kept.length };
  for (const field of repeatable) {
    const values = new Set(kept.map((shade) => shade[field]));
    // No two of those kept are alike, either.
    if (values.size === kept.length && lost.every((shade) => values.has(shade[field])))
      return shown('shades-alike-missing', { ...counts, field, of: 'repeated' }, seqs);
  }
  for (const field of fields)
    for (const each of catalogue[field].classes) {
      if (isPair(each)) continue;
      if (lost.every((shade) => each.holds(shade[field])) && !kept.some((shade) => each.holds(shade[field])))
        return shown('shades-alike-missing', { ...counts, field, of: each.id }, seqs);
    }
  return undefined;
}

/** What software makes of an id that it does not leave as it is. */
const remade: readonly ((sku: string) => string)[] = [
  (sku) => String(Number(sku)),
  decoded,
  (sku) => decoded(sku.replaceAll('+', ' ')),
  (sku) => sku.normalize('NFC'),
  (sku) => sku.trim(),
  (sku) => sku.toLowerCase(),
  (sku) => sku.toUpperCase(),
];
/** A column for ids holds at least this much. */
const leastKept = 8;

/** A SKU that a list lacks, and the one that it shows in its place. */
export function changedSku(
  missing: readonly string[],
  foreign: readonly string[],
): { readonly sent: string; readonly got: string } | undefined {
  const listed = new Set(foreign);
  for (const sent of missing)
    for (const remake of remade) {
      const got = remake(sent);
      if (got !== sent && listed.has(got)) return { sent, got };
    }
  for (const sent of missing) {
    const got = foreign.find((sku) => sku.length >= leastKept && sku !== sent && sent.startsWith(sku));
    if (got !== undefined) return { sent, got };
  }
  return undefined;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
