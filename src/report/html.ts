import type { Judgement } from '../checks/diagnosis/judgement.ts';
import type { History } from '../history/history.ts';
import { keyFigures } from './key-figures.ts';
import { limiterLine } from './limiter-words.ts';
import { html } from './markup.ts';
import { page } from './page/shell.ts';
import { nothing, type Section, type SectionBody, type SectionInput } from './section.ts';
import { analyticsSection } from './sections/analytics.ts';
import { booksSection } from './sections/books.ts';
import { capacitySection } from './sections/capacity.ts';
import { pageHeader } from './sections/header.ts';
import { latencySection } from './sections/latency.ts';
import { limiterSection } from './sections/limiter.ts';
import { madeSection } from './sections/made.ts';
import { openApiSection } from './sections/openapi.ts';
import { powerSection } from './sections/power.ts';
import { quotaSection } from './sections/quota.ts';
import { recordsSection } from './sections/records.ts';
import { shadesSection } from './sections/shades.ts';
import { targetSection } from './sections/target.ts';
import { trafficSection } from './sections/traffic.ts';
import { verdictsSection } from './sections/verdicts.ts';
import { chooseBuckets, drivenPhases, timeGrid } from './series.ts';
import { visible } from './text.ts';
import { verdictWords } from './words.ts';

/** The sections of the page, in the order of a reader's questions: what happened, what was tested, then everything. */
const sections: readonly Section[] = [
  limiterSection,
  trafficSection,
  latencySection,
  quotaSection,
  analyticsSection,
  shadesSection,
  capacitySection,
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
  const input: SectionInput = {
    history,
    judgement,
    buckets: await chooseBuckets(history),
    phases: await drivenPhases(history),
  };
  const grid = timeGrid(input.buckets);
  const limiter = await limiterLine(history);
  const figures = [
    ...(limiter === undefined ? [] : [{ label: 'Limiter', value: limiter }]),
    ...(await keyFigures(history, judgement)),
  ];
  const header = await pageHeader(history, judgement, figures);
  const made: (Section & SectionBody)[] = [];
  for (const section of sections) {
    const body = await bodyOf(section, input);
    if (body !== undefined) made.push({ ...section, ...body });
  }
  const { run } = history;
  return page(
    `${verdictWords[judgement.verdict].word}: ${visible(run.scenario.name)}, tryon run report`,
    {
      grid: { stepS: grid.widthMs / 1_000, count: grid.count },
      phases: input.phases,
      charts: made.flatMap((section) => section.charts ?? []),
      latencies: made.flatMap((section) => section.latencies ?? []),
    },
    html`${header}
<nav class="contents" aria-label="Sections"><ul>${made.map((section) => html`<li><a href="#${section.id}">${section.title}</a></li>`)}</ul>
${timeFields}</nav>
<main>${made.map(
      (section) => html`
<section id="${section.id}" aria-labelledby="${section.id}-title">
<h2 id="${section.id}-title">${section.title}</h2>
${section.body}
</section>`,
    )}
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

/** A section that cannot be made says why; the rest of the report must not be lost with it. */
async function bodyOf(section: Section, input: SectionInput): Promise<SectionBody | undefined> {
  try {
    return await section.make(input);
  } catch (error) {
    return nothing(`This section could not be made from the history: ${visible(String(error))}`);
  }
}
