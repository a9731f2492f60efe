/** Whole sentences with full stops, or how parameters make them: plain data alone, since `verdicts.json` publishes it. */
export type Wording = string | ((params: never) => string);

/** What a wording is made of. A sentence without parameters has none. */
export type ParamsOf<W> = W extends (params: infer P) => string ? P : Record<never, never>;

/** The parameters to hand over with a wording; none for a sentence without. */
export type WithParams<W> = W extends string ? [params?: Record<never, never>] : [params: ParamsOf<W>];

/** The sentences. The parameters have to be those of the wording. */
export function worded(wording: Wording, params: object): string {
  return typeof wording === 'string' ? wording : wording(params as never);
}
