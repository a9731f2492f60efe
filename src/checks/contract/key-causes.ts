import { fits, type Suspect, shown } from '../diagnosis/cause.ts';
import { is2xx, type ProbeRow } from '../probes.ts';

/** Answers of a service, or of what stands before it, that has looked at the credentials and will not have them. */
const refusals: readonly number[] = [400, 403, 405, 406, 407, 429];

type Way = 'let-in' | 'crash' | 'refusal';

/** What became of a request that should have got 401. */
export function wayOf({ status }: Pick<ProbeRow, 'status'>): Way {
  if (status === null || (status >= 300 && status < 400) || refusals.includes(status)) return 'refusal';
  return status >= 500 ? 'crash' : 'let-in';
}

/** Causes for requests without a valid key that got no 401, one for each way and each set of keys that take it. */
export function keyCauses(wrong: readonly ProbeRow[]): Suspect[] {
  const byEndpoint = [...Map.groupBy(wrong, (row) => `${wayOf(row)} ${row.endpoint}`).values()];
  const alike = Map.groupBy(byEndpoint, ([first, ...more]) =>
    first === undefined ? '' : `${wayOf(first)} ${[...new Set([first, ...more].map(sentWith))].join()}`,
  );
  return [...alike.values()].map((groups) => causeOf(groups.flat()));
}

function causeOf(rows: readonly ProbeRow[]): Suspect {
  const [first] = rows;
  const params = {
    sent: [...new Set(rows.map(sentWith))],
    endpoints: [...new Set(rows.map(({ endpoint }) => endpoint))],
    statuses: [...new Set(rows.flatMap(({ status }) => status ?? []))],
  };
  const seqs = rows.map(({ seq }) => seq);
  switch (first === undefined ? 'refusal' : wayOf(first)) {
    case 'let-in':
      // 404 alone may be what a service calls a request that it does not let in.
      return (rows.some(is2xx) ? shown : fits)('key-not-checked', params, seqs);
    case 'crash':
      return shown('key-check-crashes', params, seqs);
    case 'refusal':
      return shown('key-refused-otherwise', params, seqs);
  }
}

/** What a probe's request carried. Completes “Requests …”. */
function sentWith({ probe }: ProbeRow): string {
  const kind = probe.split(':')[0] ?? '';
  return kind === 'no-key' ? 'without a key' : 'with an unknown key';
}
