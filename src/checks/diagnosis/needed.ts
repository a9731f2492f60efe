import { z } from 'zod';
import type { History } from '../../history/history.ts';
import { companionPhases, settlePhases, setupPhases } from '../../vocabulary/phases.ts';
import { stages } from '../../vocabulary/requests.ts';
import { studyKinds } from '../../vocabulary/studies.ts';

export type StudyKind = (typeof studyKinds)[number];

/** The part of a run that makes requests of some sort. */
export interface Needed {
  /** The probes of the contract, before and after the load. */
  readonly probes: boolean;
  /** Names of phases of the load. */
  readonly phases: readonly string[];
  readonly studies: readonly StudyKind[];
}

const nothing: Needed = { probes: false, phases: [], studies: [] };

/** A request, and the one that opened its session. */
const place = z.object({
  stage: z.enum(stages),
  phase: z.string(),
  opened_stage: z.enum(stages).nullable(),
  opened_phase: z.string().nullable(),
});
type Place = z.output<typeof place>;

/** The part of the run that has these requests in it; undefined if that is not known, or is all of the run. */
export async function neededFor(history: History, seqs: readonly number[]): Promise<Needed | undefined> {
  if (seqs.length === 0) return undefined;
  const places = await history.rows(
    place,
    `SELECT DISTINCT r.stage, r.phase, o.stage AS opened_stage, o.phase AS opened_phase
     FROM requests r LEFT JOIN requests o ON o.endpoint = 'create-session' AND o.session_id = r.session_id
     WHERE r.seq IN (${seqs.join(', ')})`,
  );
  const parts = places.map((each) => partOf(each, history));
  if (parts.length === 0 || parts.includes(undefined)) return undefined;
  const known = parts.filter((part) => part !== undefined);
  return {
    probes: known.some(({ probes }) => probes),
    phases: [...new Set(known.flatMap(({ phases }) => phases))],
    studies: [...new Set(known.flatMap(({ studies }) => studies))],
  };
}

/** Phases of settling that are probes, as those of set-up. */
const furtherProbes: readonly string[] = [
  settlePhases.corners,
  settlePhases.crossed,
  settlePhases.connections,
];

function partOf(request: Place, history: History): Needed | undefined {
  const { opened_phase, opened_stage, phase, stage } = request;
  switch (stage) {
    case 'setup':
      return { ...nothing, probes: phase === setupPhases.contract };
    case 'load':
      return { ...nothing, phases: [phase] };
    case 'study':
      return { ...nothing, studies: studyKinds.filter((kind) => phase.startsWith(`${kind}:`)) };
    case 'companion':
      return phase === companionPhases.freshness ? withSessions(history) : undefined;
    case 'settle':
      if (furtherProbes.includes(phase)) return { ...nothing, probes: true };
      if (phase === settlePhases.quotaAftermath) return quotaPart(history);
      if (phase === settlePhases.refusedAftermath) return { ...nothing, studies: ['limits'] };
      if (phase !== settlePhases.readBack) return withSessions(history);
      return opened_stage === null || opened_phase === null || opened_stage === 'settle'
        ? undefined
        : partOf({ ...request, stage: opened_stage, phase: opened_phase }, history);
  }
}

/** Analytics are about the sessions of the load key, wherever they were opened. */
function withSessions({ run }: History): Needed {
  const phases = run.phases.filter(({ role }) => role === 'load').map(({ name }) => name);
  return { ...nothing, probes: true, phases };
}

function quotaPart({ run }: History): Needed {
  const phases = run.phases.filter(({ role }) => role === 'quota').map(({ name }) => name);
  const isStudied = (run.studies ?? []).some(({ kind }) => kind === 'quota');
  return { ...nothing, phases, studies: isStudied ? ['quota'] : [] };
}
