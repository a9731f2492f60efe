import { hash } from 'node:crypto';
import type { Shade } from '../wire.ts';
import type { Database } from './database.ts';
import { ServiceConfigurationError, type ServiceOptions } from './options.ts';
import type { Authenticator, Caller, Catalogs } from './parts.ts';

/**
 * Finds or makes the accounts of the configured keys, and tells callers by their keys. Keys are looked up by hash, so
 * neither a dump of memory nor the time that a comparison takes gives one away.
 */
export function keyAuthenticator(
  database: Database,
  { keys, plans }: Pick<ServiceOptions, 'keys' | 'plans'>,
): Authenticator {
  const addAccount = database.query('INSERT INTO accounts (name) VALUES (?) ON CONFLICT DO NOTHING');
  const findAccount = database.query<{ id: number }>('SELECT id FROM accounts WHERE name = ?');
  const planOfAccount = new Map<string, string>();
  const labels = new Set<string>();
  const callers = new Map<string, Caller>();

  for (const { label, secret, account, plan } of keys) {
    const sessionQuota = Object.hasOwn(plans, plan) ? plans[plan] : undefined;
    if (sessionQuota === undefined) {
      throw new ServiceConfigurationError(
        `key ${label} names pricing plan ${plan}; the pricing plans are ${Object.keys(plans).join(', ')}`,
      );
    }
    const otherPlan = planOfAccount.get(account) ?? plan;
    if (otherPlan !== plan) {
      throw new ServiceConfigurationError(
        `account ${account} cannot have two pricing plans, ${otherPlan} and ${plan} (key ${label})`,
      );
    }
    if (labels.has(label)) throw new ServiceConfigurationError(`two keys are called ${label}`);
    if (callers.has(hashOf(secret))) {
      throw new ServiceConfigurationError(`key ${label} has the same secret as another key`);
    }
    planOfAccount.set(account, plan);
    labels.add(label);
    addAccount.run(account);
    const row = findAccount.get(account);
    if (row === undefined) throw new Error(`account ${account} was not stored`);
    callers.set(hashOf(secret), { keyLabel: label, accountId: row.id, sessionQuota });
  }
  return { identify: (apiKey) => (apiKey === undefined ? undefined : callers.get(hashOf(apiKey))) };
}

/** Spends one session of the caller's quota, if one is left. To be called inside the transaction that stores the session. */
export type TakeSession = (caller: Caller) => boolean;

/** The lifetime quota of accounts: sessions created with any key since the account exists. */
export function sessionQuota(database: Database): TakeSession {
  const take = database.query(
    'UPDATE accounts SET sessions_created = sessions_created + 1 WHERE id = ? AND sessions_created < ?',
  );
  return (caller) => take.run(caller.accountId, caller.sessionQuota) === 1;
}

function hashOf(secret: string): string {
  return hash('sha256', secret, 'base64');
}

interface CatalogRow {
  readonly id: number;
  readonly shade_count: number;
}

/** Catalogs, each of one account. An import is one transaction: it is there whole or not at all. */
export function storedCatalogs(database: Database): Catalogs {
  const findCatalog = database.query<CatalogRow>(
    'SELECT id, shade_count FROM catalogs WHERE account = ? AND name = ?',
  );
  const addCatalog = database.query<CatalogRow>(
    'INSERT INTO catalogs (account, name) VALUES (?, ?) RETURNING id, shade_count',
  );
  const setShadeCount = database.query('UPDATE catalogs SET shade_count = ? WHERE id = ?');
  const updateShade = database.query('UPDATE shades SET body = ? WHERE catalog = ? AND sku = ?');
  const addShade = database.query('INSERT INTO shades (catalog, sku, position, body) VALUES (?, ?, ?, ?)');
  const listShades = database.query<{ body: string }>(
    'SELECT body FROM shades WHERE catalog = ? ORDER BY position',
  );

  return {
    importShades: (caller, batch) =>
      database.transaction(() => {
        const catalog =
          findCatalog.get(caller.accountId, batch.catalog_id) ??
          addCatalog.get(caller.accountId, batch.catalog_id);
        if (catalog === undefined) throw new Error('the catalog was not stored');
        const lastOfSku = new Map<string, Shade>(batch.shades.map((shade) => [shade.sku, shade]));
        let shadeCount = catalog.shade_count;
        for (const [sku, shade] of lastOfSku) {
          const body = JSON.stringify(shade);
          // Shades are never removed, so the count is also the next free position.
          if (updateShade.run(body, catalog.id, sku) === 0) addShade.run(catalog.id, sku, shadeCount++, body);
        }
        setShadeCount.run(shadeCount, catalog.id);
        const created = shadeCount - catalog.shade_count;
        return {
          catalog_id: batch.catalog_id,
          imported: lastOfSku.size,
          created,
          updated: lastOfSku.size - created,
          shade_count: shadeCount,
        };
      }),

    list(caller, catalogId) {
      const catalog = findCatalog.get(caller.accountId, catalogId);
      return catalog === undefined ? undefined : listShades.all(catalog.id).map(({ body }) => body);
    },
  };
}
