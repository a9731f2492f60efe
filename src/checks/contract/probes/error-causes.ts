import { fits, type Suspect } from '../../causes/cause.ts';
import type { ProbeRow } from '../../core/probes.ts';

type AnsweredProbe = Pick<ProbeRow, 'seq' | 'endpoint' | 'status'>;

export function isServerError({ status }: Pick<ProbeRow, 'status'>): boolean {
  return status !== null && status >= 500;
}

/** The cause that the server errors among some answers point at; none where there are none. */
export function errorCause(rows: readonly AnsweredProbe[]): Suspect[] {
  const failed = rows.filter(isServerError);
  if (failed.length === 0) return [];
  const endpoints = [...new Set(failed.map(({ endpoint }) => endpoint))];
  return [
    fits(
      'server-errors',
      { errors: failed.length, endpoints },
      failed.map(({ seq }) => seq),
    ),
  ];
}

/** The cause that an answer points at which no valid request should get: an error of the server, or another status. */
export function statusCause(row: AnsweredProbe): Suspect[] {
  if (row.status === null) return [];
  return isServerError(row)
    ? errorCause([row])
    : [fits('unexpected-status', { endpoint: row.endpoint, status: row.status, requests: 1 }, [row.seq])];
}
