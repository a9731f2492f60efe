import type { Role } from '../../vocabulary/roles.ts';
import { fits, kindOf, type Suspect } from '../causes/cause.ts';
import { foundIn, type QuotaCall } from './log.ts';

/**
 * Ways in which an account may be kept. Each predicts which sessions get a 2xx and which 402, by the units that are spent for
 * certain and at most when a session is decided. One that explains every answer may be the cause; the cheapest are named.
 */

/** The answers about one quota: all calls, and the keys whose sessions spend it as promised. */
interface QuotaAnswers {
  readonly calls: readonly QuotaCall[];
  readonly keys: readonly Role[];
  readonly quota: number;
  /** Nothing was spent before the run. */
  readonly isFresh: boolean;
}

/** How an account is kept. */
interface Keeping {
  readonly quota: number;
  /** What a session costs. */
  readonly costs?: number;
  /** Units that a request besides the account's sessions spends; negative: gives back. */
  readonly units?: (call: QuotaCall) => number;
  /** A session is counted so long after its check, nanoseconds; 0: those at the same time do not see each other. */
  readonly lateNs?: number;
  /** How long a session counts, nanoseconds. */
  readonly lastsNs?: number;
  /** After so long without a new session all are forgotten, nanoseconds. */
  readonly restNs?: number;
  /** What a session costs at most that is created at the same time as another one. */
  readonly atOnceCosts?: number;
  /** Each key has a separate account. */
  readonly isPerKey?: boolean;
  /** Connections spend places that were set aside for them: where one finds none, others may have some left. */
  readonly isLeased?: boolean;
}

interface QuotaRow {
  readonly price: number;
  /** With the values of its parameter that are worth trying. */
  readonly keepings: readonly Keeping[];
  /** `right`: the keepings that explain every answer. */
  readonly suspect: (right: readonly [Keeping, ...Keeping[]]) => Suspect;
}

/** Whether an account that is kept so may have given every answer. */
export function explains(keeping: Keeping, answers: QuotaAnswers): boolean {
  const { calls, keys } = answers;
  if (keeping.isPerKey === true)
    return keys.every((role) => explains({ ...keeping, isPerKey: false }, { ...answers, keys: [role] }));
  const { atOnceCosts, costs = 1, lastsNs = Number.POSITIVE_INFINITY, lateNs, quota } = keeping;
  const { isLeased = false, restNs = Number.POSITIVE_INFINITY, units = () => 0 } = keeping;
  const isOwn = ({ isAttempt, role }: QuotaCall): boolean => isAttempt && keys.includes(role);
  const mayBeIn = ({ outcome }: QuotaCall): boolean => outcome === 'admitted' || outcome === 'unclear';
  const together = atOnceCosts === undefined ? new Set() : overlapping(calls.filter(isOwn));
  const spent = calls.flatMap((call) => {
    const own = isOwn(call) && mayBeIn(call) ? costs : 0;
    const other = own > 0 ? 0 : units(call);
    if (own + other === 0) return [];
    const most = together.has(call) ? Math.max(own, atOnceCosts ?? 0) : own;
    return [
      { call, least: call.outcome === 'unclear' ? Math.min(0, other) : own + other, most: most + other },
    ];
  });
  const inOrder = spent.toSorted((a, b) => a.call.answeredNs - b.call.answeredNs);
  /** Nothing older counts when a call is decided. */
  const rests = restsOf(
    calls.filter((call) => isOwn(call) && mayBeIn(call)),
    restNs,
  );
  const countsFrom = ({ sentNs }: QuotaCall): number =>
    rests.findLast((ns) => ns <= sentNs) ?? Number.NEGATIVE_INFINITY;
  /** The units spent after some of the calls; what is given back was spent before. */
  const level = (amountOf: (each: (typeof spent)[number]) => number, fromNs: number): number =>
    inOrder.reduce(
      (sum, each) => (each.call.answeredNs < fromNs ? sum : Math.max(0, sum + amountOf(each))),
      0,
    );
  return calls.every((call) => {
    const { answeredNs, outcome, port, role, sentNs } = call;
    // A 402 says that the quota is spent, whatever else was wrong with the request.
    if (!isOwn(call) && !(outcome === 'refused' && keys.includes(role))) return true;
    const fromNs = countsFrom(call);
    if (outcome === 'admitted') {
      // Spent for certain when it was decided: what was answered before it was sent, and lasts beyond its answer.
      const sure = level(({ call: other, least }) => {
        if (least < 0) return other.sentNs < answeredNs ? least : 0;
        const isBefore = other.answeredNs < sentNs - (lateNs ?? 0);
        return isBefore && other.sentNs + lastsNs > answeredNs ? least : 0;
      }, fromNs);
      if (sure + costs > quota) return false;
      if (lateNs !== undefined) return true;
      // And one of those that were answered by then was the last of them: what was spent before all that it may be counts.
      const isLast = (each: QuotaCall): boolean =>
        isOwn(each) && each.answeredNs > sentNs && each.answeredNs <= answeredNs;
      const lastFromNs = calls.reduce((ns, each) => (isLast(each) ? Math.min(ns, each.sentNs) : ns), sentNs);
      const by = level(({ call: other, least }) => {
        if (least < 0) return other.sentNs < answeredNs ? least : 0;
        const isBy = isOwn(other) ? other.answeredNs <= answeredNs : other.answeredNs < lastFromNs;
        return isBy && other.sentNs + lastsNs > answeredNs ? least : 0;
      }, fromNs);
      return by <= quota;
    }
    if (outcome !== 'refused' || !answers.isFresh) return true;
    if (isLeased)
      return !calls.some(
        (other) =>
          isOwn(other) && other.outcome === 'admitted' && other.port === port && other.sentNs > answeredNs,
      );
    const most = level((each) => {
      const { call: other } = each;
      if (each.most < 0) return other.answeredNs < sentNs ? each.most : 0;
      return other.sentNs < answeredNs && other.answeredNs + lastsNs > sentNs ? each.most : 0;
    }, fromNs);
    return most + costs > quota;
  });
}

/** Calls that were under way at the same time as another one of them. */
function overlapping(calls: readonly QuotaCall[]): ReadonlySet<unknown> {
  return new Set(
    calls.filter((call) =>
      calls.some(
        (other) => other !== call && other.sentNs < call.answeredNs && other.answeredNs > call.sentNs,
      ),
    ),
  );
}

/** When a session was created after a time without any, if that was as long as this. */
function restsOf(created: readonly QuotaCall[], restNs: number): number[] {
  return created.flatMap(({ sentNs }, place) => {
    const before = created[place - 1];
    return before !== undefined && sentNs - before.answeredNs >= restNs ? [sentNs] : [];
  });
}

/** The price of what fits any number of sessions. */
const dearest = 6;
/** Durations that are tried, each half a percent longer than the one before; for more answers few or none. */
const [fineStep, coarseStep] = [1.005, 2];
const mostTimed = 200;
/** Times without a new session that are tried as the one after which all are forgotten: the longest. */
const mostRests = 10;
const leastRestNs = 1e9;

function durationsWithin(shortest: number, longest: number, step: number): number[] {
  const count = Math.max(0, Math.ceil(Math.log(longest / shortest) / Math.log(step)));
  return Array.from({ length: count + 1 }, (_, n) => shortest * step ** n);
}

function rowsOf({ calls, isFresh, keys, quota }: QuotaAnswers): QuotaRow[] {
  const own = calls.filter(({ isAttempt, role }) => isAttempt && keys.includes(role));
  const admitted = own.filter(({ outcome }) => outcome === 'admitted');
  const refused = own.filter(({ outcome }) => outcome === 'refused');
  const seqsOf = (some: readonly QuotaCall[]): readonly number[] => foundIn(some).seqs;
  const edge = [...seqsOf(admitted.slice(-2)), ...seqsOf(refused.slice(0, 2))];
  const found = admitted.length;
  const over = found - quota;
  const differs: QuotaRow = {
    // By one is a comparison; by more, another plan.
    price: Math.abs(over) === 1 ? 2 : dearest,
    keepings: [{ quota: found }],
    suspect: () => fits('quota-differs', { found, promised: quota }, edge),
  };
  const others = calls.filter(
    ({ isAttempt, outcome, role }) => isAttempt && !keys.includes(role) && outcome === 'admitted',
  );
  const ofOthers = new Set(others);
  const kinds = Map.groupBy(
    calls.filter(
      ({ isAttempt, outcome, role }) => keys.includes(role) && (!isAttempt || outcome === 'other'),
    ),
    ({ what }) => what,
  );
  const names = [...kinds.keys()];
  const isCreate = (what: string): boolean => what.startsWith('create-session ');
  const creates = names.filter(isCreate);
  const some = [
    ...names.map((what) => [what]),
    ...[creates.filter((what) => !what.endsWith('429')), creates, names].filter((all) => all.length > 1),
  ];
  const spentBy: QuotaRow[] = [
    ...some.flatMap((requests) =>
      ([1, -1] as const).map(
        (units): QuotaRow => ({
          // Creates that fail are likelier to be counted than reads, of which there are more than enough.
          price: units > 0 ? (requests.every(isCreate) ? 3.5 : 4) : requests.length > 1 ? 2.75 : 2,
          keepings: [{ quota, units: (call) => (requests.includes(call.what) ? units : 0) }],
          suspect: () =>
            fits(
              units > 0 ? 'quota-counts-other-requests' : 'quota-given-back',
              { requests },
              requests.flatMap((what) => seqsOf(kinds.get(what) ?? []).slice(0, 2)),
            ),
        }),
      ),
    ),
    {
      price: 4,
      keepings: others.length > 1 ? [{ quota, units: (call) => (ofOthers.has(call) ? 1 : 0) }] : [],
      suspect: () => fits('quota-counts-other-accounts', { sessions: others.length }, edge),
    },
    {
      price: 5,
      keepings: [2, 3, 4, 5].map((costs) => ({ quota, costs })),
      suspect: ([{ costs = 1 }]) => fits('quota-session-costs', { units: costs }, edge),
    },
  ];
  const volleys = [...Map.groupBy(admitted, ({ atNs }) => atNs).values()].map((some) => some.length);
  const atOnce = Math.max(0, ...volleys);
  const later = admitted.filter(
    ({ sentNs }) => sentNs > (refused[0]?.answeredNs ?? Number.POSITIVE_INFINITY),
  );
  const counters: QuotaRow[] = [
    {
      price: 1,
      keepings: keys.length > 1 && over > 0 && isFresh ? [{ quota, isPerKey: true }] : [],
      suspect: () => fits('quota-per-key', { role: keys.at(-1) ?? 'twin' }, edge),
    },
    {
      price: 3,
      keepings: over <= 0 && later.length > 0 ? [{ quota, isLeased: true }] : [],
      suspect: () =>
        fits('quota-by-connection', { sessions: later.length }, [
          ...seqsOf(refused.slice(0, 2)),
          ...seqsOf(later.slice(0, 2)),
        ]),
    },
    {
      price: 4,
      keepings: atOnce > 1 && over < 0 ? [2, 3, 4].map((atOnceCosts) => ({ quota, atOnceCosts })) : [],
      suspect: ([{ atOnceCosts = 2 }]) =>
        fits('quota-counts-races-twice', { found, quota, units: atOnceCosts }, edge),
    },
  ];
  if (over <= 0) return [...counters, differs, ...spentBy];
  const inTurn = admitted.filter(
    (call) => admitted.filter(({ answeredNs }) => answeredNs < call.sentNs).length >= quota,
  );
  const [{ sentNs: firstNs } = { sentNs: 0 }] = own;
  const longestNs = Math.max(1e6, (own.at(-1)?.sentNs ?? 0) - firstNs);
  const isLong = own.length > mostTimed;
  const rests = admitted
    .map(({ sentNs }, place) => sentNs - (admitted[place - 1]?.answeredNs ?? sentNs))
    .toSorted((a, b) => b - a)
    .slice(0, mostRests);
  return [
    ...counters,
    {
      price: 1,
      keepings: refused.length > 0 ? [] : [{ quota: Number.POSITIVE_INFINITY }],
      suspect: () => fits('quota-not-enforced', { admitted: found, quota }, seqsOf(inTurn)),
    },
    differs,
    {
      price: over === 1 ? 2 : 3,
      keepings: [{ quota, lateNs: 0 }],
      suspect: () => fits('check-then-increment', { over, quota }, seqsOf(refused)),
    },
    {
      price: over === 1 ? 2 : 2.5,
      keepings: rests.filter((restNs) => restNs >= leastRestNs).map((restNs) => ({ quota, restNs })),
      suspect: ([{ restNs = 0 }]) => fits('quota-forgotten', { mostMs: restNs / 1e6, sessions: over }, edge),
    },
    {
      // A race exceeds a quota by any number: just as many as were spent before it have come back.
      price: atOnce === quota ? 2 : 4,
      keepings: (isLong ? [] : durationsWithin(1e6, longestNs, fineStep)).map((lastsNs) => ({
        quota,
        lastsNs,
      })),
      suspect: (right) => {
        const [least = 0, most = least] = [right[0], right.at(-1)].map((each) => (each?.lastsNs ?? 0) / 1e6);
        return fits('quota-comes-back', { leastMs: least, mostMs: most }, seqsOf(admitted));
      },
    },
    {
      price: 5,
      keepings: durationsWithin(1e6, longestNs, isLong ? coarseStep : fineStep).map((lateNs) => ({
        quota,
        lateNs,
      })),
      suspect: () =>
        fits('quota-exceeded', { admitted: found, quota, inTurn: inTurn.length }, seqsOf(inTurn)),
    },
    ...spentBy,
  ];
}

/** What may have kept an account so that it gave these answers, the cheapest alone; none where the promise explains them. */
export function whyQuota(answers: QuotaAnswers): readonly Suspect[] {
  if (explains({ quota: answers.quota }, answers)) return [];
  const rows = Map.groupBy(rowsOf(answers), ({ price }) => price);
  for (const price of [...rows.keys()].toSorted((a, b) => a - b)) {
    const suspects = (rows.get(price) ?? []).flatMap(({ keepings, suspect }) => {
      const [first, ...more] = keepings.filter((keeping) => explains(keeping, answers));
      return first === undefined ? [] : [suspect([first, ...more])];
    });
    const [only] = suspects;
    if (only !== undefined)
      return suspects.length === 1 && price < dearest && kindOf(only.cause).orElse === undefined
        ? [{ ...only, strength: 'shown' }]
        : suspects;
  }
  return [];
}
