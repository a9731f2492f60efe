import { listShades } from '../../../target/calls.ts';
import { isObject } from '../../../target/json.ts';
import { nextPage, type PageAnswer, pageMarker } from '../../../target/next-page.ts';
import { findShadeList } from '../../../target/shade-list.ts';
import { readShades } from '../../../target/wire-schemas.ts';
import type { Shade } from '../../../wire.ts';
import { gotOf, is2xx, type ListPages, type PagesEnd, type ProbeRow, unanswered } from '../../core/probes.ts';
import { type Reason, reason } from '../../reasons/reason.ts';

/** The probes, each list of shades with its pages. */
export function withPages(probes: readonly ProbeRow[], baseUrl: string): ProbeRow[] {
  const further = Map.groupBy(probes, (row) => row.page_of);
  return probes.map((row) =>
    row.endpoint === 'list-shades' && row.page_of === null && is2xx(row) && row.body !== null
      ? { ...row, pages: pagesOf([row, ...(further.get(row.seq) ?? [])], new URL(baseUrl)) }
      : row,
  );
}

/** Parameters whose first number is not specified. A cursor that leads to shades not shown before was understood. */
const counting = ['page', 'offset'];

function pagesOf(rows: readonly ProbeRow[], baseUrl: URL): ListPages {
  const seen = new Set<string>();
  for (const [place, row] of rows.entries()) {
    const skus = skusOnPage(row) ?? [];
    const parameter = place === 0 ? undefined : guessedParameter(rows[place - 1], baseUrl);
    // The parameter may have another name, or count from another number: then repeated shades are not the target's fault.
    const repeated = skus.filter((sku) => seen.has(sku)).length;
    const isUnderstood = parameter !== undefined && !counting.includes(parameter) && repeated < skus.length;
    if (parameter !== undefined && repeated > 0 && !isUnderstood) {
      const why = reason('pages-repeat-shades', { page: place + 1, parameter });
      return { rows: rows.slice(0, place), end: { kind: 'cut', why } };
    }
    for (const sku of skus) seen.add(sku);
  }
  return { rows, end: endOf(rows, baseUrl) };
}

/** The parameter with which the page after this one was requested, where the answer does not name it. */
function guessedParameter(page: ProbeRow | undefined, baseUrl: URL): string | undefined {
  if (page === undefined || page.body === null) return undefined;
  const next = nextPage(answerOn(page, page.body), pathOn(page), baseUrl);
  return next.kind === 'more' ? next.guessed : undefined;
}

function answerOn({ link, paged_by }: ProbeRow, body: string): PageAnswer {
  return { body: JSON.parse(body) as unknown, link: link ?? undefined, pagedBy: paged_by ?? undefined };
}

function pathOn({ catalog_id, path }: ProbeRow): string {
  return path ?? listShades(catalog_id ?? '').path;
}

/** The SKUs on a page, one for each entry; undefined where it cannot be read. */
export function skusOnPage(page: ProbeRow): readonly string[] | undefined {
  if (page.body === null || !is2xx(page)) return undefined;
  return findShadeList(JSON.parse(page.body))?.list.map((entry) =>
    isObject(entry) && typeof entry.sku === 'string' ? entry.sku : '',
  );
}

function endOf(rows: readonly ProbeRow[], baseUrl: URL): PagesEnd {
  const last = rows.at(-1);
  if (last === undefined) return { kind: 'whole' };
  const page = rows.length;
  if (unanswered(last) !== undefined || !is2xx(last))
    return { kind: 'cut', why: reason('pages-unclear', { page, got: gotOf(last) }) };
  if (last.body === null) return { kind: 'cut', why: reason('pages-not-kept', { page }) };
  const answer = answerOn(last, last.body);
  const paths = rows.map(pathOn);
  const next = nextPage(answer, paths.at(-1) ?? '', baseUrl);
  switch (next.kind) {
    case 'none':
      return { kind: 'whole' };
    case 'closed':
      return { kind: 'cut', why: reason('pages-unspecified', { why: next.why }) };
    case 'more':
      if (!paths.includes(next.path))
        return { kind: 'cut', why: moreReason(rows.length, pageMarker(answer)) };
      return next.guessed === undefined
        ? { kind: 'circle' }
        : {
            kind: 'cut',
            why: reason('pages-repeat-page', { parameter: next.guessed }),
          };
  }
}

/** Earlier versions requested the first page alone. */
function moreReason(pages: number, marker = 'a link'): Reason {
  return pages === 1
    ? reason('pages-unspecified', { why: `it has ${marker}` })
    : reason('pages-more', { pages });
}

/** Why lists may be pages of longer ones, though these were read to their ends; undefined where nothing says so. */
export function mayBePages(lists: readonly ProbeRow[]): Reason | undefined {
  for (const { body, paged_by } of lists.flatMap(pageRows)) {
    const parsed: unknown = body === null ? undefined : JSON.parse(body);
    const marker = pageMarker({ body: parsed, pagedBy: paged_by ?? undefined });
    if (marker !== undefined) return reason('pages-unspecified', { why: `it has ${marker}` });
  }
  return undefined;
}

/** The answers that make up a list. */
export function pageRows(list: ProbeRow): readonly ProbeRow[] {
  return list.pages?.rows ?? [list];
}

/** Why a list may be longer than what was read; undefined when it was read to its end. */
export function cutShort(list: ProbeRow | undefined): Reason | undefined {
  return list?.pages?.end.kind === 'cut' ? list.pages.end.why : undefined;
}

/** The pages of a list that has no end; undefined where it has one. */
export function circleOf(list: ProbeRow): number | undefined {
  return list.pages?.end.kind === 'circle' ? list.pages.rows.length : undefined;
}

/** The shades of a list that was read to its end; undefined where it was not, or is in another form. */
export function wholeList(row: ProbeRow): readonly Shade[] | undefined {
  if (!is2xx(row) || row.body === null || cutShort(row) !== undefined || circleOf(row) !== undefined)
    return undefined;
  const pages = pageRows(row).map(({ body }) => readShades(JSON.parse(body ?? 'null')));
  return pages.every((page) => page.ok) ? pages.flatMap((page) => page.value) : undefined;
}
