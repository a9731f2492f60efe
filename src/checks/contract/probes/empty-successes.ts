import { fits, type Suspect } from '../../causes/cause.ts';

/** How the problem of a 2xx answer begins that holds nothing of what it should: an error has no such fields. */
export const contentMissing: Readonly<Record<string, string>> = {
  'create-session': 'session_id: expected string, got nothing',
  'list-shades': 'body: expected a list of shades',
  analytics: 'period: expected string, got nothing',
};

interface ProblemCount {
  readonly endpoint: string;
  readonly problem: string | null;
  readonly total: number;
  readonly seqs: readonly number[];
}

/** Answers with 2xx that hold nothing, at endpoints that answer otherwise as well: errors, most likely. */
export function emptySuccesses(seen: readonly ProblemCount[]): Suspect[] {
  const isEmpty = ({ endpoint, problem }: ProblemCount): boolean =>
    problem?.startsWith(contentMissing[endpoint] ?? '\0') === true;
  const empty = seen.filter(
    (row) =>
      isEmpty(row) && seen.some(({ endpoint, problem }) => endpoint === row.endpoint && problem === null),
  );
  if (empty.length === 0) return [];
  const endpoints = [...new Set(empty.map(({ endpoint }) => endpoint))];
  const of = seen.filter(({ endpoint }) => endpoints.includes(endpoint));
  const sum = (rows: readonly ProblemCount[]): number => rows.reduce((all, { total }) => all + total, 0);
  return [
    fits(
      'errors-as-successes',
      { answers: sum(empty), of: sum(of), endpoints },
      empty.flatMap(({ seqs }) => seqs),
    ),
  ];
}
