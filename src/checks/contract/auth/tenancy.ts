import { isObject } from '../../../target/json.ts';
import type { Profile } from '../../../target/profile.ts';
import { foreignShadeName } from '../../../vocabulary/probes.ts';
import { fits, type Suspect, shown } from '../../causes/cause.ts';
import { gotOf, is2xx, type ProbeRow } from '../../core/probes.ts';
import type { CheckFinding, Conclusion } from '../../core/verdict.ts';
import { expects } from '../../reasons/expected.ts';
import { reason } from '../../reasons/reason.ts';
import { answerOf, evidenceOf, isAnswered, lastOf } from '../probes/asked.ts';
import { wholeList } from '../probes/pages.ts';

/**
 * Accounts cannot read or change each other’s data. No finding without a bystander key. The profile says which keys belong to one
 * account; where it does not, the catalog shows whether the keys share anything at all.
 */
export function checkTenancy(probes: readonly ProbeRow[], scope: Profile['data_scope']): CheckFinding[] {
  const session = lastOf(probes, 'tenancy:read-session');
  if (session === undefined) return [];
  const list = lastOf(probes, 'tenancy:list-shades');
  // Another status may come of a key without the right to read.
  const isApart = scope !== 'shared' && session.status === 404 && list?.status === 404;
  const written = isApart ? foreignShade(probes) : undefined;
  const alone = lastOf(probes, 'tenancy:own-connection');
  const isOfConnection = scope !== 'shared' && is2xx(session) && alone?.status === 404;
  const conclusion: Conclusion = isOfConnection
    ? {
        verdict: 'fail',
        reasons: [reason('tenancy-by-connection')],
        causes: [shown('key-of-connection', {}, [session.seq, alone.seq])],
      }
    : written === undefined
      ? judge(session, list, scope, isMadeUp(session, probes))
      : {
          verdict: 'fail',
          reasons: [reason('tenancy-written', { catalog: written.catalog_id ?? '' })],
          causes: [shown('foreign-import-stored', {}, [written.seq])],
        };
  return [
    {
      id: 'contract.tenancy',
      expected: scope === 'shared' ? expects('contract.tenancy-shared') : { session: 404, catalog: 404 },
      observed: { session: answerOf(session), catalog: answerOf(list) },
      ...conclusion,
      evidence: evidenceOf(session, list, alone, written),
    },
  ];
}

/** The load key's list of a catalog, if it shows what the bystander's key imported. That key cannot list the load key's. */
function foreignShade(probes: readonly ProbeRow[]): ProbeRow | undefined {
  const own = lastOf(probes, 'tenancy:own-list');
  const shades = own === undefined ? undefined : wholeList(own);
  return shades?.some(({ name }) => name === foreignShadeName) ? own : undefined;
}

function judge(
  session: ProbeRow,
  list: ProbeRow | undefined,
  scope: Profile['data_scope'],
  madeUp: boolean,
): Conclusion {
  if (!isAnswered(session))
    return { verdict: 'inconclusive', reasons: [reason('tenancy-unclear', { got: gotOf(session) })] };
  if (scope === 'shared') return judgeShared(session, list);
  const visible = reason('tenancy-visible', {
    what: [
      ...(is2xx(session) ? (['session'] as const) : []),
      ...(isSeen(list) ? (['catalog'] as const) : []),
    ],
  });
  if (is2xx(session) && scope === 'per-key')
    return {
      verdict: 'fail',
      reasons: [visible, reason('tenancy-promised-separate')],
      causes: seenCauses(session, list, madeUp),
    };
  if (is2xx(session) && isSeen(list))
    return {
      verdict: 'pass',
      reasons: [visible, reason('tenancy-one-account')],
    };
  if (is2xx(session))
    return {
      verdict: 'inconclusive',
      reasons: [visible, reason('tenancy-catalog-hidden')],
    };
  if (session.status !== 404)
    return {
      verdict: (session.status ?? 0) >= 500 || scope === 'discover' ? 'inconclusive' : 'fail',
      reasons: [reason('tenancy-status', { status: session.status })],
      ...(session.status === null
        ? {}
        : {
            causes: [shown('foreign-session-refused-otherwise', { status: session.status }, [session.seq])],
          }),
    };
  if (isSeen(list) && scope === 'per-key')
    return {
      verdict: 'fail',
      reasons: [visible, reason('tenancy-promised-separate')],
      causes: [shown('accounts-not-separate', { what: ['catalog'] }, seqsOf(list))],
    };
  return {
    verdict: 'pass',
    reasons: [reason('tenancy-separate', { isCatalogVisible: isSeen(list) })],
  };
}

/** Where both are visible, the keys may also belong to one account, and the profile be wrong. */
function seenCauses(session: ProbeRow, list: ProbeRow | undefined, madeUp: boolean): readonly Suspect[] {
  if (madeUp)
    return [
      fits('unknown-id-answered', { endpoints: [session.endpoint], statuses: [session.status ?? 200] }, [
        session.seq,
      ]),
    ];
  if (!isSeen(list)) return [shown('accounts-not-separate', { what: ['session'] }, [session.seq])];
  const seqs = [session.seq, ...seqsOf(list)];
  return [
    fits('accounts-not-separate', { what: ['session', 'catalog'] }, seqs),
    fits('profile-false', { field: 'data_scope', told: 'per-key', found: 'shared' }, seqs),
  ];
}

/** The target also answers for sessions that do not exist, and this answer does not show the product of the real one. */
function isMadeUp(session: ProbeRow, probes: readonly ProbeRow[]): boolean {
  if (!probes.some((row) => row.probe === 'unknown-session' && is2xx(row))) return false;
  const opened = probes.find(
    ({ probe, session_id }) => probe === 'canary:create-session' && session_id === session.session_id,
  );
  const body: unknown = session.body === null ? undefined : JSON.parse(session.body);
  return !isObject(body) || opened === undefined || body.product_id !== opened.product_id;
}

function judgeShared(session: ProbeRow, list: ProbeRow | undefined): Conclusion {
  const seqs = [session.seq, ...seqsOf(list)];
  return is2xx(session)
    ? { verdict: 'pass', reasons: [reason('tenancy-shared')] }
    : {
        verdict: (session.status ?? 0) >= 500 ? 'inconclusive' : 'fail',
        reasons: [reason('tenancy-not-shared', { status: session.status })],
        causes:
          isSeen(list) && session.status !== null
            ? [fits('session-disappears', { reads: 1, status: session.status }, seqs)]
            : [
                (list?.status === 404 ? shown : fits)(
                  'profile-false',
                  { field: 'data_scope', told: 'shared', found: 'per-key' },
                  seqs,
                ),
              ],
      };
}

function seqsOf(list: ProbeRow | undefined): readonly number[] {
  return list === undefined ? [] : [list.seq];
}

/** An empty list shows nothing of the catalog. */
function isSeen(list: ProbeRow | undefined): boolean {
  return isAnswered(list) && is2xx(list) && list?.count !== 0;
}
