import { describe, expect, it } from 'vitest';
import { titlesWithFigures } from '../../src/checks/catalogue/check-catalogue.ts';
import { type CauseCode, causeKinds } from '../../src/checks/causes/cause.ts';
import { reasonWordings } from '../../src/checks/reasons/reason.ts';
import { type Wording, worded } from '../../src/checks/reasons/words/wording.ts';
import { sentenceOf } from '../../src/model/faults/fault.ts';
import { modelFaults } from '../../src/model/faults/table.ts';
import { numberFaults, sentenceFaults, textFaults } from '../wording-faults.ts';
import { variantsOf } from '../wording-variants.ts';
import { exampleOf, rowExamples } from './examples/causes.ts';
import { completing, exampleFor } from './examples/examples.ts';

/** Each wording of a table, with its example. */
function cases(table: Readonly<Record<string, Wording>>): [string, Wording, object][] {
  return Object.entries(table).map(([code, words]) => [
    code,
    (params: never) => worded(words, completing<object>(params)),
    exampleFor(code, words),
  ]);
}

/** What has no value, or one that is no text. */
const holes = (text: string): string[] => (/undefined|\[object/.test(text) ? [`a hole: ${text}`] : []);

function faultsOf(words: Wording, example: object, faults: (text: string) => string[]): string[] {
  const texts = variantsOf(example).map((params) => worded(words, params));
  return [...new Set(texts.flatMap((text) => [...faults(text), ...holes(text)]))];
}

describe('with none, one and many, and with equal and unequal ends,', () => {
  it.each(cases(reasonWordings))('the reason %s reads well', (_, words, example) => {
    expect(faultsOf(words, example, textFaults)).toEqual([]);
  });

  it.each(cases(titlesWithFigures))('the title %s reads well', (_, words, example) => {
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
