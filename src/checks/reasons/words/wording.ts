import { filledIn, type TemplateParams } from './template.ts';

/**
 * Whole sentences with full stops: a template, or a function where the words depend on more than single parameters. Parameters
 * are plain data alone, since `verdicts.json` publishes them.
 */
export type Wording = string | ((params: never) => string);

/** What a wording is made of. A sentence without parameters has none. */
export type ParamsOf<W> = W extends string
  ? unknown extends TemplateParams<W>
    ? Record<never, never>
    : TemplateParams<W>
  : W extends (params: infer P) => string
    ? P
    : Record<never, never>;

/** The parameters to hand over with a wording; none for a sentence without. */
export type WithParams<W> = W extends string
  ? unknown extends TemplateParams<W>
    ? [params?: Record<never, never>]
    : [params: TemplateParams<W>]
  : [params: ParamsOf<W>];

/** The sentences. The parameters have to be those of the wording. */
export function worded(wording: Wording, params: object): string {
  return typeof wording === 'string'
    ? filledIn(wording, params as Readonly<Record<string, unknown>>)
    : wording(params as never);
}
