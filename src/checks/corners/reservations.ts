import { catalogue, type FieldName } from '../../corners/catalogue.ts';
import type { CoveredClass } from '../../corners/coverage.ts';
import type { CheckId } from '../../vocabulary/check-ids.ts';
import type { CheckFinding } from '../core/verdict.ts';
import { reason } from '../reasons/reason.ts';

/** The fields whose values a check's pass depends on. A pass says nothing about classes that no request carried. */
const fieldsOf: Readonly<Partial<Record<CheckId, readonly (FieldName | 'days')[]>>> = {
  'contract.catalog': ['sku', 'hex', 'finish', 'catalog_id', 'catalog'],
  'contract.batch-malformed': ['hex', 'import'],
  'contract.batch-max': ['batch'],
  'contract.malformed-requests': ['malformed'],
  'contract.names': ['name'],
  'contract.near-keys': ['key'],
  'analytics.sessions': ['product_id', 'locale', 'history', 'delivery', 'events'],
  'analytics.avg-shades': ['days'],
  'analytics.cart-intent': ['days'],
  'analytics.period': ['dates'],
  'analytics.product-filter': ['product_id'],
};

/** A pass, with what it says nothing about. */
export function withReservations(finding: CheckFinding, coverage: readonly CoveredClass[]): CheckFinding {
  const fields = fieldsOf[finding.id];
  if (finding.verdict !== 'pass' || fields === undefined) return finding;
  const reservations = fields.flatMap((field) => {
    const classes = coverage.filter((each) =>
      // Sessions of one day say nothing about an average over days.
      field === 'days' ? each.field === 'dates' && each.id === 'own-days' : each.field === field,
    );
    const missing = classes.filter(({ outcome }) => outcome !== 'reached').map(({ sentence }) => sentence);
    if (missing.length === 0) return [];
    return [
      reason('classes-not-reached', {
        field: catalogue[field === 'days' ? 'dates' : field].title,
        classes: classes.length,
        missing,
      }),
    ];
  });
  return { ...finding, reasons: [...finding.reasons, ...reservations] };
}
