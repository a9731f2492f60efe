import { number, span } from '../../amounts.ts';
import { code, foreign, link, type ReportFigure, type Text, t, table } from '../../report/figure.ts';
import { figureHtml } from '../../report/figure-html.ts';
import { type Html, html } from '../../report/markup.ts';
import { page } from '../../report/page/shell.ts';
import { utc } from '../../report/text.ts';
import { verdictWords } from '../../report/words.ts';
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

function section(id: string, title: string, body: ReportFigure): Html {
  return html`<section id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${title}</h2>
${figureHtml(body)}
</section>`;
}

function defectTable({ defects }: SelftestResult): ReportFigure {
  return table('Defects', defects, [
    ['Defect', (each) => each.tried.id],
    ['Grade', (each) => String(each.tried.grade), 'number'],
    ['Planted', (each) => foreign(each.tried.title)],
    ['Outcome', (each) => badge(each)],
    [
      'Probable cause',
      (each) =>
        t`${each.outcome.kind === 'detected' && t`${code(each.outcome.by.cause)}: `}${foreign(inWords(each.outcome))}`,
    ],
    ['Run', (each) => runLink(each)],
    ['Seconds', (each) => secondsOf([each]), 'number'],
  ]);
}

function harmlessTable(result: SelftestResult): ReportFigure {
  return table('Harmless runs', byVariant(result), [
    ['Variant', ({ name }) => name],
    ['What differs', ({ worst }) => foreign(worst.tried.title)],
    ['Outcome', ({ worst }) => badge(worst)],
    ['Runs', ({ tries }) => number(tries.length), 'number'],
    ['Results', ({ tries, worst }) => results(tries, worst)],
    ['Seconds', ({ tries }) => secondsOf(tries), 'number'],
  ]);
}

function results(tries: readonly Tried[], worst: Tried): Text {
  const unlike = tries.filter(({ outcome }) => verdictOn(outcome) !== 'pass');
  if (unlike.length === 0) return inWords(worst.outcome);
  return {
    span: 'items',
    parts: unlike.map((each) => t`${runLink(each)}: ${foreign(inWords(each.outcome))}`),
  };
}

function badge({ outcome }: Tried): Text {
  return { span: 'verdict', verdict: verdictOn(outcome), word: outcome.kind.replace('-', ' ') };
}

/** The run's own report, where it was kept. */
function runLink({ folder, tried }: Tried): Text {
  const name = `${tried.run}, seed ${tried.seed}`;
  return folder === undefined ? name : link(`${folder}/report.html`, name);
}
