import type { InteractionRecord, RequestRecord } from './record.ts';

/** A column of a history table: its name in the file, its DuckDB type, and where its value comes from. */
interface Column<R> {
  readonly name: string;
  readonly type: string;
  readonly value: (record: R) => string | number | undefined;
}

export const requestColumns: readonly Column<RequestRecord>[] = [
  { name: 'seq', type: 'BIGINT', value: (r) => r.seq },
  { name: 'stage', type: 'VARCHAR', value: (r) => r.stage },
  { name: 'phase', type: 'VARCHAR', value: (r) => r.phase },
  { name: 'planned', type: 'BIGINT', value: (r) => r.planned },
  { name: 'credential', type: 'VARCHAR', value: (r) => r.credential },
  { name: 'endpoint', type: 'VARCHAR', value: (r) => r.endpoint },
  { name: 'probe', type: 'VARCHAR', value: (r) => r.probe },
  { name: 'shopper', type: 'BIGINT', value: (r) => r.shopper },
  { name: 'intended_ns', type: 'BIGINT', value: (r) => r.intendedNs },
  { name: 'ready_ns', type: 'BIGINT', value: (r) => r.readyNs },
  { name: 'sent_ns', type: 'BIGINT', value: (r) => r.sentNs },
  { name: 'answered_ns', type: 'BIGINT', value: (r) => r.answeredNs },
  { name: 'status', type: 'SMALLINT', value: (r) => r.status },
  { name: 'not_sent', type: 'VARCHAR', value: (r) => r.notSent },
  { name: 'lost', type: 'VARCHAR', value: (r) => r.lost },
  { name: 'session_id', type: 'VARCHAR', value: (r) => r.sessionId },
  { name: 'product_id', type: 'VARCHAR', value: (r) => r.productId },
  { name: 'catalog_id', type: 'VARCHAR', value: (r) => r.catalogId },
  { name: 'locale', type: 'VARCHAR', value: (r) => r.locale },
  { name: 'items', type: 'INTEGER', value: (r) => r.items },
  { name: 'count', type: 'BIGINT', value: (r) => r.count },
  { name: 'expires_at', type: 'VARCHAR', value: (r) => r.expiresAt },
  { name: 'bytes', type: 'BIGINT', value: (r) => r.bytes },
  { name: 'server_date_ms', type: 'BIGINT', value: (r) => r.serverDateMs },
  { name: 'retry_after', type: 'VARCHAR', value: (r) => r.retryAfter },
  { name: 'limit_headers', type: 'VARCHAR', value: (r) => r.limitHeaders },
  { name: 'problem', type: 'VARCHAR', value: (r) => r.problem },
];

export const interactionColumns: readonly Column<InteractionRecord>[] = [
  { name: 'seq', type: 'BIGINT', value: (r) => r.seq },
  { name: 'session_id', type: 'VARCHAR', value: (r) => r.sessionId },
  { name: 'id', type: 'VARCHAR', value: (r) => r.id },
  { name: 'type', type: 'VARCHAR', value: (r) => r.type },
  { name: 'sku', type: 'VARCHAR', value: (r) => r.sku },
  { name: 'at', type: 'VARCHAR', value: (r) => r.at },
];

/** The first line of a CSV file. */
export function headerLine<R>(columns: readonly Column<R>[]): string {
  return `${columns.map((column) => column.name).join(',')}\n`;
}

/** One record as a line of CSV (RFC 4180 quoting). An absent value is an empty field. */
export function csvLine<R>(columns: readonly Column<R>[], record: R): string {
  let line = '';
  for (let i = 0; i < columns.length; i++) {
    const value = columns[i]?.value(record);
    if (i > 0) line += ',';
    if (value !== undefined) line += typeof value === 'number' ? value : csvField(value);
  }
  return `${line}\n`;
}

/** Foreign headers may be of any length; readers of CSV have a limit to a line. */
const longestField = 16_384;

const needsQuotes = /[",\r\n]/;

/** Line breaks become spaces, so that one line is one record and a torn tail can be cut at the last line break. */
function csvField(whole: string): string {
  const text = whole.length > longestField ? `${whole.slice(0, longestField)}…` : whole;
  if (!needsQuotes.test(text)) return text;
  return `"${text.replaceAll(/[\r\n]+/g, ' ').replaceAll('"', '""')}"`;
}

/** The DuckDB struct that `read_csv` takes as `columns`. */
export function duckdbColumns<R>(columns: readonly Column<R>[]): string {
  return `{${columns.map((column) => `'${column.name}': '${column.type}'`).join(', ')}}`;
}
