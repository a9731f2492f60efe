import { counted, milliseconds, number } from '../../../amounts.ts';
import { wording } from '../wording.ts';

/** What a list held: its shades, if it says so, and of how many shades it was a page. */
interface LargeList {
  readonly shades: number | null;
  readonly pageOf: number | null;
}

function subject({ pageOf, shades }: LargeList): string {
  const kind = pageOf === null ? 'list' : 'page';
  if (shades === null) return `${kind} of the largest catalog`;
  return pageOf === null
    ? `${kind} of ${counted(shades, 'shade')}`
    : `${kind} of ${number(shades)} of ${counted(pageOf, 'shade')}`;
}

function medianOf(lists: number): string {
  return lists === 1 ? 'in 1 request' : `median of ${counted(lists, 'request')}`;
}

const list: LargeList = { shades: 500, pageOf: null };

/** Reasons for the list of the largest catalog that one import makes. */
export const largeListReasons = {
  'large-list-cut': wording(
    { shades: 20, imported: 500 },
    ({ imported, shades }) =>
      `The lists held ${counted(shades, 'shade')} of the ${number(imported)} imported, so the time for a whole list is not known.`,
  ),
  'large-list-unanswered': wording({}, () => 'No list of the largest catalog was answered.'),
  'large-list-slow': wording<{
    list: LargeList;
    fastestMs: number;
    medianMs: number;
    lists: number;
    boundMs: number;
  }>(
    { list, fastestMs: 1_001, medianMs: 1_004, lists: 5, boundMs: 500 },
    ({ boundMs, fastestMs, list, lists, medianMs }) =>
      `Expected at most ${number(boundMs)} ms for a ${subject(list)} without any load, got ${milliseconds(medianMs)} ms (${medianOf(lists)}). Even the fastest took ${milliseconds(fastestMs)} ms.`,
  ),
  'large-list-in-doubt': wording<{ list: LargeList; fastestMs: number; medianMs: number; boundMs: number }>(
    { list, fastestMs: 20, medianMs: 800, boundMs: 500 },
    ({ boundMs, fastestMs, list, medianMs }) =>
      `A ${subject(list)} took ${milliseconds(medianMs)} ms (median), over the bound of ${number(boundMs)} ms. The fastest took ${milliseconds(fastestMs)} ms, so something else may have held up the others.`,
  ),
  'large-list-kept': wording<{ list: LargeList; medianMs: number; lists: number; boundMs: number }>(
    { list, medianMs: 42, lists: 5, boundMs: 500 },
    ({ boundMs, list, lists, medianMs }) =>
      `A ${subject(list)} took ${milliseconds(medianMs)} ms (${medianOf(lists)}), within ${number(boundMs)} ms.`,
  ),
  'large-list-pages': wording(
    { pages: 5, tookMs: 150 },
    ({ pages, tookMs }) => `Reading ${counted(pages, 'page')} one after the other took ${number(tookMs)} ms.`,
  ),
  'large-list-ordinary': wording(
    { shades: 50, medianMs: 4 },
    ({ medianMs, shades }) =>
      `Ordinary lists of ${counted(shades, 'shade')} took ${milliseconds(medianMs)} ms (median).`,
  ),
} as const;
