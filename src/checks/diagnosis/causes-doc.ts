import { checkGroups } from '../check-ids.ts';
import { type Cause, type CauseCode, causeKinds, causeText, kindOf } from './cause.ts';

const intro = `# Probable causes

Made from the catalogue in \`src/checks/diagnosis/causes/\`; a test keeps both alike (\`npx vitest run test/docs.test.ts -u\` writes it anew).

When checks fail, \`tryon\` names the likeliest causes first. Each cause lists the failed checks that it explains. \`verdicts.json\`
has the code and its parameters under \`diagnosis\`.
`;

/** `docs/causes.md`: every cause by its code, with an example of its sentence. */
export function causesDoc(): string {
  const codes = Object.keys(causeKinds) as CauseCode[];
  const causes = codes.map((code) => ({ code, params: causeKinds[code].example }) as unknown as Cause);
  const areas = checkGroups.map((area) => {
    const own = causes.filter((cause) => kindOf(cause).area === area);
    return own.length === 0 ? '' : `## ${area}\n\n${own.map(entry).join('\n')}`;
  });
  return [intro, ...areas.filter((text) => text !== '')].join('\n');
}

function entry(cause: Cause): string {
  const { behind, explains } = kindOf(cause);
  const lines = [`### ${cause.code}`, '', `Example: ${causeText(cause)}`, '', `Usually: ${behind}`];
  if (explains.length > 0) lines.push('', `May make fail: ${explains.map((id) => `\`${id}\``).join(', ')}.`);
  return `${lines.join('\n')}\n`;
}
