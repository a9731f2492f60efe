import { counted } from '../../amounts.ts';
import { statementsOf } from '../../checks/core/render.ts';
import type { CheckResult, Verdict } from '../../checks/core/verdict.ts';
import { checkGroups } from '../../vocabulary/check-ids.ts';
import {
  badge,
  code,
  foreign,
  joined,
  link,
  nothing,
  prose,
  quiet,
  type ReportFigure,
  type Text,
  t,
} from '../figure.ts';
import type { Section } from '../section.ts';
import { type GroupedChecks, groupChecks, tally } from '../words.ts';
import { carriedRecords } from './stories.ts';

/** Every check, worst group first: expected, observed, reason, and the records of the evidence. */
export const verdictsSection: Section = {
  id: 'verdicts',
  title: 'All checks',
  about: checkGroups,
  make: async ({ judgement: { checks, verdict } }) => {
    if (checks.length === 0) return [nothing('Nothing was checked.')];
    const carried = carriedRecords(checks);
    const groups = groupChecks(checks);
    const failed = groups.flatMap((group) => group.checks.filter((check) => check.verdict === 'fail'));
    const open = new Set(failed.slice(0, mostOpen));
    return groups.map((group) => groupFigure(group, { carried, open, worst: verdict }));
  },
};

/** This number of failed checks stand open with all that they say; a reader opens the others. */
const mostOpen = 2;

interface ChecksShown {
  readonly carried: ReadonlySet<number>;
  readonly open: ReadonlySet<CheckResult>;
  readonly worst: Verdict;
}

/** A group without the verdict of the run is one line until it is opened, and so are the checks of another that passed. */
function groupFigure({ checks, group, title, verdict }: GroupedChecks, shown: ChecksShown): ReportFigure {
  const passed = verdict === 'pass' ? [] : checks.filter((check) => check.verdict === 'pass');
  const figuresOf = (some: readonly CheckResult[]): ReportFigure[] =>
    some.map((check) => checkFigure(check, shown));
  return {
    kind: 'details',
    look: 'group',
    id: `group-${group}`,
    summary: t`${badge(verdict)} ${title} ${quiet(tally(checks))}`,
    isOpen: verdict !== 'pass' && verdict === shown.worst,
    body: [
      ...figuresOf(checks.filter((check) => !passed.includes(check))),
      ...(passed.length === 0
        ? []
        : [
            {
              kind: 'details',
              look: 'passed',
              summary: `${counted(passed.length, 'check')} passed`,
              body: figuresOf(passed),
            } as const,
          ]),
    ],
  };
}

/** From this many parts on, an explanation is a list. */
const fewestListed = 3;

function checkFigure(check: CheckResult, { carried, open }: ChecksShown): ReportFigure {
  const { evidence, expected, explanation, id, observed, title, verdict } = check;
  const statements = statementsOf(check);
  return {
    kind: 'details',
    look: { check: verdict },
    id,
    summary: [badge(verdict), { span: 'title', text: prose(title) }, { span: 'id', text: code(id) }],
    isOpen: open.has(check),
    body: [
      statements.length < fewestListed
        ? { kind: 'text', text: prose(explanation) }
        : { kind: 'list', items: statements.map(prose) },
      { kind: 'comparison', expected, observed },
      ...(evidence.length === 0 ? [] : [evidenceFigure(evidence, carried)]),
    ],
  };
}

/** The records that are evidence; those that the page has a story of are links to it. */
function evidenceFigure(evidence: CheckResult['evidence'], carried: ReadonlySet<number>): ReportFigure {
  const record = (seq: number): Text =>
    carried.has(seq) ? link(`#record-${seq}`, String(seq)) : String(seq);
  return {
    kind: 'list',
    look: 'evidence',
    items: evidence.map(
      ({ seqs, total, what }) =>
        t`${foreign(what)} (${counted(total, 'record')})${seqs.length > 0 && t`: ${joined(seqs.map(record))}${total > seqs.length && ', …'}`}`,
    ),
  };
}
