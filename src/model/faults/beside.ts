import { isDeepStrictEqual } from 'node:util';
import { Freedoms } from '../freedoms.ts';
import { type Divergence, type PreparedCalls, type ReplayOptions, replay } from '../judge.ts';
import { presenceOf } from '../register.ts';
import type { Item, Model, Range } from '../stages.ts';
import { type KeptWrite, World } from '../world.ts';
import type { FaultCase, FaultEvidence } from './fault.ts';

type StageFunction = (this: Model, ...args: readonly unknown[]) => unknown;
type StageName = keyof Model;

/** Which answers are judged: as in a replay. `isJudged`: false where only what stages say is compared. */
interface BesideOptions extends Pick<ReplayOptions, 'only' | 'until'> {
  readonly isJudged?: boolean;
}

/** A row beside the honest model. */
interface RowBeside<Row> {
  readonly row: Row;
  readonly model: Model;
  /** The same fault with parameters that are less likely. */
  readonly after: RowBeside<Row>[];
  /** Whether one of its stages said something else than the honest one: of any call, and of the answer that is being judged. */
  isOther: boolean;
  isOtherNow: boolean;
  /** What is known of it will not change. */
  isOver: boolean;
  /** Whether it left more open than the honest model, somewhere. */
  isWider: boolean;
  /** The judged answer from which on its world may be another one: its place among all. */
  apartFrom: number | undefined;
  shownBy: readonly Divergence[];
}

/**
 * One replay of the honest model, and rows beside it. Law: where the stages of a row say the same, a service with the fault gives the
 * same answers. Where one says something else of an answer, this answer is judged again, in the same world. Where one says
 * something else of what is stored, the row has another world from then on, and takes a separate replay. And what leaves more open
 * excludes no more: where a row allows what the honest model does, and more, an answer that is right stays so.
 */
export class RowsBeside<Row extends FaultCase> {
  readonly #prepared: PreparedCalls;
  readonly #world: World;
  readonly #honest: Model;
  readonly #rows = new Map<Row, RowBeside<Row>>();
  readonly #options: BesideOptions;
  readonly #otherNow: RowBeside<Row>[] = [];
  /** Those that leave more open of the answer that is being judged. */
  readonly #widerNow: RowBeside<Row>[] = [];
  /** The judged calls, and those of them whose answers settled something. */
  readonly #judged: number[] = [];
  readonly #settling = new Set<number>();
  #over = 0;

  /** `faults`: of each, its parameters, the likeliest first. Of two that say something else, the first counts. */
  constructor(
    prepared: PreparedCalls,
    honest: Model,
    faults: readonly (readonly Row[])[],
    evidence: FaultEvidence,
    options: BesideOptions = {},
  ) {
    this.#options = options;
    this.#prepared = prepared;
    this.#world = new World(prepared.bySent);
    this.#honest = honest;
    for (const rows of faults)
      for (const [at, row] of rows.entries()) {
        const stages = row.fault.alters(honest, row.params, evidence);
        const state = {
          isOther: false,
          isOtherNow: false,
          isOver: false,
          isWider: false,
          apartFrom: undefined,
        };
        const each = { ...{ row, model: { ...honest, ...stages }, after: [], shownBy: [] }, ...state };
        for (const likelier of rows.slice(0, at)) this.#rows.get(likelier)?.after.push(each);
        this.#rows.set(row, each);
        // Its other effects are not seen beforehand.
        if (stages.after !== undefined || stages.free !== undefined) this.#partsFrom(each);
      }
    this.#replay();
  }

  /** Whether a stage of a row says something else than the honest one, anywhere. */
  isOther(row: Row): boolean {
    return this.#rows.get(row)?.isOther === true;
  }

  /** The first answer that a service with the fault could not give, if any. A row with another world is replayed from where that begins. */
  shownBy(row: Row, model: () => Model): readonly Divergence[] {
    const { apartFrom, shownBy = [] } = this.#rows.get(row) ?? {};
    if (apartFrom === undefined) return shownBy;
    const only = new Set([...this.#settling, ...this.#judged.slice(apartFrom)]);
    const { until } = this.#options;
    return replay(this.#prepared, model(), { most: 1, isBrief: true, only, ...(until && { until }) })
      .divergences;
  }

  #replay(): void {
    let before = this.#settled();
    const { isJudged = true, ...options } = this.#options;
    replay(this.#prepared, this.#watched(), {
      ...{ ...options, isBrief: true, world: this.#world },
      beside: ({ n }, found, again) => {
        if (!isJudged) return;
        if (found.length > 0) this.#leavesWrong(found);
        this.#widerNow.length = 0;
        if (this.#otherNow.length > 0) this.#judgeAgain(before, again);
        const settled = this.#settled();
        const isSettling = this.#world.kept.length > 0 || !areSame(settled, before);
        if (isSettling) this.#settling.add(n);
        this.#judged.push(n);
        before = settled;
      },
    });
  }

  /** What the answers so far have settled beside registers. */
  #settled(): SettledByAnswers {
    return { free: new Freedoms(this.#honest.free), topLength: this.#world.topLength };
  }

  /** The honest model; whatever it is asked, the rows are asked, too. */
  #watched(): Model {
    const watched = new Map<StageName, StageFunction>();
    return new Proxy(this.#honest, {
      get: (honest, name: StageName, proxy: Model) => {
        const own: unknown = honest[name];
        if (typeof own !== 'function') return own;
        const known = watched.get(name);
        if (known !== undefined) return known;
        let rows = [...this.#rows.values()].filter(({ model }) => model[name] !== own);
        let over = -1;
        const stage: StageFunction = (...args) => {
          const said: unknown = Reflect.apply(own, proxy, args);
          if (over < this.#over) rows = rows.filter(({ isOver }) => !isOver);
          over = this.#over;
          const { isLearning } = this.#world;
          for (const each of rows) {
            if (each.isOver || (each.isOtherNow && !isLearning)) continue;
            const other: unknown = Reflect.apply(each.model[name] as StageFunction, each.model, args);
            if (said === other || isDeepStrictEqual(said, other)) continue;
            this.#saysOther(each, name, leavesMore[name]?.(other as never, said as never) === true);
          }
          return said;
        };
        watched.set(name, stage);
        return stage;
      },
    });
  }

  #saysOther(row: RowBeside<Row>, stage: StageName, leavesMore: boolean): void {
    if (!row.isOther) for (const each of row.after) this.#ends(each);
    row.isOther = true;
    if (leavesMore) {
      row.isWider ||= !unsettling.has(stage);
      this.#widerNow.push(row);
    } else if (this.#world.isLearning) this.#partsFrom(row);
    else {
      row.isOtherNow = true;
      this.#otherNow.push(row);
    }
  }

  #partsFrom(row: RowBeside<Row>): void {
    // Where it left more open before, less was settled.
    row.apartFrom = row.isWider ? 0 : this.#judged.length;
    row.isOther = true;
    this.#ends(row);
  }

  #ends(row: RowBeside<Row>): void {
    row.isOver = true;
    this.#over += 1;
  }

  /** An answer that the honest model leaves wrong stays so under each row that says the same of it. */
  #leavesWrong(found: readonly Divergence[]): void {
    const others = new Set([...this.#otherNow.splice(0), ...this.#widerNow]);
    this.#otherNow.push(...others);
    for (const row of this.#rows.values()) {
      if (row.isOver || others.has(row)) continue;
      row.shownBy = found;
      this.#ends(row);
    }
  }

  /** Judges an answer by each row of which a stage said something else of it, from what was known before it. */
  #judgeAgain(before: SettledByAnswers, again: (model: Model) => readonly Divergence[]): void {
    const { free } = this.#honest;
    const after = this.#settled();
    const kept = this.#world.undo();
    const goTo = (settled: SettledByAnswers): void => {
      free.restore(settled.free);
      this.#world.topLength = settled.topLength;
    };
    for (const row of this.#otherNow.splice(0)) {
      row.isOtherNow = false;
      if (row.isOver) continue;
      goTo(before);
      const shownBy = again(row.model);
      const own = { kept: this.#world.undo(), ...this.#settled() };
      if (shownBy.length > 0 && !row.isWider) {
        row.shownBy = shownBy;
        this.#ends(row);
      } else if (shownBy.length > 0 || !leavesAllOf(own, { kept, ...after })) this.#partsFrom(row);
      else if (!leavesAllOf({ kept, ...after }, own)) row.isWider = true;
    }
    goTo(after);
    for (const { after: write, at, register } of kept) this.#world.keep(register, at, write);
  }
}

interface SettledByAnswers {
  readonly free: Freedoms;
  readonly topLength: World['topLength'];
}

type SettledByAnswer = SettledByAnswers & { readonly kept: readonly KeptWrite[] };

/** Whether what one answer settled leaves open all that another settling does. */
const leavesAllOf = (own: SettledByAnswer, other: SettledByAnswer): boolean =>
  own.free.hasAllOf(other.free) &&
  holds(own.topLength, other.topLength) &&
  own.kept.every(({ after, at, register }) =>
    other.kept.some(
      (each) => each.register === register && each.at === at && isDeepStrictEqual(each.after, after),
    ),
  );

const areSame = (one: SettledByAnswers, other: SettledByAnswers): boolean =>
  one.free.hasAllOf(other.free) && other.free.hasAllOf(one.free) && one.topLength === other.topLength;

const holds = ([least, most]: Range, [from, to]: Range): boolean => least <= from && to <= most;

const holdsAll = <Value>(own: readonly Value[], others: readonly Value[]): boolean =>
  others.every((each) => own.includes(each));

/** Whether the elements of a list may be shown as others are, or otherwise; what else is there may be absent. */
function holdsItems(own: readonly Item[], others: readonly Item[]): boolean {
  // A row may show one twice.
  const left = Map.groupBy(own, ({ register }) => register);
  for (const { may, register } of others) {
    const item = left.get(register)?.shift();
    if (item === undefined || (item.may !== may && !holdsAll(item.may, may))) return false;
  }
  return [...left.values()].flat().every(({ may }) => presenceOf(may) !== 'yes');
}

type Said<Name extends StageName> = Model[Name] extends (...args: never[]) => infer Result ? Result : never;

/** Whether what a row says leaves open what the honest model says, and more. Of other stages, that is not known. */
const leavesMore: { readonly [Name in StageName]?: (said: Said<Name>, honest: Said<Name>) => boolean } = {
  isCertain: (isCertain) => !isCertain,
  // Other calls come into question only where the call itself does not fit.
  instead: (_, honest) => honest.length === 0,
  admits: holdsAll,
  fields: (said, honest) =>
    Object.entries(said).every(([name, values]) => {
      const right = honest[name];
      return right !== undefined && holdsAll(values, right);
    }),
  times: holds,
  shows: (said, honest) =>
    said.size === honest.size && said.unnamed === honest.unnamed && holdsItems(said.items, honest.items),
  tallies: holdsItems,
  span: (said, honest) => said.fromMs <= honest.fromMs && honest.untilMs <= said.untilMs,
};

/** What these say changes nothing of what an answer that is right settles. */
const unsettling: ReadonlySet<StageName> = new Set(['instead', 'admits', 'fields', 'times']);
