import type { Verdict } from '../../checks/core/verdict.ts';
import { type Html, html } from '../markup.ts';
import { verdictWords } from '../words.ts';

/** A verdict as a mark and a word, which say it without the colour. */
export function verdictBadge(verdict: Verdict): Html {
  const { mark, word } = verdictWords[verdict];
  return html`<span class="badge ${verdict}"><span aria-hidden="true">${mark}</span> ${word}</span>`;
}
