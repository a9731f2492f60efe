import type { DraftBreach, Stated } from '../../reasons/rate-limit/headers.ts';
import {
  faultIfRepeated,
  type HeaderFault,
  type HeaderFinding,
  type Remark,
  unique,
  type Wrong,
} from './finding.ts';
import type { LimitReading } from './reading.ts';
import type { HeaderContext, Saying, Series } from './series.ts';

/** Windows are said in whole seconds. */
const windowRoundingNs = 1e9;

/**
 * Whether the limits that one dialect states are the promised one. Beside it there may be others, over other windows; one
 * that speaks of the promised window has to state the promised limit.
 */
export function judgeLimits(all: readonly Series[], context: HeaderContext): HeaderFinding {
  // In the order in which policies were first spoken of.
  const places = new Map(
    [...new Set(all.map(({ policy }) => policy))].map((policy, place) => [policy, place]),
  );
  const judgements = new Map<readonly LimitReading[], LimitJudgement>();
  const judgementOf = (inDialect: readonly LimitReading[]): LimitJudgement => {
    const known = judgements.get(inDialect);
    if (known !== undefined) return known;
    const stated = inDialect
      .filter(({ limit }) => limit !== undefined)
      .toSorted((a, b) => (places.get(a.policy) ?? 0) - (places.get(b.policy) ?? 0));
    const judgement = { stated, what: contradiction(stated, context) };
    judgements.set(inDialect, judgement);
    return judgement;
  };
  const seen = new Uint8Array(all[0]?.sent.length ?? 0);
  const faults = new Map<string, { readonly what: Wrong; readonly seqs: number[] }>();
  let compared = 0;
  for (const { told } of all)
    for (let i = 0; i < told.length; i++) {
      const row = told.rows[i] as number;
      if (seen[row] === 1) continue;
      seen[row] = 1;
      const { stated, what } = judgementOf((told.sayings[i] as Saying).inDialect);
      if (stated.length === 0) continue;
      compared++;
      if (what === undefined) continue;
      const key = JSON.stringify(what);
      const own = faults.get(key) ?? { what, seqs: [] };
      if (own.seqs.push(told.seq[i] as number) === 1) faults.set(key, own);
    }
  return {
    compared,
    faults: [...faults.values(), ...breachesIn(all)],
    remarks: otherPolicies(
      [...judgements.values()].flatMap(({ stated }) => stated),
      context,
    ),
  };
}

/** What a value of the headers states of limits in one dialect, and what is wrong with it. */
interface LimitJudgement {
  readonly stated: readonly LimitReading[];
  readonly what: Wrong | undefined;
}

/** `stated`: readings with a limit, of one answer; not of none. */
function contradiction(stated: readonly LimitReading[], context: HeaderContext): Wrong | undefined {
  if (stated.length === 0) return undefined;
  const { requests } = context.promised;
  const wrong = stated.find((said) => hasPromisedWindow(said, context) === true && said.limit !== requests);
  if (wrong !== undefined) return wrongLimit([wrong], context);
  const isThere = stated.some(
    (said) => said.limit === requests && hasPromisedWindow(said, context) !== false,
  );
  if (isThere) return undefined;
  return wrongLimit(stated, context);
}

function wrongLimit(stated: readonly LimitReading[], { promised }: HeaderContext): Wrong {
  const { requests, windowNs } = promised;
  return {
    code: 'headers-limit-wrong',
    params: { stated: stated.map(statedBy), requests, windowMs: windowNs / 1e6 },
  };
}

/** Undefined where no window is said. */
function hasPromisedWindow({ windowMs }: LimitReading, { promised }: HeaderContext): boolean | undefined {
  return windowMs === undefined ? undefined : Math.abs(windowMs * 1e6 - promised.windowNs) < windowRoundingNs;
}

function statedBy({ limit = 0, windowMs }: LimitReading): Stated {
  return { limit, windowMs: windowMs ?? null };
}

function otherPolicies(stated: readonly LimitReading[], context: HeaderContext): Remark[] {
  const others = stated.filter((said) => hasPromisedWindow(said, context) === false);
  return unique(others.map(statedBy))
    .slice(0, 3)
    .map((state) => ({ code: 'headers-also-state', params: { stated: state } }));
}

/** What answers say that the draft forbids, whatever the limiter: by the parameter that is wrong. */
function breachesIn(all: readonly Series[]): HeaderFault[] {
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
