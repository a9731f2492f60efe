import type { Plan } from '../../plan/plan.ts';
import { type Channel, interactionsCount } from '../../target/profile.ts';
import type { RateLimit } from '../../vocabulary/quantities.ts';
import type { Asker } from '../ask/ask.ts';
import { type Governor, shareBeside } from '../ask/governor.ts';
import type { DriveOptions } from './load.ts';

/** The share of the limit that set-up and the beginning of a load may fill together: instants shift by a little on the way. */
const fullest = 0.99;

/**
 * The instants, ns since the start of the load, of the requests that spend the load key's limit in its first window. Undefined if
 * the plan alone goes beyond `most` there: it is meant to.
 */
export function firstWindow(
  plan: Pick<Plan, 'requests'>,
  channel: Channel | undefined,
  windowNs: number,
  most: number,
): readonly number[] | undefined {
  const actsSpend = interactionsCount(channel ?? 'none') === true;
  const instants: number[] = [];
  for (const { atNs, role, step } of plan.requests()) {
    if (atNs >= windowNs) break;
    if (role !== 'load' || (step.kind === 'interact' && !actsSpend)) continue;
    if (instants.length >= most) return undefined;
    instants.push(atNs);
  }
  return instants;
}

/**
 * The earliest instant at which a load may start, so that no window holds more of what was sent before and of the load together than
 * the limit takes. `sent`: in order, ns of the run. A window that begins with the i-th of them has room for some of the load; it
 * has to end before the one that is too many.
 */
export function startWithRoom(
  nowNs: number,
  sent: readonly number[],
  planned: readonly number[],
  { requests, windowMs }: RateLimit,
): number {
  const room = Math.floor(requests * fullest);
  return sent.reduce((startNs, atNs, place) => {
    const tooMany = planned[Math.max(0, room - (sent.length - place))];
    return tooMany === undefined ? startNs : Math.max(startNs, atNs + windowMs * 1e6 - tooMany);
  }, nowNs);
}

/** Waits where set-up and the beginning of a load would together go beyond the limit that the load alone keeps to. */
export async function waitForRoom(
  {
    clock,
    explorationBeside,
    plan,
    profile,
  }: Pick<DriveOptions, 'clock' | 'explorationBeside' | 'plan' | 'profile'>,
  { asker, governors }: { readonly asker: Asker; readonly governors: Readonly<Record<'load', Governor>> },
  channel: Channel | undefined,
  onWait: () => void,
): Promise<void> {
  const { rate_limit: limit } = profile;
  const windowNs = limit.windowMs * 1e6;
  const planned = firstWindow(plan, channel, windowNs, limit.requests);
  if (planned === undefined) return;
  const nowNs = clock.nowNs();
  const requests = limit.requests * (explorationBeside === undefined ? 1 : 1 - shareBeside);
  const sent = governors.load.spentSince(nowNs - windowNs);
  const startNs = startWithRoom(nowNs, sent, planned, { ...limit, requests });
  if (startNs <= nowNs) return;
  onWait();
  await asker.until(startNs);
}
