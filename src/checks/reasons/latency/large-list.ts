import { counted, milliseconds, number } from '../../../amounts.ts';

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

/** Reasons for the list of the largest catalog that one import makes. */
export const largeListReasons = {
  'large-list-cut': ({ imported, shades }: { shades: number; imported: number }) =>
    `The lists held ${counted(shades, 'shade')} of the ${number(imported)} imported, so the time for a whole list is not known.`,
  'large-list-unanswered': 'No list of the largest catalog was answered.',
  'large-list-slow': (params: {
    list: LargeList;
    fastestMs: number;
    medianMs: number;
    lists: number;
    boundMs: number;
  }) =>
    `Expected at most ${number(params.boundMs)} ms for a ${subject(params.list)} without any load, got ${milliseconds(params.medianMs)} ms (${medianOf(params.lists)}). Even the fastest took ${milliseconds(params.fastestMs)} ms.`,
  'large-list-in-doubt': (params: {
    list: LargeList;
    fastestMs: number;
    medianMs: number;
    boundMs: number;
  }) =>
    `A ${subject(params.list)} took ${milliseconds(params.medianMs)} ms (median), over the bound of ${number(params.boundMs)} ms. The fastest took ${milliseconds(params.fastestMs)} ms, so something else may have held up the others.`,
  'large-list-kept': (params: { list: LargeList; medianMs: number; lists: number; boundMs: number }) =>
    `A ${subject(params.list)} took ${milliseconds(params.medianMs)} ms (${medianOf(params.lists)}), within ${number(params.boundMs)} ms.`,
  'large-list-pages': ({ pages, tookMs }: { pages: number; tookMs: number }) =>
    `Reading ${counted(pages, 'page')} one after the other took ${number(tookMs)} ms.`,
  'large-list-ordinary': ({ medianMs, shades }: { shades: number; medianMs: number }) =>
    `Ordinary lists of ${counted(shades, 'shade')} took ${milliseconds(medianMs)} ms (median).`,
} as const;
