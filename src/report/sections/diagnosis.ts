import type { Diagnosed } from '../../checks/diagnosis/diagnosis.ts';
import type { Judgement } from '../../checks/diagnosis/judgement.ts';
import { causeHeading, doubts, standingAlone } from '../diagnosis.ts';
import { type Html, html, prose } from '../markup.ts';
import { carriedRecords } from '../stories.ts';
import { visible } from '../text.ts';
import { verdictBadge } from './verdict-badge.ts';

/**
 * Probable causes, the likeliest first, and the failures that none of them explains, above everything else on the page;
 * nothing where nothing failed.
 */
export function diagnosisBlock(judgement: Judgement): Html | false {
  const { causes } = judgement.diagnosis;
  const carried = carriedRecords(judgement.checks);
  const alone = standingAlone(judgement).filter(({ verdict }) => verdict === 'fail');
  if (causes.length === 0 && alone.length === 0) return false;
  return html`<section class="diagnosis" aria-label="Probable causes">${causes.map((each, place) => causeBlock(each, place, { causes, carried }))}${
    alone.length > 0 &&
    html`<div><p>No known cause explains:</p><ul class="failures">${alone.map(
      ({ id, title, verdict }) =>
        html`<li>${verdictBadge(verdict)} <a href="#${id}">${prose(title)}</a></li>`,
    )}</ul></div>`
  }</section>`;
}

interface DiagnosisContext {
  readonly causes: readonly Diagnosed[];
  /** Records that the page has a story for. */
  readonly carried: ReadonlySet<number>;
}

function causeBlock(each: Diagnosed, place: number, { carried, causes }: DiagnosisContext): Html {
  const doubt = doubts(each);
  const first = each.seqs.length === 0 ? undefined : Math.min(...each.seqs);
  return html`<article class="cause" id="cause-${String(place + 1)}">
<p class="which">${causeHeading(each, causes)} <code>${each.cause.code}</code></p>
<p class="what"><strong>${prose(each.text)}</strong></p>
<p class="behind">Usual cause: ${prose(each.behind)}</p>
<p class="explains">Explains ${each.checks.map((id, at) => html`${at > 0 && ', '}<a href="#${id}">${id}</a>`)}.${doubt !== undefined && html` ${doubt}`}${first !== undefined && html` First shown by ${recordLink(first, carried)}.`}</p>
${
  each.reproduction !== undefined &&
  html`<details><summary>Reproduce it</summary><pre class="shell"><code>${each.reproduction.lines.map(visible).join('\n')}</code></pre></details>`
}
</article>`;
}

function recordLink(seq: number, carried: ReadonlySet<number>): Html {
  const name = html`record ${String(seq)}`;
  return carried.has(seq) ? html`<a href="#record-${String(seq)}">${name}</a>` : name;
}
