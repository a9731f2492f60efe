import type { Answered } from '../limits/refusal-status.ts';
import type { Trace } from '../limits/trace.ts';
import { roles } from '../target/profile.ts';
import { type Charging, chargeOf, type TraceOptions, traceOfRows } from './charged.ts';
import { rowsWhere, type SentRequests, wordAt } from './columns.ts';

/** What became of the requests with one of the run's keys. */
export function* answeredWithKeys(sent: SentRequests): Generator<Answered> {
  for (let row = 0; row < sent.length; row++) {
    const endpoint = wordAt(sent.endpoint, row);
    if (
      endpoint !== null &&
      endpoint !== 'interact' &&
      roles.some((role) => role === wordAt(sent.credential, row))
    )
      yield { endpoint, status: sent.status[row] };
  }
}

/** The traces that the limiter left, by what is known of its scope: one of each key, or one of all where they share it. */
export function tracesOf(sent: SentRequests, charging: Charging, options: TraceOptions): Trace[] {
  const charge = chargeOf(sent, charging);
  const isShared = charging.tried?.some(
    ({ probe, sharing }) => probe === 'scope:other-key' && sharing === 'shared',
  );
  const groups: readonly (readonly (string | null)[])[] = isShared ? [roles] : roles.map((role) => [role]);
  return groups.flatMap((group) => {
    const own = rowsWhere(sent, (row) => group.includes(wordAt(sent.chargedTo, row)));
    const trace = traceOfRows(sent, own, charge, options);
    return trace.length === 0 ? [] : [trace];
  });
}
