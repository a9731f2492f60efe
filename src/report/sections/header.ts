import { span } from '../../amounts.ts';
import type { Judgement } from '../../checks/diagnosis/judgement.ts';
import type { History } from '../../history/history.ts';
import { instant, utc } from '../format.ts';
import type { KeyFigure } from '../key-figures.ts';
import { code, foreign, type Html, html } from '../markup.ts';
import { stops } from '../tables.ts';
import { targetName } from '../target-name.ts';
import { clockStepInWords, tally, verdictWords, wantedInWords } from '../words.ts';
import { diagnosisBlock } from './diagnosis.ts';

/** The top of the page: scenario, target, time and verdict. */
export async function pageHeader(
  history: History,
  judgement: Judgement,
  figures: readonly KeyFigure[],
): Promise<Html> {
  const { run } = history;
  const { mark, word } = verdictWords[judgement.verdict];
  const took = run.ended === undefined ? '' : `, ${span(run.ended.at_epoch_ms - run.zero_epoch_ms)}`;
  return html`<header class="top">
<p class="kind">tryon run report</p>
<h1>${foreign(run.scenario.title)}</h1>
<p class="about"><span>${foreign(run.scenario.name)}</span> <span>${foreign(targetName(run))} ${code(run.target.base_url)}</span> <span>${utc(run.zero_epoch_ms)}${took}</span> <span>seed ${String(run.seed)}</span></p>
<div class="verdict ${judgement.verdict}"><span class="mark" aria-hidden="true">${mark}</span><div><strong>${word}</strong><span>${tally(judgement.checks)}</span></div></div>
${diagnosisBlock(judgement)}
${await notices(history, judgement)}
${figures.length > 0 && html`<dl class="figures">${figures.map(({ label, value }) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`)}</dl>`}
</header>`;
}

/** What a reader has to know before trusting the numbers. */
async function notices(history: History, judgement: Judgement): Promise<Html[]> {
  const all: Html[] = [];
  if (judgement.generatorBound) {
    all.push(
      notice(
        'Generator-bound',
        'this machine could not keep to the plan, so capacity and latency below say nothing about the target.',
      ),
    );
  }
  const { ended } = history.run;
  const early = await stops(history);
  if (ended === undefined) {
    all.push(
      notice(
        'Unfinished',
        'the run was cut off before it closed its history; the records until then are shown.',
      ),
    );
  } else if (ended.how !== 'completed' && early.length === 0) {
    all.push(notice(`Ended early (${ended.how})`, ended.detail ?? 'no detail was recorded.'));
  }
  for (const stop of early)
    all.push(notice(`Ended early at ${instant(stop.at_ns)} (${stop.reason})`, stop.detail));
  const wanted = wantedInWords(history.run, judgement);
  if (wanted !== undefined) all.push(notice('Not judged: a key is missing', `${wanted}.`));
  const step = clockStepInWords(judgement);
  if (step !== undefined) all.push(notice('Clock', step));
  if (history.integrity.kind === 'altered') {
    all.push(
      notice(
        'History altered',
        `the files are not what the run wrote: ${history.integrity.differences.join('; ')}. Do not rely on this report.`,
      ),
    );
  }
  return all;
}

function notice(title: string, text: string): Html {
  return html`<p class="notice" role="note"><strong><span aria-hidden="true">⚠</span> ${title}:</strong> ${foreign(text)}</p>`;
}
