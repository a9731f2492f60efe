import type { NearId, Probe } from '../../../vocabulary/probes.ts';
import { caused, fits, type Suspect, shown } from '../../causes/cause.ts';
import { is2xx, judgeProbes, type ProbeRow, unanswered } from '../../core/probes.ts';
import type { CheckFinding } from '../../core/verdict.ts';
import { formText, type WrongCredentials } from '../../reasons/contract/keys.ts';
import { expects } from '../../reasons/expected.ts';
import { firstReasons, type Reason, reason } from '../../reasons/reason.ts';
import { interfaceEndpoints } from '../../reasons/words/requests.ts';
import { lastOf } from '../probes/asked.ts';
import { errorCause, isServerError } from '../probes/error-causes.ts';
import { keyCauses } from './near-keys.ts';

/**
 * A missing and an unknown key get 401 at every endpoint. The interaction channel is not in the interface document:
 * where there is one, any 4xx will do.
 */
export function checkAuth(probes: readonly ProbeRow[], channelWorks: boolean): CheckFinding {
  const promised = interfaceEndpoints.flatMap((name) => [`no-key:${name}`, `bad-key:${name}`] as const);
  const channel = channelWorks ? (['no-key:interact', 'bad-key:interact'] as const) : [];
  const channelProbes = channel.filter((name) => probes.some((row) => row.probe === name));
  const spelledProbes = [
    ...new Set(
      probes.filter((row) => isSpelled(row.probe) && unanswered(row) === undefined).map(({ probe }) => probe),
    ),
  ];
  const judged = judgeProbes(probes, [...promised, ...channelProbes, ...spelledProbes], (row) =>
    isSpelled(row.probe)
      ? !is2xx(row) && (isByHead(row.probe) || !isServerError(row))
      : row.endpoint === 'interact'
        ? row.status !== null && row.status >= 400 && row.status <= 499
        : row.status === 401,
  );
  return {
    id: 'contract.auth',
    verdict: judged.verdict,
    expected: expects('contract.auth'),
    observed: judged.observed,
    reasons:
      judged.wrongRows.length > 0
        ? authReasons(judged.wrongRows)
        : judged.unclearProbes.length > 0
          ? firstReasons(
              judged.unclearProbes.map(({ got, name }) => reason('auth-unclear', { ...partsOf(name), got })),
            )
          : [reason('auth-401')],
    evidence: judged.evidence,
    ...caused(ofConnection(judged.wrongRows, probes) ?? keyCauses(judged.wrongRows)),
  };
}

/** What is served without a key, and not over a connection that no key was used on. */
function ofConnection(wrong: readonly ProbeRow[], probes: readonly ProbeRow[]): Suspect[] | undefined {
  const alone = lastOf(probes, 'no-key:own-connection');
  const served = wrong.find((row) => row.probe === 'no-key:list-shades' && is2xx(row));
  return alone?.status === 401 && served !== undefined
    ? [shown('key-of-connection', {}, [served.seq, alone.seq])]
    : undefined;
}

/** Whether such a path is served is not specified: anything but a service without a key will do. */
function isSpelled(probe: Probe): boolean {
  return probe.startsWith('spelled:');
}

/** A service that does not know the method may answer 501. */
function isByHead(probe: Probe): boolean {
  return probe.startsWith('spelled:head:');
}

function authReasons(wrong: readonly ProbeRow[]): readonly Reason[] {
  const alike = Map.groupBy(wrong, ({ endpoint, probe, status }) =>
    [isSpelled(probe), partsOf(probe).sent, endpoint === 'interact', status].join(),
  );
  const reasons = [...alike.values()].flatMap((rows): Reason[] => {
    const [first] = rows;
    if (first === undefined) return [];
    const { endpoint, probe, status } = first;
    if (isSpelled(probe))
      return [
        reason('auth-spelled-served', { endpoints: [...new Set(rows.map((row) => row.endpoint))], status }),
      ];
    const { sent } = partsOf(probe);
    const endpoints = [...new Set(rows.map((row) => row.endpoint))];
    return [
      endpoint === 'interact'
        ? reason('auth-channel-status', { sent, status })
        : reason('auth-status', { sent, status, endpoints }),
    ];
  });
  return [...firstReasons(reasons), ...firstReasons(problemsOf(wrong), 2)];
}

/** Of `bad-key:analytics`, say. */
function partsOf(probe: Probe): { readonly sent: WrongCredentials; readonly endpoint: string } {
  const [sent, endpoint = ''] = probe.split(':');
  return { sent: sent === 'no-key' ? 'no-key' : 'bad-key', endpoint };
}

/** What is wrong with the form of answers, beside their status. */
function problemsOf(wrong: readonly ProbeRow[]): Reason[] {
  return wrong.flatMap(({ endpoint, problem, status }) =>
    problem === null ? [] : [reason('answer-problem', { endpoint, status, problem })],
  );
}

/** For a path that is too long; 403 is what firewalls answer. */
const tooLong: readonly number[] = [400, 403, 413, 414, 422, 431];

/** 404 for a session or a catalog that does not exist. */
export function checkNotFound(probes: readonly ProbeRow[]): CheckFinding {
  const names = ['unknown-session', 'unknown-catalog:create-session', 'unknown-catalog:list-shades'] as const;
  // Old histories have no such probe.
  const long = probes.some(({ probe }) => probe === 'unknown-session:long')
    ? (['unknown-session:long'] as const)
    : [];
  const near = [...new Set(probes.flatMap(({ probe }) => (isNear(probe) ? probe : [])))];
  // The order of checks is not promised, so a spent quota may come before the lookup of the catalog.
  const judged = judgeProbes(
    probes.filter((row) => !(row.status === 402 && row.endpoint === 'create-session')),
    [...names, ...long, ...near],
    (row) =>
      row.status === 404 ||
      (row.probe === 'unknown-session:long' && tooLong.includes(row.status ?? 0)) ||
      (isNear(row.probe) && !is2xx(row) && !isServerError(row)),
  );
  return {
    id: 'contract.not-found',
    verdict: judged.verdict,
    expected: 404,
    observed: judged.observed,
    reasons:
      judged.wrongRows.length > 0
        ? [
            ...firstReasons(
              judged.wrongRows.map(({ probe, status }) =>
                reason('not-found-status', { ...unknownOf(probe), status }),
              ),
            ),
            ...firstReasons(problemsOf(judged.wrongRows), 2),
          ]
        : judged.unclearProbes.length > 0
          ? judged.unclearProbes.map(({ got, name }) =>
              reason('not-found-unclear', { ...unknownOf(name), got }),
            )
          : [reason('not-found-404')],
    evidence: judged.evidence,
    ...caused([
      ...unknownIdCauses(judged.wrongRows.filter(({ probe }) => !isNear(probe))),
      ...nearIdCauses(judged.wrongRows.filter(({ probe }) => isNear(probe))),
    ]),
  };
}

/** An id that resembles a real one. A service may reject its form by any 4xx. */
function isNear(probe: Probe): probe is `near-session:${NearId}` {
  return probe.startsWith('near-session:');
}

/** Ids that name no session, and nevertheless got one. */
function nearIdCauses(wrong: readonly ProbeRow[]): Suspect[] {
  const found = wrong.filter(is2xx);
  return [
    ...errorCause(wrong.filter(isServerError)),
    ...(found.length === 0
      ? []
      : [
          shown(
            'session-id-compared-loosely',
            { accepted: found.map(({ probe }) => formText(probe.split(':')[1] ?? '')) },
            found.map(({ seq }) => seq),
          ),
        ]),
  ];
}

/** Of `unknown-catalog:list-shades`, say. */
function unknownOf(probe: Probe): {
  readonly unknown: 'session' | 'near-session' | 'catalog';
  readonly endpoint: string;
} {
  if (isNear(probe)) return { unknown: 'near-session', endpoint: 'read-session' };
  return probe.startsWith('unknown-session')
    ? { unknown: 'session', endpoint: 'read-session' }
    : { unknown: 'catalog', endpoint: probe.split(':')[1] ?? '' };
}

function unknownIdCauses(wrong: readonly ProbeRow[]): Suspect[] {
  const answered = wrong.filter((row) => !isServerError(row));
  if (answered.length === 0) return errorCause(wrong);
  const endpoints = [...new Set(answered.map(({ endpoint }) => endpoint))];
  const statuses = [...new Set(answered.flatMap(({ status }) => status ?? []))];
  return [
    // A 401 may be about the key.
    (answered.every(({ status }) => status === 401) ? fits : shown)(
      'unknown-id-answered',
      { endpoints, statuses },
      answered.map(({ seq }) => seq),
    ),
  ];
}

/** Whether any event was ever accepted: then there is an interaction channel. */
export function channelAnswered(probes: readonly ProbeRow[]): boolean {
  return probes.some((row) => row.endpoint === 'interact' && is2xx(row));
}
