import { readFileSync } from 'node:fs';
import module from 'node:module';

/*
 * Loaded by `--import` into the programs of a run. It changes only the one that serves: there, a file of the reference
 * service is replaced by its mutant while it is loaded. The harness runs as it is.
 */

/** Names the file that says what to change, a `Planted` as JSON. */
const variable = 'TRYON_PLANTED';
const file = process.env[variable];
if (file !== undefined && process.argv[2] === 'serve') {
  const planted: { url?: string; text?: string; serve: readonly string[] } = JSON.parse(
    readFileSync(file, 'utf8'),
  );
  process.argv.push(...planted.serve);
  module.registerHooks({
    load: (url, context, nextLoad) => {
      const loaded = nextLoad(url, context);
      return url === planted.url && planted.text !== undefined ? { ...loaded, source: planted.text } : loaded;
    },
  });
}
