import { describe, expect, it } from 'vitest';
import { parseWorkers, workersFor, workersLine } from '../../src/commands/run/plan-run.ts';
import { defineScenario } from '../../src/scenario/define.ts';
import { steady } from '../../src/scenario/load.ts';
import { type Study, studyLimits } from '../../src/scenario/study.ts';
import { profileSchema } from '../../src/target/profile.ts';

function run(study: readonly Study[] = [], connections = 512): Parameters<typeof workersFor>[1] {
  const load = [steady('10/s', '1s')];
  const scenario = defineScenario({
    name: 'some',
    title: 'Some',
    load,
    study: [...study],
    checks: ['latency'],
  });
  return { scenario, profile: profileSchema.parse({ connections }) };
}

describe('--workers', () => {
  it.each([
    [undefined, 1],
    ['1', 1],
    ['2', 2],
    ['64', 64],
    ['auto', 'auto'],
  ])('%s is understood', (argument, wanted) => {
    expect(parseWorkers(argument)).toBe(wanted);
  });

  it.each(['0', '-1', '1.5', '65', 'two', ''])('%j is refused, with what was expected', (argument) => {
    expect(() => parseWorkers(argument)).toThrow(
      `--workers: expected auto or a whole number from 1 to 64, got ${argument}`,
    );
  });

  it.each<[string, number, Parameters<typeof workersFor>[1], number]>([
    ['leaves a core to the rest of the program', 4, run(), 3],
    ['is one where there is one core', 1, run(), 1],
    ['is one where there are two', 2, run(), 1],
    ['is bounded on large machines', 128, run(), 8],
    ['is bounded by the connections that the profile allows', 128, run([], 3), 3],
    ['is one for studies', 8, run([studyLimits({ budget: '2m' })]), 1],
  ])('auto %s', (_what, cores, what, count) => {
    const workers = workersFor('auto', what, cores);
    expect(workers.count).toBe(count);
    expect(workersLine(workers)).toMatch(
      count === 1 ? /^one thread drives/ : /threads share the load \(auto: /,
    );
  });

  it.each<[string, Parameters<typeof workersFor>[1], RegExp]>([
    ['studies', run([studyLimits({ budget: '2m' })]), /studies of some choose.*leave --workers out/],
    ['fewer connections than workers', run([], 1), /profile allows 1 \(connections\); raise that/],
  ])('a number is refused for %s, and never passed over', (_what, what, message) => {
    expect(() => workersFor(2, what)).toThrow(message);
    expect(workersFor(1, what)).toEqual({ count: 1 });
  });

  it('does not mention one worker by default', () => {
    expect(workersLine({ count: 1 })).toBeUndefined();
    expect(workersLine({ count: 3 })).toBe('3 threads share the load');
  });
});
