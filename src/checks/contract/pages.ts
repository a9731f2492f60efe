import { counted, number } from '../../amounts.ts';
import { listShades } from '../../target/calls.ts';
import { isObject } from '../../target/json.ts';
import { nextPage, type PageAnswer, pageMarker } from '../../target/next-page.ts';
import { findShadeList } from '../../target/shade-list.ts';
import { is2xx, type ProbeRow, unanswered } from '../probes.ts';

/** The pages of one list: one, where the list came whole. */
export interface ListPages {
  /** In the order in which they were asked for. */
  readonly rows: readonly ProbeRow[];
  readonly end: PagesEnd;
}

type PagesEnd =
  /** The last answer says nothing of another page. */
  | { readonly kind: 'whole' }
  /** There is or may be more, for this reason not known. */
  | { readonly kind: 'cut'; readonly why: string }
  /** The target's own link leads back to a page that was read: nobody can read such a list to its end. */
  | { readonly kind: 'circle' };

/** The probes, each list of shades with its pages. */
export function withPages(probes: readonly ProbeRow[], baseUrl: string): ProbeRow[] {
  const further = Map.groupBy(probes, (row) => row.page_of);
  return probes.map((row) =>
    row.endpoint === 'list-shades' && row.page_of === null && is2xx(row) && row.body !== null
      ? { ...row, pages: pagesOf([row, ...(further.get(row.seq) ?? [])], new URL(baseUrl)) }
      : row,
  );
}

function pagesOf(rows: readonly ProbeRow[], baseUrl: URL): ListPages {
  const seen = new Set<string>();
  for (const [place, row] of rows.entries()) {
    const skus = skusOnPage(row) ?? [];
    const parameter = place === 0 ? undefined : guessedParameter(rows[place - 1], baseUrl);
    // A parameter may have another name, or count from another number: what comes twice then is not the target's fault.
    if (parameter !== undefined && skus.some((sku) => seen.has(sku))) {
      const why = `page ${place + 1} repeats shades; it was asked for with the parameter ${JSON.stringify(parameter)}, whose name is not specified`;
      return { rows: rows.slice(0, place), end: { kind: 'cut', why } };
    }
    for (const sku of skus) seen.add(sku);
  }
  return { rows, end: endOf(rows, baseUrl) };
}

/** The parameter that the page after this one was asked for with, where the answer does not name it. */
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
  const page = `page ${rows.length}`;
  const silence = unanswered(last);
  if (silence !== undefined) return { kind: 'cut', why: `${page}: ${silence}` };
  if (!is2xx(last)) return { kind: 'cut', why: `${page} was answered with ${last.status}` };
  if (last.body === null) return { kind: 'cut', why: `the body of ${page} was not kept` };
  const answer = answerOn(last, last.body);
  const paths = rows.map(pathOn);
  const next = nextPage(answer, paths.at(-1) ?? '', baseUrl);
  switch (next.kind) {
    case 'none':
      return { kind: 'whole' };
    case 'closed':
      return { kind: 'cut', why: pageText(next.why) };
    case 'more':
      if (!paths.includes(next.path)) return { kind: 'cut', why: moreText(rows.length, pageMarker(answer)) };
      return next.guessed === undefined
        ? { kind: 'circle' }
        : {
            kind: 'cut',
            why: `the same page came again with the parameter ${JSON.stringify(next.guessed)}, whose name is not specified`,
          };
  }
}

function pageText(why: string): string {
  return `the answer looks like one page of several (${why}), and pagination is unspecified`;
}

/** The first page alone is what a version before this one asked for. */
function moreText(pages: number, marker = 'a link'): string {
  return pages === 1
    ? pageText(`it has ${marker}`)
    : `there are more pages than the ${number(pages)} that were asked for`;
}

/** What says that lists may be pages of longer ones, though these were read to their ends; undefined where nothing does. */
export function mayBePages(lists: readonly ProbeRow[]): string | undefined {
  for (const { body, paged_by } of lists.flatMap(pageRows)) {
    const parsed: unknown = body === null ? undefined : JSON.parse(body);
    const marker = pageMarker({ body: parsed, pagedBy: paged_by ?? undefined });
    if (marker !== undefined) return pageText(`it has ${marker}`);
  }
  return undefined;
}

/** The answers that make up a list. */
export function pageRows(list: ProbeRow): readonly ProbeRow[] {
  return list.pages?.rows ?? [list];
}

/** Why a list may be longer than what is known of it; undefined when it was read to its end. */
export function cutShort(list: ProbeRow | undefined): string | undefined {
  return list?.pages?.end.kind === 'cut' ? list.pages.end.why : undefined;
}

/** What is wrong with how a list's pages follow each other. */
export function pageFault(list: ProbeRow): string | undefined {
  return list.pages?.end.kind === 'circle'
    ? `the link to the next page on page ${list.pages.rows.length} leads back to a page before it`
    : undefined;
}

/** ` on 5 pages`; nothing for a list that came whole. */
export function onPages(list: ProbeRow): string {
  const pages = pageRows(list).length;
  return pages === 1 ? '' : ` on ${counted(pages, 'page')}`;
}
