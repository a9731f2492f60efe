import { checkCatalogue, type EntryName } from '../../src/checks/catalogue/check-catalogue.ts';
import { areaOf, type Cause, type CauseCode, causeKinds } from '../../src/checks/causes/cause.ts';
import { checkGroups } from '../../src/vocabulary/check-ids.ts';

const intro = `# Checks

<!-- Made from src/checks/catalogue/ by: npx vitest run test/docs.test.ts -u -->
Generated file; do not edit.

A check passes, fails, or is inconclusive. It is inconclusive when the evidence supports neither a pass nor a fail, for example
when something under *Needs* is missing. A failed check names its probable causes. Those listed here are the usual ones;
[causes.md](causes.md) describes them.

- An event is what a shopper does in a session: select a shade, or show cart intent. An interaction is a request that carries events.
- The target is the deployment under test.
- A window is the time span of the rate limit, for example 1 minute.
- The load key, quota key, twin key and bystander key are the API keys that \`--key\` names, by their roles.
- A probe tests one property, such as the answer to a wrong key, with one request or a few. An ordinary request belongs to no
  probe.
- A limiter study, a quota study and a capacity study choose each request by the answers before it. An audit queries analytics in
  many ways and compares the answers.
- A closed loop sends a request on each connection when the previous one is answered. A pool is a list of keys used in turn.
- In the groups *contract* and *analytics*, a history is the list of events that GET /sessions/{id} returns. In the groups
  *accounting* and *history*, it is the records of the run, in the folder \`history/\`.
- “A share above 2.9 % is excluded (95 %)” follows a count of 0. If the real share were larger, that count would have a
  probability below 5 %.
- The ids of the group *accounting* begin with \`books.\`.
- The interface document describes the [five endpoints](../README.md#the-interface).
- Words in \`code\` are fields of the [profile](profile.md), of the scenario or of an answer, or commands.
`;

/** Where a group’s name is not a plain word. */
const headings: Readonly<Record<string, string>> = { '<group>': 'every group', books: 'accounting' };

/** `docs/checks.md`: every check by its id. */
export function checksDoc(): string {
  const names = Object.keys(checkCatalogue) as EntryName[];
  const sections = [...checkGroups, '<group>'].map((group) => {
    const own = names.filter((name) => name.startsWith(`${group}.`));
    const heading = headings[group] ?? group;
    return `## ${heading}\n\n${own.map(entry).join('\n')}`;
  });
  return [intro, ...sections].join('\n');
}

function entry(name: EntryName): string {
  const { title, failing, needs, toDo } = checkCatalogue[name];
  const causes = Map.groupBy(causesOf(name), (code) => areaOf({ code, params: {} } as unknown as Cause));
  const links = Array.from(causes, ([area, codes]) => ({
    area: causes.size === 1 ? '' : ` (${headings[area] ?? area})`,
    lists: inParts(codes.map((code) => `[\`${code}\`](causes.md#${code})`)),
  }));
  const lines = [
    `### ${headingOf(name)}`,
    '',
    `${title}.`,
    '',
    `- Needs: ${needs}`,
    `- A failure means: ${failing}`,
    `- What to do: ${toDo}`,
    ...links.flatMap(({ area, lists }) =>
      lists.map(
        (list, n) => `- ${n === 0 ? 'Probable' : 'More probable'} causes${area}: ${list.join(', ')}.`,
      ),
    ),
  ];
  return `${lines.join('\n')}\n`;
}

/** More causes than these are on another line. */
const mostInLine = 20;

function inParts(links: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(links.length / mostInLine) }, (_, n) =>
    links.slice(n * mostInLine, (n + 1) * mostInLine),
  );
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
