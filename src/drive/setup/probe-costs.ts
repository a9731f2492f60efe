import type { Scenario } from '../../scenario/define.ts';
import { mostEvents } from '../../target/channel.ts';
import type { Profile } from '../../target/profile.ts';
import { nearIds, nearKeys } from '../../vocabulary/probes.ts';
import type { Role } from '../../vocabulary/roles.ts';
import { cornerCosts, reachOf, requestsOf } from './corner-cost.ts';
import { crossedCostOf } from './crossed-probes.ts';
import { eventQuestions, eventSessions, lateQuestions } from './event-probes.ts';
import { importProbeCost } from './import-probes.ts';
import { malformedCost, malformedRows, malformedSessions } from './malformed-probes.ts';
import { type MostPages, mostPagesFor, mostPagesInSetup } from './page-budget.ts';
import { laterReadsMs, setupSessions } from './setup.ts';
import { updateCost } from './update-probes.ts';

/** What probes send at most. The load key sends them, but for those of another account. */
export interface ProbeCost {
  readonly isProbed: boolean;
  /** With the load key, during set-up and after the load. */
  readonly requests: number;
  /** Of these, after the load; and of those, for unusual values and malformed requests. */
  readonly afterLoad: number;
  readonly ofValues: number;
  readonly sessions: number;
  readonly imports: number;
  /** With a key of another account: reads of data that the load key made, and imports. */
  readonly byOthers: { readonly requests: number; readonly imports: number };
  /** Without a valid key: with no or an unknown key, and with one that resembles the load key. */
  readonly invalidKeys: { readonly unlike: number; readonly near: number };
  /** Pages of lists beyond the first one. */
  readonly mostPages: MostPages;
}

/** On each of the two keys, and what the load key lists then. */
const foreignImports = { imports: 1, lists: 1 } as const;
/** With the bystander's key: reads of data that the load key made, and an import into a catalog of the same id. */
export const tenancyQuestions = 3 + foreignImports.imports;
/**
 * Requests with no key, with none at another spelling of the path, and with one that was never issued: one of each on every
 * endpoint, one more on analytics of a product, an event, and two reads of a session that exists.
 */
const probesWithoutKey = 22;
/** Requests with a key that resembles one. A session's token is tried on one more endpoint. */
const nearKeyProbes = nearKeys.length + 1;
/** Looks for the interaction channel. */
const channelProbes = 2;
/** What is paced like set-up though no plan has it, whether a scenario probes or not. */
export const pacedProbes = probesWithoutKey + nearKeyProbes + channelProbes + tenancyQuestions;
/** Requests for one query of analytics: once after the load, and again when it has to be fresh. */
export const readsOfQuery = 2;
/**
 * Probes that import their own shades or send their own events, and the reads of their sessions and analytics
 * afterwards.
 */
const ownProbes =
  updateCost.imports +
  updateCost.lists +
  updateCost.waits +
  updateCost.sessions +
  updateCost.kept +
  importProbeCost.imports +
  importProbeCost.lists +
  laterReadsMs.length +
  // Opened, and read back.
  2 * importProbeCost.sessions +
  eventQuestions +
  eventSessions +
  readsOfQuery +
  foreignImports.imports +
  foreignImports.lists +
  nearIds.length;
/** Imports of the contract probes: the full batch, the one over the limit, and the small ones. */
const ownImports = 2 + importProbeCost.imports + updateCost.imports + foreignImports.imports;

/** The probes of a scenario. `imported`: the keys that may write. */
export function probeCost(scenario: Scenario, { channel }: Profile, imported: readonly Role[]): ProbeCost {
  const writes = imported.includes('load');
  const isProbed = scenario.probes && writes;
  const reach = isProbed ? reachOf(scenario) : undefined;
  const { all: corners, early, setUp } = cornerCosts(reach, mostEvents(channel));
  const malformed = malformedCost(malformedRows(reach, false));
  const furtherMalformed = malformedCost(malformedRows(reach, true));
  const crossed = crossedCostOf(isProbed ? scenario : undefined);
  const mostPages = mostPagesFor(reach);
  const ofValues =
    requestsOf(corners) -
    requestsOf(early) +
    furtherMalformed.requests +
    (reach === undefined ? 0 : mostPages.load - mostPagesInSetup);
  return {
    isProbed,
    requests:
      (isProbed ? ownProbes : 0) +
      malformed.requests +
      furtherMalformed.requests +
      requestsOf(corners) +
      crossed.requests,
    afterLoad:
      setUp.reads +
      setUp.products +
      (isProbed ? updateCost.kept + lateQuestions + readsOfQuery : 0) +
      ofValues +
      crossed.requests,
    ofValues,
    sessions: isProbed
      ? setupSessions.most + corners.sessions + malformedSessions(reach).all + crossed.sessions
      : writes
        ? setupSessions.least
        : 0,
    imports: isProbed
      ? ownImports + corners.imports + crossed.imports + malformed.imports + furtherMalformed.imports
      : 0,
    byOthers: isProbed
      ? { requests: tenancyQuestions, imports: foreignImports.imports }
      : { requests: 0, imports: 0 },
    invalidKeys: isProbed ? { unlike: probesWithoutKey, near: nearKeyProbes } : { unlike: 0, near: 0 },
    mostPages,
  };
}
