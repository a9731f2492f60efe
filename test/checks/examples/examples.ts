import type { ParamsOf } from '../../../src/checks/reasons/words/wording.ts';

/** Parameters that can occur, for every entry of a table that has some: what tests render. */
export type Examples<Table> = {
  readonly [Code in keyof Table as Table[Code] extends string ? never : Code]: ParamsOf<Table[Code]>;
};
