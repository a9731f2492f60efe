import type { Arrivals } from '../arrivals.ts';
import { type Settled, scaleNsOf, windowNsOf } from '../kinds/kind.ts';
import { kindOf } from '../kinds/table.ts';
import { roundestMs } from '../round-number.ts';
import { logarithmic, type Span } from '../span.ts';
import { admitted, limited } from '../trace.ts';
import { Bits } from './bits.ts';
import { measures } from './known-loads.ts';

/** One limit of two by itself, with what it had counted when each request arrived. */
export interface Single {
  readonly settled: Settled;
  readonly windowNs: number;
  /** Rejections that the limit explains. */
  readonly explains: Bits;
  /** Admissions above the limit. */
  readonly above: number;
}

/** Requests in the order of arrival, 1 for each of them that the limit counts, and where those are that got an answer. */
export interface CountedArrivals extends Arrivals {
  readonly counted: Uint8Array;
  readonly admittedAt: Int32Array;
  readonly rejectedAt: Int32Array;
}

/** The limit counts what was admitted. */
export function admittedCounted(arrivals: Arrivals): CountedArrivals {
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
export function singleOf(settled: Settled, arrivals: readonly CountedArrivals[]): Single {
  const { admissions, rejected } = loadsOf(settled, arrivals);
  const passed = arrivals.reduce((sum, { admittedAt }) => sum + admittedAt.length, 0);
  let spare = Math.floor(misplaced.count + misplaced.part * passed);
  let limit = admissions.length - 1;
  while (limit > 0 && spare >= (admissions[limit] as number)) spare -= admissions[limit--] as number;
  return withLimit({ ...settled, limit: limit + 1 }, { admissions, rejected });
}

/** The limit with which a load is just too high. */
function limitOf(load: number): number {
  return Math.max(0, Math.ceil(load - tokenNoise));
}

/** What a limit had counted, until the next question. */
interface Loads {
  /** How many admissions met a load that is just too high for each limit, up to the highest of them. */
  readonly admissions: Int32Array;
  /** The load at each rejection, in the order of arrival. */
  readonly rejected: Float64Array;
}

function withLimit(settled: Settled, { admissions, rejected }: Loads): Single {
  const { limit } = settled;
  const explains = new Bits(rejected.length);
  for (let at = 0; at < rejected.length; at++) if ((rejected[at] as number) > limit - 1) explains.add(at);
  let above = 0;
  for (let at = limit; at < admissions.length; at++) above += admissions[at] as number;
  return {
    settled,
    windowNs: windowNsOf(kindOf(settled), limit, settled.scaleNs),
    explains,
    above,
  };
}

/** A search asks for loads thousands of times, and each time needs them only until the next one. */
let room = { loads: new Float64Array(0), rejected: new Float64Array(0), admissions: new Int32Array(0) };

function roomFor(arrivals: readonly CountedArrivals[]): typeof room {
  const requests = arrivals.reduce((sum, { atNs }) => sum + atNs.length, 0);
  if (room.loads.length < requests)
    room = {
      loads: new Float64Array(requests),
      rejected: new Float64Array(requests),
      admissions: new Int32Array(requests + 1),
    };
  return room;
}

/** What a limit has counted does not depend on its size, as long as what counts is known. */
function loadsOf(settled: Settled, arrivals: readonly CountedArrivals[]): Loads {
  const measure = measures[settled.kind];
  if (measure === undefined) throw new Error(`${settled.kind} cannot be one of two limits`);
  const { admissions, loads, rejected } = roomFor(arrivals);
  admissions.fill(0);
  let most = 0;
  let rejections = 0;
  for (const each of arrivals) {
    measure(settled, each, loads);
    const { admittedAt, rejectedAt } = each;
    for (let at = 0; at < admittedAt.length; at++) {
      const limit = limitOf(loads[admittedAt[at] as number] as number);
      admissions[limit] = (admissions[limit] as number) + 1;
      if (limit > most) most = limit;
    }
    for (let at = 0; at < rejectedAt.length; at++)
      rejected[rejections++] = loads[rejectedAt[at] as number] as number;
  }
  return { admissions: admissions.subarray(0, most + 1), rejected: rejected.subarray(0, rejections) };
}

/** How far around a window others are tried, and in how many steps. */
export interface Neighbourhood {
  readonly width: number;
  readonly steps: number;
}

/** The window around a limit's, and the limit, with which it errs least beside another; of a range, the roundest. */
export function refined(
  single: Single,
  beside: Single,
  { steps, width }: Neighbourhood,
  arrivals: readonly CountedArrivals[],
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
export function bestLimit(settled: Settled, beside: Single, arrivals: readonly CountedArrivals[]): Single {
  const best = bestAt(settled, beside, arrivals);
  return withLimit(best.settled, loadsOf(settled, arrivals));
}

/** A limit of a window, and the answers that it gets wrong. */
interface Best {
  readonly settled: Settled;
  readonly wrong: number;
}

function bestAt(settled: Settled, beside: Single, arrivals: readonly CountedArrivals[]): Best {
  const { admissions, rejected } = loadsOf(settled, arrivals);
  const most = admissions.length;
  // With a limit of L, admissions at a load above L − 1 are wrong, and rejections at a load of L − 1 or less.
  const balance = new Int32Array(most + 2);
  let wrong = 0;
  for (let limit = 0; limit < most; limit++) {
    balance[limit + 1] = -(admissions[limit] as number);
    wrong += admissions[limit] as number;
  }
  for (let at = 0; at < rejected.length; at++) {
    if (beside.explains.has(at)) continue;
    const from = Math.min(most + 1, limitOf(rejected[at] as number) + 1);
    balance[from] = (balance[from] as number) + 1;
  }
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
