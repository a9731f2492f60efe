import { number, span } from '../amounts.ts';
import type { CheckResult } from '../checks/core/verdict.ts';
import type { Judgement } from '../checks/diagnosis/diagnosis.ts';
import type { History } from '../history/history.ts';
import {
  answerOf,
  certaintyWords,
  doubts,
  endedEarly,
  planName,
  type ReportAnswer,
  type ReportFinding,
  reproduceCommand,
  targetName,
} from './answer.ts';
import { chartsIn, nothing, type ReportFigure } from './figure.ts';
import { figureHtml, figuresHtml } from './figure-html.ts';
import { figureText, type KeyFigure } from './key-figures.ts';
import { foreign, type Html, html, page, prose } from './page/shell.ts';
import { chooseBuckets, drivenPhases, type Section, type SectionInput } from './section.ts';
import { analyticsSection } from './sections/analytics.ts';
import { capacitySection } from './sections/capacity.ts';
import { openApiSection, powerSection } from './sections/contract.ts';
import { latencySection } from './sections/latency.ts';
import { limiterSection } from './sections/limiter.ts';
import { quotaSection } from './sections/quota.ts';
import { recordsSection } from './sections/records.ts';
import { booksSection } from './sections/requests.ts';
import { madeSection, targetSection } from './sections/run.ts';
import { carriedRecords } from './sections/stories.ts';
import { trafficSection } from './sections/traffic.ts';
import { verdictsSection } from './sections/verdicts.ts';
import { differences } from './shown.ts';
import { firstSentences, utc, visible } from './text.ts';
import { groupChecks, tally, verdictWords } from './words.ts';

/** The sections of the page, in the order of a reader's questions: what happened, what was tested, then everything. */
const sections: readonly Section[] = [
  capacitySection,
  limiterSection,
  trafficSection,
  latencySection,
  quotaSection,
  analyticsSection,
  openApiSection,
  powerSection,
  verdictsSection,
  recordsSection,
  booksSection,
  targetSection,
  madeSection,
];

/** The report of a run as one HTML page that opens offline. */
export async function writeHtmlReport(history: History, judgement: Judgement): Promise<string> {
  const buckets = await chooseBuckets(history);
  const input: SectionInput = { history, judgement, buckets, phases: await drivenPhases(history) };
  const made: (Section & { readonly figures: readonly ReportFigure[] })[] = [];
  for (const section of sections) {
    // A section that cannot be made says why; the rest of the report must not be lost with it.
    const figures = await section
      .make(input)
      .catch((error: unknown) => [
        nothing(`This section could not be made from the history: ${visible(String(error))}`),
      ]);
    if (figures !== undefined) made.push({ ...section, figures: figures.flatMap((each) => each ?? []) });
  }
  const groups = groupChecks(judgement.checks);
  // Of a pass, the first section is what the scenario is about.
  const isPass = judgement.verdict === 'pass';
  return page(
    `${verdictWords[judgement.verdict].word}: ${visible(history.run.scenario.name)}, tryon run report`,
    {
      grid: { stepS: buckets.widthMs / 1_000, count: buckets.count },
      phases: input.phases,
      charts: chartsIn(made.flatMap(({ figures }) => figures)),
    },
    html`${headerHtml(await answerOf(history, judgement))}
<nav class="contents" aria-label="Sections"><ul>${made.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul>
${timeFields}</nav>
<main>${made.map(({ about, figures, id, title }) => {
      const own = groups.filter(({ group }) => about.includes(group)).flatMap(({ checks }) => checks);
      const isOpen = isPass ? id === made[0]?.id : own.some(({ verdict }) => verdict === judgement.verdict);
      return html`
<section aria-labelledby="${id}-title">
<details id="${id}" class="section"${isOpen && html` open`}><summary><h2 id="${id}-title">${title}</h2>${own.length > 0 && html` <span class="count">${tally(own)}</span>`}</summary>
${figuresHtml(figures)}
</details></section>`;
    })}
</main>
<footer class="foot"><p>Written by tryon from the run’s history and verdicts. Times are minutes and seconds since the run began.</p></footer>`,
  );
}

/** Which part of the run charts and tables show. The page's script shows the fields, since they need it. */
const timeFields = html`<div class="time" id="time" role="group" aria-label="Part of the run shown" hidden>
<label>Show <select id="time-phase"><option value="">the whole run</option><option value="part" hidden>a part</option></select></label>
<label>from <input id="time-from" inputmode="numeric" autocomplete="off"></label>
<label>to <input id="time-to" inputmode="numeric" autocomplete="off"></label>
<button type="button" id="time-all">Whole run</button> <output id="time-note"></output></div>`;

/** Characters of what was expected and what came, where both are short enough to be set apart. */
const mostCompared = 100;
/** Characters of the sentences that decide, also above those two. */
const mostDecisive = 180;
const mostDecisiveAbove = 100;
/** Figures that stand open at the top; the others are folded away. */
const mostFigures = 3;

/** The first screen: verdict, causes with what was expected and what came, and three figures. */
function headerHtml(answer: ReportAnswer): Html {
  const { figures, findings, judgement, notices, power, results, run } = answer;
  const { mark, word } = verdictWords[judgement.verdict];
  const took = run.ended === undefined ? '' : `, ${span(run.ended.at_epoch_ms - run.zero_epoch_ms)}`;
  const carried = carriedRecords(judgement.checks);
  const excluded = judgement.verdict === 'fail' ? undefined : power;
  // Where nothing failed, what is open comes first; of a run that ended early, that is counted and not named.
  const isOpenNamed = judgement.verdict !== 'fail' && !endedEarly(answer);
  const shown = findings.filter(
    ({ cause, verdict }) => cause !== undefined || verdict === 'fail' || isOpenNamed,
  );
  const first = figures.filter(({ rank }) => rank !== 'own').slice(0, mostFigures);
  const more = figures.filter((each) => !first.includes(each));
  const decisive = shown.filter(({ verdict }) => verdict === judgement.verdict);
  const articles = (of: readonly ReportFinding[]): Html | false =>
    of.length > 0 &&
    html`<section class="diagnosis" aria-label="${of === decisive ? 'What decides' : 'What is open'}">${of.map((each) => findingHtml(each, shown.indexOf(each), carried))}<p>${certaintyWords(of)}</p></section>`;
  return html`<header class="top">
<h1>${foreign(run.scenario.title)}</h1>
<p class="about"><span>${foreign(run.scenario.name)}</span> <span>${foreign(targetName(run))} <code>${foreign(run.target.base_url)}</code></span> <span><span class="nowrap">${utc(run.zero_epoch_ms)}</span>${took}</span> <span>${planName(run)}</span></p>
<div class="verdict ${judgement.verdict}"><span class="mark" aria-hidden="true">${mark}</span><div><strong>${word}</strong><span>${tally(judgement.checks)}</span></div>${(results.length > 0 || excluded !== undefined) && html`<p>${results.map((each) => html`${each.label}: ${figureText(each)}. `)}${excluded !== undefined && html`${excluded.text}${excluded.others > 0 && html`, but not <a href="#power">${number(excluded.others)} others</a>`}.`}</p>`}</div>
${notices.map(({ text, title }) => html`<p class="notice" role="note"><strong><span aria-hidden="true">⚠</span> ${visible(title)}:</strong> ${foreign(text)}</p>`)}
${articles(decisive)}
${figuresList(first)}
${more.length > 0 && html`<details class="more-figures"><summary>More figures</summary>${figuresList(more)}</details>`}
${articles(shown.filter((each) => !decisive.includes(each)))}
</header>`;
}

function figuresList(figures: readonly KeyFigure[]): Html | false {
  return (
    figures.length > 0 &&
    html`<dl class="figures">${figures.map(({ label, note, value }) => html`<div><dt>${label}</dt><dd>${value}</dd>${note !== undefined && html`<dd class="note">${note}</dd>`}</div>`)}</dl>`
  );
}

function findingHtml(
  { cause, checks, explanation, heading, title, verdict }: ReportFinding,
  place: number,
  carried: ReadonlySet<number>,
): Html {
  const [decisive, ...others] = checks;
  const shown = [...(cause?.seqs ?? [])].toSorted((a, b) => a - b).find((seq) => carried.has(seq));
  const doubt = cause && doubts(cause);
  const command = cause && reproduceCommand(cause, 'FOLDER');
  const difference = decisive && shortDifference(decisive);
  const most = difference === undefined ? mostDecisive : mostDecisiveAbove;
  // The first one is what a reader came for; each other is two lines until it is opened.
  return html`<details class="cause ${verdict}" id="cause-${String(place + 1)}"${place === 0 && html` open`}>
<summary><p class="which">${decisive === undefined ? heading : cause === undefined ? html`${verdict === 'fail' ? 'No known cause explains' : 'Inconclusive:'} <code>${heading}</code>` : html`${heading} <code>${cause.cause.code}</code>`}</p>
<p class="what"><strong>${prose(title)}</strong></p></summary>
${explanation !== '' && html`<p class="decisive">${prose(firstSentences(explanation, ({ length }) => length <= most))}</p>`}
${difference && figureHtml({ kind: 'comparison', ...difference })}
${decisive && html`<p class="explains">${difference && difference.at !== '' && html`Compared: ${foreign(difference.at)}. `}See <a href="#${decisive.id}">${decisive.id}</a>.</p>`}
${others.length > 0 && html`<p class="explains">Explains as well: ${others.map(({ id }, at) => html`${at > 0 && ', '}<a href="#${id}">${id}</a>`)}.</p>`}
${cause && html`<p class="behind">Usual cause: ${prose(cause.behind)}${doubt !== undefined && html` ${prose(doubt)}`}${shown !== undefined && html` First shown by <a href="#record-${String(shown)}">record ${String(shown)}</a>.`}</p>`}
${command !== undefined && html`<p>Reproduce it: <code>${command}</code> (FOLDER is the folder of this run)</p>`}
${cause?.reproduction && html`<details><summary>The same with curl</summary><pre class="shell"><code>${cause.reproduction.lines.map(visible).join('\n')}</code></pre></details>`}
</details>`;
}

/** The first part of a check that is not as expected, if it says it in short; the section of the checks has all. */
function shortDifference(check: CheckResult): ReturnType<typeof differences>[number] | undefined {
  return differences(check, mostCompared)
    .slice(0, 1)
    .find(({ at, expected, observed }) => {
      return at + expected !== '' && expected.length + observed.length <= mostCompared;
    });
}
