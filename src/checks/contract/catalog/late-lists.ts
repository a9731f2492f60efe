import { z } from 'zod';
import { span } from '../../../amounts.ts';
import type { History } from '../../../history/history.ts';
import { fits, type Suspect, shown } from '../../causes/cause.ts';
import { admitted } from '../../core/found.ts';
import { isProbe, isProbeOf } from '../../core/probe-names.ts';

const lateRow = z.object({
  imported_ns: z.number().nullable(),
  accepted_for_later: z.boolean().nullable(),
  short_ns: z.number().nullable(),
  short_seq: z.number().nullable(),
  listed: z.number().nullable(),
  whole_ns: z.number().nullable(),
  whole_seq: z.number().nullable(),
});

export interface MissingCauses {
  readonly causes: readonly Suspect[];
  /** No list is known to be whole later: how long after the import the last short one was requested. */
  readonly shortForMs?: number;
}

/**
 * The causes for a list that lacks imported shades: where all lists of the catalog are short at first and whole later, shades
 * are listed late, and otherwise they are missing.
 */
export async function missingCauses(
  history: History,
  catalogId: string,
  missing: Suspect | undefined,
  imported: number,
): Promise<MissingCauses> {
  const [row] = await history.rows(
    lateRow,
    `WITH imports AS (
       SELECT max(answered_ns) AS imported_ns, bool_or(status = 202) AS accepted_for_later FROM requests
       WHERE endpoint = 'import-shades' AND catalog_id = $id AND ${admitted}),
     lists AS (
       SELECT seq, sent_ns, coalesce(count, 0) AS shades FROM requests
       WHERE endpoint = 'list-shades' AND catalog_id = $id AND (${admitted} AND count IS NOT NULL OR status = 404)
         AND NOT ${isProbe('next-page')} AND NOT ${isProbeOf('tenancy')}
         AND sent_ns >= (SELECT imported_ns FROM imports))
     SELECT any_value(imported_ns) AS imported_ns, any_value(accepted_for_later) AS accepted_for_later,
       max(sent_ns) FILTER (shades < $imported) AS short_ns, arg_max(seq, sent_ns) FILTER (shades < $imported) AS short_seq,
       arg_max(shades, sent_ns) FILTER (shades < $imported) AS listed,
       min(sent_ns) FILTER (shades >= $imported) AS whole_ns, arg_min(seq, sent_ns) FILTER (shades >= $imported) AS whole_seq
     FROM imports LEFT JOIN lists ON true`,
    { id: catalogId, imported },
  );
  const { accepted_for_later, imported_ns, listed, short_ns, short_seq, whole_ns, whole_seq } = row ?? {};
  const otherwise = missing === undefined ? [] : [missing];
  if (imported_ns == null || short_ns == null) return { causes: otherwise };
  if (whole_ns == null || whole_ns < short_ns)
    return { causes: otherwise, shortForMs: (short_ns - imported_ns) / 1e6 };
  const lateMs = Math.round((short_ns - imported_ns) / 1e6);
  const seqs = [short_seq, whole_seq].flatMap((seq) => seq ?? []);
  const late = { listed: listed ?? 0, imported, lateMs };
  // What is accepted for later (202) is promised by the profile alone.
  const causes =
    accepted_for_later === true
      ? [
          fits(
            'profile-false',
            {
              field: 'import_visible',
              told: span(history.profile.import_visible),
              found: `more than ${span(lateMs)}`,
            },
            seqs,
          ),
          fits('shades-listed-late', late, seqs),
        ]
      : [shown('shades-listed-late', late, seqs)];
  return { causes };
}
