import { counted, verb } from '../../amounts.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { systemClock } from '../../drive/clock/clock.ts';
import { batchLimit } from '../../drive/setup/lists.ts';
import { targetError, usageError } from '../../exit.ts';
import { openTranslation } from '../../target/adapt/translation.ts';
import { importShades } from '../../target/calls.ts';
import { openQuestions, TargetClient } from '../../target/client.ts';
import type { Exchange } from '../../target/exchange.ts';
import { confirm } from '../run/announce.ts';
import { openForeign } from '../run/open-target.ts';
import type { TargetArguments } from '../target-options.ts';

/**
 * Imports a catalog into a target with its `load` key, in batches of 500; returns a text of the result. Throws a
 * usage error without a target, and a target error if a batch is not accepted.
 */
export async function importCatalog(
  catalog: Catalog,
  args: TargetArguments & { readonly yes: boolean },
  env: NodeJS.ProcessEnv,
): Promise<string> {
  const target = openForeign(args, env);
  const key = target.keys.load;
  if (key === undefined) throw usageError('--import: needs the key of role load');
  await confirm(target, args.yes);
  const client = new TargetClient(
    target.baseUrl,
    openQuestions(target.baseUrl, target.profile),
    systemClock().nowNs,
    await openTranslation(target.profile, target.baseUrl),
  );
  const shades = catalog.products.flatMap((product) => product.shades);
  try {
    for (let at = 0; at < shades.length; at += batchLimit) {
      const call = importShades({ catalog_id: catalog.id, shades: shades.slice(at, at + batchLimit) });
      const exchange = await new Promise<Exchange<undefined>>((resolve) => {
        client.send(call, `Bearer ${key.value}`, undefined, { done: resolve });
      });
      if (exchange.status === undefined || exchange.status >= 300) {
        const why = exchange.status ?? exchange.cause?.message ?? exchange.lost;
        throw targetError(
          `${target.baseUrl.host}: POST /shades was not accepted: ${why}; ${counted(at, 'shade')} ${verb(at, 'was', 'were')} imported before`,
        );
      }
    }
  } finally {
    await client.destroy();
  }
  return `Imported ${counted(shades.length, 'shade')} of ${counted(catalog.products.length, 'product')} into catalog ${catalog.id} at ${target.baseUrl.href}\n`;
}
