import type { InteractionRecord, RequestRecord } from './record.ts';
import { ownText } from './sql-text.ts';
import { rowWriter } from './text-buffer.ts';

/** A column of a history table: its name in the file, its DuckDB type, and the field that its value comes from. */
interface Column<R> {
  readonly name: string;
  readonly type: string;
  readonly key: keyof R & string;
}

export const requestColumns: readonly Column<RequestRecord>[] = [
  { name: 'seq', type: 'BIGINT', key: 'seq' },
  { name: 'stage', type: 'VARCHAR', key: 'stage' },
  { name: 'phase', type: 'VARCHAR', key: 'phase' },
  { name: 'planned', type: 'BIGINT', key: 'planned' },
  { name: 'credential', type: 'VARCHAR', key: 'credential' },
  { name: 'endpoint', type: 'VARCHAR', key: 'endpoint' },
  { name: 'probe', type: 'VARCHAR', key: 'probe' },
  { name: 'shopper', type: 'BIGINT', key: 'shopper' },
  { name: 'intended_ns', type: 'BIGINT', key: 'intendedNs' },
  { name: 'ready_ns', type: 'BIGINT', key: 'readyNs' },
  { name: 'sent_ns', type: 'BIGINT', key: 'sentNs' },
  { name: 'answered_ns', type: 'BIGINT', key: 'answeredNs' },
  { name: 'status', type: 'SMALLINT', key: 'status' },
  { name: 'not_sent', type: 'VARCHAR', key: 'notSent' },
  { name: 'lost', type: 'VARCHAR', key: 'lost' },
  { name: 'session_id', type: 'VARCHAR', key: 'sessionId' },
  { name: 'product_id', type: 'VARCHAR', key: 'productId' },
  { name: 'catalog_id', type: 'VARCHAR', key: 'catalogId' },
  { name: 'locale', type: 'VARCHAR', key: 'locale' },
  { name: 'items', type: 'INTEGER', key: 'items' },
  { name: 'count', type: 'BIGINT', key: 'count' },
  { name: 'expires_at', type: 'VARCHAR', key: 'expiresAt' },
  { name: 'bytes', type: 'BIGINT', key: 'bytes' },
  { name: 'server_date_ms', type: 'BIGINT', key: 'serverDateMs' },
  { name: 'retry_after', type: 'VARCHAR', key: 'retryAfter' },
  { name: 'limit_headers', type: 'VARCHAR', key: 'limitHeaders' },
  { name: 'problem', type: 'VARCHAR', key: 'problem' },
  { name: 'first_sent_ns', type: 'BIGINT', key: 'firstSentNs' },
  { name: 'wire_status', type: 'SMALLINT', key: 'wireStatus' },
  { name: 'described_headers', type: 'VARCHAR', key: 'describedHeaders' },
  { name: 'server_timing', type: 'VARCHAR', key: 'serverTiming' },
  { name: 'local_port', type: 'INTEGER', key: 'localPort' },
  { name: 'remote_address', type: 'VARCHAR', key: 'remoteAddress' },
  { name: 'resolve_ns', type: 'BIGINT', key: 'resolveNs' },
  { name: 'connect_ns', type: 'BIGINT', key: 'connectNs' },
  { name: 'handshake_ns', type: 'BIGINT', key: 'handshakeNs' },
  { name: 'opening_ns', type: 'BIGINT', key: 'openingNs' },
  { name: 'repeats', type: 'BIGINT', key: 'repeats' },
];

export const writeRequest = rowWriter(requestColumns.map(({ key }) => key));

export const interactionColumns: readonly Column<InteractionRecord>[] = [
  { name: 'seq', type: 'BIGINT', key: 'seq' },
  { name: 'session_id', type: 'VARCHAR', key: 'sessionId' },
  { name: 'id', type: 'VARCHAR', key: 'id' },
  { name: 'type', type: 'VARCHAR', key: 'type' },
  { name: 'sku', type: 'VARCHAR', key: 'sku' },
  { name: 'at', type: 'VARCHAR', key: 'at' },
];

export const writeInteraction = rowWriter(interactionColumns.map(({ key }) => key));

/** The first line of a CSV file. */
export function headerLine<R>(columns: readonly Column<R>[]): string {
  return `${columns.map((column) => column.name).join(',')}\n`;
}

/** The DuckDB struct that `read_csv` takes as `columns`. */
export function duckdbColumns<R>(columns: readonly Column<R>[]): string {
  return `{${columns.map((column) => `${ownText(column.name)}: ${ownText(column.type)}`).join(', ')}}`;
}
