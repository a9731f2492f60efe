import { counted, listed } from '../../amounts.ts';
import { type Suspect, shown } from '../diagnosis/cause.ts';
import { is2xx, judgeProbes, type ProbeRow, unanswered } from '../probes.ts';
import type { Judged, Spending } from './spending.ts';

const always = ['after-quota:read-session', 'after-quota:list-shades', 'after-quota:analytics'];

/** Sessions, shades and analytics can still be read once the quota is spent. `isStudied`: the run tried an import as well. */
export function checkReads(spending: Spending, probes: readonly ProbeRow[], isStudied: boolean): Judged {
  const names = isStudied ? [...always, 'after-quota:import-shades'] : always;
  const judged = judgeProbes(probes, names, is2xx);
  const unspent = spending.refused.total === 0 && judged.verdict === 'pass';
  return {
    verdict: unspent ? 'inconclusive' : judged.verdict,
    expected: '2xx',
    observed: judged.observed,
    explanation:
      judged.wrong.length > 0
        ? `Reads were refused on the key whose quota is spent: ${listed(judged.wrong)}.`
        : judged.unclear.length > 0
          ? `Not every read could be tried: ${listed(judged.unclear)}.`
          : unspent
            ? 'The reads succeeded, but no attempt had been refused with 402: the quota was not spent.'
            : `${counted(names.length, 'read')} succeeded after the quota was spent.`,
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
