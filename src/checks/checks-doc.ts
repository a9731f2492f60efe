import { checkCatalogue, type EntryName } from './check-catalogue.ts';
import { checkGroups } from './check-ids.ts';
import { type CauseCode, causeKinds } from './diagnosis/cause.ts';

const intro = `# Checks

Made from \`src/checks/catalogue/\`; a test compares both (\`npx vitest run test/docs.test.ts -u\` writes it anew).

A check passes, fails, or is inconclusive. It is inconclusive when the run does not have what the check needs.
An event is a shopper’s selection or cart intent. The quoted fields are those of the [profile](profile.md).
A failed check names its probable causes; those listed here are the usual ones, and [causes.md](causes.md) describes them.
`;

/** `docs/checks.md`: every check by its id. */
export function checksDoc(): string {
  const names = Object.keys(checkCatalogue) as EntryName[];
  const sections = [...checkGroups, '<group>'].map((group) => {
    const own = names.filter((name) => name.startsWith(`${group}.`));
    const heading = group === '<group>' ? 'every group' : group;
    return `## ${heading}\n\n${own.map(entry).join('\n')}`;
  });
  return [intro, ...sections].join('\n');
}

function entry(name: EntryName): string {
  const { title, failing, needs, toDo } = checkCatalogue[name];
  const causes = causesOf(name).map((code) => `[\`${code}\`](causes.md#${code})`);
  const lines = [
    `### ${headingOf(name)}`,
    '',
    `${title}.`,
    '',
    `- Needs: ${needs}`,
    `- A failure means: ${failing}`,
    `- What to do: ${toDo}`,
    ...(causes.length === 0 ? [] : [`- Probable causes: ${causes.join(', ')}.`]),
  ];
  return `${lines.join('\n')}\n`;
}

function headingOf(name: EntryName): string {
  switch (name) {
    case 'latency.slo':
      return 'latency.slo.1, latency.slo.2, …';
    case '<group>.error':
      return 'contract.error, rate-limit.error, …';
    case '<group>.left-out':
      return 'contract.left-out-NAME, rate-limit.left-out-NAME, …';
    default:
      return name;
  }
}

/** Causes that may make a check fail. */
function causesOf(name: EntryName): CauseCode[] {
  const codes = Object.keys(causeKinds) as CauseCode[];
  return codes.filter((code) =>
    causeKinds[code].explains.some((id) => id === name || id.startsWith(`${name}.`)),
  );
}
