import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { isLong } from './test/effort.ts';

/** What looks at its own process. */
const alone = ['test/drive/load-here.test.ts'];

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
        test: {
          name: 'together',
          include: ['test/**/*.test.ts'],
          exclude: alone,
          isolate: false,
          setupFiles: ['test/setup.ts'],
        },
      },
    ],
    // For what hangs alone: how long a test takes is the machine's business, and no verdict on the code.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 300_000 } },
    // What programs print belongs to the tests that fail.
    silent: 'passed-only',
    pool: 'forks',
    // Half of the time is spent in waiting, for windows to pass and runs to end. More workers make the runs late: studies of limiters
    // then have only guesses of when their requests arrived. The repetition of `test:long` keeps the machine busy by itself.
    maxWorkers: (isLong ? 1 : 2) * availableParallelism(),
    maxConcurrency: isLong ? 3 : 5,
  },
});
