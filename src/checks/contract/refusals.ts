import { listed } from '../../amounts.ts';
import { caused, type Suspect, shown } from '../diagnosis/cause.ts';
import { interfaceEndpoints } from '../diagnosis/requests.ts';
import { is2xx, judgeProbes, type ProbeRow } from '../probes.ts';
import type { CheckResult } from '../verdict.ts';
import { errorCause, isServerError } from './error-causes.ts';
import { keyCauses } from './key-causes.ts';

/**
 * A missing and an invalid key get 401 on every endpoint. The interaction channel is not the interface's: where it
 * exists it has to refuse them in any way.
 */
export function checkAuth(probes: readonly ProbeRow[], channelWorks: boolean): CheckResult {
  const promised = interfaceEndpoints.flatMap((name) => [`no-key:${name}`, `bad-key:${name}`]);
  const channel = channelWorks ? ['no-key:interact', 'bad-key:interact'] : [];
  const asked = channel.filter((name) => probes.some((row) => row.probe === name));
  const judged = judgeProbes(probes, [...promised, ...asked], (row) =>
    row.endpoint === 'interact'
      ? row.status !== null && row.status >= 400 && row.status <= 499
      : row.status === 401,
  );
  return {
    id: 'contract.auth',
    title: 'A missing or an invalid key gets 401 on every endpoint',
    verdict: judged.verdict,
    expected: '401 without a key and with one that was never issued, on each of the five endpoints',
    observed: judged.observed,
    explanation:
      judged.wrong.length > 0
        ? `Requests without a valid key were not answered with 401: ${listed(judged.wrong)}.`
        : judged.unclear.length > 0
          ? `Not every endpoint could be asked: ${listed(judged.unclear)}.`
          : 'Every endpoint refused a missing and an invalid key with 401.',
    evidence: judged.evidence,
    ...caused(keyCauses(judged.wrongRows)),
  };
}

/** 404 for a session or a catalog that does not exist. */
export function checkNotFound(probes: readonly ProbeRow[]): CheckResult {
  const names = ['unknown-session', 'unknown-catalog:create-session', 'unknown-catalog:list-shades'];
  // The order of checks is not promised, so a spent quota may be answered before the catalog is looked up.
  const judged = judgeProbes(
    probes.filter((row) => !(row.status === 402 && row.endpoint === 'create-session')),
    names,
    (row) => row.status === 404,
  );
  return {
    id: 'contract.not-found',
    title: 'Unknown sessions and catalogs get 404',
    verdict: judged.verdict,
    expected: 404,
    observed: judged.observed,
    explanation:
      judged.wrong.length > 0
        ? `Ids that do not exist were not answered with 404: ${listed(judged.wrong)}.`
        : judged.unclear.length > 0
          ? `Not every case could be asked: ${listed(judged.unclear)}.`
          : 'Unknown ids were answered with 404.',
    evidence: judged.evidence,
    ...caused(unknownIdCauses(judged.wrongRows)),
  };
}

function unknownIdCauses(wrong: readonly ProbeRow[]): Suspect[] {
  const answered = wrong.filter((row) => !isServerError(row));
  if (answered.length === 0) return errorCause(wrong);
  const endpoints = [...new Set(answered.map(({ endpoint }) => endpoint))];
  const statuses = [...new Set(answered.flatMap(({ status }) => status ?? []))];
  return [
    shown(
      'unknown-id-answered',
      { endpoints, statuses },
      answered.map(({ seq }) => seq),
    ),
  ];
}

/** Whether any shopper's act was ever taken: then there is an interaction channel. */
export function channelAnswered(probes: readonly ProbeRow[]): boolean {
  return probes.some((row) => row.probe === 'channel' && is2xx(row));
}
