import { createVitest, type TestModule, type TestSuite } from 'vitest/node';

/** Suites without any test, which Vitest fails when it runs them. Skipped tests are tests. */
function emptyIn(parent: TestModule | TestSuite): string[] {
  if (parent.children.size === 0) return [parent.type === 'module' ? parent.moduleId : parent.fullName];
  return [...parent.children.suites()].flatMap(emptyIn);
}

// Collects the tests of all files, or of those named, without running them: `.ci/run` does that without optional programs.
const vitest = await createVitest('test', { watch: false });
const { testModules, unhandledErrors } = await vitest.collect(process.argv.slice(2), { staticParse: false });
await vitest.close();
const faults = [
  ...testModules.flatMap((module) => module.errors().map(({ message }) => `${module.moduleId}: ${message}`)),
  ...unhandledErrors.map(String),
  ...testModules.flatMap((module) => emptyIn(module).map((name) => `no test: ${name}`)),
];
console.log(
  ['', ...faults, `${testModules.length} test files collected, ${faults.length} faults`].join('\n'),
);
process.exitCode = faults.length === 0 && testModules.length > 0 ? 0 : 1;
