import { randomUUID } from 'node:crypto';
import * as calls from '../../target/calls.ts';
import type { TargetClient } from '../../target/client.ts';
import type { Channel } from '../../target/profile.ts';
import { heldConnections, newConnections } from '../../vocabulary/crossed.ts';
import { settlePhases } from '../../vocabulary/phases.ts';
import type { Probe } from '../../vocabulary/probes.ts';
import type { SessionGrant } from '../../wire.ts';
import { epochMs } from '../clock/clock.ts';
import type { SetupOptions } from './setup-options.ts';

const { connections, everyMs, reads } = heldConnections;

/** The most that these probes send on the load key: an event, and a read of it at once, are among them. */
export const connectionCost = 2 * newConnections + 2 + connections * reads;

/**
 * Reads a session twice on each of several connections, each opened for it. Then an event happens, and the session is read on
 * some of these again: a connection may show what it showed before.
 */
export async function probeConnections(
  options: SetupOptions,
  grant: SessionGrant,
  channel: Channel | undefined,
): Promise<void> {
  const { asker, clock, openConnection, profile } = options;
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
