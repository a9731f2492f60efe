import { number } from '../../../amounts.ts';
import { type Pace, paceText } from './names.ts';

/** Kinds of limiter of one size that explain the answers. */
export type FittedKinds = Pace & { readonly kinds: readonly string[] };

/** What values were compared with, in a sentence. */
export function comparedWith({ kinds, ...pace }: FittedKinds): string {
  const [only] = kinds;
  return kinds.length === 1 && only !== undefined
    ? `Compared with a ${only} of ${paceText(pace)}, which explains every answer.`
    : `Compared with ${number(kinds.length)} kinds of limiter of ${paceText(pace)} that explain every answer.`;
}
