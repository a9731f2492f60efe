import { countUpTo } from '../../core/ascending.ts';
import type { Poll, SessionOpening } from './lags.ts';

/** More sessions than were opened, and fewer later. */
export interface PassingSurplus {
  readonly kind: 'passing-surplus';
  /** Of the largest surplus, and of the first later poll that showed fewer. */
  readonly seqs: readonly number[];
  readonly shown: number;
  readonly opened: number;
  readonly later: number;
}

/**
 * More sessions than had been opened, even if each that is newer than the bound shows twice, as where messages come twice and are
 * removed a moment later. And a later poll shows fewer, when all that were opened before the first are older than the bound: so no
 * other way to count explains both, and no replica that is behind.
 */
export function passingSurplus(
  openings: readonly SessionOpening[],
  polls: readonly Poll[],
  boundNs: number,
): PassingSurplus | undefined {
  const inOrder = polls.toSorted((a, b) => a.sentNs - b.sentNs);
  const byStart = openings.toSorted((a, b) => a.fromNs - b.fromNs);
  const starts = byStart.map(({ fromNs }) => fromNs);
  const ends = openings.map(({ toNs }) => toNs).toSorted((a, b) => a - b);
  const found = inOrder.flatMap((poll, place) => {
    const opened = countUpTo(starts, poll.answeredNs);
    const young = Math.max(0, opened - countUpTo(ends, poll.sentNs - boundNs));
    if (poll.sessions <= opened + young) return [];
    const lastNs = byStart
      .slice(0, opened)
      .reduce((last, { toNs }) => Math.max(last, toNs), poll.answeredNs - boundNs);
    const fewer = inOrder
      .slice(place + 1)
      .find(
        ({ sentNs, sessions }) =>
          sentNs > poll.answeredNs && sentNs >= lastNs + boundNs && sessions < poll.sessions,
      );
    return fewer === undefined ? [] : [{ poll, opened, fewer }];
  });
  const [most] = found.toSorted((a, b) => b.poll.sessions - b.opened - (a.poll.sessions - a.opened));
  if (most === undefined) return undefined;
  const { fewer, opened, poll } = most;
  return {
    kind: 'passing-surplus',
    seqs: [poll.seq, fewer.seq],
    shown: poll.sessions,
    opened,
    later: fewer.sessions,
  };
}
