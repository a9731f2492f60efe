import type { Probe } from '../../history/phases.ts';
import { type Suspect, shown } from '../diagnosis/cause.ts';
import { is2xx, judgeProbes, type ProbeRow, unanswered } from '../probes.ts';
import { reason } from '../reasons/reason.ts';
import type { Judged, Spending } from './spending.ts';

const always: readonly Probe[] = [
  'after-quota:read-session',
  'after-quota:list-shades',
  'after-quota:analytics',
];

/** Sessions, shades and analytics can still be read once the quota is spent. `isStudied`: the run tried an import as well. */
export function checkReads(spending: Spending, probes: readonly ProbeRow[], isStudied: boolean): Judged {
  const names: readonly Probe[] = isStudied ? [...always, 'after-quota:import-shades'] : always;
  const judged = judgeProbes(probes, names, is2xx);
  const unspent = spending.rejected.total === 0 && judged.verdict === 'pass';
  return {
    verdict: unspent ? 'inconclusive' : judged.verdict,
    expected: '2xx',
    observed: judged.observed,
    reasons: [
      judged.wrong.length > 0
        ? reason('quota-reads-rejected', { reads: judged.wrong })
        : judged.unclear.length > 0
          ? reason('quota-reads-untried', { reads: judged.unclear })
          : unspent
            ? reason('quota-reads-unspent', {})
            : reason('quota-reads-succeeded', {
                reads: always.length,
                imports: names.length - always.length,
              }),
    ],
    evidence: judged.evidence,
    causes: causesOf(probes.filter((row) => row.probe !== null && names.includes(row.probe))),
  };
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
