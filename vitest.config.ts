import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { conditions: ['tryon-source'] },
  ssr: { resolve: { conditions: ['tryon-source'], externalConditions: ['tryon-source'] } },
  test: {
    include: ['test/**/*.test.ts'],
    // For what hangs alone: how long a test takes is the machine's business, and no verdict on the code.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // What programs print belongs to the tests that fail.
    silent: 'passed-only',
    pool: 'forks',
    // Most of the time is spent in waiting, for windows to pass and runs to end.
    maxWorkers: Math.ceil(1.5 * availableParallelism()),
  },
});
