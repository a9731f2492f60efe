import { number } from '../../amounts.ts';
import { foreign, html } from '../markup.ts';
import {
  nothing,
  type Section,
  type SectionBody,
  type SectionInput,
  type TableColumn,
  table,
} from '../section.ts';
import { type BookRow, books, sentAgain } from '../tables.ts';

type BookFigure = Exclude<keyof BookRow, 'stage' | 'phase' | 'from_ns' | 'to_ns'>;
const columns: readonly { readonly name: BookFigure; readonly label: string }[] = [
  { name: 'due', label: 'recorded' },
  { name: 'not_sent', label: 'not sent' },
  { name: 'sent', label: 'sent' },
  { name: 'admitted', label: '2xx' },
  { name: 'limited', label: '429' },
  { name: 'over_quota', label: '402' },
  { name: 'client_error', label: 'other 4xx' },
  { name: 'server_error', label: '5xx' },
  { name: 'other_status', label: '1xx, 3xx' },
  { name: 'lost', label: 'lost' },
];

/** What became of every request: due = sent + not sent, and sent = answers by status + lost. */
export const booksSection: Section = { id: 'books', title: 'Accounting of requests', make };

async function make({ history }: SectionInput): Promise<SectionBody> {
  const rows = await books(history);
  if (rows.length === 0) return nothing('The history holds no requests.');
  const sum = (name: BookFigure, of: readonly BookRow[] = rows): number =>
    of.reduce((n, row) => n + row[name], 0);
  const again = await sentAgain(history);
  const load = rows.filter((row) => row.stage === 'load');
  const answers = columns.slice(3).filter(({ name }) => sum(name) > 0);
  const shown = columns.filter(
    ({ name }) => sum(name) > 0 || ['due', 'sent', 'not_sent', 'admitted'].includes(name),
  );
  return {
    body: html`<ul class="equations">
<li>Load: planned ${number(history.run.planned_requests)}; recorded ${number(sum('due', load))} = ${number(sum('sent', load))} sent + ${number(sum('not_sent', load))} not sent</li>
<li>All stages: sent ${number(sum('sent'))} = ${answers.map(({ name, label }, index) => html`${index > 0 && ' + '}${number(sum(name))} <span class="none">(${label})</span>`)}</li>
</ul>
${again > 0 && html`<p>${number(again)} ${again === 1 ? 'GET request was' : 'GET requests were'} repeated, since the target had closed the idle connection. Each counts once above.</p>`}
${table<BookRow | 'all'>(
  'Requests by phase and outcome',
  [...rows, 'all'],
  [
    ['phase', (row) => (row === 'all' ? html`<strong>All</strong>` : foreign(row.phase))],
    ['stage', (row) => row !== 'all' && row.stage],
    ...shown.map(
      ({ label, name }): TableColumn<BookRow | 'all'> => [
        label,
        (row) => (row === 'all' ? html`<strong>${number(sum(name))}</strong>` : number(row[name])),
        'number',
      ],
    ),
  ],
  (row) => (row === 'all' ? undefined : { fromNs: row.from_ns, toNs: row.to_ns }),
)}`,
  };
}
