import { globSync } from 'node:fs';
import { defineConfig } from 'rolldown';
import manifest from '../package.json' with { type: 'json' };

/** Files that the program starts or loads by their names (`src/program-files.ts`), besides the scenarios. */
const loadedByName = [
  'src/cli.ts',
  'src/index.ts',
  'src/drive/clock/alarm-worker.ts',
  'src/drive/load/shard-worker.ts',
  'src/drive/study/limits/inference-worker.ts',
  'src/history/digest-worker.ts',
  'src/drive/observe/export-worker.ts',
];

const entries = [...loadedByName, ...globSync(['scenarios/*.ts', 'src/commands/selftest/scenarios/*.ts'])];

/** What is installed, always or where a command needs it; and a scenario's `tryon` is the program that runs it. */
const names = [...Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }), 'tryon'];
const installed = new RegExp(`^(${names.join('|')})(/|$)`);

/** Bundles `src/` for the npm package. Each file that is loaded by its name keeps its place. */
export default defineConfig({
  input: Object.fromEntries(entries.map((file) => [file.replace(/\.ts$/, ''), file])),
  platform: 'node',
  external: [/^node:/, installed],
  // The oldest that `engines` permits.
  transform: { target: 'node22.18' },
  output: {
    dir: 'dist',
    cleanDir: true,
    entryFileNames: '[name].js',
    // `program-files.ts` finds the files from where it is: it has to stay in `dist/src/`.
    chunkFileNames: 'src/[name].js',
    codeSplitting: {
      groups: [
        // What nearly everything imports, and what is loaded at every start: nothing here may import a large dependency.
        {
          name: 'base',
          test: /src\/(amounts|exit|program-files|random|scenario\/shipped|vocabulary\/(closest|quantities)|commands\/shell)\.ts$/,
        },
        // Not with what describes it, which imports far more.
        { name: 'service', test: /src\/service\/[\w-]+\.ts$/ },
        // Of drive/observe/, not what imports the SDK: only the exporting thread is to load that.
        {
          name: 'target',
          test: /src\/(target\/(?!openapi)|limits\/sent\/|plan\/|drive\/observe\/(?!export-worker|metrics))/,
        },
        { name: 'options', test: /src\/(commands\/(options?|command-line|commands)|report\/text)\.ts$/ },
        { name: 'language', test: /src\/scenario\/(?!files|from-har|catalog)/ },
        { name: 'history', test: /src\/history\/(?!digest-worker)/ },
        // Before what drives a run, of which a reader of a history is to load nothing.
        {
          name: 'checks',
          test: /src\/(checks(?!.*\/openapi-)|limits)\//,
        },
        { name: 'report', test: /src\/report\// },
        {
          name: 'openapi',
          test: /src\/(target\/openapi|commands\/(run\/open-description|serve\/serve-openapi))/,
        },
        {
          name: 'run',
          test: /src\/(drive\/gather\/(?!s3-)|scenario\/catalog\/|commands\/(run\/(?!run-against|run-scenario|simulate|conclude)|first-steps\/look))/,
        },
      ],
    },
  },
});
