import { type AnswerField, answerFields } from '../../../vocabulary/analytics.ts';
import { isSuccessStatus } from '../../core/found.ts';
import { reason } from '../../reasons/reason.ts';
import { type AnswerRow, cellNames } from '../compare/answer-row.ts';
import type { Comparisons } from '../compare/comparisons.ts';
import { inQuery, periodSuspects } from '../results/fields.ts';
import { isSame } from '../results/stability.ts';
import type { AskedQuestion, Audit } from './questions.ts';

/** Answers that are judged by what is known of the account, as those of any run are. */

/** Judges some fields of the answers about a subject. Of what has a past, what is right may be so by chance: it shows nothing. */
function compareFields(
  { causes, questions, table }: Audit,
  findings: Comparisons,
  about: AskedQuestion['subject'],
  fields: readonly AnswerField[] = answerFields,
): void {
  for (const row of table.rows) {
    const { reads = [], subject } = questions[row.query.index] ?? {};
    // What a total says of the sessions of others holds for the other fields if it is always the same.
    const isSteady = reads.every(({ report }) => reads[0] !== undefined && isSame(report, reads[0].report));
    const isMeant = subject === about && (isSteady || about !== 'past' || fields.includes('total_sessions'));
    for (const field of isMeant ? fields : []) {
      const { reasons, verdict } = row[cellNames[field]];
      const [found] = inQuery(row.query.label, reasons);
      if (verdict === 'fail' && found !== undefined)
        findings.made({ reason: found, seqs: [row.seq], causes: causes[field] });
      else if (about === 'past') continue;
      else if (verdict === 'pass' && isOpen(row, table))
        findings.doubt({ reason: reason('audit-session-open', { asked: row.query.label }), seqs: [row.seq] });
      else if (verdict === 'pass') findings.made();
      else findings.skipped++;
    }
  }
}

/** Whether other values would be right as well, since it is not known what became of a request. */
const isOpen = ({ totalSessions: { expected, returned } }: AnswerRow, { facts }: Audit['table']): boolean =>
  facts.ambiguousActs > 0 || (facts.ambiguousSessions > 0 && (returned ?? 0) > (expected?.min ?? 0));

/** `period` gives the two dates that were asked for. */
export function comparePeriods({ table }: Audit, findings: Comparisons): void {
  for (const { period, query, seq } of table.rows) {
    const [found] = inQuery(query.label, period.reasons);
    findings.made(
      period.verdict === 'fail' &&
        found !== undefined && { reason: found, seqs: [seq], causes: periodSuspects(table) },
    );
  }
}

/** The session that the audit opened is in every number, once. */
export function compareSession(audit: Audit, findings: Comparisons): void {
  const { openings, table } = audit;
  const isCreated = openings.some(({ status }) => isSuccessStatus(status));
  const status = openings.at(-1)?.status ?? null;
  findings.nothing = reason(isCreated ? 'audit-session-too-early' : 'audit-session-not-created', { status });
  if (!isCreated) return;
  compareFields(audit, findings, 'own');
  compareFields(audit, findings, 'past', ['total_sessions']);
  if (table.acts.kind !== 'known' && findings.judged > 0)
    findings.also.push(reason('audit-session-total-only'));
}

/** A product without any session has none. */
export function compareUnknownProduct(audit: Audit, findings: Comparisons): void {
  // Where there is nothing, nothing is left by any filter.
  if (audit.questions.some(({ reads }) => reads.some(({ report }) => report.totalSessions > 0)))
    compareFields(audit, findings, 'unknown');
}

export const compareMeansOfRows = (audit: Audit, findings: Comparisons): void =>
  compareFields(audit, findings, 'past', ['avg_shades_per_session', 'cart_intent_rate']);

export const compareListsOfRows = (audit: Audit, findings: Comparisons): void =>
  compareFields(audit, findings, 'past', ['top_shades']);

/** Days far ahead hold nothing, and say so in every field. */
export const compareEmptyPeriods = (audit: Audit, findings: Comparisons): void =>
  compareFields(audit, findings, 'ahead');
