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
}

interface QuotaRow {
  readonly price: number;
  /** With the values of its parameter that are worth trying. */
  readonly keepings: readonly Keeping[];
  /** `right`: the keepings that explain every answer. */
  readonly suspect: (right: readonly [Keeping, ...Keeping[]]) => Suspect;
}

/** Whether an account that is kept so may have given every answer. */
export function explains(
  { costs = 1, lastsNs = Number.POSITIVE_INFINITY, lateNs, quota, units = () => 0 }: Keeping,
  { calls, isFresh, keys }: QuotaAnswers,
): boolean {
  const isOwn = ({ isAttempt, role }: QuotaCall): boolean => isAttempt && keys.includes(role);
  const spent = calls.flatMap((call) => {
    const most = isOwn(call) ? (call.outcome === 'admitted' || call.outcome === 'unclear' ? costs : 0) : 0;
    const other = isOwn(call) && most > 0 ? 0 : units(call);
    if (most + other === 0) return [];
    return [
      { call, least: call.outcome === 'unclear' ? Math.min(0, other) : most + other, most: most + other },
    ];
  });
  const inOrder = spent.toSorted((a, b) => a.call.answeredNs - b.call.answeredNs);
  /** The units spent after some of the calls; what is given back was spent before. */
  const level = (amountOf: (each: (typeof spent)[number]) => number): number =>
    inOrder.reduce((sum, each) => Math.max(0, sum + amountOf(each)), 0);
  return calls.filter(isOwn).every((call) => {
    const { answeredNs, outcome, sentNs } = call;
    if (outcome === 'admitted') {
      // Spent for certain when it was decided: what was answered before it was sent, and lasts beyond its answer.
      const sure = level(({ call: other, least }) => {
        if (least < 0) return other.sentNs < answeredNs ? least : 0;
        const isBefore = other.answeredNs < sentNs - (lateNs ?? 0);
        return isBefore && other.sentNs + lastsNs > answeredNs ? least : 0;
      });
      if (sure + costs > quota) return false;
      if (lateNs !== undefined) return true;
      // And one of those that were answered by then was the last of them.
      const by = level(({ call: other, least }) => {
        if (least < 0) return other.sentNs < answeredNs ? least : 0;
        return isOwn(other) && other.answeredNs <= answeredNs && other.sentNs + lastsNs > answeredNs
          ? least
          : 0;
      });
      return by <= quota;
    }
    if (outcome !== 'refused' || !isFresh) return true;
    const most = level((each) => {
      const { call: other } = each;
      if (each.most < 0) return other.answeredNs < sentNs ? each.most : 0;
      return other.sentNs < answeredNs && other.answeredNs + lastsNs > sentNs ? each.most : 0;
    });
    return most + costs > quota;
  });
}

/** The price of what fits any number of sessions. */
const dearest = 6;
/** Durations that are tried, each half a percent longer than the one before; for more answers few or none. */
const [fineStep, coarseStep] = [1.005, 2];
const mostTimed = 200;

function durationsWithin(shortest: number, longest: number, step: number): number[] {
  const count = Math.max(0, Math.ceil(Math.log(longest / shortest) / Math.log(step)));
  return Array.from({ length: count + 1 }, (_, n) => shortest * step ** n);
}

function rowsOf({ calls, keys, quota }: QuotaAnswers): QuotaRow[] {
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
      ({ isAttempt, outcome, role }) => !isAttempt || (outcome === 'other' && keys.includes(role)),
    ),
    ({ what }) => what,
  );
  const spentBy: QuotaRow[] = [
    ...[...kinds].flatMap(([what, some]) =>
      ([1, -1] as const).map(
        (units): QuotaRow => ({
          // Just as many as there were requests of one kind.
          price: units > 0 ? 4 : 3,
          keepings: [{ quota, units: (call) => (call.what === what ? units : 0) }],
          suspect: () =>
            fits(
              units > 0 ? 'quota-counts-other-requests' : 'quota-given-back',
              { requests: [what] },
              seqsOf(some).slice(0, 2),
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
  if (over <= 0) return [differs, ...spentBy];
  const inTurn = admitted.filter(
    (call) => admitted.filter(({ answeredNs }) => answeredNs < call.sentNs).length >= quota,
  );
  const [{ sentNs: firstNs } = { sentNs: 0 }] = own;
  const longestNs = Math.max(1e6, (own.at(-1)?.sentNs ?? 0) - firstNs);
  const isLong = own.length > mostTimed;
  // A race exceeds a quota by any number: just as many as were spent before it have come back.
  const atOnce = Math.max(
    ...[...Map.groupBy(admitted, ({ atNs }) => atNs).values()].map((some) => some.length),
  );
  return [
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
