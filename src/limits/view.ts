import { blockOf } from './block.ts';
import { type Counts, countsOf } from './counts.ts';
import { type RefusalOrder, refusalOrderOf } from './refusals.ts';
import { RangeMinimum } from './sorted.ts';
import type { Span } from './span.ts';
import { type SubsetOfRequests, subsetOf } from './subset.ts';
import { admitted, isDecided, limited, type Trace } from './trace.ts';
import { floats, places } from './typed.ts';

const mostCritical = 250;

/**
 * One key's trace, prepared for comparison with many models: all of it is independent of a model's parameters. Each part is
 * prepared when it is first asked for.
 */
export class View {
  readonly trace: Trace;
  /** Where this trace's indexes begin when those of several traces are numbered through. */
  readonly base: number;
  readonly #together: readonly View[];
  #admittedCounts: Counts | undefined;
  #allCounts: Counts | undefined;
  #refused: SubsetOfRequests | undefined;
  #admitted: SubsetOfRequests | undefined;
  #openers: SubsetOfRequests | undefined;
  #requests: SubsetOfRequests | undefined;
  #judged: SubsetOfRequests | undefined;
  #refusals: RefusalOrder | undefined;
  #fewestBefore: RangeMinimum | undefined;
  #longestTripNs: number | undefined;
  #block: Span | undefined;
  #ownBlock: Span | undefined;
  #critical: Int32Array | undefined;
  #every: Int32Array | undefined;

  /** `together`: the views of all keys. */
  constructor(trace: Trace, base: number, together?: readonly View[]) {
    this.trace = trace;
    this.base = base;
    this.#together = together ?? [this];
  }

  get admittedCounts(): Counts {
    this.#admittedCounts ??= countsOf(this.trace, 'admitted');
    return this.#admittedCounts;
  }

  get allCounts(): Counts {
    this.#allCounts ??= countsOf(this.trace, 'all');
    return this.#allCounts;
  }

  get refused(): SubsetOfRequests {
    this.#refused ??= subsetOf(this.trace, (outcome) => outcome === limited);
    return this.#refused;
  }

  get admitted(): SubsetOfRequests {
    this.#admitted ??= subsetOf(this.trace, (outcome) => outcome === admitted);
    return this.#admitted;
  }

  /** Requests that can have started a window: those not rejected, since the first request of a window is admitted. */
  get openers(): SubsetOfRequests {
    this.#openers ??= subsetOf(this.trace, (outcome) => outcome !== limited);
    return this.#openers;
  }

  get requests(): SubsetOfRequests {
    this.#requests ??= subsetOf(this.trace, () => true);
    return this.#requests;
  }

  /** Those that the limiter surely judged. */
  get judged(): SubsetOfRequests {
    this.#judged ??= subsetOf(this.trace, isDecided);
    return this.#judged;
  }

  get refusals(): RefusalOrder {
    this.#refusals ??= refusalOrderOf(this.trace, this.refused);
    return this.#refusals;
  }

  /** Where among the rejected ones the fewest admitted requests may have come before. */
  get fewestBefore(): RangeMinimum {
    const { maybeBefore } = this.admittedCounts;
    const { index } = this.refused;
    this.#fewestBefore ??= new RangeMinimum(
      floats(index.length, (at) => maybeBefore[index[at] as number] as number),
    );
    return this.#fewestBefore;
  }

  /** The longest round trip of an admitted request. */
  get longestTripNs(): number {
    const { answeredNs, sentNs } = this.admitted;
    this.#longestTripNs ??= answeredNs.reduce(
      (most, ns, at) => Math.max(most, ns - (sentNs[at] as number)),
      0,
    );
    return this.#longestTripNs;
  }

  /** How long a block started by a rejection can have lasted, by all keys; empty (lo > hi) if there can be none. */
  get block(): Span {
    return this.#block ?? jointBlock(this.#together);
  }

  /** The same trace, where a block is known to have lasted so long. */
  within(block: Span): View {
    const view = new View(this.trace, this.base);
    view.#block = block;
    return view;
  }

  /** The same by this key alone. */
  get ownBlock(): Span {
    this.#ownBlock ??= blockOf(this.admitted, this.refused);
    return this.#ownBlock;
  }

  /** The requests that tell most: those at which the outcome changes, at most about `mostCritical`. Ascending. */
  get critical(): Int32Array {
    this.#critical ??= criticalOf(this.trace, this.every);
    return this.#critical;
  }

  /** All requests that bound anything. Ascending. */
  get every(): Int32Array {
    this.#every ??= places(this.trace.length).filter((i) => isDecided(this.trace.outcome[i]));
    return this.#every;
  }
}

/** The traces of one or several keys. */
export function viewsOf(traces: readonly Trace[]): readonly View[] {
  const views: View[] = [];
  let base = 0;
  for (const trace of traces) {
    views.push(new View(trace, base, views));
    base += trace.length;
  }
  return views;
}

/** How long a block can have lasted, by all keys together. */
export function jointBlock(views: readonly View[]): Span {
  return {
    loNs: Math.max(0, ...views.map(({ ownBlock }) => ownBlock.loNs)),
    hiNs: Math.min(Number.POSITIVE_INFINITY, ...views.map(({ ownBlock }) => ownBlock.hiNs)),
  };
}

/** One trace; `base` is where its indexes begin. */
export function viewOf(trace: Trace, base = 0): View {
  return new View(trace, base);
}

/** Both ends of each run of like outcomes; when there are too many runs, evenly chosen ones. */
function criticalOf(trace: Trace, every: Int32Array): Int32Array {
  const ends = every.filter(
    (i, at) =>
      at === 0 ||
      at === every.length - 1 ||
      trace.outcome[every[at - 1] as number] !== trace.outcome[i] ||
      trace.outcome[every[at + 1] as number] !== trace.outcome[i],
  );
  const stride = Math.max(1, ends.length / mostCritical);
  return ends.filter((_, at) => Math.floor(at / stride) !== Math.floor((at - 1) / stride));
}
