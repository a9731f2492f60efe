import { checkCatalogue } from '../../src/checks/catalogue/check-catalogue.ts';
import {
  areaOf,
  type Cause,
  type CauseCode,
  causeKinds,
  causeText,
  kindOf,
} from '../../src/checks/causes/cause.ts';
import { checkGroups } from '../../src/vocabulary/check-ids.ts';
import { exampleOf } from '../checks/examples/causes.ts';

const intro = `# Probable causes

<!-- Made from src/checks/causes/ by: npx vitest run test/docs.test.ts -u -->
Generated file; do not edit.

When checks fail, tryon names the most likely causes first. Each cause lists the failed checks that it explains. [How to read a
verdict](report.md#probable-causes) says what “shown” and “fits” mean. \`verdicts.json\`
has the code and its parameters under \`diagnosis\`.

Each cause below has an example of its sentence, its usual cause, and the checks that it affects. [checks.md](checks.md)
describes the checks and explains the words used here.
`;

/** Checks whose worst verdict is inconclusive. */
const neverFails = new Set<string>(
  Object.entries(checkCatalogue)
    .filter(([, { failing }]) => failing.startsWith('This check never fails'))
    .map(([id]) => id),
);

/** `docs/causes.md`: every cause by its code, with an example of its sentence. */
export function causesDoc(): string {
  const codes = Object.keys(causeKinds) as CauseCode[];
  const causes = codes.map((code) => ({ code, params: exampleOf(code) }) as unknown as Cause);
  const areas = checkGroups.map((area) => {
    const own = causes.filter((cause) => areaOf(cause) === area);
    return own.length === 0
      ? ''
      : `## ${area === 'books' ? 'accounting' : area}\n\n${own.map(entry).join('\n')}`;
  });
  return [intro, ...areas.filter((text) => text !== '')].join('\n');
}

function entry(cause: Cause): string {
  const { behind, explains } = kindOf(cause);
  const failing = explains.filter((id) => !neverFails.has(id));
  const doubted = explains.filter((id) => neverFails.has(id));
  const lines = [
    `### ${cause.code}`,
    '',
    `- Example: ${causeText(cause, 'shown')}`,
    `- Usual cause: ${behind}`,
    ...(explains.length === 0 ? ['- Checks that can fail because of it: depends on the run.'] : []),
    ...(failing.length === 0 ? [] : [`- Checks that can fail because of it: ${quoted(failing)}.`]),
    ...(doubted.length === 0 ? [] : [`- Checks that can be inconclusive because of it: ${quoted(doubted)}.`]),
  ];
  return `${lines.join('\n')}\n`;
}

function quoted(ids: readonly string[]): string {
  return ids.map((id) => `\`${id}\``).join(', ');
}
