import { type Evidence, evidence } from '../../core/verdict.ts';
import type { FaultCode } from '../../reasons/rate-limit/headers.ts';
import type { Reason } from '../../reasons/reason.ts';
import type { HeaderFault, Remark, Wrong } from './finding.ts';

/** A dialect, or one of its policies. */
interface Said {
  readonly dialect: string;
  readonly policy?: string;
}

/** What is wrong, with who says it and in how many answers. */
export function faultReason({ dialect, policy = '' }: Said, { seqs, what }: HeaderFault): Reason {
  return completed(what, { dialect, policy, answers: seqs.length });
}

export function remarkReason({ dialect, policy = '' }: Said, remark: Remark): Reason {
  return completed(remark, { dialect, policy });
}

/** `rest`: the parameters that `Wrong` and `Remark` leave out. */
function completed({ code, params }: Wrong | Remark, rest: object): Reason {
  return { code, params: { ...params, ...rest } } as unknown as Reason;
}

/** The answers that show a fault. */
export function faultEvidence(who: Said, { seqs, what }: HeaderFault): Evidence {
  return evidence(`${labelOf(who)}: ${faultLabels[what.code]}`, seqs);
}

/** `draft-6`, `draft-10 "burst"`. */
export function labelOf({ dialect, policy = '' }: Said): string {
  return policy === '' ? dialect : `${dialect} "${policy}"`;
}

const faultLabels: Readonly<Record<FaultCode, string>> = {
  'headers-limit-wrong': 'another limit',
  'headers-draft-broken': 'forbidden by the draft',
  'headers-retry-before-reset': 'Retry-After before the reset',
  'headers-remaining-above-limit': 'remaining above the limit',
  'headers-used-and-remaining': 'used and remaining do not add up',
  'headers-rejected-with-remaining': '429 although requests remain',
  'headers-rejected-next': '429 after an answer with requests remaining',
  'headers-remaining-constant': 'remaining does not change',
  'headers-remaining-rises': 'remaining rises or does not fall',
  'headers-requests-count-more': 'remaining falls by more than one',
  'headers-remaining-too-high': 'remaining too high',
  'headers-remaining-too-low': 'remaining too low',
  'headers-reset-mixed': 'reset now from now, now a point in time',
  'headers-reset-unit': 'reset as a point in time',
  'headers-reset-negative': 'negative reset',
  'headers-reset-past': 'reset in the past',
  'headers-reset-too-far': 'reset too far ahead',
  'headers-reset-moves-away': 'reset moves later',
  'headers-reset-too-late': 'reset too late',
  'headers-reset-too-early': 'reset too early',
};
