import { wordAt } from '../../../sent/columns.ts';
import { parseRetryAfter } from './advice.ts';
import { type HeaderFinding, repeatedly } from './finding.ts';
import { roundingNs } from './instant.ts';
import type { Saying, Series } from './series.ts';

/**
 * Rejections whose `Retry-After` ends before the `t` of a policy that is used up, both in one answer and both in seconds, so
 * that no clock is between them. Where places come free one by one, `t` may mean the last of them: only with windows is one of
 * the two false.
 */
export function retryBeforeReset({
  dialect,
  fitted,
  isFixedWindow,
  sent,
  told,
}: Series): Pick<HeaderFinding, 'faults' | 'remarks'> {
  const seqs: number[] = [];
  for (let i = 0; dialect === 'draft-10' && i < told.length; i++) {
    const { remaining, reset } = (told.sayings[i] as Saying).said;
    if (told.limited[i] === 0 || remaining !== 0 || reset === undefined || !('inMs' in reset)) continue;
    const retryAfter = parseRetryAfter(wordAt(sent.retryAfter, told.rows[i] as number) ?? '');
    if (retryAfter === undefined || !('inMs' in retryAfter)) continue;
    if (retryAfter.inMs + roundingNs / 1e6 < reset.inMs) seqs.push(told.seq[i] as number);
  }
  if (seqs.length < repeatedly) return { faults: [], remarks: [] };
  return isFixedWindow || fitted?.hasWindows === true
    ? { faults: [{ what: { code: 'headers-retry-before-reset', params: {} }, seqs }], remarks: [] }
    : { faults: [], remarks: [{ code: 'headers-retry-before', params: { rejections: seqs.length } }] };
}
