import { type ProbeScale, probeSchedule } from '../../../limits/probes.ts';
import type { Sharing } from '../../../sent/charged.ts';
import * as calls from '../../../target/calls.ts';
import { studyPhases } from '../../../vocabulary/phases.ts';
import type { ScopeProbe } from '../../../vocabulary/probes.ts';
import { eachRole, type Role } from '../../../vocabulary/roles.ts';
import type { StudyRequest, TimedRequest } from '../prober.ts';
import type { Track } from '../track.ts';
import { unauthenticatedLimits } from './cost.ts';
import type { LimitsStudyOptions } from './options.ts';

/**
 * Endpoints that are read without a trace. Each gets this part of the limit, up to this sum, so that none is
 * rejected.
 */
const mixable: readonly ScopeProbe[] = ['scope:read-session', 'scope:analytics'];
const mixedPart = 0.2;
const mixedLimits = 0.9;

/** What probes are made of: the list of a key's own catalog. */
export function listRequest(
  { catalogs }: Pick<LimitsStudyOptions, 'catalogs'>,
  credential: Role,
  phase: string,
): StudyRequest {
  const { id } = catalogs[credential];
  return { call: calls.listShades(id), credential, phase, known: { catalogId: id } };
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

/** Slightly less than the limit, with a part of it at endpoints that share the limit; none if no other shares it. */
export function mixedRequests(
  { catalogs, promised, tries }: Pick<LimitsStudyOptions, 'catalogs' | 'promised' | 'tries'>,
  sharing: ReadonlyMap<ScopeProbe, Sharing>,
): StudyRequest[] {
  const count = Math.floor(mixedPart * promised.requests);
  const others = mixable.flatMap((probe) => {
    const request = sharing.get(probe) === 'shared' ? tries.get(probe) : undefined;
    if (request === undefined) return [];
    return Array.from({ length: count }, (_, n): StudyRequest => {
      const { probe: _probe, ...rest } = request(n);
      return { ...rest, phase: studyPhases.mixed };
    });
  });
  const read = listRequest({ catalogs }, 'load', studyPhases.mixed);
  const reads = Math.max(0, Math.floor(mixedLimits * promised.requests) - others.length);
  return others.length === 0 ? [] : [...others, ...Array.from({ length: reads }, () => read)];
}
