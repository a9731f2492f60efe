import type { CheckGroup, CheckId } from '../../vocabulary/check-ids.ts';
import { filledIn, type TemplateParams } from '../reasons/words/template.ts';

/** What a cause's parameters are made of: they are published in `verdicts.json`. */
type Param = string | number | boolean | readonly string[] | readonly number[] | undefined;
export type Params = Readonly<Record<string, Param>>;

/** Equal requests at the same time that go past what the profile promises: the limit of the load key, or the quota of the quota key. */
export interface Burst {
  /** `interactions`: past the limit by interactions, and whether a read then gets 429 shows whether they count. */
  readonly past: 'limit' | 'quota' | 'interactions';
  /** As many requests as are promised, times this. */
  readonly factor: number;
  /** The same twice again, with a pause of this length before each. */
  readonly pauseMs?: number;
}

/** One kind of cause: an entry of the catalogue, from which sentences and `docs/causes.md` are made. */
export interface CauseKind<P extends Params = Record<never, never>> {
  /** What it is about, where that is not what the others of its table are about. */
  readonly area?: CheckGroup;
  /** What is wrong, in one sentence of at most 25 words. */
  readonly text: string | ((params: P, certainty: 'shown' | 'fits') => string);
  /** What usually lies behind it in such services, in one sentence. */
  readonly behind: string;
  /** What gives the same answers, where a check that names the cause cannot tell them apart. One sentence. */
  readonly orElse?: string;
  /** The check without whose verdict the cause only fits. */
  readonly restsOn?: CheckId;
  /** Checks that fail as a consequence, beside those that name the cause. */
  readonly explains: readonly CheckId[];
  /** Codes of causes that are only symptoms of this one: a check that names one of them is explained by this as well. */
  readonly covers?: readonly string[];
  /** Those that depend on the parameters. A row of the model may have others. */
  readonly alsoCovers?: (params: Partial<P>) => readonly string[];
  /** Where no single request shows it: what has to be sent at the same time. */
  readonly burst?: (params: P) => Burst | undefined;
  /** Tells causes of one code apart, where several can be true at once: an endpoint, say. */
  readonly about?: (params: P) => string;
  /** Checks that could not pass if this were the cause. */
  readonly contradictedBy?: readonly CheckId[];
}

/** An entry of the catalogue. Fixes the type of its parameters. */
export function kind<P extends Params = Record<never, never>>(entry: CauseKind<P>): CauseKind<P> {
  return entry;
}

/** The parameters of a template, by its own text. */
export type ParamsIn<Text extends string> =
  TemplateParams<Text> extends infer P extends Params ? P : Record<never, never>;

/** An entry whose sentence is a template: its places say which parameters it has. */
export function worded<const Text extends string>(
  text: Text,
  entry: Omit<CauseKind<ParamsIn<Text>>, 'text'>,
): CauseKind<ParamsIn<Text>> {
  return { ...entry, text: (params) => filledIn(text, params) };
}
