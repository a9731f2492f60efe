import type { Defect } from './defect.ts';
import { unknownSessionAnswered } from './sessions/n1-unknown-session-answered.ts';
import { unknownSkuAccepted } from './sessions/n2-unknown-sku-accepted.ts';
import { historyOutOfOrder } from './sessions/n3-history-out-of-order.ts';
import { repeatedSelectionsCollapsed } from './sessions/n5-repeated-selections-collapsed.ts';
import { retryCountedTwice } from './sessions/n6-retry-counted-twice.ts';
import { flappingReplica } from './sessions/n9-flapping-replica.ts';
import { concurrentInteractionsLost } from './sessions/n10-lost-update.ts';
import { timestampsNotUtc } from './sessions/n11-timestamps-not-utc.ts';
import { wrongShadeCount } from './sessions/n12-wrong-shade-count.ts';
import { expiredFromTheStart } from './sessions/n13-expired-from-the-start.ts';

export const sessionDefects: readonly Defect[] = [
  unknownSessionAnswered,
  unknownSkuAccepted,
  historyOutOfOrder,
  repeatedSelectionsCollapsed,
  retryCountedTwice,
  flappingReplica,
  concurrentInteractionsLost,
  timestampsNotUtc,
  wrongShadeCount,
  expiredFromTheStart,
];
