import { z } from 'zod';
import { counted, milliseconds, number } from '../../amounts.ts';
import { statementsOf } from '../../checks/core/render.ts';
import type { CheckResult } from '../../checks/core/verdict.ts';
import type { History } from '../../history/history.ts';
import { instant, utcMs } from '../format.ts';
import { type Content, code, foreign, type Html, html, prose } from '../markup.ts';
import { atNs, type Section, type SectionBody, type SectionInput, table } from '../section.ts';
import { comparison } from '../shown-html.ts';
import { carriedRecords } from '../stories.ts';
import { type GroupedChecks, groupChecks, severities, tally, verdictWords } from '../words.ts';
import { verdictBadge } from './verdict-badge.ts';

const recordRow = z.object({
  seq: z.number(),
  phase: z.string(),
  credential: z.string(),
  endpoint: z.string(),
  probe: z.string().nullable(),
  sent_ns: z.number().nullable(),
  service_ms: z.number().nullable(),
  end_of_it: z.string(),
  id: z.string().nullable(),
});
type EvidenceRecord = z.output<typeof recordRow>;

/** The rows of the evidence by `seq`, those with a story on the page, and the run's zero. */
interface VerdictsContext {
  readonly records: ReadonlyMap<number, EvidenceRecord>;
  readonly carried: ReadonlySet<number>;
  readonly zeroMs: number;
}

/** Every check, worst group first: expected, observed, reason, and the records of the evidence. */
export const verdictsSection: Section = { id: 'verdicts', title: 'All checks', make };

async function make({ history, judgement }: SectionInput): Promise<SectionBody> {
  const records = await evidenceRecords(history, judgement.checks);
  const around = { records, carried: carriedRecords(judgement.checks), zeroMs: history.run.zero_epoch_ms };
  const groups = groupChecks(judgement.checks);
  return {
    body:
      groups.length === 0
        ? html`<p class="none">Nothing was checked.</p>`
        : html`${searchFields(judgement.checks)}<p class="lead"><output id="check-count">${tally(judgement.checks)}.</output></p>${groups.map((group) => groupBlock(group, around))}`,
  };
}

/** The history's rows that any check names as evidence, by `seq`. */
async function evidenceRecords(
  history: History,
  checks: readonly CheckResult[],
): Promise<ReadonlyMap<number, EvidenceRecord>> {
  const seqs = checks.flatMap((check) => check.evidence.flatMap((evidence) => evidence.seqs));
  const whole = [...new Set(seqs)].filter(Number.isSafeInteger);
  if (whole.length === 0) return new Map();
  const rows = await history.rows(
    recordRow,
    `SELECT seq, phase, credential, endpoint, probe, sent_ns, (answered_ns - sent_ns) / 1e6 AS service_ms,
       coalesce(CAST(status AS VARCHAR), 'lost: ' || lost, 'not sent: ' || not_sent, 'unknown') AS end_of_it,
       coalesce(session_id, product_id, catalog_id) AS id
     FROM requests WHERE seq IN (${whole.join(', ')})`,
  );
  return new Map(rows.map((row) => [row.seq, row]));
}

/** A search and a filter by verdict. The page's script shows them, since they need it. */
function searchFields(checks: readonly CheckResult[]): Html {
  const present = severities.filter((verdict) => checks.some((check) => check.verdict === verdict));
  return html`<search class="search" id="check-search" hidden>
<label>Search checks <input type="search" id="check-words"></label>${
    present.length > 1 &&
    html`<fieldset><legend>Show</legend>${present.map(
      (verdict) =>
        html`<label><input type="checkbox" value="${verdict}" checked> ${verdictWords[verdict].word}</label>`,
    )}</fieldset>`
  }</search>`;
}

/** A group that passed is one line until it is opened. */
function groupBlock(group: GroupedChecks, around: VerdictsContext): Html {
  return html`<details class="group" id="group-${group.group}"${group.verdict !== 'pass' && html` open`}>
<summary><h3>${verdictBadge(group.verdict)} ${group.title} <span class="count">${tally(group.checks)}</span></h3></summary>
${group.checks.map((check) => checkBlock(check, around))}
</details>`;
}

function checkBlock(check: CheckResult, around: VerdictsContext): Html {
  return html`<details id="${check.id}" class="check ${check.verdict}"${check.verdict !== 'pass' && html` open`}>
<summary>${verdictBadge(check.verdict)} <span class="title">${prose(check.title)}</span> <code class="id">${check.id}</code></summary>
<div class="body">
${explanation(check)}
${comparison(check.expected, check.observed)}
${check.evidence.length > 0 && evidenceBlock(check, around)}
</div>
</details>`;
}

/** From this many parts on, an explanation is a list. */
const fewestListed = 3;

function explanation(check: CheckResult): Html {
  const statements = statementsOf(check);
  return statements.length < fewestListed
    ? html`<p>${prose(check.explanation)}</p>`
    : html`<ul>${statements.map((each) => html`<li>${prose(each)}</li>`)}</ul>`;
}

function evidenceBlock(check: CheckResult, around: VerdictsContext): Html {
  const requests = check.evidence.reduce((sum, evidence) => sum + evidence.total, 0);
  return html`<details class="evidence"${check.verdict !== 'pass' && html` open`}><summary>Evidence: ${counted(requests, 'record')}</summary>
${check.evidence.map(
  (evidence) =>
    html`<p>${foreign(evidence.what)}${
      evidence.total > evidence.seqs.length &&
      html` <span class="none">(the first ${number(evidence.seqs.length)} of ${number(evidence.total)})</span>`
    }</p>${evidence.seqs.length > 0 && recordTable(evidence.seqs, around)}`,
)}</details>`;
}

function recordTable(seqs: readonly number[], { carried, records, zeroMs }: VerdictsContext): Html {
  const rows = seqs.map((seq) => ({ seq, record: records.get(seq) }));
  return table(
    'Records of the history (requests.csv)',
    rows,
    [
      [
        'seq',
        ({ record, seq }) =>
          record !== undefined && carried.has(seq)
            ? html`<a href="#record-${String(seq)}">${String(seq)}</a>`
            : String(seq),
        'number',
      ],
      ['Sent at', ({ record }) => sentAt(record), 'number'],
      ['Sent (UTC)', ({ record }) => record?.sent_ns != null && utcMs(zeroMs + record.sent_ns / 1e6)],
      ['Phase', ({ record }) => record && foreign(record.phase)],
      ['Endpoint', ({ record }) => record && endpointCell(record)],
      ['Key', ({ record }) => record?.credential],
      ['Outcome', ({ record }) => record && foreign(record.end_of_it)],
      ['Service ms', ({ record }) => record?.service_ms != null && milliseconds(record.service_ms), 'number'],
      ['Id', ({ record }) => record?.id != null && code(record.id)],
    ],
    ({ record }) => atNs(record?.sent_ns),
  );
}

function sentAt(record: EvidenceRecord | undefined): Content {
  if (record === undefined) return 'not in the history';
  return record.sent_ns !== null && instant(record.sent_ns);
}

function endpointCell({ endpoint, probe }: EvidenceRecord): Html {
  return html`${endpoint}${probe && html` <span class="none">${foreign(probe)}</span>`}`;
}
