import type { CannonOptions } from '../../src/drive/load/closed-loop.ts';
import { Addresses } from '../../src/target/http/connect.ts';

/** A closed loop of reads over one connection; how long, and how many at most, is its test's. */
export const plainLoop = (baseUrl: URL) =>
  ({
    baseUrl,
    keys: ['k'],
    catalogId: 'c',
    productId: 'p',
    locale: 'en-GB',
    timeoutMs: 5_000,
    addresses: new Addresses(baseUrl.hostname),
    tls: { rejectUnauthorized: true },
    isStopped: () => false,
    traffic: 'reads',
    connections: 1,
  }) as const satisfies Partial<CannonOptions>;
