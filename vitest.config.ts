import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { isLong } from './test/effort.ts';

/** Files that start programs, or look at their own process: each in a process of its own. */
const alone = [
  'test/{e2e,machines,limits/foreign}/**/*.test.ts',
  'test/service/serve.test.ts',
  'test/report/{page,reading}.test.ts',
  'test/drive/load-here.test.ts',
];

export default defineConfig({
  resolve: { conditions: ['tryon-source'] },
  ssr: { resolve: { conditions: ['tryon-source'], externalConditions: ['tryon-source'] } },
  test: {
    projects: [
      {
        extends: true,
        test: { name: 'alone', include: alone, isolate: true },
      },
      {
        extends: true,
        // Modules are loaded once for many files: those have no state that another file could see.
        test: { name: 'together', include: ['test/**/*.test.ts'], exclude: alone, isolate: false },
      },
    ],
    // For what hangs alone: how long a test takes is the machine's business, and no verdict on the code.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 60_000 } },
    // What programs print belongs to the tests that fail.
    silent: 'passed-only',
    pool: 'forks',
    // Half of the time is spent in waiting, for windows to pass and runs to end. More workers make the runs late: studies of limiters
    // then have only guesses of when their requests arrived. The repetition of `test:long` keeps the machine busy by itself.
    maxWorkers: (isLong ? 1 : 2) * availableParallelism(),
    maxConcurrency: isLong ? 3 : 5,
  },
});
