import { type AnswerDifference, isSameWrite, type ShownElement } from './compare.ts';
import { type FreedomName, type Freedoms, option, optionsOf } from './freedoms.ts';
import { absence, isGone, mayShow, presenceOf, type ReadSpan, type Write } from './register.ts';
import type { Model } from './stages.ts';
import type { World } from './world.ts';

/** The read that settles, and what it is judged by. */
interface SettlingRead {
  readonly model: Model;
  readonly world: World;
  readonly call: number;
  readonly span: ReadSpan;
}

/**
 * What a read settles. A shown value that is possible under some options of a freedom alone excludes the others; and
 * where every write of a register was over before the read began, the value that it shows is the one that stayed.
 */
export function settleList<Value>(
  by: SettlingRead,
  shown: readonly ShownElement<Value>[],
  precedence: 'reimport' | 'first',
  alike: (a: Value, b: Value) => boolean,
): readonly AnswerDifference[] {
  const { call, model, span, world } = by;
  const contradictions: AnswerDifference[] = [];
  const alone = shown.length > 0 && precedence === 'first' ? settleCopies(by, shown) : shown;
  for (const { item, write } of alone) {
    // Where a fault may hide an element, that it is absent says nothing about its writes.
    if (write.value === undefined && item.may.some((each) => each.value === undefined && each !== absence))
      continue;
    const register = item.register.filter((each) => !isGone(each));
    if (register.length === 0 || item.may.length < 2) {
      // One write alone may be shown: it settles nothing, unless a freedom could hide it.
      if (register.every(({ given }) => given === undefined)) continue;
    }
    const isAlike = (other: Write<Value>): boolean =>
      other === write ||
      (other.value === undefined || write.value === undefined
        ? other.value === write.value
        : alike(other.value, write.value));
    const freedoms = freedomsOf(register, model, precedence);
    // Two freedoms or a lost write leave too much open for a contradiction.
    const isCertain = freedoms.length === 1 && register.every(({ isSure }) => isSure);
    for (const freedom of freedoms)
      if (!model.free.isSettled(freedom)) {
        const fitting = optionsOf(freedom).filter((each) =>
          mayShow(register, span, model.free.with({ freedom, option: each }), precedence).some(isAlike),
        );
        // No option that is left explains it: what was shown before contradicts it.
        if (!model.free.narrow(freedom, fitting, call) && isCertain)
          contradictions.push(contradiction(model, freedom, item.name, write));
      }
    const isOver = register.every(
      ({ fromMs, given, untilMs }) =>
        (untilMs <= span.fromMs || fromMs >= span.untilMs) && model.free.areSettled(given),
    );
    if (isOver && item.may.length > 1)
      for (const { at, write } of keptOf(item.register, item.may, isAlike, model.free, span))
        world.keep(item.register as Write<unknown>[], at, write);
  }
  return contradictions.slice(0, 1);
}

/**
 * Several registers of one name: how many of them are shown says whether repeated ids are stored again. Which of them
 * they are is not known, so they settle nothing else. Gives those that are alone.
 */
function settleCopies<Value>(
  { call, model: { free }, span }: SettlingRead,
  shown: readonly ShownElement<Value>[],
): readonly ShownElement<Value>[] {
  const groups = Map.groupBy(shown, ({ item }) => item.name);
  if (groups.size === shown.length) return shown;
  const alone: ShownElement<Value>[] = [];
  let ways = copyOptions.map((options) => ({ options, under: free.with(...options) }));
  for (const all of groups.values()) {
    if (all.length === 1) {
      alone.push(...all);
      continue;
    }
    ways = ways.filter(({ options }) => free.allowAll(options));
    // What is settled already says nothing new.
    if (ways.length < 2) continue;
    const count = all.filter(({ place }) => place !== undefined).length;
    const fitting = ways.filter(({ under }) => {
      const may = all.map(({ item }) => presenceOf(mayShow(item.register, span, under, 'first')));
      const least = may.filter((presence) => presence === 'yes').length;
      const most = may.filter((presence) => presence !== 'no').length;
      return least <= count && count <= most;
    });
    if (fitting.length < ways.length)
      for (const freedom of ['repeatedId', 'idInBatch'] as const)
        free.narrow(
          freedom,
          fitting.flatMap(({ options }) =>
            options.flatMap((each) => (each.freedom === freedom ? each.option : [])),
          ),
          call,
        );
  }
  return alone;
}

/** Each way to treat ids that repeat, within a batch and in a later one. */
const copyOptions = optionsOf('repeatedId').flatMap((repeated) =>
  optionsOf('idInBatch').map((inBatch) => [option('repeatedId', repeated), option('idInBatch', inBatch)]),
);

const contradiction = (
  { free }: Model,
  freedom: FreedomName,
  name: string,
  { value }: Write<unknown>,
): AnswerDifference => ({
  kind: 'value',
  of: `${freedom} of ${name}`,
  expected: free.options(freedom),
  got: value,
});

function freedomsOf<Value>(
  register: readonly Write<Value>[],
  { free }: Model,
  precedence: 'reimport' | 'first',
): readonly FreedomName[] {
  const names = new Set<FreedomName>();
  for (const { given = [] } of register) for (const { freedom } of given) names.add(freedom);
  if (precedence === 'reimport' && register.length > 1 && !free.isSettled('reimport')) names.add('reimport');
  return [...names];
}

interface KeptPlace<Value> {
  readonly at: number;
  readonly write: Write<Value>;
}

/** Of the writes that could be shown, those that are shown stay. Which of several it was is not known; by the last it is there. */
function keptOf<Value>(
  register: readonly Write<Value>[],
  may: readonly Write<Value>[],
  isAlike: (write: Write<Value>) => boolean,
  free: Freedoms,
  { fromMs }: ReadSpan,
): readonly KeptPlace<Value>[] {
  const endOf = (writes: readonly Write<Value>[]): number =>
    Math.max(...writes.map(({ untilMs }) => untilMs));
  const goneMs = endOf(register.filter(({ untilMs }) => untilMs <= fromMs));
  const shown = register.filter((each) => !isGone(each) && isAlike(each) && free.allowAll(each.given));
  const lastMs = endOf(shown);
  return register.flatMap((each, at): readonly KeptPlace<Value>[] => {
    if (isGone(each)) return [];
    if (shown.includes(each) && each.untilMs === lastMs) return [{ at, write: { ...each, isSure: true } }];
    const isOther = !isAlike(each) && may.some((other) => isSameWrite(each, other));
    return isOther ? [{ at, write: { ...each, goneMs } }] : [];
  });
}
