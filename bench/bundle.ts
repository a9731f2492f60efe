import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';

const root = fileURLToPath(new URL('../', import.meta.url));
const scripts = ['autocannon', 'ours'] as const;

/** Puts the generators into one file each, without types, as the npm package has the program. Returns where one is. */
export async function bundledGenerators(): Promise<(script: (typeof scripts)[number]) => string> {
  // As deep in the clone as the package's files, which find its manifest from where they are.
  const dir = join(root, 'dist', 'bench');
  await build({
    input: Object.fromEntries(scripts.map((name) => [name, join(root, 'bench', 'generators', `${name}.ts`)])),
    platform: 'node',
    external: /^[^./]/,
    output: { dir },
    logLevel: 'silent',
  });
  return (script) => join(dir, `${script}.js`);
}
