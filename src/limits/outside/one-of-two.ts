import type { Arrivals } from '../arrivals.ts';
import { type Settled, scaleNsOf, windowNsOf } from '../kinds/kind.ts';
import { kindOf } from '../kinds/table.ts';
import { roundestMs } from '../round-number.ts';
import { logarithmic, type Span } from '../span.ts';
import { admitted, limited } from '../trace.ts';
import { measures } from './known-loads.ts';

/** One limit of two by itself, with what it had counted when each request arrived. */
export interface Single {
  readonly settled: Settled;
  readonly windowNs: number;
  /** Rejections that the limit explains. */
  readonly explains: Uint8Array;
  /** Admissions above the limit. */
  readonly above: number;
}

/** The loads at admissions and at rejections, each in the order of arrival. */
interface Loads {
  readonly admitted: Float64Array;
  readonly rejected: Float64Array;
}

/** Requests in the order of arrival, 1 for each of them that the limit counts, and where those are that got an answer. */
export interface Counted extends Arrivals {
  readonly counted: Uint8Array;
  readonly admittedAt: Int32Array;
  readonly rejectedAt: Int32Array;
}

/** The limit counts what was admitted. */
export function admittedCounted(arrivals: Arrivals): Counted {
  const { index, outcome } = arrivals;
  const places = index.map((_, k) => k);
  return {
    ...arrivals,
    counted: outcome.map((each) => (each === admitted ? 1 : 0)),
    admittedAt: places.filter((k) => outcome[k] === admitted),
    rejectedAt: places.filter((k) => outcome[k] === limited),
  };
}

/** Guessed arrivals put this part of the admissions, and this many, above a limit that is right. */
const misplaced = { part: 0.002, count: 2 };
/** Noise of the target's arithmetic, in tokens. */
const tokenNoise = 0.02;

/** The smallest limit that leaves room for all that was admitted, but for wrong guesses. */
export function singleOf(settled: Settled, arrivals: readonly Counted[]): Single {
  const loads = loadsOf(settled, arrivals);
  const admissions = byLimit(loads.admitted);
  let spare = Math.floor(misplaced.count + misplaced.part * loads.admitted.length);
  let limit = admissions.length - 1;
  while (limit > 0 && spare >= (admissions[limit] as number)) spare -= admissions[limit--] as number;
  return withLimit({ ...settled, limit: limit + 1 }, loads);
}

/** The limit with which a load is just too high. */
function limitOf(load: number): number {
  return Math.max(0, Math.ceil(load - tokenNoise));
}

/** How many loads are just too high for each limit, up to the highest of them. */
function byLimit(loads: Float64Array): Int32Array {
  let most = 0;
  for (const load of loads) most = Math.max(most, load);
  const counts = new Int32Array(limitOf(most) + 1);
  for (const load of loads) {
    const limit = limitOf(load);
    counts[limit] = (counts[limit] as number) + 1;
  }
  return counts;
}

function withLimit(settled: Settled, { admitted: passed, rejected }: Loads): Single {
  const { limit } = settled;
  const explains = new Uint8Array(rejected.length);
  for (let at = 0; at < rejected.length; at++) explains[at] = (rejected[at] as number) > limit - 1 ? 1 : 0;
  let above = 0;
  for (const load of passed) if (load > limit - 1 + tokenNoise) above++;
  return {
    settled,
    windowNs: windowNsOf(kindOf(settled), limit, settled.scaleNs),
    explains,
    above,
  };
}

/** What a limit has counted does not depend on its size, as long as what counts is known. */
function loadsOf(settled: Settled, arrivals: readonly Counted[]): Loads {
  const measure = measures[settled.kind];
  if (measure === undefined) throw new Error(`${settled.kind} cannot be one of two limits`);
  const [passes, rejections] = (['admittedAt', 'rejectedAt'] as const).map((which) =>
    arrivals.reduce((sum, each) => sum + each[which].length, 0),
  );
  const of = { admitted: new Float64Array(passes ?? 0), rejected: new Float64Array(rejections ?? 0) };
  let [passed, rejected] = [0, 0];
  for (const each of arrivals) {
    const loads = new Float64Array(each.atNs.length);
    measure(settled, each, loads);
    const { admittedAt, rejectedAt } = each;
    for (let at = 0; at < admittedAt.length; at++)
      of.admitted[passed++] = loads[admittedAt[at] as number] as number;
    for (let at = 0; at < rejectedAt.length; at++)
      of.rejected[rejected++] = loads[rejectedAt[at] as number] as number;
  }
  return of;
}

/** How far around a window others are tried, and in how many steps. */
export interface Around {
  readonly width: number;
  readonly steps: number;
}

/** The window around a limit's, and the limit, with which it errs least beside another; of a range, the roundest. */
export function refined(
  single: Single,
  beside: Single,
  { steps, width }: Around,
  arrivals: readonly Counted[],
): Single {
  const { scaleNs } = single.settled;
  const span = { loNs: scaleNs / width, hiNs: scaleNs * width };
  const at = (ns: number): Best => bestAt({ ...single.settled, scaleNs: ns }, beside, arrivals);
  const tried = logarithmic(span, width ** (2 / steps)).map((scale) => at(middleOf(scale)));
  const fewest = Math.min(...tried.map(({ wrong }) => wrong));
  const near = tried.filter(({ wrong }) => wrong <= fewest + 1).map(({ settled }) => settled);
  const [first, last] = [near[0] ?? single.settled, near.at(-1) ?? single.settled];
  const kind = kindOf(first);
  const [loMs, hiMs] = [first, last].map(({ limit, scaleNs: ns }) => windowNsOf(kind, limit, ns) / 1e6);
  const roundMs = roundestMs(loMs as number, hiMs as number);
  const candidates = [
    ...(roundMs === undefined ? [] : [scaleNsOf(kind, first.limit, roundMs * 1e6)]),
    (first.scaleNs + last.scaleNs) / 2,
  ].map(at);
  const [best] = [...candidates, ...tried].toSorted((a, b) => a.wrong - b.wrong);
  const { settled } = candidates.find(({ wrong }) => wrong <= fewest + 1) ?? best ?? single;
  return withLimit(settled, loadsOf(settled, arrivals));
}

/** The limit that errs least: admissions above it, and rejections below it that nothing else explains. */
export function bestLimit(settled: Settled, beside: Single, arrivals: readonly Counted[]): Single {
  const best = bestAt(settled, beside, arrivals);
  return withLimit(best.settled, loadsOf(settled, arrivals));
}

/** A limit of a window, and the answers that it gets wrong. */
interface Best {
  readonly settled: Settled;
  readonly wrong: number;
}

function bestAt(settled: Settled, beside: Single, arrivals: readonly Counted[]): Best {
  const { admitted: passed, rejected } = loadsOf(settled, arrivals);
  const admissions = byLimit(passed);
  const most = admissions.length;
  // With a limit of L, admissions at a load above L − 1 are wrong, and rejections at a load of L − 1 or less.
  const balance = new Int32Array(most + 2);
  for (let limit = 0; limit < most; limit++) balance[limit + 1] = -(admissions[limit] as number);
  for (let at = 0; at < rejected.length; at++) {
    if (beside.explains[at] !== 0) continue;
    const from = Math.min(most + 1, limitOf(rejected[at] as number) + 1);
    balance[from] = (balance[from] as number) + 1;
  }
  let wrong = passed.length;
  let best = { limit: 1, wrong: Number.POSITIVE_INFINITY };
  for (let limit = 1; limit <= most; limit++) {
    wrong += balance[limit] as number;
    if (wrong < best.wrong) best = { limit, wrong };
  }
  return { settled: { ...settled, limit: best.limit }, wrong: best.wrong };
}

export function middleOf({ loNs, hiNs }: Span): number {
  return Math.sqrt(loNs * hiNs);
}
