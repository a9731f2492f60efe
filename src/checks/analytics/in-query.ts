import type { Reason } from '../reasons/reason.ts';

/** Reasons of one answer, the first of which names its query. */
export function inQuery(label: string, [first, ...rest]: readonly Reason[]): Reason[] {
  if (first === undefined) return [];
  const named = 'query' in first.params ? { ...first, params: { ...first.params, query: label } } : first;
  // The same code with the same parameters, but for the name of the query.
  return [named as Reason, ...rest];
}
