import { clockSlackNs } from '../slack.ts';
import { countBelow } from '../sorted.ts';
import type { MayRefuse } from './kind.ts';
import { weight } from './weighed-windows.ts';

/** Phases tried for a rejection: a part of the window is a second for a minute. */
const phaseParts = 60;

/** If rejected requests count, and by the phase with the highest load. */
export const mayRefuseWeighed: MayRefuse =
  ({ trace, allCounts }, { requests, windowNs }) =>
  (i) => {
    const sentNs = trace.sentNs[i] as number;
    const before = allCounts.maybeBefore[i] as number;
    const slackNs = clockSlackNs(windowNs);
    for (let part = 0; part < phaseParts; part++) {
      const beginHi = sentNs - (part / phaseParts) * windowNs + slackNs;
      const beginLo = sentNs - ((part + 1) / phaseParts) * windowNs - slackNs;
      const earlier = countBelow(allCounts.mayAnsweredNs, beginLo);
      const previous = earlier - countBelow(allCounts.mayAnsweredNs, beginLo - windowNs - slackNs);
      // Each request is in one of the two windows: in this one, if it may be, where it has its whole weight.
      const load = before - earlier + weight(sentNs - beginHi, windowNs) * previous;
      if (load > requests - 1) return true;
    }
    return false;
  };
