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

/** What `npm install` brings along; and a scenario's `tryon` is the program that runs it. */
const installed = new RegExp(`^(${[...Object.keys(manifest.dependencies), 'tryon'].join('|')})(/|$)`);

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
          test: /src\/(amounts|exit|program-files|random|history\/files|service\/(clock|limiters)|simulate\/limiter|scenario\/shipped|vocabulary\/(closest|quantities)|commands\/run\/(signals|environment))\.ts$/,
        },
        // Not with what describes it, which imports far more.
        { name: 'service', test: /src\/service\/[\w-]+\.ts$/ },
        // Of observe/, not what imports the SDK: only the exporting thread is to load that. Nor undici, which a reader needs not.
        { name: 'target', test: /src\/(target|sent|plan|observe)\/(?!export-worker|producer|undici-pool)/ },
        { name: 'options', test: /src\/(commands\/([\w-]+\/)?((\w+-)?options|say)|report\/text)\.ts$/ },
        { name: 'language', test: /src\/(scenario\/(?!files)|shoppers\/settings)/ },
        { name: 'history', test: /src\/history\/(?!digest-worker)/ },
        // Before what drives a run, of which a reader of a history is to load nothing.
        {
          name: 'checks',
          test: /src\/(checks(?!.*\/openapi-)|limits|corners|capacity)\//,
        },
        { name: 'report', test: /src\/report\// },
        { name: 'openapi', test: /src\/(openapi|commands\/(run\/open-description|serve\/serve-openapi))/ },
        {
          name: 'run',
          test: /src\/(gather\/(?!s3-)|target\/undici-pool|catalog\/|commands\/(run\/(announce|duration|fit-budget|join-shards|plan-run|prepare|run-folder|run-info|signals|watch|workers|environment|open-target|list-scenarios|write-profile)|first-steps\/look)\b)/,
        },
      ],
    },
  },
});
