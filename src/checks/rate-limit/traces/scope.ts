import { z } from 'zod';
import type { History } from '../../../history/history.ts';
import { sqlText } from '../../../history/tables.ts';
import { admittedAtOnce, inVolley, volleysTell } from '../../../limits/probes.ts';
import type { Sharing } from '../../../limits/sent/traces.ts';
import { studyPhases } from '../../../vocabulary/phases.ts';
import { type ScopeProbe, scopeProbes } from '../../../vocabulary/probes.ts';
import { firstSeqs, isSuccessStatus, seqsColumn } from '../../core/found.ts';
import { isProbe, isProbeOf } from '../../core/probes.ts';
import { apartNs } from '../../core/unanswered.ts';

const isControl = isProbe('scope:control');

/** What one thing got that was tried while the `load` key was at its limit, in volleys with the limited call beside it. */
export interface TriedProbe {
  readonly probe: ScopeProbe;
  /** Rejections in bursts in which the limited call itself was rejected. */
  readonly refused: number;
  readonly passed: number;
  /** Answers other than 2xx and the rejection, by status. */
  readonly otherwise: Readonly<Record<string, number>>;
  readonly seqs: readonly number[];
  /** This many may have passed by luck. */
  readonly lucky: number;
  readonly sharing: Sharing;
}

const volleyRow = z.object({
  probe: z.enum(scopeProbes),
  status: z.number().nullable(),
  total: z.number(),
  /** Places that may have become free since the volley before: a bucket's tokens. */
  lucky: z.number(),
  seqs: seqsColumn,
});

const burstRow = z.object({ passed: z.number(), took_ns: z.number() });

/** This many of the limited calls in a burst may pass: a bucket may have got a token meanwhile. */
const mostPassing = 1;

/**
 * What was tried at the limit. Requests of a volley share their intended instant; only volleys count in which the limited
 * call was rejected, except for one at most.
 */
export async function triedAtLimit(history: History, refusalStatus: number): Promise<readonly TriedProbe[]> {
  const { requests, windowMs } = history.profile.rate_limit;
  const windowNs = windowMs * 1e6;
  const perNs = requests / windowNs;
  const rows = await history.rows(
    volleyRow,
    `WITH spans AS (
       SELECT intended_ns, max(answered_ns) AS over_ns,
              coalesce(lag(intended_ns) OVER (ORDER BY intended_ns), intended_ns) AS before_ns,
              count(*) FILTER (${isControl} AND status = ${refusalStatus}) AS refused,
              count(*) FILTER (${isControl}) AS controls
       FROM requests WHERE stage = 'study' AND phase = ${sqlText(studyPhases.scope)} AND ${isProbeOf('scope')}
       GROUP BY intended_ns),
     volleys AS (
       SELECT intended_ns, greatest(1, ceil((over_ns - before_ns) * ${perNs})) AS lucky FROM spans
       WHERE refused > 0 AND refused >= controls - ${mostPassing})
     SELECT probe, status, count(*) AS total, max(lucky) AS lucky, ${firstSeqs} AS seqs
     FROM requests JOIN volleys USING (intended_ns)
     WHERE stage = 'study' AND phase = ${sqlText(studyPhases.scope)} AND ${isProbeOf('scope')} AND NOT ${isControl}
     GROUP BY probe, status ORDER BY probe, status`,
  );
  const bursts = await history.rows(
    burstRow,
    `SELECT count(*) FILTER (status BETWEEN 200 AND 299) AS passed,
            coalesce(max(answered_ns) - min(sent_ns), 0) AS took_ns
     FROM requests WHERE stage = 'study' AND phase = ${sqlText(studyPhases.scope)} AND ${isControl}
     GROUP BY intended_ns`,
  );
  const promised = { requests, windowNs };
  const atOnce = Math.max(
    0,
    ...bursts.map(({ passed, took_ns }) => admittedAtOnce(passed, took_ns, promised)),
  );
  return scopeProbes.flatMap((probe) => {
    const own = rows.filter((row) => row.probe === probe);
    if (own.length === 0) return [];
    // Of two shards, the clocks may differ. A window may end between what they send at one instant: all of one volley pass.
    const isOfShards = probe === 'scope:other-shard' || probe === 'scope:other-shard-key';
    const lucky = isOfShards ? Math.ceil(apartNs(history.run) * perNs) + inVolley : 0;
    return [triedOf(probe, own, refusalStatus, { atOnce, lucky })];
  });
}

function triedOf(
  probe: ScopeProbe,
  rows: readonly z.output<typeof volleyRow>[],
  refusalStatus: number,
  { atOnce, lucky: further }: Pick<Volleys, 'atOnce' | 'lucky'>,
): TriedProbe {
  const sum = (of: (status: number | null) => boolean): number =>
    rows.filter(({ status }) => of(status)).reduce((total, row) => total + row.total, 0);
  const refused = sum((status) => status === refusalStatus);
  const passed = sum(isSuccessStatus);
  const lucky = Math.max(...rows.map((row) => row.lucky)) + further;
  const otherwise = Object.fromEntries(
    rows
      .filter(({ status }) => status !== refusalStatus && !isSuccessStatus(status))
      .map(({ status, total }) => [String(status ?? 'no answer'), total]),
  );
  return {
    probe,
    refused,
    passed,
    otherwise,
    seqs: rows.flatMap(({ seqs }) => seqs).toSorted((a, b) => a - b),
    lucky,
    sharing: sharingOf({ refused, passed, lucky, atOnce }),
  };
}

interface Volleys {
  readonly refused: number;
  readonly passed: number;
  readonly lucky: number;
  /** How many requests the limiter admits at one moment, at least. */
  readonly atOnce: number;
}

/** One of several may have found a token that a bucket had got meanwhile, or have been rejected for another reason. */
function sharingOf({ refused, passed, lucky, atOnce }: Volleys): TriedProbe['sharing'] {
  if (refused + passed < 3) return 'unclear';
  if (passed <= mostPassing && passed * 4 <= refused) return volleysTell(atOnce) ? 'shared' : 'unclear';
  return refused === 0 && passed > lucky ? 'separate' : 'unclear';
}

/** The scope of the limit in the form of `verdicts.json`; null where it was not found out. */
export interface ScopeJson {
  readonly per_key: boolean | null;
  readonly per_address: boolean | null;
  readonly per_endpoint: boolean | null;
  readonly unauthenticated_counted: boolean | null;
}

const endpointProbes: ReadonlySet<ScopeProbe> = new Set<ScopeProbe>([
  'scope:read-session',
  'scope:analytics',
  'scope:create-session',
  'scope:import-shades',
]);

export function triedEndpoints(tried: readonly TriedProbe[]): readonly TriedProbe[] {
  return tried.filter(({ probe }) => endpointProbes.has(probe));
}

/** `isFloodRefused`: whether many requests without a good key were rejected by the limit; undefined when not tried. */
export function scopeJson(tried: readonly TriedProbe[], isFloodRefused: boolean | undefined): ScopeJson {
  const apart = (probe: ScopeProbe): boolean | null => {
    const sharing = tried.find((each) => each.probe === probe)?.sharing;
    return sharing === 'separate' ? true : sharing === 'shared' ? false : null;
  };
  const endpoints = triedEndpoints(tried);
  const without = tried.filter(({ probe }) => probe === 'scope:bad-key' || probe === 'scope:no-key');
  const isCounted = isFloodRefused === true || without.some(({ refused }) => refused > 0);
  return {
    per_key: apart('scope:other-key'),
    per_address: apart('scope:other-address'),
    per_endpoint: endpoints.some(({ sharing }) => sharing === 'separate')
      ? true
      : endpoints.length > 0 && endpoints.every(({ sharing }) => sharing === 'shared')
        ? false
        : null,
    unauthenticated_counted: isCounted ? true : without.length > 0 || isFloodRefused === false ? false : null,
  };
}
