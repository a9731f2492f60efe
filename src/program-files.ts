import { readFileSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { extname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { usageError } from './exit.ts';

/** The ending of this program's files: `.ts` in a clone, `.js` in the package. */
export const extension = extname(import.meta.url);

/** The folder of the package: this file is in `src/` there, or in `dist/src/` when it is bundled. */
const root = new URL(extension === '.ts' ? '../' : '../../', import.meta.url);

/**
 * A file of this program that is started or loaded by its name, such as `drive/shard-worker`. `path` is its place below
 * `src/`, without the ending. `.ci/rolldown.config.ts` must list it: in the package, other modules are no files.
 */
export function programFile(path: string): URL {
  return new URL(`./${path}${extension}`, import.meta.url);
}

/** The folder of the scenarios that come with the program. */
export const shippedScenarios = new URL('../scenarios/', import.meta.url);

/** The file that starts a command line. */
export const launcher = new URL('src/launcher.js', root);

const packageFile = new URL('package.json', root);

/** The JSON Schema of a profile. */
export const profileSchemaFile = new URL('docs/profile.schema.json', root);

function readPackage(): {
  readonly version: string;
  readonly peerDependencies: Readonly<Record<string, string>>;
} {
  return JSON.parse(readFileSync(packageFile, 'utf8'));
}

/** The version of this program, of its package file. */
export function programVersion(): string {
  return readPackage().version;
}

/**
 * Throws a usage error with the line that installs them, where packages are missing that a plain install leaves out.
 * `what`: the command or the option that needs those of these names.
 */
export function assertInstalled(what: string, names: RegExp): void {
  const { resolve } = createRequire(import.meta.url);
  const missing = Object.entries(readPackage().peerDependencies).filter(([name]) => {
    try {
      return names.test(name) && resolve(name) === '';
    } catch (error) {
      return error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND';
    }
  });
  if (missing.length === 0) return;
  const line = missing.map((each) => each.join('@')).join(' ');
  throw usageError(`${what} needs more than is installed: npm install ${line}`);
}

/** URLs of the users' own files that were loaded. */
const userUrls = new Set<string>();

/**
 * Makes `import … from 'tryon'` in a user's file resolve to the running program, in any folder. It also makes such a file
 * a module where package.json says `"type": "commonjs"`, as `npm init` writes it.
 */
function hookModules(): void {
  const index = programFile('index').href;
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'tryon' ? { url: index, shortCircuit: true } : next(specifier, context),
    load: (url, context, next) =>
      userUrls.has(url)
        ? next(url, { ...context, format: url.endsWith('ts') ? 'module-typescript' : 'module' })
        : next(url, context),
  });
}

/** The default export of a user's file, such as a scenario; undefined if it has none. */
export async function importDefault(file: string): Promise<unknown> {
  if (userUrls.size === 0) hookModules();
  const { href } = pathToFileURL(file);
  userUrls.add(href);
  const module: unknown = await import(href);
  return typeof module === 'object' && module !== null && 'default' in module ? module.default : undefined;
}
