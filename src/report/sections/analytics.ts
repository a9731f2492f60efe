import {
  type AnalyticsTable,
  type AnswerRow,
  analyticsTable,
  type Cell,
} from '../../checks/analytics/table.ts';
import type { Shown, Verdict } from '../../checks/verdict.ts';
import type { RunInfo } from '../../history/run.ts';
import { number, plural } from '../format.ts';
import { code, foreign, type Html, html } from '../markup.ts';
import { nothing, type Section, type SectionBody, type SectionInput } from '../section.ts';
import { shownHtml } from '../shown-html.ts';
import { verdictBadge } from './verdict-badge.ts';

/** Answers that the page shows; those that differ come first. */
const mostAnswers = 200;

/** Every analytics answer, field by field: what it has to be beside what came back. */
export const analyticsSection: Section = { id: 'analytics', title: 'Analytics', make };

async function make({ history }: SectionInput): Promise<SectionBody> {
  return analyticsBody(await analyticsTable(history), history.run);
}

type Row = Omit<AnswerRow, 'topShades'> & { readonly topShades: Cell<unknown, unknown> };

/** The section for a table of answers. */
export function analyticsBody({ rows }: Pick<AnalyticsTable, 'rows'>, run: RunInfo): SectionBody {
  if (rows.length === 0) {
    return nothing(
      'No analytics query got an answer that could be held against a session of this run, so there is nothing to compare.',
    );
  }
  const sorted = rows.toSorted((a, b) => worst(a) - worst(b));
  const differing = rows.filter((row) => worst(row) === rank.fail).length;
  const names = new Map(run.products.map((product) => [product.id, product.name]));
  return {
    body: html`<p>${
      differing === 0
        ? `No answer of ${number(rows.length)} has a field that contradicts this run’s record.`
        : `${number(differing)} of ${plural(rows.length, 'answer')} contradict this run’s record; they come first.`
    } Where requests without an answer leave a value open, what is expected is an interval.</p>
<div class="scroll" role="region" aria-label="Analytics, expected and returned" tabindex="0"><table>
<caption>Expected beside returned, by query and field</caption>
<thead><tr><th scope="col">Query</th><th scope="col">Field</th><th scope="col">Expected</th><th scope="col">Returned</th><th scope="col">Verdict</th></tr></thead>
${sorted.slice(0, mostAnswers).map((row) => answerRows(row, names))}
</table></div>
${rows.length > mostAnswers && html`<p class="none">… and ${number(rows.length - mostAnswers)} more, in verdicts.json.</p>`}`,
  };
}

const rank: Readonly<Record<Verdict, number>> = { fail: 0, inconclusive: 1, pass: 2 };
const rowClass: Readonly<Record<Verdict, string>> = {
  fail: 'differs',
  inconclusive: 'unsure',
  pass: 'agrees',
};

function cells(
  row: Row,
): (readonly [field: string, cell: Cell<unknown, unknown>, expected: Shown, returned: Shown])[] {
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
      Array.isArray(topShades.returned) ? plural(topShades.returned.length, 'shade') : null,
    ],
  ];
}

function bounds(expected: { readonly min: number; readonly max: number } | null): Shown {
  return expected === null ? null : { min: rounded(expected.min), max: rounded(expected.max) };
}

/** Means come as long fractions; six decimals are more than any answer has to have. */
function rounded(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}

function worst(row: AnswerRow): number {
  return Math.min(...cells(row).map(([, cell]) => rank[cell.verdict]));
}

function answerRows(row: AnswerRow, names: ReadonlyMap<string, string>): Html {
  const { productId, label } = row.query;
  const name = productId === null ? undefined : names.get(productId);
  const head = html`${name !== undefined && html`${foreign(name)}<br>`}${productId === null ? foreign(label) : code(label)}${!row.timely && html`<br><span class="none">asked before the freshness bound had passed</span>`}`;
  const fields = cells(row);
  return html`<tbody>${fields.map(
    ([field, cell, expected, returned], index) =>
      html`<tr class="${rowClass[cell.verdict]}">${
        index === 0 && html`<th scope="rowgroup" rowspan="${fields.length}">${head}</th>`
      }<td>${field}</td><td>${shownHtml(expected)}</td><td>${shownHtml(returned)}</td><td>${verdictBadge(cell.verdict)}${
        cell.explanation !== null && html`<br>${foreign(cell.explanation)}`
      }</td></tr>`,
  )}</tbody>`;
}
