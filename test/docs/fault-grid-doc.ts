import { counted, number } from '../../src/amounts.ts';
import { events, type FaultCell, type FaultCost, faultGrid, nouns } from '../../src/corners/fault-grid.ts';

const costs: Readonly<Record<FaultCost, string>> = {
  none: 'none',
  probes: 'a few requests',
  overload: 'a load above the limit',
  'quota load': 'a load above the quota',
  'long load': 'a load of a minute',
  study: 'a study',
  audit: 'an audit',
};

/** `docs/fault-grid.md`: every cell of the grid. */
export function faultGridDoc(): string {
  const cells = Object.values(faultGrid).flat();
  const seen = cells.filter((cell) => 'keeps' in cell).length;
  return `# Fault grid: where faults are looked for

Generated file; do not edit. Made from src/corners/fault-grid.ts by: npx vitest run test/docs.test.ts -u

tryon does not look for a list of known faults. It takes ${counted(nouns.length, 'noun')} of the interface and ${counted(events.length, 'event')} that may happen to
each. A cell names the relation that must keep, the [checks](checks.md) that see it broken, and the extra cost. Of
${counted(cells.length, 'cell')}, ${number(seen)} have checks. The others say why tryon cannot see such a fault.

- Cost *none*: the checks read requests that the run sends anyway.
- The report of a run shows under *Coverage* which cells its checks judged.

${nouns.map(nounDoc).join('\n\n')}

## How sure a trend is

\`latency.trend\` compares the medians of 16 stretches of nearly the same request rate (Mann and Kendall's rank test). Its
variance allows for neighbouring stretches that are alike. It fails above z = 4, if service times grow by more than half and by
more than 5 ms. In 10,000 simulated runs each (64 medians, of which 4 are joined; spread 0.5 of the logarithm):

| The target | The check fails |
|---|---|
| does not change; a median is like the one before to 0 or 0.5 | in 0 % |
| does not change; to 0.8 | in 0.05 % |
| does not change; to 0.9 | in 0.2 % |
| does not change; to 0.95 | in 0.5 % |
| becomes slower once, by a factor of 2 or 4 | in 0.5 % |
| grows evenly to 2 times the service time | in 34 % |
| grows evenly to 3 times | in 77 % |
| grows evenly to 5 times | in 83 % |

The last four rows have a spread of 0.2. A single step is no trend: the machine may have become busier. A growth that ends early
looks like a step.

Sessions are read before the load and after it. The check compares at least 4 reads before it with at
least 20 after it. It fails if the fastest tenth of the later ones exceeds the slowest earlier one by more than half and by more
than 5 ms.

\`contract.errors\` and \`contract.availability\` compare the share of failed requests of 16 such stretches with time. Its correlation
with time has to be above 0.711, which is so once in 1,000 random orders. It also has to be at least twice as large in the last
third as in the first. Below 10 failures nothing is said. Growth is the cause \`errors-grow\`. Lost answers also fail if they are within
\`lost_bound\` in the whole run, but grow and are over it in the last third. In 10,000 simulated loads each:

| Requests fail | of 3,840 requests, growth is found | of 38,400 |
|---|---|---|
| one in 300, all the time | in 0.05 % | in 0.04 % |
| one in 20, all the time | in 0 % | |
| 20 at once, now and then | in 0 % | |
| evenly more, from none to 1 % | in 16 % | in 99.96 % |
| from none to 3 % | in 74 % | |
| from none to 10 % | in 99.98 % | |
| from 0.5 % to 1 % | | in 7 % |
| from 0.5 % to 1.5 % | | in 58 % |

A step in the last third is found like a growth.

\`analytics.freshness\` uses the rank test of \`latency.trend\` on the age of analytics during the load: the sessions that each poll
lacks, divided by their rate. It fails above z = 3.5, if the age grows by more than half and by more than a tenth of the freshness
bound. That is the cause \`analytics-lag-grows\`, also within the bound. In 200 simulated loads of 200 s each, with a bound of 1 s
and a poll every 0.8 s:

| The age of analytics | Growth is found with 2 sessions a second | with 6 |
|---|---|---|
| is always the same, or any up to 0.9 s | in 0 % | in 0 % |
| is that of figures updated every 0.2, 0.8 or 1 s | in 0 % | in 0 % |
| wanders around 0.4 s, and stays alike for 1, 5 or 20 s | in 0 % | in 0 % |
| doubles once, at any time | in 2 % | in 3 % |
| grows evenly from 0.2 to 0.5 s | in 2 % | in 40 % |
| from 0 to 0.3 s | in 39 % | in 84 % |
| from 0.2 to 0.9 s | in 46 % | in 84 % |

The share of 429s needs no such test: the limiter is fitted to all of the run.
`;
}

function nounDoc(noun: (typeof nouns)[number]): string {
  const rows = faultGrid[noun].map((cell, place) => `| ${events[place]} | ${cellText(cell)} |`);
  const title = noun[0]?.toUpperCase() + noun.slice(1);
  return [
    `## ${title}`,
    '',
    '| Event | Relation that must keep | Checks | Cost |',
    '|---|---|---|---|',
    ...rows,
  ].join('\n');
}

function cellText(cell: FaultCell): string {
  if (!('keeps' in cell)) return `*Not seen:* ${cell.whyNot} | | `;
  return `${cell.keeps}. | ${cell.checks.map((id) => `\`${id}\``).join(', ')} | ${costs[cell.cost]}`;
}
