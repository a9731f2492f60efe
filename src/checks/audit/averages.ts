import { counted, number } from '../../amounts.ts';
import { decimalsOf } from '../analytics/roundings.ts';
import { fits, type Suspect } from '../diagnosis/cause.ts';
import type { CheckResult } from '../verdict.ts';
import { fittingEnds } from './adjacent.ts';
import {
  type Audit,
  haveCommonInstant,
  isSame,
  type Question,
  seqsOf,
  sessionsOf,
  standing,
} from './audit.ts';
import { Comparisons, type Finding, resultOf } from './findings.ts';
import { familiesOf } from './products.ts';
import type { Report } from './records.ts';
import { numberText } from './words.ts';

/** Which sessions a mean is taken over. Over those with shades alone, the weights are not in the answers. */
type Over = 'all' | 'with-shades';

/** A period, and what makes it up, session by session: none of it moved, and the sessions add up. */
interface Union {
  readonly whole: Question;
  readonly parts: readonly Question[];
}

interface Mean {
  readonly field: 'avg_shades_per_session' | 'cart_intent_rate';
  readonly of: (report: Report) => number;
}

export const means: readonly Mean[] = [
  { field: 'avg_shades_per_session', of: ({ average }) => average },
  { field: 'cart_intent_rate', of: ({ rate }) => rate },
];

/**
 * A mean over the sessions of two periods, or of all products, is that of the parts weighted by their sessions; over
 * sessions with shades alone it lies at least between them. And a mean over n sessions is a whole number of n-ths.
 */
export function judgeAverages(audit: Audit): CheckResult {
  const { unions, skipped } = unionsOf(audit);
  const findings = new Comparisons();
  findings.skipped = skipped;
  let told = 0;
  const observed: Record<string, string> = {};
  for (const mean of means) {
    const tried = oversOf(audit, mean).map((over) => ({ over, ...faultsOf(audit, unions, mean, over) }));
    const best = tried.find(({ faults }) => faults.length === 0) ?? tried[0];
    if (best === undefined) continue;
    findings.judged += best.judged;
    told += best.told;
    const causes = best.faults.length === 0 ? [] : causesOf(audit, unions, mean);
    findings.broken.push(...best.faults.map((fault) => ({ ...fault, causes })));
    if (best.faults.length === 0 && best.judged > 0)
      observed[mean.field] = `as over ${best.over === 'all' ? 'all sessions' : 'sessions with shades'}`;
  }
  // Where all sessions are in one part, an average of it all recombines however it is weighted.
  if (told === 0) findings.judged = 0;
  return resultOf(findings, {
    id: 'analytics.audit-averages',
    title: 'Averages and rates of parts combine to those of the whole',
    expected: {
      'of a period or of all products': 'the mean of its parts, weighted by their sessions',
      'of n sessions': 'a whole number of n-ths',
      'rounded to decimals': audit.profile.decimals,
    },
    passed: `Averages and rates recombine in ${counted(findings.judged, 'comparison')}, ${number(told)} of them of parts with different values.`,
    nothing:
      unions.length === 0
        ? 'No period with sessions stood still long enough to compare averages.'
        : 'All sessions are in one part of each period and of one product, or their averages are equal: how they are weighted does not show.',
    observed,
  });
}

/** Which sessions a mean may be over, as far as the profile says; all of them first. */
function oversOf({ profile }: Audit, { field }: Mean): Over[] {
  const { sessions_averaged: said } = profile;
  if (said === 'all') return ['all'];
  // The profile speaks of averages; a rate may be over all sessions all the same.
  return said === 'with-shades' && field === 'avg_shades_per_session'
    ? ['with-shades']
    : ['all', 'with-shades'];
}

function unionsOf(audit: Audit): { readonly unions: Union[]; readonly skipped: number } {
  const possible: Union[] = [
    ...fittingEnds(audit).flatMap(({ splits }) =>
      splits.map(({ left, right, whole }) => ({ whole, parts: [left, right] })),
    ),
    ...familiesOf(audit).map(({ products, whole }) => ({ whole, parts: products })),
  ];
  const still = possible.filter(
    ({ parts, whole }) =>
      [whole, ...parts].every((each) => standing(each) !== undefined) &&
      haveCommonInstant(audit, [whole, ...parts]),
  );
  const unions = still.filter(({ parts, whole }) => {
    const total = sessionsIn(whole);
    return total > 0 && parts.reduce((sum, part) => sum + sessionsIn(part), 0) === total;
  });
  return { unions, skipped: possible.length - still.length };
}

function sessionsIn(question: Question): number {
  const report = standing(question);
  return report === undefined ? 0 : sessionsOf(report);
}

/** What would make the values of a field right: other sessions that it is over, or fewer decimals. */
function causesOf(audit: Audit, unions: readonly Union[], mean: Mean): Suspect[] {
  const { decimals: promised } = audit.profile;
  const { field } = mean;
  const values = audit.questions.flatMap((question) => standing(question) ?? []).map(mean.of);
  const decimals = Math.max(0, ...values.map(decimalsOf));
  if (decimals === 0 && values.some((value) => value !== 0))
    return [fits('integer-division', { fields: [field] })];
  const rounded: Audit = { ...audit, profile: { ...audit.profile, decimals } };
  if (decimals > 0 && decimals < promised && faultsOf(rounded, unions, mean, 'all').faults.length === 0)
    return [fits('rounded-too-far', { fields: [field], decimals })];
  // Where totals are wrong or answers vary, averages over fewer sessions fit by accident.
  const isSteady = audit.questions.every(({ reads: [first, ...others] }) =>
    others.every(({ report }) => first !== undefined && isSame(report, first.report)),
  );
  if (audit.profile.sessions_averaged !== 'all' || !isSteady || fittingEnds(audit).length === 0) return [];
  if (faultsOf(audit, unions, mean, 'with-shades').faults.length > 0) return [];
  return [
    audit.wasTold('sessions_averaged')
      ? fits('profile-false', { field: 'analytics.sessions_averaged', told: 'all', found: 'with-shades' })
      : fits('inactive-sessions-left-out', { fields: [field] }),
  ];
}

function faultsOf(
  audit: Audit,
  unions: readonly Union[],
  { field, of }: Mean,
  over: Over,
): { readonly judged: number; readonly told: number; readonly faults: Finding[] } {
  const half = 0.5 * 10 ** -audit.profile.decimals;
  const faults: Finding[] = [];
  const meanOf = (question: Question): number => {
    const report = standing(question);
    return report === undefined ? 0 : of(report);
  };
  let told = 0;
  for (const { parts, whole } of unions) {
    const value = meanOf(whole);
    const filled = parts.filter((part) => sessionsIn(part) > 0);
    const values = filled.map(meanOf);
    if (Math.max(...values) - Math.min(...values) > 2 * half) told++;
    const bounds = over === 'all' ? weighted(filled, meanOf, half) : hull(filled.map(meanOf), half);
    if (value >= bounds.min - half - slack(value) && value <= bounds.max + half + slack(value)) continue;
    const shown = filled.map(
      (part) => `${numberText(meanOf(part))} over ${counted(sessionsIn(part), 'session')}`,
    );
    faults.push({
      text: `${field} of ${whole.label} is ${numberText(value)}, but its parts have ${shown.slice(0, 4).join(', ')}: ${numberText((bounds.min + bounds.max) / 2)} together`,
      seqs: seqsOf([whole, ...filled]),
    });
  }
  let judged = unions.length;
  for (const question of audit.questions) {
    const report = standing(question);
    if (report === undefined || report.sessions === 0) continue;
    judged++;
    if (isFraction(of(report), report.sessions, half, over)) continue;
    faults.push({
      text: `${field} of ${question.label} is ${numberText(of(report))}, which ${report.sessions === 1 ? 'no single session' : `no ${counted(report.sessions, 'session')}`} can have`,
      seqs: seqsOf([question]),
    });
  }
  return { judged, told, faults };
}

function weighted(
  parts: readonly Question[],
  meanOf: (part: Question) => number,
  half: number,
): { readonly min: number; readonly max: number } {
  const weight = parts.reduce((sum, part) => sum + sessionsIn(part), 0);
  const mean = parts.reduce((sum, part) => sum + meanOf(part) * sessionsIn(part), 0) / weight;
  return { min: mean - half, max: mean + half };
}

function hull(values: readonly number[], half: number): { readonly min: number; readonly max: number } {
  return { min: Math.min(...values) - half, max: Math.max(...values) + half };
}

/** Whether a mean can be that of whole numbers: over all of `sessions`, or over some of them. */
function isFraction(value: number, sessions: number, half: number, over: Over): boolean {
  const fits = (weight: number): boolean => {
    const sum = value * weight;
    return Math.abs(sum - Math.round(sum)) <= half * weight + slack(sum);
  };
  if (over === 'all') return fits(sessions);
  // Over that many, every value is near some fraction.
  if (sessions * half >= 0.5 || sessions > 1_000) return true;
  for (let weight = sessions; weight > 0; weight--) if (fits(weight)) return true;
  return value === 0;
}

/** Accuracy of double-precision arithmetic in another order. */
function slack(value: number): number {
  return Math.abs(value) * 2 ** -40;
}
