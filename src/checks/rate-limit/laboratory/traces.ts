import { z } from 'zod';
import type { History } from '../../../history/history.ts';
import type { ScopeProbe } from '../../../history/phases.ts';
import { admitted, ambiguous, limited, type Outcome, type Trace, traceOf } from '../../../limits/trace.ts';
import { type Role, roles } from '../../../target/profile.ts';
import type { Tried } from './scope.ts';

const keyedRow = z.object({
  seq: z.number(),
  credential: z.enum(['load', 'quota', 'twin', 'bystander']),
  endpoint: z.string(),
  probe: z.string().nullable(),
  sent_ns: z.number(),
  answered_ns: z.number(),
  status: z.number().nullable(),
});
type KeyedRequest = z.output<typeof keyedRow>;

/** Every request with one of the run's keys, in order of sending. */
export function keyedRequests(history: History): Promise<KeyedRequest[]> {
  return history.rows(
    keyedRow,
    `SELECT seq, credential, endpoint, probe, sent_ns, coalesce(answered_ns, sent_ns) AS answered_ns, status
     FROM requests
     WHERE credential IN ('load', 'quota', 'twin', 'bystander') AND endpoint <> 'interact' AND sent_ns IS NOT NULL
     ORDER BY sent_ns, seq`,
  );
}

/**
 * The traces that the limiter left, by what is known of its scope: what has a limit of its own is left out, and what may
 * have one is uncertain. `unknownNs`: refusals within so long of a key's first request may be due to what came before the
 * run.
 */
export function tracesOf(
  requests: readonly KeyedRequest[],
  tried: readonly Tried[],
  options: { readonly refusalStatus: number; readonly windowNs: number; readonly unknownNs: number },
): Trace[] {
  const sharing = new Map(tried.map((each) => [each.probe, each.sharing]));
  const ofEndpoint = (endpoint: string): Tried['sharing'] =>
    endpoint === 'list-shades' ? 'shared' : (sharing.get(`scope:${endpoint}` as ScopeProbe) ?? 'unclear');
  const ofProbe = (probe: string | null): Tried['sharing'] =>
    probe === 'scope:other-address' || probe === 'scope:forwarded'
      ? (sharing.get(probe) ?? 'unclear')
      : 'shared';
  const isShared = sharing.get('scope:other-key') === 'shared';
  const groups: readonly (readonly Role[])[] = isShared ? [roles] : roles.map((role) => [role]);
  return groups.flatMap((group) => {
    const own = requests.filter(({ credential }) => group.includes(credential));
    const knownFromNs = (own[0]?.sent_ns ?? 0) + options.unknownNs;
    const counted = own.flatMap((each) => {
      const both = [ofEndpoint(each.endpoint), ofProbe(each.probe)];
      if (both.includes('separate')) return [];
      const certain = !both.includes('unclear') && !(each.sent_ns < knownFromNs && !isSuccess(each));
      return [
        {
          seq: each.seq,
          sentNs: each.sent_ns,
          // A request given up on may still reach the limiter later, say out of a stalled server's backlog.
          answeredNs: each.answered_ns + (each.status === null ? options.windowNs : 0),
          outcome: certain ? outcomeOf(each, options.refusalStatus) : ambiguous,
        },
      ];
    });
    return counted.length === 0 ? [] : [traceOf(counted)];
  });
}

function outcomeOf(request: KeyedRequest, refusalStatus: number): Outcome {
  if (request.status === refusalStatus) return limited;
  return isSuccess(request) ? admitted : ambiguous;
}

function isSuccess({ status }: KeyedRequest): boolean {
  return status !== null && status >= 200 && status < 300;
}
