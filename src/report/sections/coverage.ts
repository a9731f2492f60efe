import { number } from '../../amounts.ts';
import { readCoverage, totalsOf } from '../../checks/corners/read.ts';
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
    return nothing(`The run reached none of ${number(classes)} value classes: no request was answered.`);
  const byField = [...Map.groupBy(coverage, ({ field }) => field)];
  return {
    body: html`<p>The run reached ${number(reached)} of ${number(classes)} value classes${rejected > 0 && html`; ${number(rejected)} more got a 4xx, which the interface leaves open, and ${rejected === 1 ? 'is' : 'are'} not judged`}. A pass says nothing about a class that was not reached.</p>
${byField.map(([field, own]) => fieldTable(catalogue[field].title, own))}`,
  };
}

function fieldTable(title: string, classes: readonly CoveredClass[]): Html {
  const reached = classes.filter(({ outcome }) => outcome === 'reached').length;
  return disclosure(
    `${title}: ${number(reached)} of ${number(classes.length)}`,
    table(
      title,
      [{ label: 'Class' }, { label: 'Outcome' }, { label: 'Requests', numeric: true }, { label: 'Why not' }],
      classes.map((each) => {
        const { mark, word } = outcomeWords[each.outcome];
        return [
          each.sentence,
          html`<span aria-hidden="true">${mark}</span> ${word}`,
          number(each.requests),
          whyNot(each),
        ];
      }),
    ),
  );
}
