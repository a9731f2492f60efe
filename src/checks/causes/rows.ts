import type { FaultArea, FaultParams } from '../../model/faults/fault.ts';
import { sentenceOf } from '../../model/faults/fault.ts';
import { type ModelCause, type ModelRow, modelFaults } from '../../model/faults/table.ts';
import type { CheckId } from '../../vocabulary/check-ids.ts';
import { figures, relations, wrongSums } from './explained.ts';
import type { CauseKind, Params } from './kind.ts';

/** What a row of the model says of a run: its words, with the parameters that it was found with. */
export interface RowParams extends Params {
  readonly sentence: string;
  readonly behind: string;
}

export type RowCauses = { readonly [Code in ModelCause]: CauseKind<RowParams> };

/** Checks that a fault of an area may fail. */
const explains: Readonly<Record<FaultArea, readonly CheckId[]>> = {
  keys: ['contract.auth', 'contract.near-keys', 'contract.tenancy', 'contract.acts-other-token'],
  shades: [
    'contract.catalog',
    'contract.names',
    'contract.batch-max',
    'contract.batch-over',
    'contract.batch-malformed',
    'contract.import-again',
    'contract.import-update',
    'contract.imports-at-once',
    'contract.sku-twice',
    'contract.shade-count',
    'contract.lists-agree',
  ],
  sessions: [
    'contract.canary',
    'contract.shade-count',
    'contract.expiry',
    'contract.not-found',
    'contract.totals',
    'analytics.sessions',
    ...figures,
    ...relations,
  ],
  events: [
    'contract.history',
    'contract.acts-again',
    'contract.acts-at-once',
    'contract.acts-unknown-sku',
    'contract.reads-agree',
    'analytics.sessions',
    ...figures,
    ...relations,
  ],
  any: [],
};

/** What else is seen of a fault of an area, by other checks. */
const covers: Readonly<Record<FaultArea, readonly string[]>> = {
  keys: [],
  shades: ['lists-differ', 'shade-count-wrong', 'answers-malformed'],
  sessions: [
    ...wrongSums,
    'expiry-in-the-past',
    'session-changed',
    'session-disappears',
    'shade-count-wrong',
    'interactions-lost',
  ],
  events: [...wrongSums, 'interactions-lost', 'foreign-interactions', 'repeats-counted', 'history-changes'],
  any: ['server-errors', 'unexpected-status', 'errors-grow'],
};

/** The causes that rows of the model name, each id once, though several mechanisms may have it. */
export const rowCauses = causesOfRows();

function causesOfRows(): RowCauses {
  const causes = {} as Record<ModelCause, CauseKind<RowParams>>;
  // Of rows with one id, the first says what usually lies behind it.
  for (const { area, behind, cause } of modelFaults) {
    // What malformed requests meet is not seen of valid ones.
    const isMalformed = cause.startsWith('malformed-');
    causes[cause] ??= {
      text: ({ sentence }) => sentence,
      behind,
      explains: isMalformed ? ['contract.malformed-requests'] : explains[area],
      covers: isMalformed ? [] : covers[area],
    };
  }
  return causes;
}

/** The parameters with which a row is published. */
export function rowParams(row: ModelRow, params: FaultParams): RowParams {
  return { ...params, sentence: sentenceOf(row, params), behind: row.behind };
}
