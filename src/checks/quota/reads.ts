import type { Probe } from '../../vocabulary/probes.ts';
import { type Suspect, shown } from '../causes/cause.ts';
import { gotOf, is2xx, judgeProbes, type ProbeRow, unanswered } from '../core/probes.ts';
import { reason } from '../reasons/reason.ts';
import type { QuotaFinding, QuotaSpending } from './spending.ts';

const always: readonly Probe[] = [
  'after-quota:read-session',
  'after-quota:list-shades',
  'after-quota:analytics',
];

/** Sessions, shades and analytics can still be read once the quota is spent. `isStudied`: the run tried an import as well. */
export function checkReads(
  spending: QuotaSpending,
  probes: readonly ProbeRow[],
  isStudied: boolean,
): QuotaFinding {
  const names: readonly Probe[] = isStudied ? [...always, 'after-quota:import-shades'] : always;
  const judged = judgeProbes(probes, names, is2xx);
  const unspent = spending.rejected.total === 0 && judged.verdict === 'pass';
  return {
    verdict: unspent ? 'inconclusive' : judged.verdict,
    expected: '2xx',
    observed: judged.observed,
    reasons: [
      judged.wrongRows.length > 0
        ? reason('quota-reads-rejected', {
            reads: judged.wrongRows.map((row) => ({ endpoint: row.endpoint, got: gotOf(row) })),
          })
        : judged.unclearProbes.length > 0
          ? reason('quota-reads-untried', {
              reads: judged.unclearProbes.map(({ got, name }) => ({ endpoint: endpointOf(name), got })),
            })
          : unspent
            ? reason('quota-reads-unspent')
            : reason('quota-reads-succeeded', {
                reads: always.length,
                imports: names.length - always.length,
              }),
    ],
    evidence: judged.evidence,
    causes: causesOf(probes.filter((row) => row.probe !== null && names.includes(row.probe))),
  };
}

/** Of `after-quota:analytics`. */
function endpointOf(name: Probe): string {
  return name.split(':')[1] ?? name;
}

function causesOf(probes: readonly ProbeRow[]): Suspect[] {
  const wrong = probes.filter((row) => unanswered(row) === undefined && !is2xx(row));
  const byStatus = Map.groupBy(wrong, ({ status }) => status);
  return [...byStatus].flatMap(([status, rows]) =>
    status === null
      ? []
      : [
          shown(
            'quota-blocks-reads',
            { endpoints: [...new Set(rows.map(({ endpoint }) => endpoint))], status },
            rows.map(({ seq }) => seq),
          ),
        ],
  );
}
