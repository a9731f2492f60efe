import type { Catalog } from '../catalog/catalog.ts';
import { settlePhases } from '../history/phases.ts';
import * as calls from '../target/calls.ts';
import type { Role } from '../target/profile.ts';
import type { Asker } from './ask.ts';
import type { Clock } from './clock.ts';
import { type DateFormat, type Days, dayQuery } from './days.ts';
import type { SessionSample } from './sample.ts';

export interface SettleOptions {
  readonly asker: Asker;
  readonly clock: Clock;
  readonly catalogs: Readonly<Record<Role, Catalog>>;
  readonly sample: SessionSample;
  readonly days: Days;
  readonly dateFormat: DateFormat;
  readonly freshnessMs: number;
  /** Whether the load tried to spend the quota, on a key of its own. */
  readonly quotaTried: boolean;
  readonly analytics: boolean;
  readonly onStep: (step: string, done: number, total: number) => void;
}

/** So many of the judged queries are asked twice. */
export const rereads = 3;

/** Long ago: nothing of the run can be in it. */
const emptyPeriod = { from: '2001-01-01', to: '2001-01-02' };

/** Everything after the load: sessions read back, what the refused quota left behind, analytics asked and asked again. */
export async function settle(options: SettleOptions): Promise<void> {
  const lastActNs = options.clock.nowNs();
  await readBack(options);
  if (options.analytics) await analyticsRound(options, settlePhases.analyticsEarly);
  if (options.analytics || options.quotaTried) {
    options.onStep('waiting until analytics have to be fresh', 0, 1);
    await options.asker.until(lastActNs + options.freshnessMs * 1e6);
  }
  if (options.quotaTried) await quotaAftermath(options);
  if (options.analytics) await analyticsRound(options, settlePhases.analytics);
}

async function quotaAftermath(options: SettleOptions): Promise<void> {
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
      known: { sessionId, secrets: options.sample.secretsOf(sessionId) },
    });
  }
  await asker.ask({
    ...common,
    call: calls.listShades(catalog.id),
    probe: 'after-quota:list-shades',
    known: { catalogId: catalog.id },
  });
  const productId = catalog.products[0]?.id ?? '';
  const query = dayQuery(options.days.wide(), options.dateFormat, productId);
  await asker.ask({
    ...common,
    call: calls.analytics(query),
    probe: 'after-quota:analytics',
    known: { productId, keepAnswer: { ...query } },
  });
}

async function readBack(options: SettleOptions): Promise<void> {
  const ids = options.sample.toRead('load');
  for (const [index, sessionId] of ids.entries()) {
    options.onStep('reading sessions back', index, ids.length);
    await options.asker.ask({
      call: calls.readSession(sessionId),
      stage: 'settle',
      phase: settlePhases.readBack,
      credential: 'load',
      known: {
        sessionId,
        keepAnswer: { session_id: sessionId },
        secrets: options.sample.secretsOf(sessionId),
      },
    });
  }
}

/** Asks every query once: each product and all of them over the run's days, and periods that hold more and nothing. */
async function analyticsRound(options: SettleOptions, phase: string): Promise<void> {
  const { days, dateFormat } = options;
  const products = options.catalogs.load.products.map((product) => product.id);
  const [first] = products;
  const queries = [
    dayQuery(days.exact(), dateFormat),
    ...products.map((id) => dayQuery(days.exact(), dateFormat, id)),
    dayQuery(days.wide(), dateFormat),
    ...(first === undefined
      ? []
      : [dayQuery(days.wide(), dateFormat, first), dayQuery(emptyPeriod, dateFormat, first)]),
  ];
  // The same question again, with nothing in between: whether answers hold still can be seen in the judged round itself.
  if (phase === settlePhases.analytics) queries.push(...queries.slice(0, rereads));
  for (const [index, query] of queries.entries()) {
    options.onStep('asking for analytics', index, queries.length);
    await options.asker.ask({
      call: calls.analytics(query),
      stage: 'settle',
      phase,
      credential: 'load',
      ...(query.start_date.startsWith(emptyPeriod.from) ? { probe: 'empty-period' as const } : {}),
      known: {
        keepAnswer: { ...query },
        ...(query.product_id === undefined ? {} : { productId: query.product_id }),
      },
    });
  }
}
