import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  cutTo,
  defineScenario,
  type Kept,
  type ScenarioInput,
  withParts,
} from '../../src/scenario/define.ts';
import { exhaustQuota, steady, together } from '../../src/scenario/load.ts';
import { fitParts, type Part, type Spending } from '../../src/scenario/parts.ts';
import { auditAnalytics, studyLimits } from '../../src/scenario/study.ts';

/** A part with a load of this many seconds, at one request a second. */
function load(name: string, seconds: number): Part {
  return { name, question: '', checks: ['contract'], load: [steady('1/s', `${seconds}s`)], study: [] };
}

/** A part of a study, which sends ten requests a second. */
function study(name: string, seconds: number, leastSeconds?: number): Part {
  const least = leastSeconds === undefined ? undefined : leastSeconds * 1_000;
  return { ...load(name, 0), load: [], study: [studyLimits({ budget: `${seconds}s` })], least };
}

/** Ten seconds and requests around the parts. */
function spendingOf(parts: readonly Part[]): Spending {
  const made = withParts({}, parts);
  const loadMs = made.load.reduce((sum, phase) => {
    const segments = phase.kind === 'open' ? phase.segments : [];
    return sum + segments.reduce((total, { durationMs }) => total + durationMs, 0);
  }, 0);
  const studyMs = made.study.reduce((sum, each) => sum + ('budgetMs' in each ? each.budgetMs : 0), 0);
  return { ms: 10_000 + loadMs + studyMs, requests: 10 + (loadMs + 10 * studyMs) / 1_000 };
}

const parts = [load('first', 60), load('second', 100), study('study', 300, 200), load('last', 20)];

describe('parts of a scenario', () => {
  it.each([
    ['are all taken when there is room', 490, 10_000, ['first', 'second', 'study 300', 'last']],
    ['give time of a study before they are left out', 400, 10_000, ['first', 'second', 'study 230']],
    ['leave out a study for which too little time is left', 360, 10_000, ['first', 'second', 'last']],
    ['take a light one where a heavy one has no room', 95, 10_000, ['first', 'last']],
    ['leave out what has no room in the requests', 490, 200, ['first', 'second', 'last']],
    ['come to nothing where nothing has room', 20, 10_000, []],
  ])('%s', (_sentence, seconds, requests, expected) => {
    const { taken } = fitParts(parts, { ms: 1_000 * seconds, requests }, spendingOf);
    const names = taken.map(({ name, study: [timed] }) =>
      timed !== undefined && 'budgetMs' in timed ? `${name} ${timed.budgetMs / 1_000}` : name,
    );
    expect(names).toEqual(expected);
  });

  it('that are left out are told with what they would have added', () => {
    const { leftOut } = fitParts(parts, { ms: 95_000, requests: 10_000 }, spendingOf);
    expect(leftOut.map(({ part, needs }) => [part.name, needs.ms, needs.requests])).toEqual([
      ['second', 100_000, 100],
      ['study', 300_000, 3_000],
    ]);
  });

  it('never spend more than there is, and are each either taken or left out', () => {
    const anyPart = fc.oneof(
      fc.integer({ min: 1, max: 300 }).map((seconds) => load(`load ${seconds}`, seconds)),
      fc
        .tuple(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 300 }))
        .map(([seconds, least]) => study(`study ${seconds} ${least}`, seconds, Math.min(seconds, least))),
    );
    fc.assert(
      fc.property(fc.array(anyPart), fc.nat(1_000), fc.nat(5_000), (some, seconds, requests) => {
        const room = { ms: 1_000 * seconds, requests };
        const { leftOut, taken } = fitParts(some, room, spendingOf);
        const names = [...taken, ...leftOut.map(({ part }) => part)].map(({ name }) => name);
        expect(names.sort()).toEqual(some.map(({ name }) => name).sort());
        if (taken.length === 0) return;
        const spent = spendingOf(taken);
        expect(spent.ms).toBeLessThanOrEqual(room.ms);
        expect(spent.requests).toBeLessThanOrEqual(room.requests);
      }),
    );
  });
});

describe('a scenario in parts', () => {
  const first = { name: 'first', question: 'Is it up?', checks: ['contract'], load: [steady('1/s', '1s')] };
  const input = { name: 's', title: 'S', checks: ['contract'], parts: [first] } as ScenarioInput;

  it('is the load and the studies of its parts, in their order', () => {
    const second = { ...first, name: 'second', load: [steady('2/s', '1s')], study: [studyLimits()] };
    const { load: phases, study: studies } = defineScenario({
      ...input,
      parts: [first, second],
    } as ScenarioInput);
    expect(phases).toEqual([...first.load, ...second.load]);
    expect(studies).toEqual(second.study);
  });

  it.each([
    ['a load besides', { load: first.load }, /parts: expected parts, or load and study, and not both/],
    [
      'a part for a group that it does not check',
      { checks: ['quota'] },
      /parts: expected groups in each part/,
    ],
    ['an empty part', { parts: [{ ...first, load: [] }] }, /parts\[0\]\.load: expected at least one phase/],
    ['a part without a name', { parts: [{ ...first, name: '' }] }, /parts\[0\]\.name: expected lower-case/],
  ])('cannot have %s', (_sentence, more, message) => {
    expect(() => defineScenario({ ...input, ...more } as ScenarioInput)).toThrow(message);
  });
});

const whole = defineScenario({
  name: 'whole',
  title: 'All of it',
  load: [
    steady('1/s', '1s', { name: 'first' }),
    together(steady('1/s', '1s', { name: 'beside' }), [
      steady('1/s', '1s', { name: 'second' }),
      exhaustQuota({ rate: '1/s', beyond: 1 }),
    ]),
  ],
  study: [studyLimits(), auditAnalytics()],
  slo: [{ endpoint: '*', percentile: 99, under: '1s', phase: 'first' }],
  checks: ['contract', 'analytics', 'latency'],
});

const nothing: Kept = { probes: false, phases: [], studies: [], checks: ['contract'] };

describe('a part of a scenario', () => {
  it.each<[string, Partial<Kept>, object]>([
    ['has the phases of these names', { phases: ['first'] }, { load: [whole.load[0]], study: [] }],
    ['has what runs at the same time as they do', { phases: ['second'] }, { load: [whole.load[1]] }],
    ['has the studies of these kinds', { studies: ['audit'] }, { load: [], study: [whole.study[1]] }],
    ['has the probes', { probes: true }, { probes: true, load: [], study: [] }],
    [
      'has the groups of checks, and no bound on latency',
      {},
      { checks: ['contract'], slo: [], probes: false },
    ],
  ])('%s', (_, kept, part) => {
    expect(cutTo(whole, { ...nothing, ...kept })).toMatchObject(part);
  });
});
