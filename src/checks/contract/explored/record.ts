import { z } from 'zod';
import type { History } from '../../../history/history.ts';
import { oncePerHistory } from '../../../history/tables.ts';
import type { ApiCall, CallAnswer, CallRequest } from '../../../model/call.ts';
import { listShades } from '../../../target/calls.ts';
import { isObject } from '../../../target/json.ts';
import type { HistoryNames } from '../../../target/profile.ts';
import { findShadeList, type NextPage, nextPage } from '../../../target/shade-list.ts';
import { readSession } from '../../../target/wire-schemas.ts';

const jsonColumn = z
  .string()
  .nullable()
  .transform((text): unknown => (text === null ? undefined : JSON.parse(text)));

const callRow = z.object({
  seq: z.number(),
  /** What was sent: this program wrote it. */
  call: jsonColumn.transform((call) => call as CallRequest | undefined),
  status: z.number().nullable(),
  sent_ns: z.number(),
  answered_ns: z.number().nullable(),
  local_port: z.number().nullable(),
  session_id: z.string().nullable(),
  catalog_id: z.string().nullable(),
  expires_at: z.string().nullable(),
  count: z.number().nullable(),
  body: z.string().nullable(),
  paged_by: z.string().nullable(),
  link: z.string().nullable(),
  page_of: z.number().nullable(),
  path: z.string().nullable(),
});
type CallRow = z.output<typeof callRow>;

/** The calls of the explorer with their answers, as the model judges them; none where the run sent none. */
export const exploredCalls = oncePerHistory(async (history): Promise<readonly ApiCall[]> => {
  const rows = await history.rows(
    callRow,
    `SELECT r.seq, CAST(call AS VARCHAR) AS call, status, coalesce(first_sent_ns, sent_ns) AS sent_ns, answered_ns, local_port, session_id,
       catalog_id, expires_at, "count", CAST(body AS VARCHAR) AS body, paged_by, link, page_of,
       json_extract_string(query, '$.path') AS path
     FROM explored JOIN requests r USING (seq) WHERE sent_ns IS NOT NULL ORDER BY r.seq`,
  );
  const pages = Map.groupBy(rows, ({ page_of }) => page_of);
  return rows.flatMap((row) =>
    row.call === undefined ? [] : [callOf(row, row.call, pages.get(row.seq) ?? [], history)],
  );
});

function callOf(
  row: CallRow,
  call: CallRequest,
  further: readonly CallRow[],
  { profile, run }: History,
): ApiCall {
  const zeroMs = run.zero_epoch_ms;
  const last = further.at(-1) ?? row;
  return {
    ...call,
    n: row.seq,
    fromMs: zeroMs + row.sent_ns / 1e6,
    untilMs: zeroMs + (last.answered_ns ?? row.answered_ns ?? row.sent_ns) / 1e6,
    line: row.local_port ?? -1,
    answer: answerOf(row, further, new URL(run.target.base_url), profile.session_history),
  };
}

/** Without the fields that the answer did not have in their form: their check says so. */
const present = (fields: Readonly<Record<string, unknown>>): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));

function answerOf(row: CallRow, further: readonly CallRow[], baseUrl: URL, names: HistoryNames): CallAnswer {
  const { call, count, expires_at, session_id } = row;
  const status = row.status ?? 0;
  // Of a new session the history has columns, and not the body, which has a secret.
  if (call?.op === 'create-session')
    return { status, ...(status < 300 && { body: present({ session_id, expires_at, shade_count: count }) }) };
  const body = call?.op === 'read-session' ? inUsualNames(bodyOf(row), names) : bodyOf(row);
  if (call?.op !== 'list-shades' || status !== 200) return { status, body };
  const { isWhole, pages } = pagesOf([row, ...further], baseUrl);
  return {
    status,
    body: pages.length === 1 ? body : { shades: pages.flatMap(shadesOn) },
    ...(!isWhole && { isPage: true }),
    ...(pages.length > 1 && { isPaged: true }),
  };
}

/** With the list of events first, and in the usual names. */
function inUsualNames(body: unknown, names: HistoryNames): unknown {
  if (!isObject(body)) return body;
  const read = readSession(body, names, String(body.session_id));
  const events = read.ok ? read.value.interactions : undefined;
  const { interactions: _, ...rest } = body;
  return events === undefined ? body : { interactions: events, ...rest };
}

/** The pages of one list, as far as they belong to it. */
function pagesOf(
  rows: readonly CallRow[],
  baseUrl: URL,
): { readonly pages: readonly CallRow[]; readonly isWhole: boolean } {
  const seen: string[] = [];
  for (const [place, row] of rows.entries()) {
    const before = rows[place - 1];
    const next = before === undefined ? undefined : nextOf(before, baseUrl);
    const skus = shadesOn(row).map((shade) => (isObject(shade) ? String(shade.sku) : ''));
    // A parameter whose name was guessed may mean something else: then a page that repeats what came before is not the target's fault.
    const from = seen.indexOf(skus[0] ?? '');
    const isShifted =
      from >= 0 && skus.every((sku, at) => from + at >= seen.length || sku === seen[from + at]);
    const isRepeated = isShifted || skus.every((sku) => seen.includes(sku));
    if (next?.kind === 'more' && next.guessed !== undefined && isRepeated)
      return { pages: rows.slice(0, place), isWhole: false };
    seen.push(...skus);
  }
  const last = rows.at(-1);
  const isWhole = last?.status === 200 && last.body !== null && nextOf(last, baseUrl).kind === 'none';
  return { pages: rows, isWhole };
}

function nextOf(row: CallRow, baseUrl: URL): NextPage {
  const { catalog_id, link, paged_by, path } = row;
  const answer = { body: bodyOf(row), link: link ?? undefined, pagedBy: paged_by ?? undefined };
  return nextPage(answer, path ?? listShades(catalog_id ?? '').path, baseUrl);
}

const shadesOn = (row: CallRow): readonly unknown[] =>
  row.status === 200 ? (findShadeList(bodyOf(row))?.list ?? []) : [];
const bodyOf = ({ body }: CallRow): unknown => (body === null ? undefined : JSON.parse(body));
