import { number, span } from '../amounts.ts';
import { utc } from '../report/format.ts';
import { code, foreign, type Html, html } from '../report/markup.ts';
import { page } from '../report/page/shell.ts';
import { table } from '../report/section.ts';
import { verdictWords } from '../report/words.ts';
import { inWords, verdictOn } from './assess.ts';
import type { Tried } from './conduct.ts';
import { byVariant, figuresOf, type SelftestResult, secondsOf, verdictOf } from './result.ts';
import { figureLines, interruptedText } from './terminal.ts';

/** A selftest as a page like those of runs: self-contained, and complete without scripts. */
export function writeSelftestPage(result: SelftestResult): Promise<string> {
  const verdict = verdictOf(result);
  const interrupted = interruptedText(result);
  const { mark, word } = verdictWords[verdict];
  const tried = result.defects.length + result.harmless.length;
  return page(
    `${word}: tryon selftest`,
    { charts: [] },
    html`<header class="top">
<p class="kind">tryon selftest</p>
<h1>What the harness finds, and what it leaves alone</h1>
<p class="about"><span>${utc(result.beganMs)}, ${span(result.tookMs)}</span> <span>${number(tried)} of ${number(result.planned)} runs, ${number(result.jobs)} at once</span></p>
<div class="verdict ${verdict}"><span class="mark" aria-hidden="true">${mark}</span><div><strong>${word}</strong><span>${[...(interrupted === undefined ? [] : [interrupted]), ...figureLines(figuresOf(result))].join(' ')}</span></div></div>
</header>
<main>
${result.defects.length > 0 && section('defects', 'Defects planted in the reference service', defectTable(result))}
${result.harmless.length > 0 && section('harmless', 'The service without changes, and its harmless variants', harmlessTable(result))}
</main>
<footer class="foot"><p>Written by tryon. A defect is detected when its run fails and names the right cause first. A harmless run must not fail; where it is inconclusive, it says so.</p></footer>`,
  );
}

function section(id: string, title: string, body: Html): Html {
  return html`<section id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${title}</h2>
${body}
</section>`;
}

function defectTable({ defects }: SelftestResult): Html {
  return table(
    'Defects',
    [
      { label: 'Defect' },
      { label: 'Grade', numeric: true },
      { label: 'Planted' },
      { label: 'Outcome' },
      { label: 'Probable cause' },
      { label: 'Run' },
      { label: 'Seconds', numeric: true },
    ],
    defects.map((each) => [
      each.tried.id,
      String(each.tried.grade),
      foreign(each.tried.title),
      badge(each),
      html`${each.outcome.kind === 'detected' && html`${code(each.outcome.by.cause)}: `}${foreign(inWords(each.outcome))}`,
      runLink(each),
      secondsOf([each]),
    ]),
  );
}

function harmlessTable(result: SelftestResult): Html {
  return table(
    'Harmless runs',
    [
      { label: 'Variant' },
      { label: 'What differs' },
      { label: 'Outcome' },
      { label: 'Runs', numeric: true },
      { label: 'Results' },
      { label: 'Seconds', numeric: true },
    ],
    byVariant(result).map(({ name, tries, worst }) => {
      const unlike = tries.filter(({ outcome }) => verdictOn(outcome) !== 'pass');
      return [
        name,
        foreign(worst.tried.title),
        badge(worst),
        number(tries.length),
        unlike.length === 0
          ? inWords(worst.outcome)
          : html`<ul class="values">${unlike.map((each) => html`<li>${runLink(each)}: ${foreign(inWords(each.outcome))}</li>`)}</ul>`,
        secondsOf(tries),
      ];
    }),
  );
}

function badge({ outcome }: Tried): Html {
  const verdict = verdictOn(outcome);
  return html`<span class="badge ${verdict}"><span aria-hidden="true">${verdictWords[verdict].mark}</span> ${outcome.kind.replace('-', ' ')}</span>`;
}

/** The run's own report, where it was kept. */
function runLink({ folder, tried }: Tried): Html {
  const name = `${tried.run}, seed ${tried.seed}`;
  return folder === undefined ? html`${name}` : html`<a href="${folder}/report.html">${name}</a>`;
}
