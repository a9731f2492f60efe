import type { capacityReasons } from '../../../src/checks/reasons/capacity.ts';
import type { Examples } from './examples.ts';

export const capacityExamples: Examples<typeof capacityReasons> = {
  'knee-untried': { unit: 'rate' },
  'knee-limited': { unit: 'rate', load: 118.9 },
  'knee-first-broke': { unit: 'rate', load: 118.9 },
  'knee-not-reached': { unit: 'rate', load: 118.9 },
  'knee-generator-late': { unit: 'rate', unclear: 6, steps: 13 },
  'knee-keeps': { unit: 'rate', load: 118.9 },
  'knee-breaks': { unit: 'rate', load: 118.9 },
  'knee-contradiction': { unit: 'rate', keeps: 118.9, breaks: 100 },
  'knee-found': { unit: 'rate', keeps: 109.1, breaks: 118.9, confidence: 0.9, repeats: 10 },
};
