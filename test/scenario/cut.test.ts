import { describe, expect, it } from 'vitest';
import { defineScenario } from '../../src/scenario/define.ts';
import { exhaustQuota, steady, together } from '../../src/scenario/load.ts';
import { cutTo, type Kept } from '../../src/scenario/parts.ts';
import { auditAnalytics, studyLimits } from '../../src/scenario/study.ts';

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
