import { type AnswerSaid, saidBy } from './answer.ts';
import type { ApiCall, CallRequest } from './call.ts';
import {
  type AnswerDifference,
  compareLists,
  differingEvent,
  differingShade,
  type ShownElement,
} from './compare.ts';
import { expectedOf, roundingMs } from './expect.ts';
import type { Expected } from './expected.ts';
import { judgeAnalytics } from './judge-analytics.ts';
import { learn } from './learn.ts';
import type { Write } from './register.ts';
import { settleList } from './settle.ts';
import type { Model } from './stages.ts';
import { type StoredEvent, type StoredShade, World } from './world.ts';

/** An answer that no possible state allows, with the first of its differences. */
export interface Divergence extends AnswerDifference {
  readonly call: number;
  readonly op: CallRequest['op'];
  /** What it is about: `catalog X`, `session 12`, `total of X`. */
  readonly resource: string;
}

/** What a replay finds. */
export interface Replay {
  readonly divergences: readonly Divergence[];
  readonly model: Model;
  readonly world: World;
  /** Answers that were judged; those without an answer, and those of limits, are not. */
  readonly judged: number;
}

export interface ReplayOptions {
  /** Stops after this many divergences. */
  readonly most?: number;
  /** The calls whose answers are judged; all by default. The others are learnt only. */
  readonly only?: ReadonlySet<number>;
  /** Ends once the answer of this call was judged. */
  readonly until?: number;
  /** Told what was expected of each judged call, what was answered, and of how many others it might have been the answer. */
  readonly seen?: (call: ApiCall, expected: Expected, said: AnswerSaid, others: number) => void;
  /** Finds the first difference of each answer alone. */
  readonly isBrief?: boolean;
  /** Told of each answer once it is judged: `again` judges it by another model, in the same world, and finds its first difference. */
  readonly beside?: (
    call: ApiCall,
    found: readonly Divergence[],
    again: (model: Model) => readonly Divergence[],
  ) => void;
  /** The world before the first call: a new one by default. */
  readonly world?: World;
  /** Ends once it is true. */
  readonly isEnough?: () => boolean;
}

/** The calls of a record in the two orders of a replay, and what their answers say: made once, used by every replay. */
export interface PreparedCalls {
  readonly bySent: readonly ApiCall[];
  readonly byAnswered: readonly ApiCall[];
  readonly said: ReadonlyMap<number, AnswerSaid>;
}

export function prepare(calls: readonly ApiCall[]): PreparedCalls {
  return {
    bySent: calls.toSorted((a, b) => a.fromMs - b.fromMs || a.n - b.n),
    byAnswered: calls.toSorted((a, b) => a.untilMs - b.untilMs || a.n - b.n),
    said: new Map(calls.map((call) => [call.n, saidBy(call)])),
  };
}

/** Replays a record through a model: learnt when sent, judged when answered, in the order of instants. Pure. */
export function replay(
  { byAnswered, bySent, said }: PreparedCalls,
  model: Model,
  options: ReplayOptions = {},
): Replay {
  const { beside, isBrief = false, isEnough, most = Number.POSITIVE_INFINITY, only, seen, until } = options;
  const { world = new World(bySent) } = options;
  const divergences: Divergence[] = [];
  let next = 0;
  let judged = 0;
  for (const call of byAnswered) {
    for (let sent = bySent[next]; sent !== undefined && sent.fromMs < call.untilMs; sent = bySent[++next])
      learn(model, world, sent, said.get(sent.n) ?? saidBy(sent));
    if (call === bySent[next]) learn(model, world, bySent[next++] ?? call, said.get(call.n) ?? saidBy(call));
    const own = said.get(call.n) ?? saidBy(call);
    if (own.outcome === 'void' || (only !== undefined && !only.has(call.n))) {
      remember(world, call, own);
      continue;
    }
    judged += 1;
    world.kept.length = 0;
    const { expected, found, others } = judgedAs(call, { model, world, said: own, isBrief });
    divergences.push(...found);
    seen?.(call, expected, own, others);
    beside?.(call, found, (other) => judgedAs(call, { model: other, world, said: own, isBrief: true }).found);
    remember(world, call, own);
    if (divergences.length >= most || call.n === until || isEnough?.() === true) break;
  }
  return { divergences, model, world, judged };
}

export const judge = (calls: readonly ApiCall[], model: Model, options?: ReplayOptions): Replay =>
  replay(prepare(calls), model, options);

/** An answer, and what it is judged by. */
interface JudgedBy {
  readonly model: Model;
  readonly world: World;
  readonly said: AnswerSaid;
  readonly isBrief: boolean;
}

/** What is expected of the first call that an answer fits; of the call itself, where it fits none. */
function judgedAs(
  call: ApiCall,
  by: JudgedBy,
): { readonly expected: Expected; readonly found: readonly Divergence[]; readonly others: number } {
  const { isBrief, model, world } = by;
  const instead = model.instead(call, world);
  const others = instead.length;
  const judged = (
    each: ApiCall,
  ): { readonly expected: Expected; readonly found: readonly AnswerDifference[] } => {
    const expected = expectedOf(model, world, each);
    return { expected, found: judgeCall(each, expected, by) };
  };
  const own = judged(model.asked(call, world));
  if (own.found.length === 0) return { expected: own.expected, found: [], others };
  for (const other of instead) {
    const { expected, found } = judged(other);
    if (found.length === 0) return { expected, found: [], others };
  }
  const { n, op } = call;
  const found = (isBrief ? own.found.slice(0, 1) : own.found).map((each) => ({
    ...each,
    ...{ call: n, op, resource: resourceOf(call) },
  }));
  return { expected: own.expected, found, others };
}

/** What a call is about. */
export function resourceOf(call: ApiCall): string {
  const { catalog, op, product, session } = call;
  if (op === 'analytics') return `total of ${product ?? ''}`;
  return session === undefined ? `catalog ${catalog ?? ''}` : `session ${session}`;
}

/** Ids and lifetimes of sessions bind later ones, and the lengths of texts that were taken. */
function remember(world: World, call: ApiCall, said: AnswerSaid): void {
  if (call.op === 'import-shades') world.texts.learn(call, said);
  if (call.op !== 'create-session' || said.outcome !== 'ok') return;
  const { expires_at: expires, session_id: id, token } = said.fields;
  if (typeof id === 'string' && !world.ids.has(id)) world.ids.set(id, call.n);
  if (typeof token === 'string' && !world.tokens.has(token)) world.tokens.set(token, call.n);
  if (typeof expires !== 'number' || Number.isNaN(expires)) return;
  const doubtMs = roundingMs(expires);
  const [shortest, longest] = world.lifetimeMs;
  const least = Math.max(shortest, expires - call.untilMs - doubtMs);
  const most = Math.min(longest, expires - call.fromMs + doubtMs);
  if (least <= most) world.lifetimeMs = [least, most];
}

/** How an answer differs from all that may be answered; and what it settles, where it does not differ. */
function judgeCall(
  call: ApiCall,
  expected: Expected,
  { isBrief, model, said, world }: JudgedBy,
): readonly AnswerDifference[] {
  const { fields, outcome } = said;
  if (!expected.outcomes.includes(outcome))
    return [{ kind: 'status', of: outcome, expected: expected.outcomes, got: call.answer.status }];
  for (const { freedom, shownBy } of expected.settles ?? []) {
    const options = shownBy[outcome];
    if (options !== undefined) model.free.narrow(freedom, options, call.n);
  }
  if (outcome !== 'ok') return [];
  const differences: AnswerDifference[] = [];
  for (const [name, [least, most]] of Object.entries(expected.numbers)) {
    const got = fields[name];
    // NaN is no instant at all: its form is judged.
    if (typeof got !== 'number' || Number.isNaN(got) || (got >= least && got <= most)) continue;
    differences.push({ kind: 'number', of: name, expected: [least, most], got });
  }
  for (const [name, all] of Object.entries(expected.fields)) {
    const got = fields[name];
    if (got === undefined || all.includes(got) || (typeof got === 'number' && Number.isNaN(got))) continue;
    differences.push({ kind: 'field', of: name, expected: all, got });
  }
  if (call.op === 'create-session')
    for (const [of, known] of [
      ['session_id', world.ids],
      ['token', world.tokens],
    ] as const) {
      const opener = known.get(String(fields[of]));
      if (opener !== undefined && opener !== call.n && expected.fields[of] === undefined)
        differences.push({ kind: 'id twice', of, expected: 'a new one', got: `that of call ${opener}` });
    }
  if (expected.analytics !== undefined)
    differences.push(...judgeAnalytics(model, world, call, expected.analytics, fields));
  if (differences.length === 0) settleNumbers(model, call, expected, said);
  if (isBrief && differences.length > 0) return differences;
  return [...differences, ...judgeList(call, expected, { isBrief, model, said, world })];
}

function settleNumbers(model: Model, call: ApiCall, expected: Expected, { fields }: AnswerSaid): void {
  for (const { freedom, number, ranges } of expected.under ?? []) {
    const got = fields[number];
    const fitting = Object.entries(ranges).filter(
      ([, [least, most]]) => typeof got === 'number' && got >= least && got <= most,
    );
    if (typeof got === 'number')
      model.free.narrow(
        freedom,
        fitting.map(([option]) => option),
        call.n,
      );
  }
  const { accepted } = fields;
  const { accepted: range } = expected.numbers;
  if (typeof accepted === 'number' && range !== undefined && accepted < (call.events?.length ?? 0))
    model.free.narrow('accepted', ['new'], call.n);
}

function judgeList(
  call: ApiCall,
  { events, shades }: Expected,
  { isBrief, model, said, world }: JudgedBy,
): readonly AnswerDifference[] {
  const span = model.span(call, world);
  if (shades !== undefined) {
    if (said.shades === undefined) return [];
    const keyOf = (name: string): string => model.skuSlot(name, call, world);
    const nameOf = ({ sku }: { readonly sku?: string | undefined }): string => sku ?? '(none)';
    const parts = { keyOf, nameOf, differ: differingShade };
    // Between two pages, what lands moves others to the page before, or to the one after: then they are there twice, or nowhere.
    const isMoving =
      call.answer.isPaged === true &&
      shades.items.some(({ register }) =>
        register.some(({ fromMs, untilMs }) => fromMs < span.untilMs && untilMs > span.fromMs),
      );
    const isPart = said.isPage || isMoving;
    const seen = isMoving
      ? [...new Map(said.shades.map((shade) => [keyOf(nameOf(shade)), shade])).values()]
      : said.shades;
    const compared = compareLists(shades, seen, parts, { isPart, isBrief, isWhole: false });
    if (compared.differences.length > 0) return compared.differences;
    const isDue = shades.unnamed?.some(({ isSure, untilMs }) => isSure && untilMs <= span.fromMs);
    if (compared.others > 0) model.free.narrow('unnamedShade', ['given a SKU'], call.n);
    else if (isDue === true && !isPart) model.free.narrow('unnamedShade', ['left out'], call.n);
    return settleList<StoredShade>(
      { model, world, call: call.n, span },
      isPart ? compared.shown.filter(({ place }) => place !== undefined) : compared.shown,
      'reimport',
      (a, b) => differingShade(a, b).length === 0,
    );
  }
  if (events === undefined || said.events === undefined) return [];
  const session = world.sessions.get(call.session ?? -1);
  const parts = {
    keyOf: (id: string) => (session === undefined ? id : model.eventSlot(id, session, call, world)),
    nameOf: ({ id }: { readonly id: string }) => id,
    differ: differingEvent,
  };
  const { differences, shown } = compareLists(events, said.events, parts, {
    isPart: said.isPage,
    isBrief,
    isWhole: true,
  });
  if (differences.length > 0) return differences;
  const wrongOrder = judgeOrder(model, call, shown);
  const contradictions = settleList<StoredEvent>(
    { model, world, call: call.n, span },
    shown,
    'first',
    (a, b) => differingEvent(a, b).length === 0,
  );
  return [...wrongOrder, ...contradictions];
}

/** How far apart two events may be compared: a wrong order shows nearby. */
const nearEvents = 17;

function judgeOrder(
  model: Model,
  call: ApiCall,
  shown: readonly ShownElement<StoredEvent>[],
): readonly AnswerDifference[] {
  // Which of several with one id was written when is not known.
  const copies = Map.groupBy(shown, ({ item }) => item.name);
  const inOrder = shown
    .filter(({ place }) => place !== undefined)
    .toSorted((a, b) => (a.place ?? 0) - (b.place ?? 0))
    .map(({ item, write }) => {
      const alike = copies.get(item.name) ?? [];
      return spanOfAlike(alike.length < 2 ? item.may : alike.flatMap((each) => each.item.may), write);
    });
  const options = model.free.options('order');
  const fitting = options.filter((option) => {
    const isBefore = model.order(option);
    return inOrder.every((later, at) =>
      inOrder.slice(at + 1, at + nearEvents).every((each) => !isBefore(each, later)),
    );
  });
  if (model.free.narrow('order', fitting, call.n)) return [];
  return [{ kind: 'order', of: 'events', expected: options, got: inOrder.map(({ value }) => value?.id) }];
}

/** One event in several batches: which of them came first is not known. */
function spanOfAlike(may: readonly Write<StoredEvent>[], write: Write<StoredEvent>): Write<StoredEvent> {
  const alike = may.filter(({ value }) => value !== undefined);
  if (alike.length < 2) return write;
  return {
    ...write,
    call: Number.NaN,
    fromMs: Math.min(...alike.map(({ fromMs }) => fromMs)),
    untilMs: Math.max(...alike.map(({ untilMs }) => untilMs)),
  };
}
