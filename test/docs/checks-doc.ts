import { checkCatalogue, type EntryName } from '../../src/checks/catalogue/check-catalogue.ts';
import type { CheckEntry } from '../../src/checks/catalogue/entry.ts';
import { checkGroups } from '../../src/vocabulary/check-ids.ts';

const intro = `# Checks

<!-- Made from src/checks/catalogue/ by: npx vitest run test/docs.test.ts -u -->
Generated file; do not edit.

What does a check judge, what does it need, and what does its verdict mean?

- **Pass**: the property in its first line holds, for all that the run saw.
- **Fail**: as told below. The report names the probable [causes](causes.md).
- **Inconclusive**: the evidence supports neither, for example because something under *Needs* is missing.

Words of this page:

- An event is what a shopper does in a session: select a shade, or show cart intent. An interaction is a request that carries events.
- A window is the time span of the rate limit. The load key, quota key, twin key and bystander key are the API keys that \`--key\`
  names, by their roles. A pool is a list of keys.
- A probe tests one property, such as the answer to a wrong key. An ordinary request belongs to no probe.
- A study chooses each request by the answers before it. An audit queries analytics in many ways and compares the answers.
- A history is the list of events that GET /sessions/{id} returns. In *accounting* (ids \`books.…\`) and *history*, it is the folder
  \`history/\` of the run.
- “A share above 2.9 % is excluded (95 %)”: if the real share were larger, a count of 0 would have a probability below 5 %.
- The interface document describes the [five endpoints](../README.md#the-interface). Words in \`code\` are fields of the
  [profile](profile.md), of the scenario or of an answer, or commands.
`;

/** Where a group’s name is not a plain word. */
const headings: Readonly<Record<string, string>> = { '<group>': 'every group', books: 'accounting' };

/** What an entry has beside its title, and what the page calls it. */
const fields = { needs: 'Needs', failing: 'Fail', toDo: 'Do' } as const satisfies Partial<
  Record<keyof CheckEntry, string>
>;
type Field = keyof typeof fields;
type Common = Partial<Record<Field, string>>;

/** `docs/checks.md`: every check by its id. */
export function checksDoc(): string {
  const names = Object.keys(checkCatalogue) as EntryName[];
  const sections = [...checkGroups, '<group>'].map((group) => {
    const own = names.filter((name) => name.startsWith(`${group}.`));
    const common = commonOf(own);
    const said = Object.entries(common).map(([field, text]) => `- ${fields[field as Field]}: ${text}\n`);
    const head = said.length === 0 ? '' : `Unless a check says otherwise:\n\n${said.join('')}\n`;
    return `## ${headings[group] ?? group}\n\n${head}${own.map((name) => entry(name, common)).join('\n')}`;
  });
  return [intro, ...sections].join('\n');
}

/** What so many checks of a group have in common is said once. */
const fewestInCommon = 3;

function commonOf(names: readonly EntryName[]): Common {
  const common = (Object.keys(fields) as Field[]).flatMap((field) => {
    const byText = Map.groupBy(names, (name) => checkCatalogue[name][field]);
    const [[text, having] = ['', []]] = [...byText].toSorted(([, a], [, b]) => b.length - a.length);
    return having.length < fewestInCommon ? [] : [[field, text]];
  });
  return Object.fromEntries(common);
}

function entry(name: EntryName, common: Common): string {
  const { title, ...rest } = checkCatalogue[name];
  const own = (Object.keys(fields) as Field[]).filter((field) => rest[field] !== common[field]);
  return `### ${headingOf(name)}

${title}.

${own.map((field) => `- ${fields[field]}: ${rest[field]}\n`).join('')}`;
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
