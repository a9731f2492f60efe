import { counted, number, seconds } from '../amounts.ts';
import type { CheckId } from '../vocabulary/check-ids.ts';
import { checkCatalogue, type EntryName } from './check-catalogue.ts';
import { type Wording, wording } from './reasons/wording.ts';

/** Titles with figures of the run; every other check has the title of its entry in the catalogue. */
export const titlesWithFigures = {
  'rate-limit.admitted': wording(
    { windowMs: 60_000 },
    ({ windowMs }) => `Admissions within any ${seconds(windowMs)} stay within what the limit allows`,
  ),
  'rate-limit.enforced': wording(
    { requests: 1_000, windowMs: 60_000 },
    ({ requests, windowMs }) =>
      `Beyond ${counted(requests, 'request')} in ${seconds(windowMs)}, requests get 429`,
  ),
  'latency.large-list': wording(
    { isPaged: false, boundMs: 250 },
    ({ boundMs, isPaged }) =>
      `${isPaged ? 'A page of the list' : 'The list'} of the largest single import takes at most ${number(boundMs)} ms`,
  ),
  'latency.slo': wording<{
    endpoint: string | null;
    phase: string | null;
    percentile: string;
    maxMs: number;
  }>(
    { endpoint: 'list-shades', phase: null, percentile: 'p99', maxMs: 250 },
    ({ endpoint, maxMs, percentile, phase }) =>
      `Response time of ${endpoint ?? 'all endpoints'}${phase === null ? '' : ` in “${phase}”`}: ${percentile} at most ${number(maxMs)} ms`,
  ),
  '<group>.error': wording({ group: 'quota' }, ({ group }) => `The ${group} checks can be computed`),
  '<group>.left-out': wording({ question: 'The limiter study is run' }, ({ question }) => question),
} as const satisfies Partial<Record<EntryName, unknown>>;

type TitleName = keyof typeof titlesWithFigures;
export type TitleParams = {
  readonly [Name in TitleName]: (typeof titlesWithFigures)[Name]['example'];
}[TitleName];

/** The property that a check judges, without a full stop. */
export function titleOf(id: CheckId, params?: TitleParams): string {
  const name = entryNameOf(id);
  if (params === undefined) return checkCatalogue[name].title;
  // A finding's params are those of its title.
  const { text } = titlesWithFigures[name as TitleName] as unknown as Wording<TitleParams>;
  return text(params);
}

function entryNameOf(id: CheckId): EntryName {
  if (id in checkCatalogue) return id as EntryName;
  if (id.startsWith('latency.slo.')) return 'latency.slo';
  return id.endsWith('.error') ? '<group>.error' : '<group>.left-out';
}
