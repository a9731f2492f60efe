import { z } from 'zod';
import { ownText } from '../../history/columns.ts';
import type { History } from '../../history/history.ts';
import { sqlText } from '../../history/tables.ts';
import type { CheckGroup } from '../../vocabulary/check-ids.ts';
import { companionPhases, settlePhases, setupPhases } from '../../vocabulary/phases.ts';
import { familyOf, sentWith } from '../../vocabulary/probes.ts';
import { type Stage, stages } from '../../vocabulary/requests.ts';
import { studyKinds } from '../../vocabulary/studies.ts';
import { isProbe } from '../core/probes.ts';

/** A part of a run. */
export interface RunPart {
  /** Families of probes of the contract. */
  readonly families: readonly string[];
  /** Names of phases of the load. */
  readonly phases: readonly string[];
  readonly studies: readonly (typeof studyKinds)[number][];
}

const nothing: RunPart = { families: [], phases: [], studies: [] };

/** Where the requests of a run are. */
export interface Places {
  /** The part that shows these failing requests of a check of the group; undefined if no part does. */
  partWith(seqs: readonly number[], group: CheckGroup): RunPart | undefined;
  /** Whether some of these requests are not in a part. */
  areOutside(seqs: readonly number[], part: RunPart): boolean;
  /** How many requests of the run are in a part, with what goes before and after it. */
  requestsIn(part: RunPart): number;
  /** Shoppers who sent these requests, or whose sessions are read in them; after them others, the longest sessions first. */
  shoppersFor(seqs: readonly number[], most: number): Promise<readonly number[]>;
  /** The families of probes without which these shoppers do something else: those of unusual values, if one of them uses any. */
  familiesFor(shoppers: readonly number[]): Promise<readonly string[]>;
  /** How many requests of the run these shoppers sent, with what goes before and after them, and no probe but of these families. */
  requestsBy(shoppers: readonly number[], families: readonly string[]): Promise<number>;
}

/** A place in the run, and that of the request that opened the session. */
const placeRow = z.object({
  stage: z.enum(stages),
  phase: z.string(),
  probe: z.string().nullable(),
  opened_stage: z.enum(stages).nullable(),
  opened_phase: z.string().nullable(),
  opened_probe: z.string().nullable(),
  /** Whether it opened a session. */
  opens: z.boolean(),
  /** Whether a shopper sent it who uses unusual values. */
  unusual: z.boolean(),
  seqs: z.array(z.coerce.number()),
});
type PlaceRow = z.output<typeof placeRow>;
interface RunPlace {
  readonly stage: Stage;
  readonly phase: string;
  readonly probe: string | null;
}

/** SQL: the shoppers of the load who use the catalog with unusual shades. */
const unusualShoppers = `SELECT shopper FROM requests
  WHERE stage = 'load' AND shopper IS NOT NULL AND
    catalog_id IN (SELECT catalog_id FROM requests WHERE ${isProbe('corners:import')})`;

/** What finds out whether shoppers may use unusual shades. */
const unusualValues: readonly string[] = ['corners'];

/** Groups of properties that may depend on the values of requests. */
const dependOnValues: readonly CheckGroup[] = ['contract', 'analytics'];

export async function readPlaces(history: History): Promise<Places> {
  const rows = await history.rows(
    placeRow,
    `SELECT r.stage, r.phase, r.probe, o.stage AS opened_stage, o.phase AS opened_phase, o.probe AS opened_probe,
       r.endpoint = 'create-session' AND coalesce(r.status BETWEEN 200 AND 299, false) AS opens,
       coalesce(coalesce(o.shopper, r.shopper) IN (${unusualShoppers}), false) AS unusual, list(r.seq) AS seqs
     FROM requests r LEFT JOIN (FROM requests WHERE endpoint = 'create-session' AND session_id IS NOT NULL) o
       ON o.session_id = r.session_id AND r.stage = 'settle'
     WHERE r.not_sent IS NULL GROUP BY ALL`,
  );
  const partOf = partsBy(rows, history);
  const parts = rows.map((row) => ({ row, part: partOf(row, openedAt(row)) }));
  const placesOf = (seqs: readonly number[]): typeof parts =>
    parts.filter(({ row }) => row.seqs.some((seq) => seqs.includes(seq)));
  return {
    partWith(seqs, group) {
      const shown = placesOf(seqs);
      const probes = shown.filter(
        ({ part }) =>
          part !== undefined && part.families.length > 0 && part.phases.length + part.studies.length === 0,
      );
      // A probe is sent in each run; analytics depend on all sessions that there are.
      const chosen = probes.length > 0 && group !== 'analytics' ? probes : shown;
      const known = chosen.flatMap(({ part, row }) =>
        part === undefined
          ? []
          : row.unusual && dependOnValues.includes(group)
            ? union([part, { ...nothing, families: unusualValues }])
            : part,
      );
      return known.length === 0 || known.length < chosen.length ? undefined : union(known);
    },
    areOutside(seqs, whole) {
      return placesOf(seqs).some(({ part }) => part === undefined || !isWithin(part, withSteps(whole)));
    },
    async shoppersFor(seqs, most) {
      const found = await history.rows(
        z.object({ shopper: z.coerce.number() }),
        `SELECT shopper FROM requests WHERE stage = 'load' AND credential = 'load' AND shopper IS NOT NULL AND session_id IS NOT NULL
         GROUP BY shopper ORDER BY bool_or(${oneOf('seq', seqs)} OR
           session_id IN (SELECT session_id FROM requests WHERE ${oneOf('seq', seqs)})) DESC, count(*) DESC, shopper
         LIMIT ${most}`,
      );
      return found.map(({ shopper }) => shopper);
    },
    async familiesFor(shoppers) {
      const [row] = await history.rows(
        z.object({ unusual: z.boolean() }),
        `SELECT coalesce(bool_or(${oneOf('shopper', shoppers)}), false) AS unusual FROM (${unusualShoppers})`,
      );
      return row?.unusual === true ? unusualValues : [];
    },
    async requestsBy(shoppers, families) {
      const [row] = await history.rows(
        z.object({ n: z.coerce.number() }),
        `SELECT count(*) AS n FROM requests WHERE not_sent IS NULL AND (${oneOf('shopper', shoppers)} OR
           stage IN ('setup', 'companion', 'settle') AND phase <> ${sqlText(settlePhases.readBack)} AND
           (probe IS NULL OR ${oneOf("split_part(probe, ':', 1)", families.length === 0 ? [] : sentWith(families).map(ownText))}))`,
      );
      // Each session is read back once.
      return (row?.n ?? 0) + shoppers.length;
    },
    requestsIn(whole) {
      const inside = parts.filter(({ part }) => part !== undefined && isWithin(part, withSteps(whole)));
      return inside.reduce((sum, { row }) => sum + row.seqs.length, 0);
    },
  };
}

function oneOf(column: string, values: readonly (number | string)[]): string {
  return values.length === 0 ? 'false' : `${column} IN (${values.join(', ')})`;
}

function openedAt({ opened_phase, opened_probe, opened_stage }: PlaceRow): RunPlace | undefined {
  if (opened_stage === null || opened_phase === null) return undefined;
  return { stage: opened_stage, phase: opened_phase, probe: opened_probe };
}

export function union(parts: readonly RunPart[]): RunPart {
  return {
    families: [...new Set(parts.flatMap(({ families }) => families))],
    phases: [...new Set(parts.flatMap(({ phases }) => phases))],
    studies: [...new Set(parts.flatMap(({ studies }) => studies))],
  };
}

function withSteps(part: RunPart): RunPart {
  return { ...part, families: sentWith(part.families) };
}

function isWithin(part: RunPart, whole: RunPart): boolean {
  return (['families', 'phases', 'studies'] as const).every((name) => {
    const has: readonly string[] = whole[name];
    return part[name].every((each) => has.includes(each));
  });
}

/** Phases of settling that are probes, as those of set-up. */
const furtherProbes: readonly string[] = [
  settlePhases.crossed,
  settlePhases.connections,
  settlePhases.explored,
];

type PartOf = (place: RunPlace, opened?: RunPlace) => RunPart | undefined;

/** The part of a run that a place is in; undefined if it depends on the whole run. */
function partsBy(rows: readonly PlaceRow[], { run }: History): PartOf {
  const phasesOf = (role: 'load' | 'quota'): string[] =>
    run.phases.filter((phase) => phase.role === role).map(({ name }) => name);
  // Analytics are about the sessions of the load key, opened by the plan or by a probe.
  const openers = rows.filter(({ opens, stage }) => opens && stage === 'setup');
  const withSessions: RunPart = {
    ...nothing,
    families: [...new Set(openers.flatMap(({ probe }) => (probe === null ? [] : familyOf(probe))))],
    phases: phasesOf('load'),
  };
  const quota: RunPart = {
    ...nothing,
    phases: phasesOf('quota'),
    studies: (run.studies ?? []).flatMap(({ kind }) => (kind === 'quota' ? kind : [])),
  };
  const partOf: PartOf = ({ phase, probe, stage }, opened) => {
    const asProbe: RunPart = { ...nothing, families: probe === null ? [] : [familyOf(probe)] };
    switch (stage) {
      case 'setup':
        return phase === setupPhases.contract ? asProbe : nothing;
      case 'load':
        return { ...nothing, phases: [phase] };
      case 'study':
        return { ...nothing, studies: studyKinds.filter((kind) => phase.startsWith(`${kind}:`)) };
      case 'companion':
        return phase === companionPhases.freshness ? withSessions : undefined;
      case 'settle':
        if (furtherProbes.includes(phase)) return asProbe;
        if (phase === settlePhases.quotaAftermath) return quota;
        if (phase === settlePhases.refusedAftermath) return { ...nothing, studies: ['limits'] };
        if (phase !== settlePhases.readBack) return withSessions;
        return opened === undefined ? undefined : partOf(opened);
    }
  };
  return partOf;
}
