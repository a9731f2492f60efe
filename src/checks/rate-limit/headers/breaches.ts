import type { DraftBreach } from '../../reasons/rate-limit/headers.ts';
import { type Fault, faultIfRepeated } from './finding.ts';
import type { Saying, Series } from './series.ts';

/** What answers say that the draft forbids, whatever the limiter: by the parameter that is wrong. */
export function breachesIn(all: readonly Series[]): Fault[] {
  const found = new Map<DraftBreach, Set<number>>();
  for (const { sent, told } of all)
    for (let i = 0; i < told.length; i++) {
      const { said } = told.sayings[i] as Saying;
      const isOtherStatus =
        said.problemStatus !== undefined && said.problemStatus !== sent.status[told.rows[i] as number];
      for (const breach of [
        ...(said.breaches ?? []),
        ...(isOtherStatus ? (['other-status'] as const) : []),
      ]) {
        const seqs = found.get(breach) ?? new Set();
        found.set(breach, seqs.add(told.seq[i] as number));
      }
    }
  return [...found].flatMap(([breach, seqs]) =>
    faultIfRepeated([...seqs], { code: 'headers-draft-broken', params: { breach } }),
  );
}
