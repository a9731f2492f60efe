import type { Catalog } from '../../catalog/catalog.ts';
import { studyPhases } from '../../history/phases.ts';
import * as calls from '../../target/calls.ts';
import type { Prober, StudyRequest } from './prober.ts';
import { exhaust } from './scope.ts';

const volleys = 5;
const inVolley = 4;

/** With the quota key's quota spent, its rate limit as well: then sessions, some at once, to see which refusal comes first. */
export async function tryPrecedence({
  prober,
  limit,
  catalog,
}: {
  readonly prober: Prober;
  readonly limit: number;
  readonly catalog: Catalog;
}): Promise<void> {
  const control: StudyRequest = {
    call: calls.listShades(catalog.id),
    credential: 'quota',
    phase: studyPhases.precedence,
    probe: 'scope:control',
    known: { catalogId: catalog.id },
  };
  if (!(await exhaust({ prober, limit, control, tries: new Map() }))) return;
  const productId = catalog.products[0]?.id ?? '';
  const body = { product_id: productId, catalog_id: catalog.id, locale: 'en-GB' };
  const session: StudyRequest = {
    call: calls.createSession(body),
    credential: 'quota',
    phase: studyPhases.precedence,
    probe: 'precedence:create-session',
    known: { productId, catalogId: catalog.id, locale: body.locale },
  };
  for (let volley = 0; volley < volleys; volley++) {
    await prober.volley([control, ...Array.from({ length: inVolley }, () => session), control]);
  }
}
