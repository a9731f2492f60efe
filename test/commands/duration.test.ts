import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { durationInWords } from '../../src/commands/run/announce.ts';
import { usualDuration } from '../../src/commands/run/list-scenarios.ts';
import { loadScenario, shippedNames } from '../../src/scenario/files.ts';

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');

const names = await shippedNames();

describe('how long a run takes', () => {
  it.each([
    ['a load takes its time', { totalMs: 204e3, studyMs: 0 }, 'about 3.5 minutes'],
    ['a study may be done earlier', { totalMs: 1_026e3, studyMs: 1e6 }, 'up to 17.5 minutes'],
    ['less than a minute is said to five seconds', { totalMs: 12_900, studyMs: 0 }, 'about 15 seconds'],
    ['the program’s start and its judging count', { totalMs: 2_500, studyMs: 1_000 }, 'up to 10 seconds'],
  ])('%s', (_sentence, budget, words) => {
    expect(durationInWords(budget)).toBe(words);
  });

  it.each(names)('is no part of the title of %s, which a run repeats', async (name) => {
    const { scenario } = await loadScenario(name);
    expect(scenario.title).not.toMatch(/\d\s*(min|sec|hour)/);
  });

  it('is said alike in README', async () => {
    const told = [...readme.matchAll(/^\| `([a-z-]+)` \| ((?:about|up to) [^|]*) \|/gm)];
    const said = Object.fromEntries(told.map(([, name = '', words = '']) => [name, words]));
    const usual = await Promise.all(
      names.map(async (name) => [name, usualDuration((await loadScenario(name)).scenario)] as const),
    );
    expect(said).toEqual(Object.fromEntries(usual));
  });

  it.each(['CONTRIBUTING.md', 'docs/first-run.md', 'docs/analytics.md'])(
    'is said alike in %s',
    async (page) => {
      const text = readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8');
      const told = [
        ...text.matchAll(/tryon run ([a-z-]+)(?: --\S+ \S+)* +# ((?:about|up to) [\d.]+ \w+)/g),
        ...text.matchAll(/npm start +# the scenario (launch).*?, ((?:about|up to) [\d.]+ \w+)/g),
      ];
      expect(told.length).toBeGreaterThan(0);
      for (const [line, name = '', words] of told)
        expect(words, line).toBe(usualDuration((await loadScenario(name)).scenario));
    },
  );

  it('of the quick start is that of launch', async () => {
    const { scenario } = await loadScenario('launch');
    expect(readme).toContain(
      `runs the \`launch\` scenario against the embedded service (${usualDuration(scenario)})`,
    );
  });
});
