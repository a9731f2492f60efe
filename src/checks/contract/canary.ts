import { listed } from '../../amounts.ts';
import type { Profile } from '../../target/profile.ts';
import { readSession } from '../../target/wire-schemas.ts';
import { is2xx, judgeProbes, type ProbeRow } from '../probes.ts';
import type { CheckResult } from '../verdict.ts';

/** A session opened at the start is read back, each time as the one that was opened. */
export function checkCanary(probes: readonly ProbeRow[], fields: Profile['session_history']): CheckResult {
  const opened = probes.find((row) => row.probe === 'canary:create-session' && is2xx(row));
  const judged = judgeProbes(probes, ['canary:create-session', 'canary:read-session'], is2xx);
  const reads = probes.filter((row) => row.probe === 'canary:read-session' && is2xx(row));
  const differences =
    opened === undefined ? [] : reads.flatMap((read) => differencesOf(opened, read, fields));
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
    observed: { ...judged.observed, differences },
    explanation:
      differences.length > 0
        ? `The session read back is another: ${listed(differences)}.`
        : judged.wrong.length > 0
          ? `The session could not be opened and read back: ${listed(judged.wrong)}.`
          : judged.unclear.length > 0
            ? `The session could not be followed: ${listed(judged.unclear)}.`
            : 'The session was read back with what it was opened with, as far as the answer shows it.',
    evidence: judged.evidence,
  };
}

function differencesOf(opened: ProbeRow, read: ProbeRow, fields: Profile['session_history']): string[] {
  // A media type makes no other session of it.
  if (read.problem !== null && !read.problem.startsWith('content-type:')) return [read.problem];
  if (opened.session_id === null || read.body === null) return [];
  const view = readSession(JSON.parse(read.body), fields, opened.session_id);
  if (!view.ok) return [view.problem];
  const { productId, catalogId, locale } = view.value;
  const pairs = [
    ['product_id', opened.product_id, productId],
    ['catalog_id', opened.catalog_id, catalogId],
    ['locale', opened.locale, locale],
  ] as const;
  return pairs.flatMap(([name, sent, shown]) =>
    sent === null || shown === undefined || sent === shown
      ? []
      : [`${name}: expected ${JSON.stringify(sent)}, got ${JSON.stringify(shown)}`],
  );
}
