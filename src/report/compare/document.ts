import type { Verdict } from '../../checks/core/verdict.ts';
import type { Picture } from './picture.ts';

/** A text for people before it has a form: `render.ts` writes it for the terminal, as Markdown and as HTML. */
export interface Document {
  readonly title: string;
  /** Sets the mark and the colour. */
  readonly verdict: Verdict;
  readonly result: string;
  readonly parts: readonly DocumentPart[];
}

export type DocumentPart =
  | { readonly kind: 'heading' | 'text'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly string[] }
  /** For a page alone. */
  | { readonly kind: 'picture'; readonly picture: Picture }
  | {
      readonly kind: 'table';
      readonly caption: string;
      readonly head: readonly string[];
      readonly rows: readonly (readonly string[])[];
      /** Not for the terminal. */
      readonly isLong?: boolean;
    };
