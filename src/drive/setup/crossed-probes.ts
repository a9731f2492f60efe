import { randomUUID } from 'node:crypto';
import type { Scenario } from '../../scenario/define.ts';
import * as calls from '../../target/calls.ts';
import type { TargetClient } from '../../target/client.ts';
import {
  allSlower,
  type CrossedEndpoint,
  type CrossedPair,
  crossedEndpoints,
  crossedLeadMs,
  crossedPairs,
  crossedTrials,
  heldConnections,
  newConnections,
} from '../../vocabulary/crossed.ts';
import { settlePhases } from '../../vocabulary/phases.ts';
import type { Probe } from '../../vocabulary/probes.ts';
import type { SessionGrant } from '../../wire.ts';
import type { Question, Reply } from '../ask/ask.ts';
import { epochMs } from '../clock/clock.ts';
import { dayQuery } from '../clock/days.ts';
import { probeShades, type SetupRun } from './lists.ts';
import type { Discovered } from './setup.ts';

/** What the probes use of a run. */
type CrossedRun = Pick<
  SetupRun & Discovered,
  | ('asker' | 'catalogs' | 'channel' | 'clock' | 'dateFormat' | 'days')
  | ('openConnection' | 'profile' | 'seed' | 'tag')
>;

const nothing = { requests: 0, imports: 0, sessions: 0 } as const;

/** The most that these probes send on the load key, if the scenario has them. */
export function crossedCostOf({ checks, crossed, probes }: Pick<Scenario, 'checks' | 'crossed' | 'probes'>): {
  readonly [What in keyof typeof nothing]: number;
} {
  const isCrossed = probes && crossed && checks.includes('contract') && checks.includes('latency');
  return isCrossed ? crossedCost : nothing;
}

const { again, alone, repeated } = crossedTrials;
/** In how many pairs an endpoint is. */
const pairsOfEach = 2 * (crossedEndpoints.length - 1);
/** Requests that open the connections for it. */
const opening = 2;
/** The most for one endpoint. */
const mostOfEach = opening + alone + pairsOfEach + again * (1 + repeated);

const { connections, everyMs, reads } = heldConnections;

/** The most that these probes send on the load key: an event, and a read of it at once, are among them. */
const connectionCost = 2 * newConnections + 2 + connections * reads;

/** A service without such waits gets half of it. */
const crossedCost = {
  requests:
    opening +
    alone * crossedEndpoints.length +
    2 * crossedPairs.length +
    again * 3 * repeated +
    connectionCost,
  imports: mostOfEach,
  sessions: mostOfEach,
} as const;

/** Service times by endpoint and by the one that works meanwhile, in milliseconds. */
class Times {
  readonly #times = new Map<string, number[]>();

  note(endpoint: CrossedEndpoint, meanwhile: CrossedEndpoint | 'alone', { exchange }: Reply): void {
    const { answeredNs, sentNs, status = 0 } = exchange;
    if (sentNs === undefined || answeredNs === undefined || status < 200 || status > 299) return;
    this.#times.set(`${endpoint} ${meanwhile}`, [
      ...this.#of(endpoint, meanwhile),
      (answeredNs - sentNs) / 1e6,
    ]);
  }

  /** Whether one waited for the other each time so far. */
  isSlow([working, waiting]: CrossedPair): boolean {
    return allSlower(this.#of(waiting, working), this.#of(waiting, 'alone'));
  }

  #of(endpoint: CrossedEndpoint, meanwhile: CrossedEndpoint | 'alone'): readonly number[] {
    return this.#times.get(`${endpoint} ${meanwhile}`) ?? [];
  }
}

/**
 * Sends a request to each endpoint alone, and while each other one works. Pairs in which one waited each time are repeated,
 * since chance makes single requests slow. Then new connections, one after the other.
 */
export async function probeCrossed(options: CrossedRun): Promise<void> {
  // One for the endpoint that works and one for all that is timed: a new connection may be slow for another reason.
  const [works, timed] = [options.openConnection(), options.openConnection()];
  try {
    const session = await crossEndpoints(options, works, timed);
    if (session !== undefined) await probeConnections(options, session);
  } finally {
    await Promise.all([works.destroy(), timed.destroy()]);
  }
}

async function crossEndpoints(
  options: CrossedRun,
  works: TargetClient,
  timed: TargetClient,
): Promise<SessionGrant | undefined> {
  const { asker } = options;
  const callOf = callsOf(options);
  const times = new Times();
  const question = (call: calls.Call, probe: Probe, client: TargetClient): Question => ({
    ...{ call, probe, client, stage: 'settle', phase: settlePhases.crossed, credential: 'load' },
    known: { secrets: session === undefined ? [] : [session.token] },
  });
  let session: SessionGrant | undefined;
  // The first request of each connection is not timed.
  for (const client of [works, timed]) {
    const { reading } = await asker.ask(question(callOf('create-session'), 'crossed:working', client));
    session = reading.grant;
    // Rejected for its quota, say: there is none to read.
    if (session === undefined) return undefined;
  }
  const askAlone = async (endpoint: CrossedEndpoint): Promise<void> => {
    const reply = await asker.ask(question(callOf(endpoint, session), 'crossed:alone', timed));
    times.note(endpoint, 'alone', reply);
  };
  const askBoth = async ([working, waiting]: CrossedPair): Promise<void> => {
    const [, reply] = await asker.askAtOnce([
      { ...question(callOf(working, session), 'crossed:working', works), isOnce: true },
      {
        ...question(callOf(waiting, session), `crossed:${working}`, timed),
        isOnce: true,
        afterNs: crossedLeadMs * 1e6,
      },
    ]);
    if (reply !== undefined) times.note(waiting, working, reply);
  };
  for (let n = 0; n < alone; n++) for (const endpoint of crossedEndpoints) await askAlone(endpoint);
  for (const each of crossedPairs) await askBoth(each);
  for (let n = 0; n < again; n++) {
    const pairs = crossedPairs.filter((each) => times.isSlow(each)).slice(0, repeated);
    for (const endpoint of new Set(pairs.map(([, waiting]) => waiting))) await askAlone(endpoint);
    for (const each of pairs) await askBoth(each);
  }
  return session;
}

/** Requests that leave nothing behind but sessions: the import is the same each time. */
function callsOf({
  catalogs,
  dateFormat,
  days,
  profile,
  seed,
  tag,
}: CrossedRun): (endpoint: CrossedEndpoint, session?: SessionGrant) => calls.Call {
  const { id, locale, products } = catalogs.load;
  const productId = products[0]?.id ?? '';
  const shades = probeShades({ profile, seed, tag }, 'X', 1);
  return (endpoint, session) => {
    switch (endpoint) {
      case 'create-session':
        return calls.createSession({ product_id: productId, catalog_id: id, locale });
      case 'read-session':
        return calls.readSession(session?.session_id ?? '');
      case 'list-shades':
        return calls.listShades(id);
      case 'import-shades':
        return calls.importShades({ catalog_id: `tryon-${tag}-crossed`, shades });
      case 'analytics':
        return calls.analytics(dayQuery(days.exact(), dateFormat, productId));
    }
  };
}

/**
 * Reads a session twice on each of several connections, each opened for it. Then an event happens, and the session is read on
 * some of these again: a connection may show what it showed before.
 */
async function probeConnections(options: CrossedRun, grant: SessionGrant): Promise<void> {
  const { asker, channel, clock, openConnection, profile } = options;
  const opened: TargetClient[] = [];
  const open = (): TargetClient => {
    const client = openConnection();
    opened.push(client);
    return client;
  };
  const read = (client: TargetClient, probe: Probe): Promise<unknown> =>
    asker.ask({
      ...{ call: calls.readSession(grant.session_id), stage: 'settle', phase: settlePhases.connections },
      ...{ credential: 'load', probe, client, keeps: true },
      known: { secrets: [grant.token] },
    });
  try {
    for (let n = 0; n < newConnections; n++) {
      const client = open();
      for (const probe of ['connection:first', 'connection:next'] as const) await read(client, probe);
    }
    const held = opened.slice(-connections);
    const [sku] = options.catalogs.load.products.flatMap(({ shades }) => shades.map((each) => each.sku));
    const lateMs = profile.analytics.freshness;
    if (channel === undefined || sku === undefined || lateMs > everyMs * reads) return;
    const at = new Date(epochMs(clock, clock.nowNs())).toISOString();
    const interactions = [{ id: randomUUID(), type: 'shade_selected', sku, at } as const];
    await asker.askOnChannel(channel, grant.token, {
      call: calls.interact(channel, grant.session_id, { interactions }),
      ...{ stage: 'settle', phase: settlePhases.connections, credential: 'load', probe: 'connection:acts' },
      known: { secrets: [grant.token] },
    });
    await read(open(), 'connection:again');
    const lastNs = clock.nowNs() + lateMs * 1e6;
    // Often enough that a connection is not closed for resting. The last reads are those that count.
    for (let isLast = false; !isLast; ) {
      isLast = clock.nowNs() + everyMs * 1e6 >= lastNs;
      await asker.until(isLast ? lastNs : clock.nowNs() + everyMs * 1e6);
      for (const client of held) await read(client, 'connection:again');
    }
  } finally {
    await Promise.all(opened.map((client) => client.destroy()));
  }
}
