import { studyPhases } from '../../vocabulary/phases.ts';
import { decimalsOf } from '../analytics/roundings.ts';
import { isSuccessStatus } from '../found.ts';
import { type AskedQuestion, type Audit, between, sessionsOf } from './audit.ts';
import { familiesOf } from './products.ts';
import type { Mean } from './recombine.ts';

/**
 * Whether the audit's own session moved a mean of all products as much as one of many sessions does, and less than the only
 * session of one of many products would. That shows the weights where most products are not known. It is no ground for a
 * failure: others may have been at work.
 */
export function isWeightShown(audit: Audit, mean: Mean): boolean {
  const found = beforeAndAfter(audit);
  if (found === undefined) return false;
  const [before, after] = [found.before, found.after.report];
  if (after.sessions !== before.sessions + 1) return false;
  const [was, is] = [mean.of(before), mean.of(after)];
  const half = 0.5 * 10 ** -decimalsShown(audit, mean);
  const tolerance = 2 * half + 1e-9;
  const expected = (was * before.sessions + 1) / after.sessions;
  if (Math.abs(is - expected) > tolerance) return false;
  // The more products, the less one of them counts.
  const mostProducts = productsAtMost(audit, found.question, before.sessions);
  return Math.abs(1 - was) * (1 / (mostProducts + 1) - 1 / after.sessions) > 2 * tolerance;
}

function beforeAndAfter(audit: Audit) {
  const { questions, records } = audit;
  const asked = records.find(
    ({ phase, productId }) => phase === studyPhases.auditBefore && productId === null,
  );
  const isDone = records.some(({ probe, status }) => probe === 'audit:acts' && isSuccessStatus(status));
  const question = questions.find(
    ({ end, product, start }) =>
      product === null && start === asked?.query.start_date && end === asked.query.end_date,
  );
  const [before, after] = [asked?.report ?? undefined, question?.first];
  return isDone && before !== undefined && question?.last !== undefined && after !== undefined
    ? { before, question, after }
    : undefined;
}

/** Products that there can have been before the audit's own, each with a session at least. */
function productsAtMost(audit: Audit, whole: AskedQuestion, sessions: number): number {
  const family = familiesOf(audit).find((each) => each.whole === whole);
  const known = (family?.products ?? []).flatMap((product) =>
    product.isOwn || product.first === undefined || product.last === undefined
      ? []
      : between(product, sessionsOf).min,
  );
  const filled = known.filter((count) => count > 0);
  return filled.length + Math.max(0, sessions - filled.reduce((sum, count) => sum + count, 0));
}

/** As many as answers have, where that is more than the profile promises. */
function decimalsShown({ profile, questions }: Audit, { of }: Mean): number {
  const values = questions.flatMap(({ reads }) => reads.map(({ report }) => of(report)));
  return Math.max(profile.decimals, ...values.map(decimalsOf));
}
