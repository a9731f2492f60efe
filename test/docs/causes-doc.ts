import { answerCauses } from '../../src/checks/causes/answers.ts';
import { areaOf, type Cause, type CauseCode, causeKinds, causeText } from '../../src/checks/causes/cause.ts';
import { sessionCauses } from '../../src/checks/causes/sessions.ts';
import { catalogCauses, keyCauses } from '../../src/checks/causes/under-load.ts';
import type { FaultArea } from '../../src/model/faults/fault.ts';
import { modelFaults } from '../../src/model/faults/table.ts';
import { checkGroups } from '../../src/vocabulary/check-ids.ts';
import { exampleOf } from '../checks/examples/causes.ts';

const intro = `# Probable causes

<!-- Made from src/checks/causes/ by: npx vitest run test/docs.test.ts -u -->
Generated file; do not edit.

When checks fail, tryon names the most likely causes first, and the failed checks that each one explains.
[Read a report](report.md#probable-causes) says what “shown” and “fits” mean. Search this page for a code, or for the id of a
[check](checks.md): each section begins with the checks that its causes make fail or inconclusive. Then each cause has an example of
what is reported, and what usually lies behind it.
`;

/** What the causes of a part of the contract are about, in the order of the page. */
const themes: Readonly<Record<FaultArea, string>> = {
  keys: 'contract: keys and tokens',
  shades: 'contract: catalogs and imports',
  sessions: 'contract: sessions',
  events: 'contract: events',
  any: 'contract: any endpoint',
};

/** `docs/causes.md`: every cause by its code, with an example of its sentence. */
export function causesDoc(): string {
  const codes = Object.keys(causeKinds) as CauseCode[];
  const causes = codes.map((code) => ({ code, params: exampleOf(code) }) as unknown as Cause);
  const byTitle = Map.groupBy(causes, titleOf);
  const titles = [...Object.values(themes), ...checkGroups.map(nameOf)];
  const sections = titles.flatMap((title) => {
    const own = byTitle.get(title);
    return own === undefined ? [] : [section(title, own)];
  });
  return [intro, ...sections].join('\n');
}

function titleOf(cause: Cause): string {
  const area = areaOf(cause);
  return area === 'contract' ? themes[themeOf(cause.code)] : nameOf(area);
}

const nameOf = (group: string): string => (group === 'books' ? 'accounting' : group);

function themeOf(code: CauseCode): FaultArea {
  if (code in keyCauses) return 'keys';
  if (code in catalogCauses) return 'shades';
  if (code in sessionCauses) return 'sessions';
  if (code in answerCauses) return 'any';
  return modelFaults.find(({ cause }) => cause === code)?.area ?? 'any';
}

function section(title: string, causes: readonly Cause[]): string {
  const checks = new Set(causes.flatMap(({ code }) => causeKinds[code].explains));
  const ids = [...checks].toSorted().map((id) => `\`${id}\``);
  const rows = causes.map(
    (cause) => `- \`${cause.code}\`: ${causeText(cause, 'shown')} Usually: ${causeKinds[cause.code].behind}`,
  );
  return `## ${title}

Checks: ${ids.join(', ')}.

${rows.join('\n')}
`;
}
