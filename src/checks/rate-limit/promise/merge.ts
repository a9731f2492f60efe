import type { CheckId } from '../../../vocabulary/check-ids.ts';
import type { TitleParams } from '../../catalogue/check-catalogue.ts';
import type { Suspect } from '../../causes/cause.ts';
import {
  type CheckFinding,
  type Evidence,
  mergeVerdicts,
  type Shown,
  type Verdict,
} from '../../core/verdict.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import type { JudgedStream } from '../traces/judged.ts';

/** What a check says about one stream. */
export interface StreamPart {
  readonly verdict: Verdict;
  readonly observed: Shown;
  readonly reasons: readonly Reason[];
  readonly evidence: readonly Evidence[];
  /** Of a fail. */
  readonly causes?: readonly Suspect[];
}

/** One result from the parts of several streams; `observed` names the streams only when there is more than one. */
export function mergeStreams(
  head: {
    readonly id: CheckId;
    readonly titleParams?: TitleParams;
    readonly expected: CheckFinding['expected'];
  },
  streams: readonly JudgedStream[],
  judge: (judged: JudgedStream) => StreamPart,
): CheckFinding {
  const all = streams.map((judged) => ({
    label: judged.stream.label,
    meant: judged.meantToExceed,
    ...judge(judged),
  }));
  // A stream that met its limit in passing need not tell what another was meant to find out.
  const isMeant = all.some(({ meant, verdict }) => meant && verdict !== 'inconclusive');
  const parts = all.filter(({ meant, verdict }) => meant || !isMeant || verdict !== 'inconclusive');
  const [only] = parts;
  const reasons = parts.flatMap((part) => part.reasons);
  return {
    ...head,
    verdict: mergeVerdicts(parts.map((part) => part.verdict)),
    observed:
      parts.length === 1 && only !== undefined
        ? only.observed
        : Object.fromEntries(parts.map((part) => [part.label, part.observed])),
    reasons: reasons.length > 0 ? reasons : [reason('limit-not-passed')],
    evidence: parts.flatMap(({ evidence }) => evidence ?? []),
    causes: parts.flatMap((part) => part.causes ?? []),
  };
}
