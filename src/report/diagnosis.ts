import { counted } from '../amounts.ts';
import type { CheckResult } from '../checks/core/verdict.ts';
import type { Diagnosed } from '../checks/diagnosis/diagnosis.ts';
import type { Judgement } from '../checks/diagnosis/judgement.ts';
import type { CheckId } from '../vocabulary/check-ids.ts';

/** `Probable cause (shown)`, with its number where there are several; another word where nothing failed because of it. */
export function causeHeading(each: Diagnosed, causes: readonly Diagnosed[]): string {
  const alike = causes.filter(({ explains }) => explains === each.explains);
  const which = alike.length > 1 ? ` ${alike.indexOf(each) + 1} of ${alike.length}` : '';
  const what = each.explains === 'fail' ? 'Probable cause' : 'Why checks are inconclusive';
  return `${what}${which} (${each.certainty})`;
}

/** `Explains 4 checks: analytics.product-filter, …` */
export function explained({ checks }: Diagnosed): string {
  return `Explains ${counted(checks.length, 'check')}: ${checks.join(', ')}`;
}

/** The same within a number of columns: whole ids, and how many more. */
export function explainedWithin(each: Diagnosed, columns: number): string {
  const all = explained(each);
  if (all.length <= columns) return all;
  const { checks } = each;
  const texts = checks.map((_, last) => {
    const shown = checks.slice(0, checks.length - 1 - last);
    return `Explains ${counted(checks.length, 'check')}${shown.length === 0 ? '' : `: ${shown.join(', ')} and ${checks.length - shown.length} more`}`;
  });
  return texts.find((text) => text.length <= columns) ?? `Explains ${counted(checks.length, 'check')}`;
}

/** `Also fits: … Against it: rate-limit.limit passed.`, if anything does. */
export function doubts({ alternatives, contradictedBy }: Diagnosed): string | undefined {
  const texts = [
    ...(alternatives.length === 0 ? [] : [`Also fits: ${alternatives.join(' Or: ')}`]),
    ...(contradictedBy.length === 0 ? [] : [`Against it: ${contradictedBy.join(', ')} passed.`]),
  ];
  return texts.length === 0 ? undefined : texts.join(' ');
}

/** Checks that a probable cause explains. */
function explainedIds({ diagnosis }: Pick<Judgement, 'diagnosis'>): ReadonlySet<CheckId> {
  return new Set(diagnosis.causes.flatMap(({ checks }) => checks));
}

/** Checks that did not pass and that no probable cause explains. */
export function standingAlone(judgement: Judgement): readonly CheckResult[] {
  const known = explainedIds(judgement);
  return judgement.checks.filter(({ id, verdict }) => verdict !== 'pass' && !known.has(id));
}
