import { type ProbeScale, probeSchedule } from '../../../limits/probes.ts';
import type { Sharing } from '../../../sent/charged.ts';
import * as calls from '../../../target/calls.ts';
import { studyPhases } from '../../../vocabulary/phases.ts';
import type { ScopeProbe } from '../../../vocabulary/probes.ts';
import { eachRole, type Role } from '../../../vocabulary/roles.ts';
import { aboutItsCall, type StudyRequest, type TimedRequest } from '../sending/prober.ts';
import type { Track } from '../sending/track.ts';
import { mixedPart, unauthenticatedLimits } from './cost.ts';
import type { LimitsStudyOptions } from './options.ts';

/**
 * The endpoints beside the list. Each gets this part of the limit, up to this sum: none is rejected, unless a request
 * to one of them counts twice. An import repeats what is stored.
 */
const mixable: readonly ScopeProbe[] = [
  'scope:read-session',
  'scope:analytics',
  'scope:import-shades',
  'scope:create-session',
];
const mixedLimits = 0.9;
/** Lists after them: with the others they are more than the limit, also if one endpoint's requests do not count. */
const fillingPart = 0.4;
/** Lists a little later: a bucket that has admitted too many at once cannot admit more of them than it got meanwhile. */
const laterPart = 0.15;

/** What probes are made of: the list of a key's own catalog. */
export function listRequest(
  { catalogs }: Pick<LimitsStudyOptions, 'catalogs'>,
  credential: Role,
  phase: string,
): StudyRequest {
  return aboutItsCall(calls.listShades(catalogs[credential].id), { credential, phase });
}

/** Sends a probe from now on, its two keys being those of the track. */
export async function playProbe(
  options: LimitsStudyOptions,
  { kind, roles }: Track,
  scale: ProbeScale,
): Promise<void> {
  const { clock, prober, random } = options;
  const startNs = clock.nowNs();
  const requests = eachRole((role) => listRequest(options, role, `${studyPhases.probe} ${kind}`));
  const sends = probeSchedule(kind, scale, random).map(
    ({ atMs, key }): TimedRequest => ({ atNs: startNs + atMs * 1e6, request: requests[roles[key]] }),
  );
  await prober.play(sends);
}

/** More than the limit without a good key. */
export function unauthenticatedRequests({
  catalogs,
  promised,
}: Pick<LimitsStudyOptions, 'catalogs' | 'promised'>): StudyRequest[] {
  const call = calls.listShades(catalogs.load.id);
  return Array.from({ length: Math.ceil(unauthenticatedLimits * promised.requests) }, () => ({
    call,
    credential: 'bad',
    phase: studyPhases.unauthenticated,
    probe: 'flood:bad-key',
  }));
}

/**
 * Slightly less than the limit, with a part of it at each endpoint that shares it; then lists past the limit. Nothing if
 * no other endpoint shares it.
 */
export function mixedVolleys(
  { catalogs, promised, tries }: Pick<LimitsStudyOptions, 'catalogs' | 'promised' | 'tries'>,
  sharing: ReadonlyMap<ScopeProbe, Sharing>,
): StudyRequest[][] {
  const partOf = (part: number): number => Math.floor(part * promised.requests);
  const others = mixable.flatMap((probe) => {
    const request = sharing.get(probe) === 'shared' ? tries.get(probe) : undefined;
    if (request === undefined) return [];
    return Array.from({ length: partOf(mixedPart) }, (_, n): StudyRequest => {
      const { probe: _probe, ...rest } = request(n);
      return { ...rest, phase: studyPhases.mixed };
    });
  });
  if (others.length === 0) return [];
  const read = listRequest({ catalogs }, 'load', studyPhases.mixed);
  const reads = (count: number): StudyRequest[] => Array.from({ length: count }, () => read);
  const mixed = [...others, ...reads(partOf(mixedLimits) - others.length)];
  return [mixed, reads(partOf(fillingPart)), reads(partOf(laterPart))];
}
