import type { ApiCall } from './call.ts';
import { type Divergence, judge } from './judge.ts';
import type { Model } from './stages.ts';

/** The fewest calls that still diverge in the same way. */
export interface ShrunkCalls {
  readonly calls: readonly ApiCall[];
  readonly divergence: Divergence;
}

export interface ShrinkOptions {
  readonly model: () => Model;
  /** The model of the row that is named: it has to fit the fewer calls, too. */
  readonly altered?: (calls: readonly ApiCall[]) => Model;
  /** Replays at most. */
  readonly most?: number;
}

/**
 * Leaves calls out as long as the same answer still diverges in the same way, and the named row still makes it right: halves first,
 * then single calls (delta debugging). What a call needs, such as its session, goes with it.
 */
export function shrink(
  calls: readonly ApiCall[],
  divergence: Divergence,
  options: ShrinkOptions,
): ShrunkCalls {
  const { altered, model, most = 400 } = options;
  let tries = 0;
  const diverges = (some: readonly ApiCall[]): Divergence | undefined => {
    tries += 1;
    const found = judge(some, model()).divergences.filter(({ call }) => call === divergence.call);
    const same = found.find(({ kind, of }) => kind === divergence.kind && of === divergence.of);
    if (same === undefined || altered === undefined) return same;
    return judge(some, altered(some), { most: 1 }).divergences.length === 0 ? same : undefined;
  };
  const last = calls.find(({ n }) => n === divergence.call);
  if (last === undefined) return { calls, divergence };
  let left: readonly ApiCall[] = calls.filter((call) => call.fromMs < last.untilMs);
  let shown = diverges(left) ?? divergence;
  const related = left.filter((call) => call === last || isRelated(call, last, calls));
  const near = diverges(related);
  if (near !== undefined) [left, shown] = [related, near];
  for (
    let size = Math.ceil(left.length / 2);
    size >= 1 && tries < most;
    size = size === 1 ? 0 : Math.ceil(size / 2)
  )
    for (let at = 0; at < left.length && tries < most; ) {
      const gone = new Set(left.slice(at, at + size).filter((call) => call !== last));
      const fewer = whole(left.filter((call) => !gone.has(call)));
      const found = fewer.length < left.length && fewer.includes(last) ? diverges(fewer) : undefined;
      if (found === undefined) at += size;
      else [left, shown] = [fewer, found];
    }
  return { calls: left, divergence: shown };
}

/** Whether a call is about the same catalog or session as another. */
function isRelated(call: ApiCall, last: ApiCall, calls: readonly ApiCall[]): boolean {
  const opener = calls.find(({ n }) => n === last.session);
  const catalogs = [last.catalog, opener?.catalog];
  if (last.product !== undefined && call.product === last.product) return true;
  if (call.catalog !== undefined && catalogs.includes(call.catalog)) return true;
  return last.session !== undefined && (call.session === last.session || call.n === last.session);
}

/** Without the calls of sessions that are no longer opened. */
function whole(calls: readonly ApiCall[]): readonly ApiCall[] {
  const opened = new Set(calls.filter(({ op }) => op === 'create-session').map(({ n }) => n));
  return calls.filter(
    ({ by, session }) =>
      (session === undefined || opened.has(session)) && (by.kind !== 'token' || opened.has(by.of)),
  );
}
