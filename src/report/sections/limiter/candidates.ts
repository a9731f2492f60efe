import { counted, number } from '../../../amounts.ts';
import type { CandidateLoad, DrawnCandidate } from '../../../checks/rate-limit/study/candidate-loads.ts';
import type { TimeSlots } from '../../../checks/rate-limit/study/time-slots.ts';
import { type Band, type Chart, chartFigure, swatch } from '../../chart.ts';
import { perWindow } from '../../format.ts';
import { percent } from '../../limiter-words.ts';
import { type Content, foreign, html } from '../../markup.ts';
import { type SectionBody, table } from '../../section.ts';
import { slotSeconds } from './trailing.ts';

type LoadedCandidate = DrawnCandidate & { readonly load: CandidateLoad };

/** Every kind that was compared with the answers: a table, and the counts of each. */
export function candidatesPart(
  candidates: readonly DrawnCandidate[],
  slots: TimeSlots,
  bands: readonly Band[],
): SectionBody {
  const drawn = candidates.filter(isDrawn);
  const [possible, refuted] = [drawn.filter(isPossible), drawn.filter((each) => !isPossible(each))];
  const chart = (each: LoadedCandidate): Chart => loadChart(each, slots, bands);
  return {
    charts: drawn.map(chart),
    body: html`<p>Each chart shows what one kind of limiter would have counted at each request of a key. ${swatch('ok', 'mark')}: the request was admitted (the highest count of each time step). ${swatch('limited', 'mark')}: the request was rejected (the lowest count). The dashed line is the limit. For the right kind, admissions are below the line and rejections are on it. ${swatch('server-error', 'mark')}: this kind would have answered differently, whatever the order of arrivals.</p>
${possible.length > 0 && html`<div class="multiples">${possible.map((each) => chartFigure(chart(each)))}</div>`}
${table('Kinds of limiter compared with the answers', candidates, [
  ['Kind', ({ name }) => html`<div class="name">${name}</div>`],
  ['Likelihood', ({ standing }) => likelihood(standing)],
  ['Wrong', mismatches, 'number'],
  ['Impossible', ({ load }) => load !== undefined && number(load.contradicted), 'number'],
  ['Refuted because', because],
  ['Requests', ({ standing }) => standing.kind === 'refuted' && [...new Set(standing.evidence)].join(', ')],
])}
<p class="lead"><strong>Wrong</strong>: answers that the kind would not have given in the assumed order of arrivals. The real order is not known, so the right kind may have a few wrong answers. <strong>Impossible</strong>: answers that the kind would not have given in any order (red). <strong>Refuted</strong>: no limit and no window make the kind fit. The reason is the contradiction at the window that fits best; the chart shows another window.</p>
${
  refuted.length > 0 &&
  html`<details open><summary>What the ${counted(refuted.length, 'refuted kind')} would have counted</summary>
<p>Drawn at the promised limit and window, or at those of the likeliest kind, whichever give fewer wrong answers. Refuted kinds that keep no count have no chart.</p>
<div class="multiples">${refuted.map((each) => chartFigure(chart(each)))}</div></details>`
}`,
  };
}

function isDrawn(candidate: DrawnCandidate): candidate is LoadedCandidate {
  return candidate.load !== undefined;
}

function isPossible({ standing }: DrawnCandidate): boolean {
  return standing.kind === 'possible';
}

function likelihood(standing: DrawnCandidate['standing']): Content {
  if (standing.kind === 'refuted') return 'refuted';
  return html`<span class="nowrap"><strong>possible</strong>, ${percent(standing.confidence)}</span>`;
}

function mismatches({ load, standing }: DrawnCandidate): Content {
  if (standing.kind === 'possible') return number(standing.mismatches);
  return load !== undefined && number(load.mismatches);
}

function because({ standing }: DrawnCandidate): Content {
  return standing.kind === 'refuted' && html`<div class="long">${foreign(standing.because)}</div>`;
}

function loadChart(
  { algorithm, name, standing, load }: LoadedCandidate,
  slots: TimeSlots,
  bands: readonly Band[],
): Chart {
  const state = standing.kind === 'possible' ? `possible, ${percent(standing.confidence)}` : 'refuted';
  const size = perWindow(load.limit, load.windowMs);
  const err =
    standing.kind === 'possible'
      ? `${number(load.mismatches)} wrong`
      : counted(load.contradicted, 'impossible answer');
  const marks = (
    label: string,
    colour: 'ok' | 'limited' | 'server-error',
    values: readonly (number | null)[],
  ) => (values.some((value) => value !== null) ? [{ label, colour, draw: 'marks', values } as const] : []);
  return {
    id: `load-${algorithm}`,
    title: name,
    unit: `${state}; at ${size}: ${err}`,
    summary: `What a ${name} of ${size} would have counted at each request, over the study: ${state}, with ${err}.`,
    scale: 'linear',
    x: slotSeconds(slots),
    series: [
      ...marks('impossible', 'server-error', load.wrong),
      ...marks('admitted', 'ok', load.admitted),
      ...marks('rejected', 'limited', load.refused),
    ],
    limits: [{ value: load.limit, label: `limit, ${number(load.limit)}` }],
    bands,
    isSmall: true,
  };
}
