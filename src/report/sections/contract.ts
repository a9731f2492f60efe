import { counted, number, percent } from '../../amounts.ts';
import { exploredPower, shownByHalf } from '../../checks/contract/explored/explored.ts';
import { exploredFindings } from '../../checks/contract/explored/findings.ts';
import { reasonOf } from '../../checks/contract/openapi/openapi.ts';
import { dataOf } from '../../checks/core/verdict.ts';
import { reasonText } from '../../checks/reasons/reason.ts';
import type { NotShown } from '../../model/faults/power.ts';
import { freedomWords } from '../../model/freedoms.ts';
import type { OperationCoverage } from '../../target/openapi/hold.ts';
import { code, details, foreign, nothing, paragraph, prose, type ReportFigure, t, table } from '../figure.ts';
import type { Section } from '../section.ts';

/** What the run reached of the target's own description; left out of runs without one. */
export const openApiSection: Section = {
  id: 'openapi',
  title: 'OpenAPI',
  about: ['contract'],
  make: async ({ history, judgement }) => {
    const { openapi: given } = history.run;
    if (given === undefined) return undefined;
    const data = dataOf(judgement.checks, 'contract.openapi');
    if (data === undefined)
      return [nothing('The answers were not compared with the description; the check says why.')];
    const { contradictions, operations } = data;
    const described = operations.filter((each) => each.described);
    const called = described.filter(({ answers }) => answers > 0);
    return [
      paragraph(
        t`The run called ${number(called.length)} of ${counted(described.length, 'operation')} of ${code(given.from)}, and found ${counted(contradictions.length, 'contradiction')}.`,
      ),
      contradictions.length === 0
        ? undefined
        : table('Contradictions', contradictions, [
            ['Contradiction', (each) => prose(reasonText(reasonOf(each)))],
            ['Answers', ({ answers }) => number(answers), 'number'],
            ['First requests', ({ seqs }) => seqs.slice(0, 3).join(', ')],
          ]),
      ...operations.map(operationTable),
    ];
  },
};

function operationTable({
  answers,
  contradictions,
  described,
  operation,
  statuses,
}: OperationCoverage): ReportFigure {
  const state = !described ? 'not described' : answers === 0 ? 'never called' : counted(answers, 'answer');
  const found = contradictions > 0 ? `, ${counted(contradictions, 'contradiction')}` : '';
  return details(
    t`${foreign(operation)}: ${state}${found}`,
    table(operation, statuses, [
      ['Described', ({ described: isDescribed, status }) => (isDescribed ? status : 'no')],
      ['Got', ({ seen }) => (seen.length === 0 ? 'none' : seen.join(', '))],
      ['Answers', ({ answers: got }) => number(got), 'number'],
      [
        'Bodies compared',
        (each) => each.has_schema && each.answers > 0 && `${number(each.bodies)} of ${number(each.answers)}`,
        'number',
      ],
    ]),
  );
}

const whyWords: Readonly<Record<NotShown, string>> = {
  untouched: 'no call of its kind was sent',
  'no difference': 'no answer would have differed',
  uncertain: 'it shows at times only, or too little was certain',
};

/** What a pass of the contract excludes, measured: known faults planted into the model, and this run's calls replayed. */
export const powerSection: Section = {
  id: 'power',
  title: 'Power of the run',
  about: [],
  make: async ({ history }) => {
    const findings = await exploredFindings(history);
    if (findings === undefined) return undefined;
    const power = await exploredPower(history);
    const settled = table('What the interface leaves open', findings.settled, [
      ['Question', (each) => prose(freedomWords(each)[0])],
      ['Answer of this target', (each) => prose(freedomWords(each)[1])],
      ['Shown by', ({ call }) => (call === undefined ? 'the profile' : `seq ${number(call)}`)],
    ]);
    if (power === undefined)
      return [nothing('Some answers of the explorer are wrong, so a pass excludes nothing.'), settled];
    const { faults, missed, shown } = power;
    return [
      paragraph(
        t`The run sent ${counted(findings.calls.length, 'call')} to tell a sound service from a faulty one. With them it would have shown ${number(shown)} of ${counted(faults, 'known fault')} (${percent(shown / faults)}). With half of the calls, ${number(shownByHalf(findings))}. More calls: ${code('tryon run explore --budget 5m')}.`,
      ),
      details(
        `Not shown: ${number(missed.length)}`,
        table('Known faults that these calls would not have shown', missed, [
          ['Fault', ({ text }) => text],
          ['Why not', ({ why }) => whyWords[why]],
          ['Cause', ({ cause }) => cause],
        ]),
      ),
      details(`What the interface leaves open, and the answers of this target`, settled),
    ];
  },
};
