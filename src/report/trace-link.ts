import type { History } from '../history/history.ts';
import { traceId } from '../vocabulary/trace-id.ts';
import { code, type Html, html } from './markup.ts';

/** What of a run says where the traces of its requests are. */
export type Traced = Pick<History, 'run' | 'profile'>;

/** The trace id of a request that was sent, as a link where the profile says to where; undefined without traces. */
export function traceOf({ profile, run }: Traced, seq: number): Html | undefined {
  if (run.trace_run === undefined) return undefined;
  const id = traceId(run.trace_run, seq);
  const { link } = profile.traces;
  return link === undefined
    ? code(id)
    : html`<a href="${link.replaceAll('{trace_id}', id)}" rel="noreferrer">${code(id)}</a>`;
}
