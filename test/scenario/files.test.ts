import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadScenario, shippedNames } from '../../src/scenario/files.ts';

function written(name: string, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'tryon-scenario-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

const names = await shippedNames();

describe('the scenarios that come along', () => {
  it.each(names)('%s loads by its name, which is that of its file', async (name) => {
    const { file, scenario } = await loadScenario(name);
    expect(scenario.name).toBe(name);
    expect(file).toContain(`/scenarios/${name}.`);
    expect(scenario.title.length).toBeGreaterThan(10);
  });

  it('are at least those of the issue', () => {
    expect(names).toEqual(
      expect.arrayContaining([
        'launch',
        'smoke',
        'rate-limit',
        'quota',
        'analytics',
        'spike',
        'soak',
        'capacity',
      ]),
    );
  });
});

describe('a scenario', () => {
  it('that does not exist is an error with the names of all', async () => {
    await expect(loadScenario('lunch')).rejects.toThrow(
      /"lunch": no such scenario; did you mean launch\? There are .*launch.*smoke/,
    );
    await expect(loadScenario('./lunch.ts')).rejects.toThrow(/"\.\/lunch\.ts": no such file/);
  });

  it.each([
    ['throws', "throw new Error('not today');", /not today/],
    ['is no TypeScript', 'export default {{', /x\.ts/],
    ['has no default export', 'export const a = 1;', /expected `export default defineScenario/],
    ['exports a bare object', 'export default {};', /expected `export default defineScenario/],
  ])('that %s is refused, by its file', async (_what, text, message) => {
    const file = written('x.ts', text);
    await expect(loadScenario(file)).rejects.toThrow(message);
    await expect(loadScenario(file)).rejects.toThrow(file);
  });
});
