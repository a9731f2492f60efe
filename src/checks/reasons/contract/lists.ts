import { counted, range } from '../../../amounts.ts';
import type { Bounds } from '../../../vocabulary/bounds.ts';

/** Reasons of the counts of shades, and of sessions that are read again. */
export const listReasons = {
  'count-wrong': (params: {
    of: 'sessions' | 'lists';
    catalog: string;
    answers: number;
    seen: Bounds;
    imported: Bounds;
  }) =>
    `Expected in catalog ${params.catalog} the imported number of shades, ${range(params.imported)}; got ${range(params.seen)} in ${counted(params.answers, params.of === 'lists' ? 'list' : 'new session')}.`,
  'count-right': ({ answers, of }: { of: 'sessions' | 'lists'; answers: number }) =>
    `The number of shades is the imported one in ${counted(answers, of === 'lists' ? 'list' : 'new session')}.`,
  'reads-agree':
    'In {pairs:count pair} of reads of the same session, the later one shows every event of the earlier one unchanged.',
  'reads-differ':
    'Expected every event that was shown to stay as it was. In {sessions:count pair} of reads, the later one shows {changed:count event} with other values and lacks {lacking}.',
} as const;
