import { caused, fits } from '../../causes/cause.ts';
import { gotOf, is2xx, type ProbeRow } from '../../core/probes.ts';
import type { CheckFinding } from '../../core/verdict.ts';
import { reason } from '../../reasons/reason.ts';
import { askedEarly, dueOf } from '../imports/imported.ts';
import { evidenceOf, isAnswered, lastOf, listUnclear } from '../probes/asked.ts';
import { wholeList } from '../probes/pages.ts';

/** Imports into one catalog at the same time are all stored. `sent`: the SKUs that the list has to show, and those of the import before. */
export function checkAtOnce(
  probes: readonly ProbeRow[],
  sent: { readonly skus: ReadonlySet<string>; readonly update: ReadonlyMap<string, unknown> },
  visibleMs: number,
): CheckFinding {
  const imports = probes.filter((row) => row.probe === 'together:import');
  const list = lastOf(probes, 'together:list');
  const due = imports.flatMap((row) => dueOf(row, visibleMs) ?? []);
  const shades = list === undefined ? undefined : wholeList(list);
  const skus = new Set(shades?.map(({ sku }) => sku));
  const missing = [...sent.skus].filter((sku) => !skus.has(sku));
  const common = {
    id: 'contract.imports-at-once',
    expected: { listed: sent.skus.size },
    observed: { imports: imports.length, listed: shades?.length ?? null },
    evidence: evidenceOf(...imports, list),
  } as const;
  const unclear = imports.find((row) => !isAnswered(row) || !is2xx(row));
  if (unclear !== undefined || imports.length === 0)
    return {
      ...common,
      verdict: 'inconclusive',
      reasons: [reason('import-unclear', { got: gotOf(unclear) })],
    };
  const isEarly = list !== undefined && askedEarly(list, due.length === 0 ? null : Math.max(...due));
  if (shades === undefined || (missing.length > 0 && isEarly))
    return { ...common, verdict: 'inconclusive', reasons: [listUnclear(list)] };
  // Whether an import replaces the whole catalog is not specified.
  if (skus.size > 0 && [...sent.update.keys()].every((sku) => !skus.has(sku)))
    return { ...common, verdict: 'inconclusive', reasons: [reason('imports-at-once-replaced', {})] };
  if (missing.length === 0)
    return {
      ...common,
      verdict: 'pass',
      reasons: [reason('imports-at-once-listed', { imports: imports.length })],
    };
  return {
    ...common,
    verdict: 'fail',
    reasons: [reason('imports-at-once-missing', { imports: imports.length, shades: missing.length })],
    ...caused([
      fits('concurrent-imports-lost', { shades: missing.length }, [
        ...imports.map(({ seq }) => seq),
        ...(list === undefined ? [] : [list.seq]),
      ]),
    ]),
  };
}
