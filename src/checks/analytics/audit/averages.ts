import { type MeanField, meanFields } from '../../../vocabulary/analytics.ts';
import { fits, type Suspect } from '../../causes/cause.ts';
import { isSuccessStatus } from '../../core/found.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import { isTold } from '../causes/row.ts';
import type { Comparisons } from '../compare/comparisons.ts';
import { decimalsOf } from '../compare/fit.ts';
import {
  type Broken,
  between,
  type Cover,
  compareMean,
  isMeanOfWholes,
  meanIn,
  type Over,
  restOf,
  sessions,
} from '../compare/sums.ts';
import { isSame } from '../results/stability.ts';
import { comparable, fittingPeriods, isStill, ofProducts } from './covers.ts';
import { type Audit, beforeSession } from './questions.ts';
import { compareMeansOfRows } from './rows.ts';

/** What compares a mean: covers whose rest is known, by the decimals to which means are right. */
interface Means {
  readonly audit: Audit;
  readonly covers: readonly Cover[];
  readonly field: MeanField;
  readonly decimals: number;
}

/**
 * A mean over the sessions of two periods, or of all products, is that of the parts weighted by their sessions; over
 * sessions with shades alone it lies at least between them. And a mean over n sessions is a whole number of n-ths.
 */
export function compareAverages(audit: Audit, findings: Comparisons): void {
  const { covers, skipped } = knownCovers(audit);
  findings.skipped = skipped;
  findings.nothing = nothingTold(covers);
  let areWeightsTold = false;
  const excluded: MeanField[] = [];
  for (const field of meanFields) {
    const means: Means = { audit, covers, field, decimals: audit.profile.decimals };
    const tried = oversOf(audit, field).map((over) => ({ over, ...faultsOf(means, over) }));
    const best = tried.find(({ faults }) => faults.length === 0) ?? tried[0];
    if (best === undefined) continue;
    findings.judged += best.judged;
    areWeightsTold ||= best.isTold;
    const causes = best.faults.length === 0 ? [] : causesOf(means);
    findings.broken.push(...best.faults.map((fault) => ({ ...fault, causes })));
    if (best.faults.length > 0) continue;
    if (best.over === 'all' && (best.isTold || isWeightShown(means))) excluded.push(field);
    if (best.judged > 0)
      findings.observed[field] = `as over ${best.over === 'all' ? 'all sessions' : 'sessions with shades'}`;
  }
  // Where all sessions are in one part, an average of it all recombines however it is weighted.
  if (!areWeightsTold && excluded.length === 0) findings.judged = 0;
  compareMeansOfRows(audit, findings);
  if (excluded.length > 0) findings.also.push(reason('audit-averages-excluded', { excluded }));
}

/** Periods whose parts are known: two shorter periods, or single products with a rest of others. */
function knownCovers(audit: Audit): Pick<Means, 'covers'> & { readonly skipped: number } {
  const periods = fittingPeriods(audit);
  const still = periods.filter(isStill);
  // One session among all says nothing of how they are weighted.
  const families = ofProducts(audit).filter(({ parts }) => parts.some(({ subject }) => subject !== 'own'));
  const products = comparable(audit, families);
  const covers = [...still, ...products.covers].flatMap((cover): Cover[] => {
    const rest = restOf(cover);
    const isPossible = cover.rest.max === 0 ? rest.max === 0 : rest.max >= 0;
    return isPossible && (between(cover.whole, sessions)?.min ?? 0) > 0 ? [{ ...cover, rest }] : [];
  });
  return { covers, skipped: periods.length - still.length + products.skipped };
}

function nothingTold(covers: Means['covers']): Reason {
  const [widest] = covers.toSorted((a, b) => b.rest.max - a.rest.max);
  if (widest === undefined) return reason('audit-averages-moved');
  const whole = between(widest.whole, sessions);
  return widest.rest.max > 0 && whole !== null
    ? reason('audit-averages-unknown-products', { rest: widest.rest, sessions: whole })
    : reason('audit-averages-one-part');
}

/** Which sessions a mean may be over, as far as the profile says; all of them first. */
function oversOf({ profile: { sessions_averaged: promised } }: Audit, field: MeanField): Over[] {
  if (promised === 'all') return ['all'];
  // The profile speaks of averages; a rate may be over all sessions all the same.
  return promised === 'with-shades' && field === 'avg_shades_per_session'
    ? ['with-shades']
    : ['all', 'with-shades'];
}

interface Faults {
  readonly judged: number;
  /** Whether a mean that is not weighted by sessions would be found. */
  readonly isTold: boolean;
  readonly faults: readonly Broken[];
}

function faultsOf(means: Means, over: Over): Faults {
  const { decimals, field } = means;
  const compared = means.covers.flatMap((cover) => comparedMean(means, cover, over) ?? []);
  const faults = compared.flatMap(({ broken }) => broken ?? []);
  const counted = over === 'all' ? steadyMeans(means).filter(({ sessions: count }) => count > 0) : [];
  for (const { asked, got, seqs, sessions: count } of counted)
    if (!isMeanOfWholes(got, count, decimals))
      faults.push({
        reason: reason('audit-averages-no-fraction', { asked, field, got, sessions: count }),
        seqs,
      });
  return {
    judged: compared.length + counted.length,
    isTold: compared.some((each) => each.isTold),
    faults,
  };
}

/** The means of questions whose answers are the same in the first and in the last round. */
const steadyMeans = ({ audit, field }: Pick<Means, 'audit' | 'field'>) =>
  audit.questions.flatMap(({ first, last, query: { label: asked } }) =>
    first === undefined || last === undefined || !isSame(first.report, last.report)
      ? []
      : {
          ...{ asked, got: meanIn(field, first.report) ?? 0, sessions: first.report.totalSessions },
          seqs: [first.seq, last.seq],
        },
  );

/** Undefined where others have moved what the comparison rests on: sums only grow while others are at work; what is last in a session may change. */
function comparedMean(
  { audit: { profile }, decimals, field }: Means,
  cover: Cover,
  over: Over,
): ReturnType<typeof compareMean> {
  const onlyGrows = over === 'all' && (field !== 'cart_intent_rate' || profile.cart_intent === 'ever');
  return onlyGrows || isStill(cover) ? compareMean(cover, field, decimals, over) : undefined;
}

/** What would make the values of a field right: other sessions that it is over, or fewer decimals. */
function causesOf(means: Means): Suspect[] {
  const { audit, covers, decimals: promised, field } = means;
  const values = steadyMeans(means).map(({ got }) => got);
  // No mean over other sessions is a rate above 1.
  if (field === 'cart_intent_rate' && values.some((value) => value > 1)) return [];
  const decimals = Math.max(0, ...values.map(decimalsOf));
  if (decimals === 0 && values.some((value) => value !== 0))
    return [fits('integer-division', { fields: [field] })];
  if (decimals > 0 && decimals < promised && faultsOf({ ...means, decimals }, 'all').faults.length === 0)
    return [fits('rounded-too-far', { fields: [field], decimals })];
  // Where totals are wrong or answers vary, averages over fewer sessions fit by accident.
  const isSteady = audit.questions.every(({ reads: [first, ...others] }) =>
    others.every(({ report }) => first !== undefined && isSame(report, first.report)),
  );
  if (audit.profile.sessions_averaged !== 'all' || !isSteady || fittingPeriods(audit).length === 0) return [];
  if (faultsOf(means, 'with-shades').faults.length > 0) return [];
  // Where others' products are unknown, any average fits sessions with shades.
  const isOpen = covers.some(
    (cover) =>
      comparedMean(means, cover, 'with-shades') === undefined &&
      comparedMean(means, cover, 'all')?.broken !== undefined,
  );
  if (isOpen) return [];
  return [
    isTold(audit.history, 'sessions_averaged')
      ? fits('profile-false', { field: 'analytics.sessions_averaged', told: 'all', found: 'with-shades' })
      : fits('inactive-sessions-left-out', { fields: [field] }),
  ];
}

/**
 * Whether the audit's own session moved a mean of all products as much as one of many sessions does, and less than the only
 * session of one of many products would. That shows the weights where most products are not known. It is no ground for a
 * failure: others may have been at work.
 */
function isWeightShown({ audit, field }: Means): boolean {
  const { profile, questions, records } = audit;
  const { before, question } = beforeSession(audit);
  const isDone = records.some(({ probe, status }) => probe === 'audit:acts' && isSuccessStatus(status));
  const family = ofProducts(audit).find(({ whole }) => whole === question);
  const [first, after] = [before?.report, question?.first?.report];
  if (!isDone || !first || !family || !after || after.totalSessions !== first.totalSessions + 1) return false;
  const [was, is] = [meanIn(field, first) ?? 0, meanIn(field, after) ?? 0];
  const values = questions.flatMap(({ reads }) => reads.map(({ report }) => meanIn(field, report) ?? 0));
  const tolerance = 10 ** -Math.max(profile.decimals, ...values.map(decimalsOf)) + 1e-9;
  if (Math.abs(is - (was * first.totalSessions + 1) / after.totalSessions) > tolerance) return false;
  // The more products, the less one of them counts. Each there was before has a session at least.
  const counts = family.parts
    .filter(({ subject }) => subject !== 'own')
    .flatMap(({ first: one, last }) =>
      one && last ? Math.min(one.report.totalSessions, last.report.totalSessions) : [],
    )
    .filter((count) => count > 0);
  const unknown = first.totalSessions - counts.reduce((sum, count) => sum + count, 0);
  const mostProducts = counts.length + Math.max(0, unknown);
  return Math.abs(1 - was) * (1 / (mostProducts + 1) - 1 / after.totalSessions) > 2 * tolerance;
}
