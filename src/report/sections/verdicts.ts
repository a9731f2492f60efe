import { z } from 'zod';
import { counted, milliseconds, number } from '../../amounts.ts';
import type { CheckResult } from '../../checks/verdict.ts';
import type { History } from '../../history/history.ts';
import { instant } from '../format.ts';
import { code, foreign, type Html, html } from '../markup.ts';
import { type Section, type SectionBody, type SectionInput, table } from '../section.ts';
import { comparison } from '../shown-html.ts';
import { type GroupedChecks, groupChecks, tally } from '../words.ts';
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

/** Every check, worst first: expected, observed, reason, and the records of the evidence. */
export const verdictsSection: Section = { id: 'verdicts', title: 'Verdicts', make };

async function make({ history, judgement }: SectionInput): Promise<SectionBody> {
  const records = await evidenceRecords(history, judgement.checks);
  const groups = groupChecks(judgement.checks);
  return {
    body:
      groups.length === 0
        ? html`<p class="none">Nothing was checked.</p>`
        : html`<p class="lead">${tally(judgement.checks)}.</p>${failures(judgement.checks)}${groups.map((group) => groupBlock(group, records))}`,
  };
}

/** The failures by title at the very top, since what follows is long. */
function failures(checks: readonly CheckResult[]): Html | false {
  const failed = checks.filter((check) => check.verdict === 'fail');
  return (
    failed.length > 0 &&
    html`<ul class="failures">${failed.map(
      (check) =>
        html`<li>${verdictBadge(check.verdict)} <a href="#${check.id}">${foreign(check.title)}</a></li>`,
    )}</ul>`
  );
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

function groupBlock(group: GroupedChecks, records: ReadonlyMap<number, EvidenceRecord>): Html {
  return html`<section class="group" aria-labelledby="group-${group.group}">
<h3 id="group-${group.group}">${verdictBadge(group.verdict)} ${group.title} <span class="count">${tally(group.checks)}</span></h3>
${group.checks.map((check) => checkBlock(check, records))}
</section>`;
}

function checkBlock(check: CheckResult, records: ReadonlyMap<number, EvidenceRecord>): Html {
  return html`<details id="${check.id}" class="check ${check.verdict}"${check.verdict !== 'pass' && html` open`}>
<summary>${verdictBadge(check.verdict)} <span class="title">${foreign(check.title)}</span> <code class="id">${check.id}</code></summary>
<div class="body">
<p>${foreign(check.explanation)}</p>
${comparison(check.expected, check.observed)}
${check.evidence.length > 0 && evidenceBlock(check, records)}
</div>
</details>`;
}

function evidenceBlock(check: CheckResult, records: ReadonlyMap<number, EvidenceRecord>): Html {
  const requests = check.evidence.reduce((sum, evidence) => sum + evidence.total, 0);
  return html`<details class="evidence"><summary>Evidence: ${counted(requests, 'record')}</summary>
${check.evidence.map(
  (evidence) =>
    html`<p>${foreign(evidence.what)}${
      evidence.total > evidence.seqs.length &&
      html` <span class="none">(the first ${number(evidence.seqs.length)} of ${number(evidence.total)})</span>`
    }</p>${evidence.seqs.length > 0 && recordTable(evidence.seqs, records)}`,
)}</details>`;
}

function recordTable(seqs: readonly number[], records: ReadonlyMap<number, EvidenceRecord>): Html {
  const rows = seqs.map((seq) => {
    const record = records.get(seq);
    if (record === undefined) return [number(seq), 'not in the history'];
    return [
      String(seq),
      record.sent_ns === null ? '' : instant(record.sent_ns),
      foreign(record.phase),
      html`${record.endpoint}${record.probe && html` <span class="none">${foreign(record.probe)}</span>`}`,
      record.credential,
      foreign(record.end_of_it),
      record.service_ms === null ? '' : milliseconds(record.service_ms),
      record.id === null ? '' : code(record.id),
    ];
  });
  return table(
    'Records of the history (requests.csv)',
    [
      { label: 'seq', numeric: true },
      { label: 'Sent at', numeric: true },
      { label: 'Phase' },
      { label: 'Endpoint' },
      { label: 'Key' },
      { label: 'Outcome' },
      { label: 'Service ms', numeric: true },
      { label: 'Id' },
    ],
    rows,
  );
}
