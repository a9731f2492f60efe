import { expect } from 'vitest';
import type { Alterations } from '../../src/service/alterations.ts';
import { type AnalyticsConventions, defaultAnalyticsConventions } from '../../src/service/options.ts';
import type { SessionAnalytics } from '../../src/wire.ts';
import {
  cartIntent,
  type ServiceUnderTest,
  selected,
  serviceUnderTest,
  shade,
} from './service-under-test.ts';

/** In code-unit order the lipstick, a surrogate pair, comes before the full-width tilde; in UTF-8 order it does not. */
export const skus = ['A', 'B', 'C', 'a', '\u{1F484}', '\uFF5E'];

export interface Visit {
  readonly createdAt: string;
  readonly product?: string;
  readonly selects?: readonly string[];
  readonly cartIntents?: number;
}

export async function serviceAfter(
  visits: readonly Visit[],
  conventions: Partial<AnalyticsConventions> = {},
  alterations?: Alterations,
): Promise<ServiceUnderTest> {
  const service = serviceUnderTest(
    {
      analytics: { ...defaultAnalyticsConventions, ...conventions },
      rateLimit: { requests: 100_000, windowMs: 1_000 },
    },
    alterations,
  );
  await service.importShades(
    'spring',
    skus.map((sku) => shade(sku)),
  );
  for (const { createdAt, product = 'lipstick', selects = [], cartIntents = 0 } of visits) {
    service.clock.setWall(createdAt);
    const session = await service.openSession({ product_id: product });
    const acts = [
      ...selects.map((sku) => selected(sku)),
      ...Array.from({ length: cartIntents }, () => cartIntent()),
    ];
    await service.interact(session, acts);
  }
  return service;
}

export async function report(service: ServiceUnderTest, query: string): Promise<SessionAnalytics> {
  const answer = await service.call('GET', `/analytics/sessions?${query}`);
  expect(answer.status).toBe(200);
  return answer.json<SessionAnalytics>();
}

export const day = 'start_date=2026-03-10&end_date=2026-03-10';
