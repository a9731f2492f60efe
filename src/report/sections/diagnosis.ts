import type { Diagnosed } from '../../checks/diagnosis/diagnosis.ts';
import type { Judgement } from '../../checks/judge.ts';
import { against, causeHeading, standingAlone } from '../diagnosis.ts';
import { type Html, html, prose } from '../markup.ts';
import { visible } from '../text.ts';
import { verdictBadge } from './verdict-badge.ts';

/**
 * Probable causes, the likeliest first, and the failures that none of them explains, above everything else on the page;
 * nothing where nothing failed.
 */
export function diagnosisBlock(judgement: Judgement): Html | false {
  const { causes } = judgement.diagnosis;
  const alone = standingAlone(judgement).filter(({ verdict }) => verdict === 'fail');
  if (causes.length === 0 && alone.length === 0) return false;
  return html`<section class="diagnosis" aria-label="Probable causes">${causes.map((each, place) => causeBlock(each, place, causes))}${
    alone.length > 0 &&
    html`<div><p>No known cause explains:</p><ul class="failures">${alone.map(
      ({ id, title, verdict }) =>
        html`<li>${verdictBadge(verdict)} <a href="#${id}">${prose(title)}</a></li>`,
    )}</ul></div>`
  }</section>`;
}

function causeBlock(each: Diagnosed, place: number, causes: readonly Diagnosed[]): Html {
  const doubt = against(each);
  return html`<article class="cause" id="cause-${String(place + 1)}">
<p class="which">${causeHeading(each, causes)} <code>${each.cause.code}</code></p>
<p class="what"><strong>${prose(each.text)}</strong></p>
<p class="behind">Usual cause: ${prose(each.behind)}</p>
<p class="explains">Explains ${each.checks.map((id, at) => html`${at > 0 && ', '}<a href="#${id}">${id}</a>`)}.${doubt !== undefined && html` ${doubt}.`}</p>
${
  each.reproduction !== undefined &&
  html`<details><summary>Reproduce it</summary><pre class="shell"><code>${each.reproduction.lines.map(visible).join('\n')}</code></pre></details>`
}
</article>`;
}
