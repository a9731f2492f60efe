import { checkCatalogue, type EntryName } from '../../src/checks/catalogue/check-catalogue.ts';
import { checkGroups } from '../../src/vocabulary/check-ids.ts';

const intro = `# Checks

<!-- Made from src/checks/catalogue/ by: npx vitest run test/docs.test.ts -u -->
Generated file; do not edit.

What does a check judge, and what does it need?

- **Pass**: the property in its first line holds, for all that the run saw.
- **Fail**: it does not hold. The report names the probable [causes](causes.md), with what usually lies behind them. A failure of
  *accounting* or of \`latency.table\` is a defect of tryon or a damaged history; that of \`history.integrity\`, that files were changed
  after the run. The checks of *generator*, \`history.complete\` and \`capacity.concurrency\` never fail.
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

/** `docs/checks.md`: every check by its id. */
export function checksDoc(): string {
  const names = Object.keys(checkCatalogue) as EntryName[];
  const sections = [...checkGroups, '<group>'].map((group) => {
    const own = names.filter((name) => name.startsWith(`${group}.`));
    const common = commonOf(own);
    const head = common === undefined ? '' : `Unless a check says otherwise:\n\n- Needs: ${common}\n\n`;
    return `## ${headings[group] ?? group}\n\n${head}${own.map((name) => entry(name, common)).join('\n')}`;
  });
  return [intro, ...sections].join('\n');
}

/** What so many checks of a group need is said once. */
const fewestInCommon = 3;

function commonOf(names: readonly EntryName[]): string | undefined {
  const byText = Map.groupBy(names, (name) => checkCatalogue[name].needs);
  const [[text, having] = ['', []]] = [...byText].toSorted(([, a], [, b]) => b.length - a.length);
  return having.length < fewestInCommon ? undefined : text;
}

function entry(name: EntryName, common: string | undefined): string {
  const { needs, title } = checkCatalogue[name];
  return `### ${headingOf(name)}\n\n${title}.\n${needs === common ? '' : `\n- Needs: ${needs}\n`}`;
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
