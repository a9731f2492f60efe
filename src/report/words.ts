import { rename, rm, writeFile } from 'node:fs/promises';
import { number } from '../amounts.ts';
import { type CheckResult, mergeVerdicts, type Verdict } from '../checks/core/verdict.ts';
import { type CheckGroup, checkGroups } from '../vocabulary/check-ids.ts';

/** The words and marks of verdicts and groups, the same in every report: never a colour alone. */
export const verdictWords: Readonly<Record<Verdict, { readonly word: string; readonly mark: string }>> = {
  pass: { word: 'Pass', mark: '✓' },
  fail: { word: 'Fail', mark: '✗' },
  inconclusive: { word: 'Inconclusive', mark: '?' },
};

export const groupTitles: Readonly<Record<CheckGroup, string>> = {
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
      const own = checks.filter(({ id }) => id.startsWith(`${group}.`));
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

/**
 * Writes a whole file or none: on a full disk the old file stays. Throws the file system's error with the file's
 * path, which the system omits if the disk is full.
 */
export async function writeWhole(file: string, text: string): Promise<void> {
  const part = `${file}.part`;
  try {
    await writeFile(part, text);
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true, recursive: true }).catch(() => undefined);
    throw new WriteFailure(file, error);
  }
}

/** A file that could not be written. */
export class WriteFailure extends Error {
  override readonly name = 'WriteFailure';
  readonly file: string;

  constructor(file: string, cause: unknown) {
    super(`${file} could not be written`, { cause });
    this.file = file;
  }
}
