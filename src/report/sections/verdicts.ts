import { counted, number } from '../../amounts.ts';
import { statementsOf } from '../../checks/core/render.ts';
import type { CheckResult, Verdict } from '../../checks/core/verdict.ts';
import type { History } from '../../history/history.ts';
import { checkGroups } from '../../vocabulary/check-ids.ts';
import {
  badge,
  code,
  foreign,
  link,
  nothing,
  prose,
  queried,
  quiet,
  type ReportFigure,
  t,
  whole,
} from '../figure.ts';
import type { Section } from '../section.ts';
import { utcMs } from '../text.ts';
import { type GroupedChecks, groupChecks, severities, tally } from '../words.ts';
import { carriedRecords } from './stories.ts';

/** Every check, worst group first: expected, observed, reason, and the records of the evidence. */
export const verdictsSection: Section = {
  id: 'verdicts',
  title: 'All checks',
  about: checkGroups,
  make: async ({ history, judgement: { checks, verdict } }) => {
    if (checks.length === 0) return [nothing('Nothing was checked.')];
    const carried = carriedRecords(checks);
    const groups = groupChecks(checks);
    const failed = groups.flatMap((group) => group.checks.filter(({ verdict }) => verdict === 'fail'));
    const open = new Set(failed.slice(0, mostOpen));
    const figures: ReportFigure[] = [
      {
        kind: 'check-search',
        verdicts: severities.filter((verdict) => checks.some((check) => check.verdict === verdict)),
        count: `${tally(checks)}.`,
      },
    ];
    for (const group of groups)
      figures.push(await groupFigure(group, { history, carried, open, worst: verdict }));
    return figures;
  },
};

/** This number of failed checks stand open with all that they say; a reader opens the others. */
const mostOpen = 2;

interface ChecksShown {
  readonly history: History;
  readonly carried: ReadonlySet<number>;
  readonly open: ReadonlySet<CheckResult>;
  readonly worst: Verdict;
}

/** A group without the verdict of the run is one line until it is opened, and so are the checks of another that passed. */
async function groupFigure(
  { checks, group, title, verdict }: GroupedChecks,
  shown: ChecksShown,
): Promise<ReportFigure> {
  const body: ReportFigure[] = [];
  const passed: ReportFigure[] = [];
  for (const check of checks)
    (check.verdict === 'pass' && verdict !== 'pass' ? passed : body).push(await checkFigure(check, shown));
  if (passed.length > 0)
    body.push({
      kind: 'details',
      look: 'passed',
      summary: `${counted(passed.length, 'check')} passed`,
      body: passed,
    });
  return {
    kind: 'details',
    look: 'group',
    id: `group-${group}`,
    summary: t`${badge(verdict)} ${title} ${quiet(tally(checks))}`,
    isOpen: verdict !== 'pass' && verdict === shown.worst,
    body,
  };
}

/** From this many parts on, an explanation is a list. */
const fewestListed = 3;

async function checkFigure(
  check: CheckResult,
  { carried, history, open }: ChecksShown,
): Promise<ReportFigure> {
  const { evidence, expected, explanation, id, observed, title, verdict } = check;
  const statements = statementsOf(check);
  const records: ReportFigure[] = [];
  for (const { seqs, total, what } of evidence)
    records.push(
      {
        kind: 'text',
        text: t`${foreign(what)}${total > seqs.length && t` ${quiet(`(the first ${number(seqs.length)} of ${number(total)})`)}`}`,
      },
      ...(seqs.length === 0 ? [] : [await recordTable(seqs, history, carried)]),
    );
  const found = evidence.reduce((sum, { total }) => sum + total, 0);
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
      ...(records.length === 0
        ? []
        : [
            {
              kind: 'details',
              look: 'evidence',
              summary: `Evidence: ${counted(found, 'record')}`,
              body: records,
            } as const,
          ]),
    ],
  };
}

/** The history's rows that are evidence; those that the page has a story of are links to it. */
async function recordTable(
  seqs: readonly number[],
  history: History,
  carried: ReadonlySet<number>,
): Promise<ReportFigure> {
  const known = seqs.filter(Number.isSafeInteger);
  const zeroMs = history.run.zero_epoch_ms;
  const found =
    known.length === 0
      ? undefined
      : await queried(
          history,
          'Records of the history (requests.csv)',
          [
            [
              'seq',
              'seq',
              (seq) => (carried.has(Number(seq)) ? link(`#record-${String(seq)}`, String(seq)) : String(seq)),
            ],
            ['Sent at', 'sent_ns', 'instant'],
            ['Sent (UTC)', 'sent_ns', (ns) => ns !== null && whole(utcMs(zeroMs + Number(ns) / 1e6))],
            ['Phase', 'phase', 'foreign'],
            ['Endpoint', "concat_ws(' ', endpoint, probe)", 'foreign'],
            ['Key', 'credential', 'text'],
            [
              'Outcome',
              "coalesce(CAST(status AS VARCHAR), 'lost: ' || lost, 'not sent: ' || not_sent, 'unknown')",
              'foreign',
            ],
            ['Service ms', '(answered_ns - sent_ns) / 1e6', 'ms'],
            ['Id', 'coalesce(session_id, product_id, catalog_id)', 'code'],
          ],
          {
            from: `requests WHERE seq IN (${known.join(', ')})`,
            time: ['sent_ns', 'sent_ns'],
            after: `ORDER BY list_position([${known.join(', ')}], seq)`,
          },
        );
  return found ?? nothing(`Not in the history: ${seqs.join(', ')}.`);
}
