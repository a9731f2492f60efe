import { describe, expect, it } from 'vitest';
import { titlesWithFigures } from '../../src/checks/catalogue/check-catalogue.ts';
import { type CauseCode, causeKinds } from '../../src/checks/causes/cause.ts';
import { expectedWordings } from '../../src/checks/reasons/expected.ts';
import { reasonWordings } from '../../src/checks/reasons/reason.ts';
import { type Wording, worded } from '../../src/checks/reasons/words/wording.ts';
import { modelFaults } from '../../src/model/faults/table.ts';
import { sentenceOf } from '../../src/model/faults/words.ts';
import { numberFaults, sentenceFaults, textFaults } from '../wording-faults.ts';
import { variantsOf } from '../wording-variants.ts';
import { analyticsExamples } from './examples/analytics.ts';
import { auditExamples } from './examples/audit.ts';
import { capacityExamples } from './examples/capacity.ts';
import { exampleOf, rowExamples } from './examples/causes.ts';
import { contractExamples } from './examples/contract.ts';
import { type Examples, templateExample } from './examples/examples.ts';
import { expectedExamples } from './examples/expected.ts';
import { latencyExamples } from './examples/latency.ts';
import { quotaExamples } from './examples/quota.ts';
import { rateLimitExamples } from './examples/rate-limit.ts';
import { runExamples } from './examples/run.ts';
import { titleExamples } from './examples/titles.ts';

const reasonExamples: Examples<typeof reasonWordings> = {
  ...analyticsExamples,
  ...auditExamples,
  ...capacityExamples,
  ...contractExamples,
  ...latencyExamples,
  ...quotaExamples,
  ...rateLimitExamples,
  ...runExamples,
};

/** Each wording of a table, with its example. */
function cases(table: Readonly<Record<string, Wording>>, examples: object): [string, Wording, object][] {
  const examplesByCode = new Map<string, object>(Object.entries(examples));
  return Object.entries(table).map(([code, words]) => [
    code,
    words,
    typeof words === 'string' ? templateExample(words) : (examplesByCode.get(code) ?? {}),
  ]);
}

function faultsOf(words: Wording, example: object, faults: (text: string) => string[]): string[] {
  return [...new Set(variantsOf(example).flatMap((params) => faults(worded(words, params))))];
}

describe('with none, one and many, and with equal and unequal ends,', () => {
  it.each(cases(reasonWordings, reasonExamples))('the reason %s reads well', (_, words, example) => {
    expect(faultsOf(words, example, textFaults)).toEqual([]);
  });

  it.each(cases(expectedWordings, expectedExamples))(
    'the expectation of %s reads well',
    (_, words, example) => {
      expect(faultsOf(words, example, numberFaults)).toEqual([]);
    },
  );

  it.each(cases(titlesWithFigures, titleExamples))('the title %s reads well', (_, words, example) => {
    const faults = (title: string) => [...sentenceFaults(`${title}.`), ...numberFaults(title)];
    expect(faultsOf(words, example, faults)).toEqual([]);
  });

  it.each(Object.keys(causeKinds) as CauseCode[])('the cause %s reads well', (code) => {
    const { behind, text } = causeKinds[code];
    for (const certainty of ['shown', 'fits'] as const) {
      const words = typeof text === 'string' ? text : (params: never) => text(params, certainty);
      expect(faultsOf(words, exampleOf(code), textFaults)).toEqual([]);
    }
    expect(sentenceFaults(behind)).toEqual([]);
  });

  it.each(modelFaults.map((row) => [row.says, row] as const))('the row “%s” reads well', (_, row) => {
    for (const params of rowExamples(row).slice(0, 5))
      expect(faultsOf((each: never) => sentenceOf(row, each), params, textFaults)).toEqual([]);
    expect(sentenceFaults(row.behind)).toEqual([]);
  });
});
