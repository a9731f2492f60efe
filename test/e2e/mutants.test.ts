import { describe, expect, it } from 'vitest';
import { conductMutants, readResults } from '../../src/selftest/mutants/conduct.ts';
import { mutantsOf, serviceFiles } from '../../src/selftest/mutants/enumerate.ts';
import type { MutantRun } from '../../src/selftest/mutants/runs.ts';
import { Programs } from '../../src/selftest/program.ts';
import { isLong } from '../effort.ts';
import { patiently, scenario, temporaryFolder } from './program.ts';

const glance: MutantRun = {
  name: 'glance',
  profile: patiently,
  serve: [],
  arguments: (out, profile) => ['run', scenario('glance'), '--seed', '1', '--out', out, '--profile', profile],
};

describe('mutants of the reference service', () => {
  it.runIf(isLong)('are served in its place and found by a run that knows nothing of them', async () => {
    const files = await serviceFiles();
    const all = mutantsOf(files);
    const forbidden = all.find(
      ({ after, before }) => / 401,/.test(before) && after === before.replace('401', '402'),
    );
    // The run uses another limiter.
    const elsewhere = all.find(
      ({ name, operator }) => name.startsWith('tokenBucket.take') && operator === 'comparison',
    );
    const mutants = [forbidden, elsewhere].filter((each) => each !== undefined);
    expect(mutants).toHaveLength(2);

    const folder = temporaryFolder();
    const measured: string[] = [];
    const tried: string[] = [];
    const options = {
      programs: new Programs(),
      runs: [glance],
      folder,
      paths: files.map(({ path }) => path),
      jobs: 2,
      goesOn: () => true,
      onMeasured: (run: string) => measured.push(run),
      onTried: ({ id }: { id: string }) => tried.push(id),
    };
    await conductMutants(mutants, options);
    const results = await readResults(folder);
    expect(Object.fromEntries(results.map(({ id, outcome }) => [id, outcome]))).toMatchObject({
      [forbidden?.id ?? '']: {
        kind: 'killed',
        run: 'glance',
        checks: expect.arrayContaining(['contract.auth']),
      },
      [elsewhere?.id ?? '']: { kind: 'unreached' },
    });
    expect(measured).toEqual(['glance']);

    // What is there is not made again.
    await conductMutants(mutants, options);
    expect(tried).toHaveLength(2);
    expect(measured).toEqual(['glance']);
  });
});
