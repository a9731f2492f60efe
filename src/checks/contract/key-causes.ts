import { fits, type Suspect, shown } from '../diagnosis/cause.ts';
import { is2xx, type ProbeRow } from '../probes.ts';

/** Statuses with which a service, or a gateway in front of it, rejects credentials. */
const rejections: readonly number[] = [400, 403, 405, 406, 407, 429];

type Way = 'accepted' | 'crash' | 'rejection';

/** What became of a request that should have got 401. */
export function wayOf({ status }: Pick<ProbeRow, 'status'>): Way {
  if (status === null || (status >= 300 && status < 400) || rejections.includes(status)) return 'rejection';
  return status >= 500 ? 'crash' : 'accepted';
}

/** Causes for requests without a valid key that got no 401, one for each outcome and set of credentials. */
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
  switch (first === undefined ? 'rejection' : wayOf(first)) {
    case 'accepted':
      // A service may answer 404 alone to a request that it does not accept.
      return (rows.some(is2xx) ? shown : fits)('key-not-checked', params, seqs);
    case 'crash':
      return shown('key-check-crashes', params, seqs);
    case 'rejection':
      return shown('key-refused-otherwise', params, seqs);
  }
}

/** What a probe's request carried. Completes “Requests …”. */
function sentWith({ probe }: ProbeRow): string {
  const kind = probe.split(':')[0] ?? '';
  if (kind === 'spelled') return 'without a key, to a path that is spelled otherwise,';
  return kind === 'no-key' ? 'without a key' : 'with an unknown key';
}
