import { number } from '../amounts.ts';
import { keysWanted } from '../checks/core/keys-wanted.ts';
import { type CheckResult, mergeVerdicts, type Verdict } from '../checks/core/verdict.ts';
import type { Judgement } from '../checks/diagnosis/judgement.ts';
import { steppedText } from '../checks/reasons/words/clock.ts';
import type { RunInfo } from '../history/run.ts';
import { type CheckGroup, checkGroups } from '../vocabulary/check-ids.ts';

/** The words and marks of verdicts and groups, the same in every report: never a colour alone. */
export const verdictWords: Readonly<Record<Verdict, { readonly word: string; readonly mark: string }>> = {
  pass: { word: 'Pass', mark: '✓' },
  fail: { word: 'Fail', mark: '✗' },
  inconclusive: { word: 'Inconclusive', mark: '?' },
};

const groupTitles: Readonly<Record<CheckGroup, string>> = {
  contract: 'Contract',
  'rate-limit': 'Rate limit',
  quota: 'Session quota',
  analytics: 'Analytics',
  latency: 'Latency',
  capacity: 'Capacity',
  books: 'Accounting',
  generator: 'Generator',
  history: 'History',
};

/** The checks of one group, worst first, and their merged verdict. */
export interface GroupedChecks {
  readonly group: CheckGroup;
  readonly title: string;
  readonly verdict: Verdict;
  readonly checks: readonly CheckResult[];
}

/** The verdicts, worst first. */
export const severities: readonly Verdict[] = ['fail', 'inconclusive', 'pass'];

/** Checks by group, worst group first; within equals, groups and checks keep the order they were given in. */
export function groupChecks(checks: readonly CheckResult[]): GroupedChecks[] {
  return checkGroups
    .map((group): GroupedChecks => {
      const own = checks.filter((check) => groupOf(check) === group);
      return {
        group,
        title: groupTitles[group],
        verdict: mergeVerdicts(own.map((check) => check.verdict)),
        checks: bySeverity(own),
      };
    })
    .filter((group) => group.checks.length > 0)
    .toSorted((a, b) => severities.indexOf(a.verdict) - severities.indexOf(b.verdict));
}

/** Worst first; equals keep their order. */
export function bySeverity(checks: readonly CheckResult[]): readonly CheckResult[] {
  return checks.toSorted((a, b) => severities.indexOf(a.verdict) - severities.indexOf(b.verdict));
}

function groupOf(check: CheckResult): string {
  return check.id.slice(0, check.id.indexOf('.'));
}

/** `3 failed, 1 inconclusive, 20 passed`. Zeros are left out. */
export function tally(checks: readonly CheckResult[]): string {
  const words: Readonly<Record<Verdict, string>> = {
    fail: 'failed',
    inconclusive: 'inconclusive',
    pass: 'passed',
  };
  const parts = severities
    .map((verdict) => ({ verdict, n: checks.filter((check) => check.verdict === verdict).length }))
    .filter(({ n }) => n > 0)
    .map(({ verdict, n }) => `${number(n)} ${words[verdict]}`);
  return parts.length === 0 ? 'nothing was checked' : parts.join(', ');
}

/** That the target's clock was set within the run; undefined where it was not. */
export function clockStepInWords({ checks }: Pick<Judgement, 'checks'>): string | undefined {
  for (const { reasons } of checks)
    for (const each of reasons)
      if (each.code === 'answers-clock-stepped' || each.code === 'limit-clock-stepped')
        return steppedText(each.params);
  return undefined;
}

/**
 * `contract.tenancy (bystander), quota.sharing in part (twin)`: what was not judged, and the role of the missing key.
 */
export function wantedInWords(run: RunInfo, { checks }: Pick<Judgement, 'checks'>): string | undefined {
  const wanted = keysWanted(run, checks);
  if (wanted.length === 0) return undefined;
  return wanted.map(({ isPart, role, what }) => `${what}${isPart ? ' in part' : ''} (${role})`).join(', ');
}

/** Why the run ended before its plan was carried out. All else that the summary says follows from it. */
export function earlyEnd({ ended }: Pick<RunInfo, 'ended'>): string | undefined {
  if (ended === undefined) return 'The history has no record of the end of the run: it was killed.';
  if (ended.how === 'completed') return undefined;
  const detail = ended.detail === undefined ? '' : `: ${ended.detail}`;
  return `The run ended early (${ended.how})${detail}.`;
}
