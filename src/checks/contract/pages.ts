import { isObject } from '../../target/json.ts';
import { is2xx, type ProbeRow } from '../probes.ts';

/** Names of fields that go with a page of a longer list, in lower case without separators. */
const markers: ReadonlySet<string> = new Set([
  'next',
  'nextcursor',
  'nextlink',
  'nextpage',
  'nextpagetoken',
  'nexttoken',
  'nexturl',
  'cursor',
  'page',
  'pageinfo',
  'pagenumber',
  'pages',
  'pagesize',
  'pagination',
  'paging',
  'perpage',
  'total',
  'totalcount',
  'totalitems',
  'totalpages',
  'hasmore',
  'hasnext',
  'hasnextpage',
  'limit',
  'offset',
  'links',
]);

/**
 * The field or header by which a list looks like one page of several, in words; undefined when none does. Pagination of GET /shades is
 * unspecified and no parameter for another page is shown, so that such a list cannot be held to be whole.
 */
export function pageMarker(list: ProbeRow | undefined): string | undefined {
  if (list === undefined || list.body === null || !is2xx(list)) return undefined;
  if (list.paged_by !== null) return `a header ${JSON.stringify(list.paged_by)}`;
  const body: unknown = JSON.parse(list.body);
  if (!isObject(body)) return undefined;
  const field = Object.keys(body).find((name) => markers.has(name.toLowerCase().replaceAll(/[^a-z]/g, '')));
  return field === undefined ? undefined : `a field ${JSON.stringify(field)}`;
}

/** Completes a sentence on a short list. */
export function pageText(marker: string): string {
  return `the answer looks like one page of several (it has ${marker}), and pagination is unspecified`;
}
