import { listed } from '../../amounts.ts';
import type { History } from '../../history/history.ts';
import type { Profile } from '../../target/profile.ts';
import { readSession } from '../../target/wire-schemas.ts';
import { caused, fits, type Suspect, shown } from '../diagnosis/cause.ts';
import { type Found, find } from '../found.ts';
import { is2xx, judgeProbes, type ProbeRow } from '../probes.ts';
import type { CheckResult } from '../verdict.ts';
import { statusCause } from './error-causes.ts';

/** A session opened at the start is read back, each time as the one that was opened. */
export function checkCanary(
  probes: readonly ProbeRow[],
  fields: Profile['session_history'],
  missed: Found,
): CheckResult {
  const opened = probes.find((row) => row.probe === 'canary:create-session' && is2xx(row));
  const judged = judgeProbes(probes, ['canary:create-session', 'canary:read-session'], is2xx);
  const reads = probes.filter((row) => row.probe === 'canary:read-session' && is2xx(row));
  const differences =
    opened === undefined ? [] : reads.flatMap((read) => differencesOf(opened, read, fields));
  const words = differences.map(({ words }) => words);
  const verdict = differences.length > 0 ? 'fail' : judged.verdict;
  return {
    id: 'contract.canary',
    title: 'A new session can be read back',
    verdict,
    expected: {
      session_id: opened?.session_id ?? null,
      product_id: opened?.product_id ?? null,
      catalog_id: opened?.catalog_id ?? null,
      locale: opened?.locale ?? null,
    },
    observed: { ...judged.observed, differences: words },
    explanation:
      differences.length > 0
        ? `The session read back is another: ${listed(words)}.`
        : judged.wrong.length > 0
          ? `The session could not be opened and read back: ${listed(judged.wrong)}.`
          : judged.unclear.length > 0
            ? `The session could not be followed: ${listed(judged.unclear)}.`
            : 'The session was read back with what it was opened with, as far as the answer shows it.',
    evidence: judged.evidence,
    ...caused([
      ...differenceCauses(differences),
      ...judged.wrongRows.flatMap((row) => wrongCause(row, missed)),
    ]),
  };
}

/** What is wrong with a read: a field of the session, or, where none is named, the form of the answer. */
interface Difference {
  readonly field: string | undefined;
  readonly words: string;
  readonly read: ProbeRow;
}

function differenceCauses(differences: readonly Difference[]): Suspect[] {
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
      .filter(({ field }) => field === undefined)
      .slice(0, 1)
      .map(({ read, words }) =>
        fits('answers-malformed', { endpoint: read.endpoint, problem: words }, [read.seq]),
      ),
  ];
}

/** Reads of sessions that were granted, and are not there. */
export function missedReads(history: History): Promise<Found> {
  return find(
    history,
    `endpoint = 'read-session' AND status IN (404, 410) AND (probe IS NULL OR probe = 'canary:read-session')`,
  );
}

/** A read that finds no session shows that it is gone. */
function wrongCause(row: ProbeRow, missed: Found): Suspect[] {
  return row.probe === 'canary:read-session' && (row.status === 404 || row.status === 410)
    ? [fits('session-disappears', { reads: missed.total, status: row.status }, [row.seq, ...missed.seqs])]
    : statusCause(row);
}

function differencesOf(opened: ProbeRow, read: ProbeRow, fields: Profile['session_history']): Difference[] {
  // A media type makes no other session of it.
  if (read.problem !== null && !read.problem.startsWith('content-type:'))
    return [{ field: undefined, words: read.problem, read }];
  if (opened.session_id === null || read.body === null) return [];
  const view = readSession(JSON.parse(read.body), fields, opened.session_id);
  if (!view.ok) return [{ field: undefined, words: view.problem, read }];
  const { productId, catalogId, locale } = view.value;
  const pairs = [
    ['product_id', opened.product_id, productId],
    ['catalog_id', opened.catalog_id, catalogId],
    ['locale', opened.locale, locale],
  ] as const;
  return pairs.flatMap(([name, sent, seen]) =>
    sent === null || seen === undefined || sent === seen
      ? []
      : [
          {
            field: name,
            words: `${name}: expected ${JSON.stringify(sent)}, got ${JSON.stringify(seen)}`,
            read,
          },
        ],
  );
}
