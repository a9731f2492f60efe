import type { Judgement } from '../checks/diagnosis/judgement.ts';
import { causeHeading, doubts, explained, standingAlone } from './diagnosis.ts';
import { visible } from './text.ts';

/** Workflow commands that GitHub shows beside a job: probable causes first, then what no cause explains. */
export function renderAnnotations(judgement: Judgement): string[] {
  const { causes } = judgement.diagnosis;
  return [
    ...causes.map((each) =>
      command(
        each.explains === 'fail' ? 'error' : 'warning',
        causeHeading(each, causes),
        [each.text, each.behind, `${explained(each)}.`, doubts(each) ?? ''].join(' ').trimEnd(),
      ),
    ),
    ...standingAlone(judgement).map(({ explanation, id, verdict }) =>
      command(verdict === 'fail' ? 'error' : 'warning', id, explanation),
    ),
  ];
}

function command(level: 'error' | 'warning', title: string, message: string): string {
  const escaped = visible(message).replaceAll('%', '%25');
  const property = visible(title).replaceAll('%', '%25').replaceAll(':', '%3A').replaceAll(',', '%2C');
  return `::${level} title=${property}::${escaped}`;
}
