import type { CallRequest } from '../model/call.ts';
import { mostEvents, type Profile, possibleChannels } from '../target/profile.ts';
import type { Role } from '../vocabulary/roles.ts';
import { type LateReads, planBesideLoad, planCalls, planLateReads } from './plan.ts';
import type { CallGroup, ExplorerKeys } from './sent.ts';

/** The keys that the explorer acts for, by their roles. */
export const explorerRoles = ['load', 'bystander'] as const satisfies readonly Role[];

/** Whose key the explorer uses during the load: the limit of the load key is measured then. */
const roleBesideLoad = 'bystander' satisfies Role;

/** Begins the ids of all that the explorer makes in a run. */
const exploredTag = (runId: string): string => `${runId}x`;
const besideLoadTag = (runId: string): string => `${runId}y`;

/** Calls that are ready to be sent, and what they cost. */
export interface Exploration {
  readonly groups: readonly CallGroup[];
  /** Sent after `groups`, once they have to be right, where they were late. */
  readonly late: LateReads;
  readonly cost: ExplorationCost;
}

/** Calls about what set-up made: a catalog and a session. */
const mostFormer = 4;

/** Draws the calls that are sent during the load; none where their key was not given. */
export function makeBesideLoad(
  { calls, seed, tag }: { readonly calls: number; readonly seed: number; readonly tag: string },
  profile: Pick<Profile, 'channel' | 'data_scope' | 'locales' | 'finishes'>,
  given: readonly Role[],
): Exploration | undefined {
  if (!given.includes(roleBesideLoad)) return undefined;
  const keys = keysFor(profile, [roleBesideLoad]);
  const groups = planBesideLoad({ calls, seed, tag: besideLoadTag(tag), epochMs: 0, keys });
  return { groups, late: { analytics: [], 'list-shades': [] }, cost: costOf(groups) };
}

/** What an exploration sends at most: the calls are drawn already, and a call whose session was not opened is not sent. */
export interface ExplorationCost {
  readonly requests: Readonly<Record<(typeof explorerRoles)[number], number>>;
  readonly sessions: Readonly<Record<(typeof explorerRoles)[number], number>>;
  readonly imports: Readonly<Record<(typeof explorerRoles)[number], number>>;
  /** Without a key or with an unknown one; and with one that resembles a key. */
  readonly unknownKey: number;
  readonly nearKey: number;
}

/**
 * Draws the calls of a run's exploration. `given`: the roles with keys. Their instants are milliseconds from its start, at
 * 20 ms a call; the driver puts real ones in their place.
 */
export function makeExploration(
  { calls, seed, tag }: { readonly calls: number; readonly seed: number; readonly tag: string },
  profile: Pick<Profile, 'channel' | 'data_scope' | 'locales' | 'finishes'>,
  given: readonly Role[],
): Exploration {
  const keys = keysFor(profile, given);
  const groups = planCalls({ calls, seed, tag: exploredTag(tag), epochMs: 0, keys });
  const late = planLateReads(exploredTag(tag), keys);
  const { requests, ...cost } = costOf([...groups, ...Object.values(late).flat()]);
  return { groups, late, cost: { ...cost, requests: { ...requests, load: requests.load + mostFormer } } };
}

function keysFor(
  {
    channel,
    data_scope,
    finishes,
    locales,
  }: Pick<Profile, 'channel' | 'data_scope' | 'locales' | 'finishes'>,
  given: readonly Role[],
): ExplorerKeys {
  const labels = explorerRoles.filter((role) => given.includes(role));
  const [first] = possibleChannels(channel);
  return {
    accounts: data_scope === 'shared' ? [labels] : labels.map((label) => [label]),
    channel: first === undefined ? 'none' : first.auth === 'api-key' ? 'key' : 'token',
    mostEvents: mostEvents(channel),
    locales,
    finishes,
    refusesMalformed: typeof channel !== 'string' && channel.malformed === 'refused',
  };
}

function costOf(groups: readonly CallGroup[]): ExplorationCost {
  const calls = groups.flat();
  const keyed = (role: Role, isCounted: (call: CallRequest) => boolean): number =>
    calls.filter((call) => call.by.kind === 'key' && call.by.key === role && isCounted(call)).length;
  const each = (isCounted: (call: CallRequest) => boolean): ExplorationCost['requests'] => ({
    load: keyed('load', isCounted),
    bystander: keyed('bystander', isCounted),
  });
  const ofTokens = calls.filter(({ by }) => 'of' in by).length;
  const requests = each(() => true);
  return {
    // A token's requests may spend the limit of the key that opened its session.
    requests: { ...requests, load: requests.load + ofTokens },
    sessions: each(({ form, op }) => op === 'create-session' && form === undefined),
    imports: each(({ op }) => op === 'import-shades'),
    unknownKey: calls.filter(({ by }) => by.kind === 'none' || (by.kind === 'near' && by.form === 'unknown'))
      .length,
    nearKey: calls.filter(({ by }) => by.kind === 'near' && by.form !== 'unknown').length,
  };
}
