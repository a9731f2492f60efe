import type { Catalog } from '../../scenario/catalog/catalog.ts';
import * as calls from '../../target/calls.ts';
import type { Channel, Profile } from '../../target/profile.ts';
import { settlePhases } from '../../vocabulary/phases.ts';
import type { Role } from '../../vocabulary/roles.ts';
import type { Asker } from '../ask/ask.ts';
import type { SessionSample } from '../ask/sample.ts';
import { type DateFormat, type Days, dayQuery } from '../clock/days.ts';

/** What the requests after a rejection are made of. */
export interface AftermathOptions {
  readonly asker: Asker;
  readonly catalogs: Readonly<Record<Role, Catalog>>;
  readonly sample: SessionSample;
  readonly days: Days;
  readonly dateFormat: DateFormat;
  /** A product without any session. */
  readonly unsoldProductId: string;
  readonly profile: Pick<Profile, 'locales'>;
  /** Where an empty batch of events may go; undefined where there is no channel, or the profile says what a batch holds. */
  readonly channel: Channel | undefined;
  readonly onStep: (step: string, done: number, total: number) => void;
}

/**
 * An empty batch of events in a session from before the quota was spent. Like all events it is sent before analytics get their
 * time to be fresh.
 */
export async function noEvents({ asker, channel, sample }: AftermathOptions): Promise<void> {
  const sessionId = sample.first('quota');
  const [token] = sessionId === undefined ? [] : sample.secretsOf(sessionId);
  if (channel === undefined || sessionId === undefined || token === undefined) return;
  await asker.askOnChannel(channel, token, {
    call: calls.interact(channel, sessionId, { interactions: [] }),
    stage: 'settle',
    phase: settlePhases.quotaAftermath,
    credential: 'quota',
    probe: 'after-quota:interact',
    known: { secrets: [token] },
  });
}

/** Whether a session rejected with 429 left any trace. */
export async function refusedAftermath(options: AftermathOptions, productId: string): Promise<void> {
  const query = dayQuery(options.days.wide(), options.dateFormat, productId);
  await options.asker.ask({
    call: calls.analytics(query),
    stage: 'settle',
    phase: settlePhases.refusedAftermath,
    credential: 'load',
    probe: 'refused:analytics',
    keeps: true,
  });
}

/** Sessions that are asked for once the quota is spent. */
export const sessionsAfterQuota = 1;

/** A session on the key whose quota is spent, for another product and, where that is known, locale: neither has a separate quota. */
export async function oneMoreSession({
  asker,
  catalogs,
  profile,
  unsoldProductId,
}: AftermathOptions): Promise<void> {
  const body = {
    product_id: `${unsoldProductId}-before`,
    catalog_id: catalogs.quota.id,
    locale: profile.locales === undefined ? 'de-DE' : (profile.locales.at(-1) ?? catalogs.quota.locale),
  };
  await asker.ask({
    call: calls.createSession(body),
    stage: 'settle',
    phase: settlePhases.quotaAftermath,
    credential: 'quota',
    probe: 'after-quota:create-session',
  });
}

/** What a spent quota must leave alone: reads, an import, and the events of a session from before. */
export async function quotaAftermath(options: AftermathOptions): Promise<void> {
  options.onStep('reading with the key whose quota is spent', 0, 3);
  const { asker } = options;
  const catalog = options.catalogs.quota;
  const common = { stage: 'settle', phase: settlePhases.quotaAftermath, credential: 'quota' } as const;
  const sessionId = options.sample.first('quota');
  if (sessionId !== undefined) {
    await asker.ask({
      ...common,
      call: calls.readSession(sessionId),
      probe: 'after-quota:read-session',
      known: { secrets: options.sample.secretsOf(sessionId) },
    });
  }
  await asker.ask({
    ...common,
    call: calls.listShades(catalog.id),
    probe: 'after-quota:list-shades',
  });
  const productId = catalog.products[0]?.id ?? '';
  const query = dayQuery(options.days.wide(), options.dateFormat, productId);
  await asker.ask({
    ...common,
    call: calls.analytics(query),
    probe: 'after-quota:analytics',
    keeps: true,
  });
  // The same shade again changes nothing.
  await asker.ask({
    ...common,
    call: calls.importShades({
      catalog_id: catalog.id,
      shades: catalog.products[0]?.shades.slice(0, 1) ?? [],
    }),
    probe: 'after-quota:import-shades',
  });
}
