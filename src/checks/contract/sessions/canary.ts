import type { History } from '../../../history/history.ts';
import type { Profile } from '../../../target/profile.ts';
import { readSession } from '../../../target/wire-schemas.ts';
import { caused, fits, type Suspect, shown } from '../../causes/cause.ts';
import { type Found, find } from '../../core/found.ts';
import { isProbe } from '../../core/probe-names.ts';
import { is2xx, judgeProbes, type ProbeRow, type UnclearProbe } from '../../core/probes.ts';
import type { SessionVisible } from '../../core/session-visible.ts';
import type { CheckFinding } from '../../core/verdict.ts';
import { firstReasons, type Reason, reason } from '../../reasons/reason.ts';
import { statusCause } from '../probes/error-causes.ts';

/** A session that is created at the start reads back unchanged each time. */
export function checkCanary(
  all: readonly ProbeRow[],
  { session_history: fields }: Pick<Profile, 'session_history'>,
  { afterMs: visibleMs }: Pick<SessionVisible, 'afterMs'>,
  missed: Found,
): CheckFinding {
  const opened = all.find((row) => row.probe === 'canary:create-session' && is2xx(row));
  const sinceNs = (row: ProbeRow): number => (row.sent_ns ?? 0) - (opened?.answered_ns ?? 0);
  const isEarly = (row: ProbeRow): boolean => sinceNs(row) >= 0 && sinceNs(row) < visibleMs * 1e6;
  const probes = all.filter((row) => !isMissed(row) || !isEarly(row));
  const judged = judgeProbes(probes, ['canary:create-session', 'canary:read-session'], is2xx);
  const reads = probes.filter((row) => row.probe === 'canary:read-session' && is2xx(row));
  const differences =
    opened === undefined ? [] : reads.flatMap((read) => differencesOf(opened, read, fields));
  const verdict = differences.length > 0 ? 'fail' : judged.verdict;
  return {
    id: 'contract.canary',
    verdict,
    expected: {
      session_id: opened?.session_id ?? null,
      product_id: opened?.product_id ?? null,
      catalog_id: opened?.catalog_id ?? null,
      locale: opened?.locale ?? null,
    },
    observed: { ...judged.observed, differences: differences.map(({ field }) => field ?? 'form') },
    reasons:
      differences.length > 0
        ? firstReasons(differences.map(differenceReason))
        : judged.wrongRows.length > 0
          ? firstReasons(judged.wrongRows.flatMap(statusReasons))
          : judged.unclearProbes.length > 0
            ? judged.unclearProbes.map(unclearReason)
            : [reason('canary-read-back')],
    evidence: judged.evidence,
    ...caused([
      ...differenceCauses(differences),
      ...judged.wrongRows.flatMap((row) => wrongCause(row, missed)),
    ]),
  };
}

/** What is wrong with a read: a field of the session, or, where none is named, the form of the answer. */
type ReadDifference = { readonly read: ProbeRow } & (
  | { readonly field: string; readonly sent: string; readonly got: string }
  | { readonly field: undefined; readonly problem: string }
);

function differenceReason(difference: ReadDifference): Reason {
  if (difference.field === undefined) return reason('canary-unreadable', { problem: difference.problem });
  const { field, got, sent } = difference;
  return reason('canary-field-changed', { field, sent, got });
}

function statusReasons({ endpoint, problem, status }: ProbeRow): Reason[] {
  return [
    reason('canary-status', { endpoint, status }),
    ...(problem === null ? [] : [reason('answer-problem', { endpoint, status, problem })]),
  ];
}

function unclearReason({ got, name }: UnclearProbe): Reason {
  return reason('canary-unclear', { endpoint: name.split(':')[1] ?? name, got });
}

function differenceCauses(differences: readonly ReadDifference[]): Suspect[] {
  const fields = [...new Set(differences.flatMap(({ field }) => field ?? []))];
  return [
    ...(fields.length === 0
      ? []
      : [
          shown(
            'session-changed',
            { fields },
            differences.map(({ read }) => read.seq),
          ),
        ]),
    ...differences
      .flatMap((each) => (each.field === undefined ? [each] : []))
      .slice(0, 1)
      .map(({ problem, read }) =>
        fits('answers-malformed', { endpoint: read.endpoint, problem }, [read.seq]),
      ),
  ];
}

/** Reads of existing sessions that found none. */
export function missedReads(history: History): Promise<Found> {
  return find(
    history,
    `endpoint = 'read-session' AND status IN (404, 410) AND (probe IS NULL OR ${isProbe('canary:read-session')})`,
  );
}

function isMissed({ probe, status }: ProbeRow): boolean {
  return probe === 'canary:read-session' && (status === 404 || status === 410);
}

/** A read that finds no session shows that it is gone. */
function wrongCause(row: ProbeRow, missed: Found): Suspect[] {
  return isMissed(row) && row.status !== null
    ? [fits('session-disappears', { reads: missed.total, status: row.status }, [row.seq, ...missed.seqs])]
    : statusCause(row);
}

function differencesOf(
  opened: ProbeRow,
  read: ProbeRow,
  fields: Profile['session_history'],
): ReadDifference[] {
  // A wrong media type does not change the session.
  if (read.problem !== null && !read.problem.startsWith('content-type:'))
    return [{ field: undefined, problem: read.problem, read }];
  if (opened.session_id === null || read.body === null) return [];
  const view = readSession(JSON.parse(read.body), fields, opened.session_id);
  if (!view.ok) return [{ field: undefined, problem: view.problem, read }];
  const { productId, catalogId, locale } = view.value;
  const pairs = [
    ['product_id', opened.product_id, productId],
    ['catalog_id', opened.catalog_id, catalogId],
    ['locale', opened.locale, locale],
  ] as const;
  return pairs.flatMap(([name, sent, seen]) =>
    sent === null || seen === undefined || sent === seen ? [] : [{ field: name, sent, got: seen, read }],
  );
}
