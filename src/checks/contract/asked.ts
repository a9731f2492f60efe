import { type ProbeRow, unanswered } from '../probes.ts';
import { type Evidence, evidence } from '../verdict.ts';
import { pageRows, skusOnPage } from './pages.ts';

/** The last time that something was asked: earlier ones were repeated since they got no clear answer. */
export function lastOf(probes: readonly ProbeRow[], name: string): ProbeRow | undefined {
  return probes.findLast((row) => row.probe === name);
}

/** Why a probe says nothing; undefined when it was answered. */
export function silenceOf(row: ProbeRow | undefined): string | undefined {
  return row === undefined ? 'it was not sent' : unanswered(row);
}

/** What a probe got, as it is shown. */
export function answerOf(row: ProbeRow | undefined): string | number {
  return row === undefined ? 'not asked' : (unanswered(row) ?? row.status ?? 'nothing');
}

/** The SKUs that a list shows, one for each entry, whatever else is wrong with it; undefined when there is no list. */
export function skusListed(list: ProbeRow | undefined): readonly string[] | undefined {
  if (list === undefined) return undefined;
  const pages = pageRows(list).map(skusOnPage);
  // The first page alone may be read where a further one was not answered.
  return pages[0] === undefined ? undefined : pages.flatMap((skus) => skus ?? []);
}

/** Each of the probes that was asked, by its name. */
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
