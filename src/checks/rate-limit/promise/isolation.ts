import type { Survivor } from '../../../limits/inference.ts';
import {
  isWord,
  type Rows,
  rowsWhere,
  type SentRequests,
  seqsOf,
  wordAt,
} from '../../../limits/sent/columns.ts';
import { chargeOf, traceOfRows, traceOptions } from '../../../limits/sent/traces.ts';
import { limited } from '../../../limits/trace.ts';
import { refusalsPermitted } from '../../../limits/window-search.ts';
import { interactionsMayCount, type Profile } from '../../../target/profile.ts';
import { fits, type Suspect } from '../../causes/cause.ts';
import { type CheckFinding, type Evidence, evidence, type Shown, type Verdict } from '../../core/verdict.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import type { LimiterFindings } from '../study/findings.ts';
import { certain } from '../study/judge-size.ts';
import { seqsWhere } from '../traces/judged.ts';
import type { StreamsReading } from '../traces/streams.ts';

/** A key is a mere bystander until its own requests may have reached its limit, even if it were this part of the promised one. */
const bystandingPart = 0.5;

/**
 * The `bystander` key's answers while another key got 429, as long as its own requests explain none by any limiter of half the
 * limit. `accepted`: the reading that explains the whole run, if any does. `study`: what a study found. A limiter smaller than
 * promised rejects the bystander for its own requests: that is no breach of isolation.
 */
export function judgeIsolation(
  sent: SentRequests,
  accepted: StreamsReading | undefined,
  profile: Profile,
  study?: LimiterFindings,
): CheckFinding {
  const seen = seenOf(sent, profile);
  return {
    id: 'rate-limit.isolation',
    ...(profile.limit_scope === 'shared' && { expected: 'all keys share one limit' }),
    observed: { bystander_requests: seen.bystander.length },
    evidence: [],
    ...('reason' in seen
      ? { verdict: 'inconclusive', reasons: [seen.reason] }
      : decide(seen, accepted, profile, study)),
  };
}

/** What the bystander key got while others were at their limits; a `reason` where nothing tells. */
type BystanderSeen =
  | { readonly bystander: Rows; readonly reason: Reason }
  | {
      readonly bystander: Rows;
      readonly requests: number;
      readonly rejected: number;
      readonly rejectedOthers: number;
      /** Of the rejected ones, those that use of the key before the run may explain. */
      readonly early: number;
      readonly seqs: readonly number[];
    };

function seenOf(sent: SentRequests, profile: Profile): BystanderSeen {
  const { answeredNs, credential, sentNs, status } = sent;
  const [isBystander, isCharged] = [isWord(credential, 'bystander'), isWord(sent.chargedTo, 'bystander')];
  const isInteraction = isWord(sent.endpoint, 'interact');
  const charge = chargeOf(sent, { interactionsCount: interactionsMayCount(profile.channel) });
  const own = rowsWhere(sent, (row) => isCharged(row) && charge(row) !== 'not');
  const reached = explainedByItself(sent, own, profile);
  const bystander = rowsWhere(
    sent,
    (row) => isBystander(row) && !isInteraction(row) && row < (reached ?? sent.length),
  );
  if (bystander.length === 0) return { bystander, reason: reason('isolation-no-bystander') };
  const others = rowsWhere(
    sent,
    (row) => status[row] === 429 && ['load', 'quota'].includes(wordAt(credential, row) ?? ''),
  );
  const fromNs = sentNs[others[0] ?? -1];
  const toNs = answeredNs[others.at(-1) ?? -1];
  if (fromNs === undefined || toNs === undefined)
    return { bystander, reason: reason('isolation-no-other-rejected') };
  const meanwhile = bystander.filter(
    (row) => (sentNs[row] as number) >= fromNs && (answeredNs[row] as number) <= toNs && status[row] !== 0,
  );
  if (meanwhile.length === 0) return { bystander, reason: reason('isolation-none-meanwhile') };
  const rejected = bystander.filter((row) => status[row] === 429);
  const knownFromNs = (sentNs[own[0] ?? -1] ?? 0) + traceOptions({ profile }, 429).unknownNs;
  return {
    bystander,
    requests: meanwhile.length,
    rejected: rejected.length,
    early: rejected.filter((row) => (sentNs[row] as number) < knownFromNs).length,
    rejectedOthers: others.length,
    seqs: seqsOf(sent, rejected),
  };
}

/** The first of a key's requests that a limiter of part of the promised limit may reject for the key's own requests, all delivered. */
function explainedByItself(
  sent: SentRequests,
  own: Rows,
  { rate_limit, redeliveries }: Profile,
): number | undefined {
  const windowNs = rate_limit.windowMs * 1e6;
  const requests = (bystandingPart * rate_limit.requests) / (redeliveries + 1);
  const trace = traceOfRows(sent, own, () => 'certain', { windowNs, refusalStatus: 429, unknownNs: 0 });
  // Once it has come near its own limit, that may be why it gets 429, however long ago.
  return own[refusalsPermitted(trace, { requests, windowNs }).indexOf(1)];
}

interface IsolationDecision {
  readonly verdict: Verdict;
  readonly observed?: Shown;
  readonly reasons: readonly Reason[];
  readonly evidence?: readonly Evidence[];
  readonly causes?: readonly Suspect[];
}

function decide(
  { early, rejected, rejectedOthers, requests, seqs }: Extract<BystanderSeen, { rejected: number }>,
  accepted: StreamsReading | undefined,
  { limit_scope: promisedScope, rate_limit }: Profile,
  study: LimiterFindings | undefined,
): IsolationDecision {
  const found = (verdict: Verdict, why: Reason): IsolationDecision => ({
    verdict,
    observed: {
      bystander_requests_meanwhile: requests,
      rejected_on_bystander: rejected,
      rejected_on_other_keys: rejectedOthers,
    },
    reasons: [why],
    evidence: rejected === 0 ? [] : [evidence('429s on the bystander', seqs)],
  });
  if (promisedScope === 'shared') {
    return accepted === undefined
      ? found('inconclusive', reason('isolation-no-shared-limiter'))
      : found('pass', reason('isolation-shared-as-promised'));
  }
  if (rejected === 0)
    return found('pass', reason('isolation-none-rejected', { requests, others: rejectedOthers }));
  if (promisedScope === 'discover' && accepted?.scope === 'shared')
    return found('pass', reason('isolation-shared-found', { rejected }));
  if (rejected === early) {
    const stream = { key: 'bystander', endpoint: null } as const;
    return found('inconclusive', reason('set-aside-use-before', { stream, limit: rate_limit, rejected }));
  }
  if (accepted?.scope === 'per-key' && ownLoadExplains(accepted))
    return { verdict: 'inconclusive', reasons: [reason('isolation-own-load')] };
  const own = heldAgainstStudy(study, seqs);
  switch (own.kind) {
    case 'says nothing':
      return found('inconclusive', reason('isolation-rejected-unclear'));
    case 'explained': {
      const { isCertain, limiter } = own;
      const { limit, name, refillPerS, windowMs } = limiter;
      return found(
        isCertain ? 'pass' : 'inconclusive',
        reason('isolation-own-limiter', {
          rejected,
          limiter: name,
          size: { limit, windowMs, refillPerS },
          isCertain,
        }),
      );
    }
    case 'unexplained':
      return {
        ...found(
          'fail',
          reason('isolation-rejected', { rejected, isSharedRefuted: promisedScope === 'discover' }),
        ),
        causes: [fits('limit-shared-by-keys', {}, seqs)],
      };
  }
}

/** What a study says about the bystander's rejections, compared with the bystander's own requests alone. */
type BystanderRejections =
  | { readonly kind: 'unexplained' }
  /** None of them bounds anything. */
  | { readonly kind: 'says nothing' }
  | { readonly kind: 'explained'; readonly limiter: Survivor; readonly isCertain: boolean };

function heldAgainstStudy(
  study: LimiterFindings | undefined,
  rejected: readonly number[],
): BystanderRejections {
  // One trace is that of all keys together.
  if (study === undefined || study.keysDiffer || study.traces.length < 2) return { kind: 'unexplained' };
  const all = new Set(study.traces.flatMap((trace) => seqsWhere(trace, (i) => trace.outcome[i] === limited)));
  const held = rejected.filter((seq) => all.has(seq)).length;
  if (held === 0) return { kind: 'says nothing' };
  const limiter = study.inference.survivors.find(({ settled }) => settled !== undefined);
  if (limiter === undefined) return { kind: 'unexplained' };
  const isCertain = limiter.confidence >= certain && held === rejected.length;
  return { kind: 'explained', limiter, isCertain };
}

/** The reading was accepted with rejections on the bystander's stream, so its own limiter explains them. */
function ownLoadExplains(reading: StreamsReading): boolean {
  return reading.streams.some(
    (stream) =>
      stream.roles.length === 1 &&
      stream.roles.includes('bystander') &&
      stream.trace.outcome.includes(limited),
  );
}
