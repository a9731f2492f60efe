import { describe, expect, it } from 'vitest';
import { type CauseCode, causeKinds } from '../../src/checks/diagnosis/cause.ts';
import type { CauseKind, Params } from '../../src/checks/diagnosis/kind.ts';
import { expectedWordings } from '../../src/checks/reasons/expected.ts';
import { reasonWordings } from '../../src/checks/reasons/reason.ts';
import type { Wording } from '../../src/checks/reasons/wording.ts';
import { titlesWithFigures } from '../../src/checks/titles.ts';
import { numberFaults, sentenceFaults, textFaults } from '../wording-faults.ts';
import { variantsOf } from '../wording-variants.ts';

const entries = <T extends object>(table: T) => Object.entries(table) as [string, Wording<object>][];

function faultsOf({ example, text }: Wording<object>, faults: (text: string) => string[]): string[] {
  return [...new Set(variantsOf(example).flatMap((params) => faults(text(params))))];
}

describe('with none, one and many, and with equal and unequal ends,', () => {
  it.each(entries(reasonWordings))('the reason %s reads well', (_, wording) => {
    expect(faultsOf(wording, textFaults)).toEqual([]);
  });

  it.each(Object.entries(expectedWordings))('the expectation of %s reads well', (_, words) => {
    const { example, text } =
      typeof words === 'string' ? { example: {}, text: () => words } : (words as unknown as Wording<object>);
    expect(faultsOf({ example, text }, numberFaults)).toEqual([]);
  });

  it.each(entries(titlesWithFigures))('the title %s reads well', (_, wording) => {
    expect(faultsOf(wording, (title) => [...sentenceFaults(`${title}.`), ...numberFaults(title)])).toEqual(
      [],
    );
  });

  it.each(Object.keys(causeKinds) as CauseCode[])('the cause %s reads well', (code) => {
    const { behind, example, text } = causeKinds[code] as unknown as CauseKind<Params>;
    expect(faultsOf({ example, text: (params) => text(params as Params) }, textFaults)).toEqual([]);
    expect(sentenceFaults(behind)).toEqual([]);
  });
});
