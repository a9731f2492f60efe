import { type ApiCall, isBadShade, type SentShade } from './call.ts';
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
  // Sums depend on every event; and without a row, what is left out would only be expected no more.
  const isSum = last.op === 'analytics' && divergence.kind === 'number';
  if (isSum && altered === undefined) return { calls: left, divergence: shown };
  const slim = (): void => {
    if (isSum) return;
    const fewer = withElements(left, elementsOf(shown, left));
    const still = diverges(fewer);
    if (still !== undefined) [left, shown] = [fewer, still];
  };
  // First, so that calls about other elements can go; and again, where these were in the way.
  slim();
  for (
    let size = Math.ceil(left.length / 2);
    size >= 1 && tries < most;
    size = size === 1 ? 0 : Math.ceil(size / 2)
  )
    for (let at = 0; at < left.length && tries < most; ) {
      const gone = new Set(left.slice(at, at + size).filter(({ n }) => n !== last.n));
      const fewer = whole(left.filter((call) => !gone.has(call)));
      const found =
        fewer.length < left.length && fewer.some(({ n }) => n === last.n) ? diverges(fewer) : undefined;
      if (found === undefined) at += size;
      else [left, shown] = [fewer, found];
    }
  slim();
  return { calls: left, divergence: shown };
}

/** The smallest of what several divergences shrink to: by calls, and by what they carry. */
export function smallestShrunk(
  calls: readonly ApiCall[],
  divergences: readonly Divergence[],
  options: ShrinkOptions,
): ShrunkCalls | undefined {
  const kinds = Map.groupBy(divergences, ({ kind, op }) => `${op} ${kind}`);
  const tried = [...kinds.values()].slice(0, mostTried).flatMap(([first, ...more]) => [first, more.at(-1)]);
  const shrunk = tried.flatMap((each) => (each === undefined ? [] : shrink(calls, each, options)));
  const weightOf = ({ calls: few }: ShrunkCalls): number =>
    few.reduce((sum, { events = [], shades = [] }) => sum + 5 + events.length + shades.length, 0);
  return shrunk.toSorted((a, b) => weightOf(a) - weightOf(b))[0];
}

/** Kinds of divergences that are shrunk. */
const mostTried = 3;

/** The SKU or the event that an answer is wrong about; an event needs its SKU. */
function elementsOf({ got, kind, of }: Divergence, calls: readonly ApiCall[]): ReadonlySet<string> {
  const name = kind !== 'value' ? of : isElement(got) ? String(got.id ?? got.sku) : '';
  const skus = calls.flatMap(({ events = [] }) =>
    events.flatMap(({ id, sku }) => (id === name ? (sku ?? []) : [])),
  );
  return new Set([name, ...skus]);
}

const isElement = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && ('sku' in value || 'id' in value);

/**
 * As if only some shades and events had been sent, and what refuses a batch: the others are left out of what was sent and of what is
 * shown, and the numbers of them as well.
 */
function withElements(calls: readonly ApiCall[], keep: ReadonlySet<string>): readonly ApiCall[] {
  return calls.map((call) => {
    const { answer, events, shades } = call;
    return {
      ...call,
      ...(shades !== undefined && { shades: someOf(shades, keep) }),
      ...(events !== undefined && { events: events.filter(({ id }) => keep.has(id)) }),
      answer: { ...answer, body: shownOf(answer.body, keep) },
    };
  });
}

/** At least one, since an import of none is another matter. */
function someOf(shades: readonly SentShade[], keep: ReadonlySet<string>): readonly SentShade[] {
  const some = shades.filter((shade) => isBadShade(shade) || keep.has(shade.sku ?? ''));
  return some.length > 0 ? some : shades.slice(0, 1);
}

function shownOf(body: unknown, keep: ReadonlySet<string>): unknown {
  if (Array.isArray(body)) {
    const entries: readonly unknown[] = body;
    return entries.filter(
      (each) => !isElement(each) || keep.has(String(each.sku)) || keep.has(String(each.id)),
    );
  }
  if (typeof body !== 'object' || body === null) return body;
  const { accepted: _, shade_count: __, ...fields } = body as Readonly<Record<string, unknown>>;
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, shownOf(value, keep)]));
}

/** Whether a call is about the same catalog or session as another. */
function isRelated(call: ApiCall, last: ApiCall, calls: readonly ApiCall[]): boolean {
  const opener = calls.find(({ n }) => n === last.session);
  const catalogs = [last.catalog, opener?.catalog];
  if (last.product !== undefined) {
    const opens = (each: ApiCall | undefined): boolean => each?.product === last.product;
    const own = calls.filter(opens);
    if (opens(call) || own.some((each) => each.catalog !== undefined && each.catalog === call.catalog))
      return true;
    if (own.some(({ n }) => n === call.session)) return true;
  }
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
