import { cpSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../history/temporary-folder.ts';
import { expectedOf, judged } from './folder.ts';

const sample = join(import.meta.dirname, '../../reports/sample-short');

describe('the sample of a run folder', () => {
  it('is at most 1 MB', () => {
    const files = readdirSync(sample, { recursive: true, encoding: 'utf8' }).map((file) =>
      join(sample, file),
    );
    const bytes = files.map((file) => statSync(file)).filter((stats) => stats.isFile());
    expect(bytes.reduce((sum, { size }) => sum + size, 0)).toBeLessThanOrEqual(1e6);
  });

  it('gets the verdict again that it came with', async () => {
    const runDir = await temporaryFolder();
    cpSync(sample, runDir, { recursive: true });
    const { failing, verdict } = expectedOf(await judged(runDir));
    expect({ failing, verdict }).toEqual({ failing: {}, verdict: 'pass' });
    expect(JSON.parse(readFileSync(join(sample, 'verdicts.json'), 'utf8'))).toMatchObject({ verdict });
  });
});
