import type { History } from '../../../history/history.ts';
import { sentenceOf } from '../../../model/faults/fault.ts';
import type { NotShown } from '../../../model/faults/power.ts';
import { exploredFindings } from './findings.ts';

/** What the explorer's calls exclude, where no answer was wrong. */
export interface ExploredPower {
  /** Known faults that were planted into the model, and those of them that these very calls would have shown. */
  readonly faults: number;
  readonly shown: number;
  readonly missed: readonly MissedFault[];
}

/** A known fault that the calls would not have shown. */
export interface MissedFault {
  readonly cause: string;
  readonly text: string;
  /** No call could show it, no answer would differ, or it may leave no trace in these calls. */
  readonly why: NotShown;
}

/** The power of a run without a wrong answer: each known fault planted into the model, and the run's calls replayed. */
export async function exploredPower(history: History): Promise<ExploredPower | undefined> {
  const power = (await exploredFindings(history))?.power() ?? [];
  if (power.length === 0) return undefined;
  const missed = power.filter(({ isShown }) => !isShown);
  return {
    faults: power.length,
    shown: power.length - missed.length,
    missed: missed.map(({ fault, params, why = 'untouched' }) => ({
      cause: fault.cause,
      text: sentenceOf(fault, params),
      why,
    })),
  };
}
