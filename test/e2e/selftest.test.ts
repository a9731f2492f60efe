import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SelftestResult } from '../../src/commands/selftest/outcome.ts';
import { rowsOf } from '../effort.ts';
import { start, temporaryFolder, tryon } from './program.ts';

/**
 * Defects with their causes: one of the shortest kind of run, and in `npm run test:long` of every grade that a minute
 * has room for. The whole takes a quarter of an hour.
 */
const planted = rowsOf(
  [
    ['A2', 'key-check-crashes'],
    ['N13', 'expiry-in-the-past'],
    ['R13', 'endpoint-not-limited'],
    ['Q7', 'quota-blocks-reads'],
    ['Y9', 'rate-as-percentage'],
  ],
  ([id]) => id === 'A2',
);
const subset = [...planted.flatMap(([id = '']) => ['--defect', id]), '--variant', 'shades-bare'];

describe.concurrent('tryon selftest', () => {
  it.each(
    rowsOf<[where: string, options: readonly string[]]>(
      [
        ['that the runs start', []],
        ['started apart', ['--foreign']],
      ],
      (_, place) => place === 1,
    ),
  )(
    'finds each planted defect in services %s, for the right reason, and nothing in a harmless variant',
    async (_, where) => {
      const out = join(temporaryFolder(), 'selftest');
      const { code, stderr } = await tryon(['selftest', ...subset, ...where, '--jobs', '3', '--out', out]);
      expect(code, stderr).toBe(0);
      const { tries } = JSON.parse(readFileSync(join(out, 'selftest.json'), 'utf8')) as SelftestResult;
      const found = tries.map(({ outcome, tried }) => [tried.id, outcome.cause ?? outcome.kind]);
      expect(found).toEqual([
        ...planted,
        ['shades-bare', expect.stringMatching(/^(no-alarm|inconclusive)$/)],
      ]);
      // Of what went as it should, nothing is left lying about.
      const unsure = tries.some(({ outcome }) => outcome.kind === 'inconclusive');
      expect(readdirSync(out).sort()).toEqual([...(unsure ? ['runs'] : []), 'selftest.json']);
    },
  );

  it('ends what it has begun when it is interrupted, and shows what it has', async () => {
    const out = join(temporaryFolder(), 'selftest');
    const program = start(['selftest', '--defect', 'A2', '--out', out]);
    const history = join(out, 'runs', 'A2-shoppers-1', 'history');
    await program.until(() => existsSync(history));
    program.process.kill('SIGINT');
    const { code, stdout } = await program.ended;
    expect(code, stdout).toBe(130);
    expect(stdout).toContain('Interrupted after 0 of 1 runs.');
    expect(existsSync(join(out, 'selftest.json'))).toBe(true);
  });
});
