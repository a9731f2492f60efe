import { globSync } from 'node:fs';
import { defineConfig } from 'rolldown';
import manifest from './package.json' with { type: 'json' };

/** Files that the program starts or loads by their names (`src/program-files.ts`), besides the scenarios. */
const loadedByName = [
  'src/cli.ts',
  'src/index.ts',
  'src/drive/alarm-worker.ts',
  'src/drive/shard-worker.ts',
  'src/drive/study/inference-worker.ts',
  'src/history/digest-worker.ts',
  'src/observe/export-worker.ts',
];

const entries = [...loadedByName, ...globSync(['scenarios/*.ts', 'src/selftest/scenarios/*.ts'])];

/** What `npm install` brings along; and a scenario's `tryon` is the program that runs it. */
const installed = new RegExp(`^(${[...Object.keys(manifest.dependencies), 'tryon'].join('|')})(/|$)`);

/** Works only on the source: the package says so in its place. */
const onlyInClones = /\/selftest-mutants\.ts$/;

/** Bundles `src/` for the npm package. Each file that is loaded by its name keeps its place. */
export default defineConfig({
  input: Object.fromEntries(entries.map((file) => [file.replace(/\.ts$/, ''), file])),
  platform: 'node',
  external: [/^node:/, installed, onlyInClones],
  // The oldest that `engines` permits.
  transform: { target: 'node22.18' },
  output: {
    dir: 'dist',
    cleanDir: true,
    entryFileNames: '[name].js',
    // `program-files.ts` finds the files from where it is: it has to stay in `dist/src/`.
    chunkFileNames: 'src/[name].js',
    // What nearly everything imports; otherwise each would be a file.
    codeSplitting: {
      groups: [
        { name: 'base', test: /src\/(amounts|exit|program-files|random|history\/files|service\/clock)\.ts$/ },
        // Of observe/, not what imports the SDK: only the exporting thread is to load that.
        { name: 'target', test: /src\/(target|sent|plan|observe)\/(?!export-worker|producer)/ },
        { name: 'options', test: /src\/(commands\/((\w+-)?options|say)|report\/text)\.ts$/ },
        { name: 'report', test: /src\/report\// },
        { name: 'openapi', test: /src\/(openapi|commands\/(open-description|serve-openapi))/ },
        {
          name: 'run',
          test: /src\/(gather\/(?!s3-)|commands\/(announce|fleet-jobs|duration|fit-budget|join-shards|plan-run|prepare|run-folder|run-info|signals|watch|workers|environment|open-target|look)\b)/,
        },
        { name: 'history', test: /src\/(history|catalog)\/(?!digest-worker)/ },
        { name: 'language', test: /src\/(scenario\/(?!files)|shoppers\/settings|checks\/check-ids)/ },
      ],
    },
  },
});
