import { expect } from 'vitest';
import type { ReasonCode } from '../../../src/checks/reasons/reason.ts';

/** Some parameters of a reason, or all. */
export type Saying = readonly [code: ReasonCode, params?: object];

/** Matches reasons among which is this one. */
export function saying([code, params = {}]: Saying): unknown {
  return expect.arrayContaining([
    expect.objectContaining({ code, params: expect.objectContaining(params) as unknown }),
  ]);
}
