import { readingsOf } from '../../../explore/readings.ts';
import type { History } from '../../../history/history.ts';
import { oncePerHistory } from '../../../history/tables.ts';
import { saidBy } from '../../../model/answer.ts';
import { type ApiCall, outcomeOf } from '../../../model/call.ts';
import { type ExplainingRow, type Explanation, equalBits, explain } from '../../../model/faults/explain.ts';
import { withRow } from '../../../model/faults/fault.ts';
import { type PowerOfRow, powerOf } from '../../../model/faults/power.ts';
import { modelFaults } from '../../../model/faults/table.ts';
import type { SettledFreedom } from '../../../model/freedoms.ts';
import { judge, type Replay } from '../../../model/judge.ts';
import { type ShrunkCalls, smallestShrunk } from '../../../model/shrink.ts';
import { honestModel, type Model, type ModelPromises } from '../../../model/stages.ts';
import { areErrorsByChance } from '../../core/found.ts';
import { isChannelUnknown } from '../../core/no-data.ts';
import { isOfOutage, leastInSpan, type Outage, readOutages } from '../../core/outages.ts';
import { longestAbsenceMs, sessionVisible } from '../../core/session-visible.ts';
import { exploredCalls } from './record.ts';

/** What the explorer's calls show. A pure function of the history. */
export interface ExploredFindings {
  readonly calls: readonly ApiCall[];
  readonly explanation: Explanation;
  /** The calls whose answers are left out: of an outage, or 5xx that the profile allows. */
  readonly leftOut: ReadonlySet<number>;
  /** The fewest calls that show the first divergence. */
  readonly shrunk: ShrunkCalls | undefined;
  /** How the target decided what the interface leaves open, and the calls that showed it. */
  readonly settled: readonly SettledFreedom[];
  /** Accounts that are apart otherwise share their catalogs, as nothing promises that they do not. */
  readonly sharesCatalogs: boolean;
  /** The calls whose answers one of the causes, by its place, leaves wrong. */
  readonly leftBy: (place: number) => ReadonlySet<number>;
  /** What a pass excludes: empty where there is none. */
  readonly power: () => readonly PowerOfRow[];
}

/** Replays the explorer's calls through the model of the interface; undefined where the run sent none. */
export const exploredFindings = oncePerHistory(async (history): Promise<ExploredFindings | undefined> => {
  const calls = await exploredCalls(history);
  if (calls.length === 0) return undefined;
  const readings = readingsOf(history.profile, calls, await visibleAfterMs(history));
  const allowed = (await areErrorsByChance(history))
    ? calls.filter((call) => outcomeOf(call) === 'failed')
    : [];
  const outages = (await readOutages(history)).outages.filter(({ failed }) => failed >= leastInSpan);
  const within = (some: readonly Outage[]): readonly ApiCall[] =>
    calls.filter((call) => some.some((each) => isOfOutage(each, call, history.run.zero_epoch_ms)));
  // One that ordinary requests show, too, is none of the explorer's doing. None takes good keys for bad ones.
  const isFailure = ({ outcome }: Outage): boolean => outcome !== '401' && outcome !== '403';
  // The interface shows no channel: who takes no event at all has another form of them, or another place.
  const foreign = (await isChannelUnknown(history)) ? calls.filter(({ op }) => op === 'interact') : [];
  const [certain, possible] = [
    within(outages.filter((each) => each.ordinary >= leastInSpan)),
    within(outages.filter((each) => each.ordinary >= leastInSpan || isFailure(each))),
  ];
  const findings = findingsOf(calls, readings, [...allowed, ...foreign, ...certain]);
  // What a row with a mechanism explains by itself, such as a lock after bad keys, is its doing.
  const [cause] = findings.explanation.causes;
  const isMechanism = cause !== undefined && cause.left === 0 && !cause.isLoose;
  if (possible.length === certain.length || isMechanism) return findings;
  return findingsOf(calls, readings, [...allowed, ...foreign, ...possible]);
});

/** From when on a new session has to be found, in milliseconds: as promised, or as every absence of the run fits one delay. */
async function visibleAfterMs(history: History): Promise<number> {
  const { afterMs, foundMs, reads } = await sessionVisible(history);
  // It may have lasted until its session was found.
  return reads === 0 ? afterMs : Math.max(longestBy(afterMs), Math.min(foundMs, longestAbsenceMs));
}

/** The longest delay that was seen need not be the longest. */
const longestBy = (seenMs: number): number => seenMs * 1.5 + 100;

/**
 * Judges, explains and shrinks. `readings`: the promises under which the calls may be right; the best one counts. Where all leave
 * wrong answers, whether keys share an account is not told by how many these are, but by what explains all answers. `aside`: calls
 * that are judged as if no answer had come.
 */
export function findingsOf(
  all: readonly ApiCall[],
  readings: readonly ModelPromises[],
  aside: readonly ApiCall[] = [],
): ExploredFindings {
  const leftOut = new Set(aside.map(({ n }) => n));
  const calls = all.map((call) => (leftOut.has(call.n) ? { ...call, answer: { status: 0 } } : call));
  const judged: { promises: ModelPromises; replay: Replay }[] = [];
  // A history that is late may pass for events that are dropped: what is open is taken as decided where histories may be late.
  const decidingAs = ({ model: { free } }: Replay, prompt: ModelPromises): Replay => {
    const decided = Object.fromEntries(free.settled().map(({ freedom, option }) => [freedom, option]));
    return judge(calls, honestModel({ ...prompt, freedoms: { ...decided, ...prompt.freedoms } }));
  };
  const scopeOf = ({
    promises: { accounts, sharesCatalogs },
  }: Pick<(typeof judged)[number], 'promises'>): string => JSON.stringify([accounts, sharesCatalogs]);
  for (const promises of readings) {
    // Analytics that may be later excuse nothing where none of them is wrong.
    const sooner = judged.find((each) => promptly(promises) === promptly(each.promises));
    if (sooner?.replay.divergences.every(({ op }) => op !== 'analytics') === true) continue;
    const replay = judge(calls, honestModel(promises));
    const prompt = judged.find((each) => scopeOf(each) === scopeOf({ promises }));
    if (promises.areEventsLate && prompt && !areLate(calls, decidingAs(replay, prompt.promises))) continue;
    judged.push({ promises, replay });
    if (judged.at(-1)?.replay.divergences.length === 0) break;
  }
  const byAccounts = [...Map.groupBy(judged, scopeOf).values()];
  const nearest = byAccounts.flatMap((each) => each.toSorted((a, b) => wrongIn(a) - wrongIn(b)).slice(0, 1));
  const fewest = Math.min(...nearest.map(wrongIn));
  const explained = nearest
    .filter((each) => (fewest > 0 || wrongIn(each) === 0) && !nearest.some((other) => isWithin(other, each)))
    .map((each) => ({
      ...each,
      explanation: explain(calls, { faults: modelFaults, model: () => honestModel(each.promises) }),
    }));
  // Only what makes every answer right tells more than how many are wrong.
  const whole = explained.filter(({ explanation }) => explanation.causes[0]?.left === 0);
  const least = Math.min(...whole.map(costOf));
  const asGood = whole.filter((each) => costOf(each) <= least + equalBits);
  const best = asGood[0] ?? explained.find((each) => wrongIn(each) === fewest);
  if (best === undefined) throw new Error('the profile promises nothing');
  const model = (): Model => honestModel(best.promises);
  const explanation = {
    ...best.explanation,
    causes: [
      ...best.explanation.causes,
      ...asGood.flatMap((each) => (each === best ? [] : each.explanation.causes)),
    ],
  };
  const { causes, divergences, second } = explanation;
  const [first, cause] = [divergences[0], causes[0]];
  const options = { model, ...(cause?.left === 0 && { altered: alteredBy(cause, model) }) };
  const rows = [...causes, ...(second === undefined ? [] : [second])];
  const left = rows.map((row) => leftWrong(calls, row, model));
  let power: readonly PowerOfRow[] | undefined;
  return {
    calls,
    leftOut,
    explanation,
    shrunk: smallestShrunk(calls, divergences, options),
    leftBy: (place) => left[place] ?? nothing,
    settled: best.replay.model.free.settled(),
    sharesCatalogs: best.promises.sharesCatalogs === true,
    power: () => (power ??= first === undefined ? powerOf(calls, modelFaults, model) : []),
  };
}

/**
 * Whether histories only lag behind: what a read lacks, none has shown before it, and a later one shows, or it is hardly older
 * than what was late and came, or than `youngMs` where nothing was read later.
 */
function areLate(calls: readonly ApiCall[], { divergences }: Replay): boolean {
  const reads = calls.flatMap((call) => {
    if (call.op !== 'read-session') return [];
    return [{ ...call, ids: new Set(saidBy(call).events?.map(({ id }) => id)) }];
  });
  const lags = divergences.flatMap(({ call: n, kind, of }) => {
    const read = kind === 'missing' ? reads.find((each) => each.n === n) : undefined;
    if (read === undefined) return [];
    const sent = calls.filter(
      ({ events = [], session }) => session === read.session && events.some(({ id }) => id === of),
    );
    const shown = reads.filter(({ ids, session }) => session === read.session && ids.has(of));
    return [
      {
        ageMs:
          read.fromMs - Math.max(...sent.flatMap((each) => (each.fromMs < read.untilMs ? each.untilMs : []))),
        comes: shown.some(({ fromMs }) => fromMs >= read.untilMs),
        isLast: !reads.some(({ fromMs, session }) => session === read.session && fromMs >= read.untilMs),
        // Of an event that was sent again, it may be the other one.
        isGone: sent.length === 1 && shown.some(({ untilMs }) => untilMs <= read.fromMs),
      },
    ];
  });
  const longestMs = longestBy(Math.max(...lags.filter(({ comes }) => comes).map(({ ageMs }) => ageMs)));
  return (
    lags.length > 0 &&
    lags.every(
      ({ ageMs, comes, isGone, isLast }) =>
        !isGone && (comes || ageMs <= longestMs || (isLast && ageMs <= youngMs)),
    )
  );
}

/** An event that is younger may still come, for all that is known. Ours. */
const youngMs = 1_000;

const callsIn = ({ replay }: { readonly replay: Replay }): ReadonlySet<number> =>
  new Set(replay.divergences.map(({ call }) => call));
/** Of one answer, every number may be wrong: answers tell more. */
const wrongIn = (of: { readonly replay: Replay }): number => callsIn(of).size;

/** Whether what is wrong under a reading is a part of what is wrong under another one: this one has nothing to explain that it does not. */
function isWithin(one: { readonly replay: Replay }, other: { readonly replay: Replay }): boolean {
  const [few, many] = [callsIn(one), callsIn(other)];
  return few.size < many.size && [...few].every((call) => many.has(call));
}

/** A reading but for how late analytics may be. */
const promptly = (promises: ModelPromises): string => JSON.stringify({ ...promises, freshnessMs: 0 });

const costOf = ({ explanation }: { readonly explanation: Explanation }): number =>
  explanation.causes[0]?.cost ?? 0;

const nothing: ReadonlySet<number> = new Set();

function leftWrong(calls: readonly ApiCall[], row: ExplainingRow, model: () => Model): ReadonlySet<number> {
  if (row.left === 0) return nothing;
  return new Set(judge(calls, alteredBy(row, model)(calls)).divergences.map(({ call }) => call));
}

const alteredBy =
  (row: ExplainingRow, model: () => Model) =>
  (calls: readonly ApiCall[]): Model =>
    withRow(model(), row, { calls, divergences: [] });
