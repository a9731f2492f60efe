import { z } from 'zod';
import { number, span } from '../../../amounts.ts';
import { type DialectData, dataOf, type HeaderTruth } from '../../../checks/core/check-data.ts';
import { probeColumn } from '../../../checks/core/probe-names.ts';
import type { Judgement } from '../../../checks/diagnosis/judgement.ts';
import type { History } from '../../../history/history.ts';
import { sqlText } from '../../../history/tables.ts';
import { studyPhases } from '../../../vocabulary/phases.ts';
import { instant } from '../../format.ts';
import { type Content, code, foreign, type Html, html } from '../../markup.ts';
import { atNs, table } from '../../section.ts';
import type { CheckLinks } from '../check-links.ts';

const waitRow = z.object({
  seq: z.number(),
  probe: probeColumn.nullable(),
  sent_ns: z.number(),
  answered_ns: z.number().nullable(),
  status: z.number().nullable(),
  retry_after: z.string().nullable(),
  limit_headers: z.string().nullable(),
});
type WaitRow = z.output<typeof waitRow>;

const truthWords: Readonly<Record<HeaderTruth, string>> = {
  'not-said': 'not stated',
  consistent: 'consistent',
  contradicted: 'contradicted',
};
const limitWords: Readonly<Record<DialectData['limit'], string>> = {
  'not-said': 'not stated',
  'as-promised': 'as promised',
  'other-policy': 'another policy',
  contradicted: 'contradicted',
};
const resetForms: Readonly<Record<DialectData['reset_as'][number], string>> = {
  'time-from-now': 'time from now',
  'point-in-time': 'point in time',
};

/** What headers say about the limit and about waiting, and whether it is true. */
export async function headersPart(history: History, judgement: Judgement, checks: CheckLinks): Promise<Html> {
  const stated = dataOf(judgement.checks, 'rate-limit.headers');
  return html`${stated !== undefined && statedTable(stated.dialects)}
${checks.line('rate-limit.headers')}${checks.line('rate-limit.headers-remaining')}${checks.line('rate-limit.headers-reset')}
<h3>Waits as advised</h3>
${waitsTable(await waitsTried(history))}
${checks.line('rate-limit.retry-after')}`;
}

function statedTable(dialects: readonly DialectData[]): Html {
  if (dialects.length === 0)
    return html`<p class="none">No answer has rate-limit headers in a known form.</p>`;
  return table('Rate-limit headers, by form', dialects, [
    ['Dialect', (each) => each.dialect],
    ['Policy', (each) => (each.policy === '' ? '' : code(each.policy))],
    ['Compared answers (2xx, 429)', (each) => number(each.answers), 'number'],
    ['of them 429', (each) => number(each.of_them_429), 'number'],
    ['Stated limit', (each) => each.limits.map(number).join(', '), 'number'],
    ['Stated window', (each) => each.windows_s.map((s) => span(s * 1e3)).join(', '), 'number'],
    ['Reset as', (each) => each.reset_as.map((form) => resetForms[form]).join(', ')],
    ['Limit', (each) => limitWords[each.limit]],
    ['Remaining', (each) => truthWords[each.remaining]],
    ['Reset', (each) => truthWords[each.reset]],
  ]);
}

function waitsTried(history: History): Promise<WaitRow[]> {
  return history.rows(
    waitRow,
    `SELECT seq, probe, sent_ns, answered_ns, status, retry_after, limit_headers FROM requests
     WHERE stage = 'study' AND phase = ${sqlText(studyPhases.waits)} AND sent_ns IS NOT NULL ORDER BY sent_ns, seq LIMIT 50`,
  );
}

function waitsTable(waits: readonly WaitRow[]): Html {
  if (!waits.some(({ probe }) => probe?.startsWith('wait:'))) {
    return html`<p class="none">No advised wait was tested.</p>`;
  }
  return table(
    'Test of an advised wait: a request just before the advised instant, and one just after it',
    waits,
    [
      ['Request', ({ probe }) => waitWords[probe ?? ''] ?? 'first request'],
      ['Sent at', ({ sent_ns }) => instant(sent_ns), 'number'],
      ['Waited', (wait, at) => waited(wait, waits[at - 1]), 'number'],
      ['Answer', ({ status }) => status ?? 'lost'],
      ['Headers of the answer', headersOf],
      ['seq', ({ seq }) => String(seq), 'number'],
    ],
    ({ sent_ns }) => atNs(sent_ns),
  );
}

const waitWords: Readonly<Record<string, string>> = {
  'wait:early': 'just before the advised instant',
  'wait:full': 'just after the advised instant',
};

function waited({ probe, sent_ns }: WaitRow, before: WaitRow | undefined): Content {
  const fromNs = before?.answered_ns ?? before?.sent_ns;
  return (probe ?? '') in waitWords && fromNs !== undefined && span((sent_ns - fromNs) / 1e6);
}

function headersOf({ limit_headers, retry_after }: WaitRow): Content {
  if (retry_after !== null) return html`Retry-After ${code(retry_after)}`;
  return limit_headers !== null && foreign(limit_headers.replaceAll(' | ', ', '));
}
