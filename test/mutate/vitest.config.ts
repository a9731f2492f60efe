import { defineConfig } from 'vitest/config';

/** Folders and files of tests that need no program and no network. */
const tests = process.env.TRYON_MUTATE?.split(',') ?? [
  'test/capacity',
  'test/limits',
  'test/checks/judge.test.ts',
  'test/checks/verdicts.test.ts',
  'test/checks/analytics',
  'test/checks/diagnosis/diagnose.test.ts',
];

/** The tests of what `npm run mutate` changes. `TRYON_MUTATE` names others, separated by commas. */
export default defineConfig({
  test: {
    include: tests.map((name) => (name.endsWith('.ts') ? name : `${name}/**/*.test.ts`)),
    // These start programs, which a copy of the sources does not have.
    exclude: ['test/limits/foreign/**'],
    testTimeout: 60_000,
    silent: true,
  },
});
