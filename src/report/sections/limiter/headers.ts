import { z } from 'zod';
import { number, span } from '../../../amounts.ts';
import { type DialectData, dataOf, type HeaderTruth } from '../../../checks/check-data.ts';
import type { Judgement } from '../../../checks/judge.ts';
import { probeColumn } from '../../../checks/probe-names.ts';
import type { History } from '../../../history/history.ts';
import { studyPhases } from '../../../vocabulary/phases.ts';
import { instant } from '../../format.ts';
import { type Content, code, foreign, type Html, html } from '../../markup.ts';
import { table } from '../../section.ts';
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
  return table(
    'Rate-limit headers, by form',
    [
      { label: 'Dialect' },
      { label: 'Policy' },
      { label: 'Compared answers (2xx, 429)', numeric: true },
      { label: 'of them 429', numeric: true },
      { label: 'Stated limit', numeric: true },
      { label: 'Stated window', numeric: true },
      { label: 'Reset as' },
      { label: 'Limit' },
      { label: 'Remaining' },
      { label: 'Reset' },
    ],
    dialects.map((each) => [
      each.dialect,
      each.policy === '' ? '' : code(each.policy),
      number(each.answers),
      number(each.of_them_429),
      each.limits.map(number).join(', '),
      each.windows_s.map((s) => span(s * 1e3)).join(', '),
      each.reset_as.map((form) => resetForms[form]).join(', '),
      limitWords[each.limit],
      truthWords[each.remaining],
      truthWords[each.reset],
    ]),
  );
}

function waitsTried(history: History): Promise<WaitRow[]> {
  return history.rows(
    waitRow,
    `SELECT seq, probe, sent_ns, answered_ns, status, retry_after, limit_headers FROM requests
     WHERE stage = 'study' AND phase = '${studyPhases.waits}' AND sent_ns IS NOT NULL ORDER BY sent_ns, seq LIMIT 50`,
  );
}

function waitsTable(waits: readonly WaitRow[]): Html {
  if (!waits.some(({ probe }) => probe?.startsWith('wait:'))) {
    return html`<p class="none">No advised wait was tested.</p>`;
  }
  return table(
    'Test of an advised wait: a request just before the advised instant, and one just after it',
    [
      { label: 'Request' },
      { label: 'Sent at', numeric: true },
      { label: 'Waited', numeric: true },
      { label: 'Answer' },
      { label: 'Headers of the answer' },
      { label: 'seq', numeric: true },
    ],
    waits.map((wait, at) => waitCells(wait, waits[at - 1])),
  );
}

function waitCells(wait: WaitRow, before: WaitRow | undefined): Content[] {
  const { probe, seq, sent_ns, status, retry_after, limit_headers } = wait;
  const fromNs = before?.answered_ns ?? before?.sent_ns;
  const isWait = probe === 'wait:early' || probe === 'wait:full';
  return [
    probe === 'wait:early'
      ? 'just before the advised instant'
      : probe === 'wait:full'
        ? 'just after the advised instant'
        : 'first request',
    instant(sent_ns),
    isWait && fromNs !== undefined ? span((sent_ns - fromNs) / 1e6) : '',
    status === null ? 'lost' : String(status),
    retry_after !== null
      ? html`Retry-After ${code(retry_after)}`
      : limit_headers === null
        ? ''
        : foreign(limit_headers.replaceAll(' | ', ', ')),
    String(seq),
  ];
}
