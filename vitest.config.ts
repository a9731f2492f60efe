import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { conditions: ['tryon-source'] },
  ssr: { resolve: { conditions: ['tryon-source'], externalConditions: ['tryon-source'] } },
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    pool: 'forks',
    // Most of the time is spent in waiting, for windows to pass and runs to end.
    maxWorkers: Math.ceil(1.5 * availableParallelism()),
  },
});
