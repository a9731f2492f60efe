import { counted, number } from '../../amounts.ts';
import { reasonOf } from '../../checks/contract/openapi/openapi.ts';
import { dataOf } from '../../checks/core/check-data.ts';
import { reasonText } from '../../checks/reasons/reason.ts';
import type { OperationCoverage, StatusCoverage } from '../../openapi/coverage.ts';
import { code, foreign, type Html, html, prose } from '../markup.ts';
import { disclosure, nothing, type Section, type SectionBody, type SectionInput, table } from '../section.ts';

/** What the run reached of the target's own description; left out of runs without one. */
export const openApiSection: Section = { id: 'openapi', title: 'OpenAPI', make };

async function make({ history, judgement }: SectionInput): Promise<SectionBody | undefined> {
  const { openapi: given } = history.run;
  if (given === undefined) return undefined;
  const data = dataOf(judgement.checks, 'contract.openapi');
  if (data === undefined)
    return nothing('The answers were not held against the description; the check says why.');
  const { contradictions, operations } = data;
  const described = operations.filter((each) => each.described);
  const called = described.filter(({ answers }) => answers > 0);
  return {
    body: html`<p>The run called ${number(called.length)} of ${counted(described.length, 'operation')} of ${code(given.from)}, and found ${counted(contradictions.length, 'contradiction')}.</p>
${
  contradictions.length > 0 &&
  table('Contradictions', contradictions, [
    ['Contradiction', (each) => prose(reasonText(reasonOf(each)))],
    ['Answers', ({ answers }) => number(answers), 'number'],
    ['First requests', ({ seqs }) => seqs.slice(0, 3).join(', ')],
  ])
}
${operations.map(operationTable)}`,
  };
}

function operationTable({
  answers,
  contradictions,
  described,
  operation,
  statuses,
}: OperationCoverage): Html {
  const state = !described ? 'not described' : answers === 0 ? 'never called' : counted(answers, 'answer');
  const found = contradictions > 0 ? `, ${counted(contradictions, 'contradiction')}` : '';
  return disclosure(
    html`${foreign(operation)}: ${state}${found}`,
    table(operation, statuses, [
      ['Described', ({ described: isDescribed, status }) => (isDescribed ? status : 'no')],
      ['Got', ({ seen }) => (seen.length === 0 ? 'none' : seen.join(', '))],
      ['Answers', ({ answers: got }) => number(got), 'number'],
      ['Bodies compared', bodiesText, 'number'],
    ]),
  );
}

function bodiesText({ answers, bodies, has_schema: hasSchema }: StatusCoverage): string {
  return hasSchema && answers > 0 ? `${number(bodies)} of ${number(answers)}` : '';
}
