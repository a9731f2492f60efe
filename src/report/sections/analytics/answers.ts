import { counted, number } from '../../../amounts.ts';
import type { AnswerCell, AnswerRow } from '../../../checks/analytics/compare/rows.ts';
import type { QueryAnswer } from '../../../checks/analytics/record/questions.ts';
import type { Shown, Verdict } from '../../../checks/core/verdict.ts';
import { reasonText } from '../../../checks/reasons/reason.ts';
import type { RunInfo } from '../../../history/run.ts';
import type { Bounds } from '../../../vocabulary/bounds.ts';
import { code, foreign, type Html, html } from '../../markup.ts';
import { atNs, disclosure, timeAttributes } from '../../section.ts';
import { shownHtml } from '../../shown-html.ts';
import { verdictBadge } from '../verdict-badge.ts';

/** Answers that the page shows; those that differ come first. */
const mostAnswers = 200;
/** Up to this many agreeing answers are shown open. */
const fewAgreeing = 20;

type FieldsRow = Omit<AnswerRow, 'topShades'> & { readonly topShades: AnswerCell<unknown, unknown> };

/** How many answers differ from their expected values, with a link to them. */
export function agreement(rows: readonly AnswerRow[]): Html {
  const differing = rows.filter((row) => worst(row) === rank.fail);
  return differing.length === 0
    ? html`<p>None of ${counted(rows.length, 'answer')} contradicts the record of this run.</p>`
    : html`<p><a href="#analytics-answers">${number(differing.length)} of ${counted(rows.length, 'answer')}</a> contradict the record of this run.</p>`;
}

/** Names of products, and when each answer's request was sent. */
interface AnswersContext {
  readonly names: ReadonlyMap<string, string>;
  readonly sentNs: ReadonlyMap<number, number>;
}

/** Every answer field by field: expected and returned. */
export function answersPart(rows: readonly AnswerRow[], run: RunInfo, judged: readonly QueryAnswer[]): Html {
  const around: AnswersContext = {
    names: new Map(run.products.map((product) => [product.id, product.name])),
    sentNs: new Map(judged.map((answer) => [answer.seq, answer.sentNs])),
  };
  const sorted = rows.toSorted((a, b) => worst(a) - worst(b)).slice(0, mostAnswers);
  const agreeing = sorted.filter((row) => worst(row) === rank.pass);
  const folded = agreeing.length > fewAgreeing ? agreeing : [];
  const shown = sorted.filter((row) => !folded.includes(row));
  return html`<p>The expected value is an interval where a request has no answer, or a clock leaves the day of a session open. Answers that differ come first.</p>
${shown.length > 0 && answersTable('Expected and returned values, by query and field', shown, around)}
${folded.length > 0 && disclosure(`${counted(folded.length, 'answer')} without a difference`, answersTable('Answers that agree, expected and returned values', folded, around))}
${rows.length > mostAnswers && html`<p class="none">… and ${number(rows.length - mostAnswers)} more, in verdicts.json.</p>`}`;
}

function answersTable(caption: string, rows: readonly AnswerRow[], around: AnswersContext): Html {
  return html`<div class="scroll" role="group" aria-label="${caption}" tabindex="0"><table>
<caption>${caption}</caption>
<thead><tr><th scope="col">Query</th><th scope="col">Field</th><th scope="col">Expected</th><th scope="col">Returned</th><th scope="col">Verdict</th></tr></thead>
${rows.map((row) => answerRows(row, around))}
</table></div>`;
}

const rank: Readonly<Record<Verdict, number>> = { fail: 0, inconclusive: 1, pass: 2 };
const rowClass: Readonly<Record<Verdict, string>> = {
  fail: 'differs',
  inconclusive: 'unsure',
  pass: 'agrees',
};

function cells(
  row: FieldsRow,
): (readonly [field: string, cell: AnswerCell<unknown, unknown>, expected: Shown, returned: Shown])[] {
  const { period, totalSessions, avgShadesPerSession, cartIntentRate, topShades } = row;
  return [
    ['period', period, period.expected, period.returned],
    ['total_sessions', totalSessions, bounds(totalSessions.expected), totalSessions.returned],
    [
      'avg_shades_per_session',
      avgShadesPerSession,
      bounds(avgShadesPerSession.expected),
      avgShadesPerSession.returned,
    ],
    ['cart_intent_rate', cartIntentRate, bounds(cartIntentRate.expected), cartIntentRate.returned],
    [
      'top_shades',
      topShades,
      'see Top shades',
      Array.isArray(topShades.returned) ? counted(topShades.returned.length, 'shade') : null,
    ],
  ];
}

function bounds(expected: Bounds | null): Shown {
  return expected === null ? null : { min: rounded(expected.min), max: rounded(expected.max) };
}

/** Means come as long fractions; six decimals are more than any answer has to have. */
function rounded(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}

function worst(row: AnswerRow): number {
  return Math.min(...cells(row).map(([, cell]) => rank[cell.verdict]));
}

function answerRows(row: AnswerRow, { names, sentNs }: AnswersContext): Html {
  const { productId, label } = row.query;
  const name = productId === null ? undefined : names.get(productId);
  const head = html`${name !== undefined && html`${foreign(name)}<br>`}${productId === null ? foreign(label) : code(label)}${!row.timely && html`<br><span class="none">asked before the freshness bound had passed</span>`}`;
  const fields = cells(row);
  return html`<tbody id="answer-${String(row.seq)}"${timeAttributes(atNs(sentNs.get(row.seq)))}>${fields.map(
    ([field, cell, expected, returned], index) =>
      html`<tr class="${rowClass[cell.verdict]}">${
        index === 0 && html`<th scope="rowgroup" rowspan="${fields.length}">${head}</th>`
      }<td>${field}</td><td>${shownHtml(expected)}</td><td>${shownHtml(returned)}</td><td>${verdictBadge(cell.verdict)}${
        cell.reasons.length > 0 && html`<br>${foreign(cell.reasons.map(reasonText).join(' '))}`
      }</td></tr>`,
  )}</tbody>`;
}
