import { counted, number } from '../../src/amounts.ts';
import { catalogue } from '../../src/corners/catalogue.ts';
import type { ClassFacts, Field, Reach } from '../../src/corners/value-class.ts';
import { cornerCosts, requestsOf } from '../../src/drive/setup/corner-cost.ts';
import { malformedCost, malformedRows } from '../../src/drive/setup/malformed-probes.ts';
import { unusualOneIn } from '../../src/shoppers/unusual.ts';

const sentBy: Readonly<Record<ClassFacts['from'], string>> = {
  single: '`smoke`',
  long: '`acceptance`',
  none: 'ordinary traffic or a study',
};

/** The most requests that a reach takes. */
function requestsFor(reach: Reach): number {
  const malformed = [false, true].map(
    (isAfterLoad) => malformedCost(malformedRows(reach, isAfterLoad)).requests,
  );
  return malformed.reduce((sum, each) => sum + each, requestsOf(cornerCosts(reach).all));
}

/** `docs/coverage.md`: every class of values, made from the catalogue. */
export function coverageDoc(): string {
  const fields: readonly Field[] = Object.values(catalogue);
  const classes = fields.reduce((sum, field) => sum + field.classes.length, 0);
  return `# Coverage: which values a run sends

Services break at unusual values: a name of 256 characters, two SKUs that differ in case only, the 65th event of a session.
tryon has a catalogue of ${counted(classes, 'class', 'classes')} of values, by field of the interface. The report of a run has a section *Coverage*. It shows for each
class whether the run reached it, in how many requests, and otherwise why not. \`verdicts.json\` has the same under \`coverage\`.

- **Reached**: a request with such a value got a 2xx. For an invalid value, a 4xx counts as well.
- **Rejected: not judged**: the value got a 4xx. The interface leaves open which values a service accepts.
- **No clear answer**: the request got a 5xx, a 429 or no answer.
- **Not sent**: the scenario, a missing key, the budget or chance is the reason.

A pass says nothing about a class that was not reached, and names those classes. What a service accepts has to read back as
the same value. Some differences are not judged, because it is open which texts are the same: a space at the end of an id,
and letters that are composed or decomposed in Unicode. In colours, the case and the short notation do not matter.

The setting \`corners\` of a scenario says which of these values a run sends:

- \`single\` (the default, \`smoke\`): every class, except a long history and a large catalog. Up to ${requestsFor('single')} requests.
- \`pairs\` (\`launch\`, \`soak\`): also pairs: any two values of a shade's fields together, and every fault in every field of a
  request. Up to ${requestsFor('pairs') - requestsFor('single')} more requests. If the scenario judges latency, also each endpoint alone and while another one works, and new connections:
  about 70 requests, and up to 146 if one endpoint waits for another.
- \`long\` (\`acceptance\`): also a history of 1,025 events and a catalog of 1,001 shades.
- \`none\`: only the values of ordinary shoppers.

Some classes need more. A scenario has to spend the quota for the classes of the quota. Some classes of keys need a key of more
than 72 characters. *Own days* needs a run that touches two days.

The announcement of a run counts these requests. A batch of unusual shades is sent whole. If the service rejects it, each
group of the batch is sent alone, so that one rejected value does not hide the others.

The load has such values as well. One shopper in ${number(unusualOneIn)} opens a session of the catalog with unusual SKUs, on a product with an unusual id.
It does so only if the service accepted them in set-up. Half of those with cart intent show it before they select a shade, if the service accepted that.
The report says how many sessions of the load were of this kind. The generated catalogs have colours such as \`#000000\` or \`#1E2345\`.

${fields.map(fieldDoc).join('\n\n')}
`;
}

function fieldDoc({ classes, title }: Field): string {
  const rows = classes.map(
    ({ from, id, sentence }) => `| \`${id}\` | ${sentence.replaceAll('|', '\\|')} | ${sentBy[from]} |`,
  );
  return [`## ${title}`, '', '| Class | Values | Sent by |', '|---|---|---|', ...rows].join('\n');
}
