import { counted, number } from '../../amounts.ts';
import { readCoverage, totalsOf } from '../../checks/corners/read.ts';
import { type LoadSessions, readLoadSessions } from '../../checks/corners/shoppers.ts';
import { catalogue } from '../../corners/catalogue.ts';
import type { CoveredClass } from '../../corners/coverage.ts';
import { outcomeWords, whyNot } from '../coverage-words.ts';
import { type Html, html } from '../markup.ts';
import { disclosure, nothing, type Section, type SectionBody, type SectionInput, table } from '../section.ts';

/** Which classes of values the run's requests carried, and why it did not reach the others. */
export const coverageSection: Section = { id: 'coverage', title: 'Coverage', make };

async function make({ history }: SectionInput): Promise<SectionBody> {
  const coverage = await readCoverage(history);
  const { classes, reached, rejected } = totalsOf(coverage);
  if (coverage.every(({ requests }) => requests === 0))
    return nothing(`The run tested none of ${number(classes)} classes of values: no request was answered.`);
  const byField = [...Map.groupBy(coverage, ({ field }) => field)];
  return {
    body: html`<p>The run tested ${number(reached)} of ${number(classes)} classes of values${rejected > 0 && html`; ${number(rejected)} more got a 4xx, which the interface leaves open, and ${rejected === 1 ? 'is' : 'are'} not judged`}. A pass says nothing about a class that was not reached. ${inLoad(await readLoadSessions(history))}</p>
${byField.map(([field, own]) => fieldTable(catalogue[field].title, own))}`,
  };
}

/** How much of the load had unusual values, too: shoppers use those that the target accepted before. */
function inLoad({ products, sessions, unusual }: LoadSessions): string {
  if (sessions === 0) return '';
  return unusual === 0
    ? 'No session of the load had unusual values.'
    : `${number(unusual)} of ${counted(sessions, 'session')} of the load had unusual values, on ${counted(products, 'product')}.`;
}

function fieldTable(title: string, classes: readonly CoveredClass[]): Html {
  const reached = classes.filter(({ outcome }) => outcome === 'reached').length;
  return disclosure(
    `${title}: ${number(reached)} of ${number(classes.length)}`,
    table(title, classes, [
      ['Class', ({ sentence }) => sentence],
      ['Outcome', ({ outcome }) => outcomeCell(outcomeWords[outcome])],
      ['Requests', ({ requests }) => number(requests), 'number'],
      ['Why not', whyNot],
    ]),
  );
}

function outcomeCell({ mark, word }: (typeof outcomeWords)[CoveredClass['outcome']]): Html {
  return html`<span aria-hidden="true">${mark}</span> ${word}`;
}
