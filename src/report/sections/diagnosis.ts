import type { Diagnosed } from '../../checks/diagnosis/diagnosis.ts';
import type { Judgement } from '../../checks/judge.ts';
import { against, causeHeading } from '../diagnosis.ts';
import { type Html, html, prose } from '../markup.ts';
import { visible } from '../text.ts';

/** Probable causes, the likeliest first, above everything else on the page; nothing where nothing failed. */
export function diagnosisBlock({ diagnosis: { causes, unexplained } }: Judgement): Html | false {
  if (causes.length === 0) return false;
  return html`<section class="diagnosis" aria-label="Probable causes">${causes.map((each, place) => causeBlock(each, place, causes))}${
    unexplained.length > 0 &&
    html`<p class="rest">No known cause explains ${unexplained.map((id, at) => html`${at > 0 && ', '}<a href="#${id}">${id}</a>`)}.</p>`
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
