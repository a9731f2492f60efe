import type { Probe } from '../../../vocabulary/probes.ts';
import { gotOf, is2xx, type ProbeRow, unanswered } from '../../core/probes.ts';
import { type Evidence, evidence } from '../../core/verdict.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import { pageRows, skusOnPage } from './pages.ts';

/** The last request of a probe: earlier ones were repeated because they got no clear answer. */
export function lastOf(probes: readonly ProbeRow[], name: Probe): ProbeRow | undefined {
  return probes.findLast((row) => row.probe === name);
}

/** Whether a probe was sent and got an answer that shows something. */
export function isAnswered(row: ProbeRow | undefined): row is ProbeRow {
  return row !== undefined && unanswered(row) === undefined;
}

/** Why a list after an import shows nothing. */
export function listUnclear(list: ProbeRow | undefined): Reason {
  return list !== undefined && is2xx(list)
    ? reason('import-list-unreadable')
    : reason('import-list-unclear', { got: gotOf(list) });
}

/** What a probe got, as it is shown. */
export function answerOf(row: ProbeRow | undefined): string | number {
  return row === undefined ? 'not asked' : (unanswered(row) ?? row.status ?? 'nothing');
}

/** The SKU of each entry of a list, whatever else is wrong with it; undefined when there is no list. */
export function skusListed(list: ProbeRow | undefined): readonly string[] | undefined {
  if (list === undefined) return undefined;
  const pages = pageRows(list).map(skusOnPage);
  // The first page may be readable where a further one got no answer.
  return pages[0] === undefined ? undefined : pages.flatMap((skus) => skus ?? []);
}

/** Each of the probes that was sent, by its name. */
export function evidenceOf(...rows: readonly (ProbeRow | undefined)[]): readonly Evidence[] {
  return rows.flatMap((row) =>
    row === undefined
      ? []
      : [
          evidence(
            row.probe,
            pageRows(row).map(({ seq }) => seq),
          ),
        ],
  );
}
