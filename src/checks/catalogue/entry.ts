import type { CheckGroup, checkIds } from '../../vocabulary/check-ids.ts';

/** What a check judges, and what it cannot do without. Each field is one sentence of at most 25 words; the title has no full stop. What a failure may come of, its causes say. */
export interface CheckEntry {
  /** The property, as a requirement in the present tense: the check's title, unless `check-catalogue.ts` has one with figures of the run. */
  readonly title: string;
  /** Keys, parts of the scenario, load or time that the check cannot do without. */
  readonly needs: string;
}

type ListedId = (typeof checkIds)[number];
type IdsOf<Group extends CheckGroup> = Extract<ListedId, `${Group}.${string}`>;

/** An entry for each check of some groups: one that is missing does not compile. */
export type Entries<Groups extends CheckGroup> = Readonly<Record<IdsOf<Groups>, CheckEntry>>;
