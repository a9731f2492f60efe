import { expect } from 'vitest';
import type { CheckFinding } from '../../../src/checks/core/verdict.ts';
import type { Reason, ReasonCode } from '../../../src/checks/reasons/reason.ts';

/** Reasons that a finding has to give, among others. */
export interface Said {
  readonly reasons: readonly unknown[];
}

/** A reason of this code with at least these parameters. */
export function said<Code extends ReasonCode>(
  code: Code,
  params: Partial<Extract<Reason, { readonly code: Code }>['params']> = {},
): Said {
  const some: object = params;
  return { reasons: [expect.objectContaining({ code, params: expect.objectContaining(some) })] };
}

/** All of these. */
export function saidAll(...each: readonly Said[]): Said {
  return { reasons: each.flatMap(({ reasons }) => reasons) };
}

/** The finding gives these reasons. */
export function expectSaid(finding: CheckFinding | undefined, { reasons }: Said): void {
  expect(finding?.reasons).toEqual(expect.arrayContaining([...reasons]));
}
