import { type AnswerDifference, isSameWrite, type ShownElement } from './compare.ts';
import { type FreedomName, type Freedoms, option, optionsOf } from './freedoms.ts';
import { absence, isGone, mayShow, presenceOf, type ReadSpan, type Write } from './register.ts';
import type { Model } from './stages.ts';

/**
 * What a read settles. A shown value that is possible under some options of a freedom alone excludes the others; and
 * where every write of a register was over before the read began, the value that it shows is the one that stayed.
 */
export function settleList<Value>(
  model: Model,
  call: number,
  span: ReadSpan,
  shown: readonly ShownElement<Value>[],
  precedence: 'reimport' | 'first',
  alike: (a: Value, b: Value) => boolean,
): readonly AnswerDifference[] {
  const contradictions: AnswerDifference[] = [];
  const alone = shown.length > 0 && precedence === 'first' ? settleCopies(model, call, span, shown) : shown;
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
      keep(item.register as Write<Value>[], item.may, isAlike, model.free, span);
  }
  return contradictions.slice(0, 1);
}

/**
 * Several registers of one name: how many of them are shown says whether repeated ids are stored again. Which of them
 * they are is not known, so they settle nothing else. Gives those that are alone.
 */
function settleCopies<Value>(
  { free }: Model,
  call: number,
  span: ReadSpan,
  shown: readonly ShownElement<Value>[],
): readonly ShownElement<Value>[] {
  const alone: ShownElement<Value>[] = [];
  for (const all of Map.groupBy(shown, ({ item }) => item.name).values()) {
    if (all.length === 1) {
      alone.push(...all);
      continue;
    }
    const count = all.filter(({ place }) => place !== undefined).length;
    const fitting = copyOptions.filter((options) => {
      if (!free.allowAll(options)) return false;
      const under = options.reduce((each, option) => each.with(option), free);
      const may = all.map(({ item }) => presenceOf(mayShow(item.register, span, under, 'first')));
      const least = may.filter((presence) => presence === 'yes').length;
      const most = may.filter((presence) => presence !== 'no').length;
      return least <= count && count <= most;
    });
    for (const freedom of ['repeatedId', 'idInBatch'] as const)
      free.narrow(
        freedom,
        fitting
          .flatMap((options) => options.filter((each) => each.freedom === freedom))
          .map(({ option }) => option),
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

/** Of the writes that could be shown, those that are shown stay. Which of several it was is not known; by the last it is there. */
function keep<Value>(
  register: Write<Value>[],
  may: readonly Write<Value>[],
  isAlike: (write: Write<Value>) => boolean,
  free: Freedoms,
  { fromMs }: ReadSpan,
): void {
  const endOf = (writes: readonly Write<Value>[]): number =>
    Math.max(...writes.map(({ untilMs }) => untilMs));
  const goneMs = endOf(register.filter(({ untilMs }) => untilMs <= fromMs));
  const shown = register.filter((each) => !isGone(each) && isAlike(each) && free.allowAll(each.given));
  const lastMs = endOf(shown);
  for (const [at, each] of register.entries())
    if (isGone(each)) continue;
    else if (shown.includes(each) && each.untilMs === lastMs) register[at] = { ...each, isSure: true };
    else if (!isAlike(each) && may.some((other) => isSameWrite(each, other)))
      register[at] = { ...each, goneMs };
}
