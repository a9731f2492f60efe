import type { Freedoms, Option } from './freedoms.ts';

/**
 * A register per element: each SKU of a catalog, each event id of a session. Its writes carry when they were sent and
 * answered, whether they certainly happened, and under which options of freedoms.
 *
 * Law: a read may show any write that was sent before the read ended, and that was not certainly overwritten before the
 * read was sent. So overlaps and lost answers need no set of worlds.
 */
export interface Write<Value> {
  /** Undefined: the element is absent. */
  readonly value: Value | undefined;
  readonly fromMs: number;
  readonly untilMs: number;
  /** What is sent after that overwrites it, though it may show later. Left out: `untilMs`. */
  readonly placedMs?: number;
  readonly isSure: boolean;
  readonly call: number;
  /** The place in the batch. */
  readonly index: number;
  /** A second delivery of its batch may have stored it alone: then its place in the batch says nothing of the order. */
  readonly mayBeLater?: boolean;
  /** It happened only under all of these. */
  readonly given?: readonly Option[] | undefined;
  /** From then on another write is known to be shown. What was there before stays known. */
  readonly goneMs?: number;
}

/** When a write happens, and how certain that is. */
export type WriteTime = Omit<Write<never>, 'value' | 'index'>;

export type Register<Value> = Write<Value>[];

/** Before the first write an element is absent. It cannot be ordered before an overlapping write: it is no write. */
export const absence: Write<never> = {
  value: undefined,
  fromMs: Number.NEGATIVE_INFINITY,
  untilMs: Number.NEGATIVE_INFINITY,
  isSure: true,
  call: -1,
  index: 0,
};

/** The span of a read: what was certain before it began counts as seen, what begins after its end does not. */
export interface ReadSpan {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** Which of two writes stays: the later, the earlier, or what the freedom says. */
export type Precedence = 'last' | 'first' | 'reimport';

const isCertain = <V>(write: Write<V>, free: Freedoms): boolean =>
  write.isSure && free.areSettled(write.given);

export const isGone = <V>({ goneMs }: Write<V>, atMs = Number.POSITIVE_INFINITY): boolean =>
  goneMs !== undefined && goneMs <= atMs;

/** The writes that a read may show, and `absence` where it may show nothing. */
export function mayShow<V>(
  register: readonly Write<V>[],
  { fromMs, untilMs }: ReadSpan,
  free: Freedoms,
  precedence: Precedence,
): readonly Write<V>[] {
  const only = register[0];
  if (only === undefined) return [absence];
  // By far the most registers: one write, certain, and over.
  if (register.length === 1 && only.isSure && only.given === undefined && only.untilMs <= fromMs)
    return register;
  const begun = register.filter(
    (each) => each.fromMs < untilMs && !isGone(each, fromMs) && free.allowAll(each.given),
  );
  if (precedence !== 'reimport' || begun.length < 2)
    return shownOf(begun, fromMs, free, precedence === 'first' ? 'first' : 'last');
  if (free.isSettled('reimport'))
    return shownOf(begun, fromMs, free, free.allows('reimport', 'first') ? 'first' : 'last');
  return underBoth(shownOf(begun, fromMs, free, 'last'), shownOf(begun, fromMs, free, 'first'));
}

const placedMs = (write: Write<unknown>): number => write.placedMs ?? write.untilMs;

function shownOf<V>(
  begun: readonly Write<V>[],
  fromMs: number,
  free: Freedoms,
  precedence: 'last' | 'first',
): Write<V>[] {
  const sure = begun.filter((each) => isCertain(each, free));
  const isThere = sure.some(({ untilMs }) => untilMs <= fromMs);
  const nothing = isThere ? [] : [absence];
  if (precedence === 'first')
    return [...nothing, ...begun.filter((each) => !sure.some((other) => placedMs(other) < each.fromMs))];
  const latestMs = sure.reduce(
    (latest, each) => (each.untilMs <= fromMs ? Math.max(latest, each.fromMs) : latest),
    Number.NEGATIVE_INFINITY,
  );
  return [...nothing, ...begun.filter((each) => placedMs(each) >= latestMs)];
}

/** What is shown under one option alone depends on it. */
function underBoth<V>(last: readonly Write<V>[], first: readonly Write<V>[]): Write<V>[] {
  const depends = (write: Write<V>, value: string): Write<V> =>
    write.given === undefined ? { ...write, given: [{ freedom: 'reimport', option: value }] } : write;
  return [
    ...last.map((each) => (first.includes(each) ? each : depends(each, 'last'))),
    ...first.filter((each) => !last.includes(each)).map((each) => depends(each, 'first')),
  ];
}

export type Presence = 'yes' | 'no' | 'maybe';

export function presenceOf(may: readonly Write<unknown>[]): Presence {
  const shown = may.filter(({ value }) => value !== undefined).length;
  return shown === 0 ? 'no' : shown === may.length ? 'yes' : 'maybe';
}

export const anyOf = (all: readonly Presence[]): Presence =>
  all.includes('yes') ? 'yes' : all.includes('maybe') ? 'maybe' : 'no';
export const opposite = { yes: 'no', no: 'yes', maybe: 'maybe' } as const;
