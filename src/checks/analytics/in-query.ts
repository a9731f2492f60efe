import type { Reason } from '../reasons/reason.ts';

/** Reasons of one answer, the first of which names its query. */
export function inQuery(label: string, [first, ...rest]: readonly Reason[]): Reason[] {
  if (first === undefined) return [];
  const params: object = first.params;
  if (!('query' in params)) return [first, ...rest];
  // The same code with the same parameters, but for the name of the query.
  return [{ ...first, params: { ...params, query: label } } as Reason, ...rest];
}

/** Reasons of several answers; what holds for all of them alike comes once, after them. */
export function inQueries(answers: readonly (readonly Reason[])[]): Reason[] {
  const keyed = answers.map((reasons) => reasons.map((each) => ({ each, key: JSON.stringify(each) })));
  const [first = [], ...others] = keyed;
  const common = first.filter(({ key }) => others.every((own) => own.some((one) => one.key === key)));
  const isCommon = ({ key }: { readonly key: string }): boolean => common.some((one) => one.key === key);
  const told = keyed.flatMap((own) => own.filter((one) => !isCommon(one)));
  return [...told, ...common].map(({ each }) => each);
}
