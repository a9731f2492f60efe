import * as calls from '../../target/calls.ts';
import { isChannelOpen } from '../../target/profile.ts';
import { settlePhases } from '../../vocabulary/phases.ts';
import { type Days, dayQuery } from '../clock/days.ts';
import type { RunUnderWay } from '../load/load.ts';
import type { Discovered } from '../setup/setup.ts';

type UsedToSettle =
  | ('asker' | 'asksAnalytics' | 'catalogs' | 'channel' | 'clock' | 'dateFormat' | 'freshness')
  | (
      | 'keys'
      | 'load'
      | 'profile'
      | 'progress'
      | 'quotaTried'
      | 'roles'
      | 'sample'
      | 'scenario'
      | 'statistics'
      | 'tag'
    );

/** What settling uses of a run. */
export type SettleRun = Pick<RunUnderWay & Discovered, UsedToSettle> & { readonly days: Days };

/** A product without any session. A filter that compares only the start of an id takes this one for the first product's. */
export function unsoldProduct({ catalogs, tag }: Pick<SettleRun, 'catalogs' | 'tag'>): string {
  return catalogs.load.products[0]?.id.slice(0, -1) ?? `tryon-${tag}-unknown`;
}

/**
 * An empty batch of events in a session from before the quota was spent. Like all events it is sent before analytics get their
 * time to be fresh.
 */
export async function noEvents({ asker, channel, profile, sample }: SettleRun): Promise<void> {
  const sessionId = sample.first('quota');
  const [token] = sessionId === undefined ? [] : sample.secretsOf(sessionId);
  // Where the profile names the channel, it says what a batch holds.
  const isOpen = isChannelOpen(profile.channel);
  if (!isOpen || channel === undefined || sessionId === undefined || token === undefined) return;
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
export async function refusedAftermath(options: SettleRun, productId: string): Promise<void> {
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
export async function oneMoreSession(run: SettleRun): Promise<void> {
  const { asker, catalogs, profile } = run;
  const body = {
    product_id: `${unsoldProduct(run)}-before`,
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
export async function quotaAftermath(options: SettleRun): Promise<void> {
  const step = 'reading with the key whose quota is spent';
  options.progress.activity = { kind: 'settle', step, done: 0, total: 3 };
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
