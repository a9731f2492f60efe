import { counted, times } from '../../amounts.ts';
import type { Survivor } from '../../limits/inference.ts';
import { limited } from '../../limits/trace.ts';
import { interactionsMayCount } from '../../target/channel.ts';
import type { Profile } from '../../target/profile.ts';
import { fits } from '../diagnosis/cause.ts';
import { type CheckResult, evidence } from '../verdict.ts';
import { chargeOf } from './charged.ts';
import { seqsWhere } from './judged.ts';
import { isWord, type Rows, rowsWhere, type SentRequests, seqsOf } from './sent.ts';
import type { Reading } from './streams.ts';
import type { LimiterFindings } from './study/findings.ts';
import { certain } from './study/judge-size.ts';
import { sizeOf } from './study/size-of.ts';

const head = {
  id: 'rate-limit.isolation',
  title: 'One key at its limit does not limit another',
} as const;

/** A key that sent less than this part of its limit, in so many windows, is a mere bystander by every reading of the limit. */
const bystandingPart = 0.5;
const bystandingWindows = 2;

/**
 * The `bystander` key's answers while another key was being refused, as long as it was itself far below its limit.
 * `accepted`: the reading that explains the whole run, if any does. `study`: what a study found. A limiter smaller than
 * promised refuses the bystander for its own requests: that is no breach of isolation.
 */
export function judgeIsolation(
  sent: SentRequests,
  accepted: Reading | undefined,
  profile: Pick<Profile, 'channel' | 'limit_scope' | 'rate_limit' | 'redeliveries'>,
  study?: LimiterFindings,
): CheckResult {
  const { limit_scope: promisedScope } = profile;
  const { answeredNs, credential, sentNs, status } = sent;
  const isBystander = isWord(credential, 'bystander');
  const isAct = isWord(sent.endpoint, 'interact');
  const charge = chargeOf(sent, { interactionsCount: interactionsMayCount(profile.channel) });
  const isCharged = isWord(sent.chargedTo, 'bystander');
  const busyFromNs = busyFrom(
    sent,
    rowsWhere(sent, (row) => isCharged(row) && charge(row) !== 'not'),
    profile,
  );
  const bystander = rowsWhere(
    sent,
    (row) => isBystander(row) && !isAct(row) && (sentNs[row] as number) < busyFromNs,
  );
  const expected =
    promisedScope === 'shared'
      ? 'all keys share one limit'
      : promisedScope === 'per-key'
        ? 'no 429 on the bystander'
        : 'no 429 on the bystander, unless all keys share one limit';
  const inconclusive = (explanation: string): CheckResult => ({
    ...head,
    verdict: 'inconclusive',
    expected,
    observed: { bystander_requests: bystander.length },
    explanation,
    evidence: [],
  });
  if (bystander.length === 0) {
    return inconclusive('No key was given for role bystander, or nothing was sent with it.');
  }
  const isLoad = isWord(credential, 'load');
  const isQuota = isWord(credential, 'quota');
  const others = rowsWhere(sent, (row) => status[row] === 429 && (isLoad(row) || isQuota(row)));
  const fromNs = sentNs[others[0] ?? -1];
  const toNs = answeredNs[others.at(-1) ?? -1];
  if (fromNs === undefined || toNs === undefined) return inconclusive('No other key was refused anything.');
  const meanwhile = bystander.filter(
    (row) => (sentNs[row] as number) >= fromNs && (answeredNs[row] as number) <= toNs && status[row] !== 0,
  );
  if (meanwhile.length === 0) {
    return inconclusive('Nothing was sent with the bystander key while another key was being refused.');
  }
  const refused = bystander.filter((row) => status[row] === 429);
  const observed = {
    bystander_requests_meanwhile: meanwhile.length,
    limited_on_bystander: refused.length,
    limited_on_other_keys: others.length,
  };
  const seqs = seqsOf(sent, refused);
  const shown = refused.length === 0 ? [] : [evidence('429s on the bystander', seqs)];
  if (promisedScope === 'shared') {
    return accepted === undefined
      ? {
          ...inconclusive(
            'The profile says that all keys share one limit, but no shared limiter explains all answers together.',
          ),
          observed,
          evidence: shown,
        }
      : {
          ...head,
          verdict: 'pass',
          expected,
          observed,
          explanation: 'One limit for all keys together explains every answer, as the profile says.',
          evidence: shown,
        };
  }
  if (refused.length === 0) {
    return {
      ...head,
      verdict: 'pass',
      expected,
      observed,
      explanation: `While other keys were refused ${times(others.length)}, ${counted(meanwhile.length, 'request')} of the bystander went through the limiter and none was refused.`,
      evidence: [],
    };
  }
  if (promisedScope === 'discover' && accepted?.scope === 'shared') {
    return {
      ...head,
      verdict: 'pass',
      expected,
      observed,
      explanation: `The bystander was refused ${times(refused.length)}, as one limit for all keys together explains. The interface does not say whose the limit is; here it is shared.`,
      evidence: shown,
    };
  }
  if (accepted?.scope === 'per-key' && ownLoadExplains(accepted)) {
    return inconclusive('The bystander was itself loaded so much that its own limit explains its refusals.');
  }
  const own = heldAgainstStudy(study, seqs);
  switch (own.kind) {
    case 'says nothing':
      return {
        ...inconclusive(
          'The bystander was refused only where its limit may have been spent before, or at endpoints whose limit is unclear.',
        ),
        observed,
        evidence: shown,
      };
    case 'explained': {
      const { limiter, isCertain } = own;
      const excuse = `The bystander was refused ${times(refused.length)}. A ${limiter.name} of ${sizeOf(limiter)} on each key by itself explains its refusals: the bystander's own requests came closer together than it admits`;
      return isCertain
        ? { ...head, verdict: 'pass', expected, observed, explanation: `${excuse}.`, evidence: shown }
        : {
            ...inconclusive(
              `${excuse}. Not every refusal was held against it, or other limiters are possible.`,
            ),
            observed,
            evidence: shown,
          };
    }
    case 'unexplained':
  }
  return {
    ...head,
    verdict: 'fail',
    expected,
    observed,
    explanation: `The bystander was refused ${times(refused.length)} while far below its own limit, at the time when other keys were at theirs${promisedScope === 'discover' ? '; one limit for all keys together does not explain it either' : ''}.`,
    evidence: shown,
    causes: [fits('limit-shared-by-keys', {}, seqs)],
  };
}

/** What a study says about the bystander's refusals, held against the bystander's own requests alone. */
type Own =
  | { readonly kind: 'unexplained' }
  /** None of them bounds anything. */
  | { readonly kind: 'says nothing' }
  | { readonly kind: 'explained'; readonly limiter: Survivor; readonly isCertain: boolean };

function heldAgainstStudy(study: LimiterFindings | undefined, refused: readonly number[]): Own {
  // One trace is that of all keys together.
  if (study === undefined || study.keysDiffer || study.traces.length < 2) return { kind: 'unexplained' };
  const all = new Set(study.traces.flatMap((trace) => seqsWhere(trace, (i) => trace.outcome[i] === limited)));
  const held = refused.filter((seq) => all.has(seq)).length;
  if (held === 0) return { kind: 'says nothing' };
  const limiter = study.inference.survivors.find(({ settled }) => settled !== undefined);
  if (limiter === undefined) return { kind: 'unexplained' };
  const isCertain = limiter.confidence >= certain && held === refused.length;
  return { kind: 'explained', limiter, isCertain };
}

/** When the key was first near its own limit: before that it had sent little for long enough. */
function busyFrom(
  { sentNs }: SentRequests,
  own: Rows,
  { rate_limit, redeliveries }: Pick<Profile, 'rate_limit' | 'redeliveries'>,
): number {
  const { requests, windowMs } = rate_limit;
  const spanNs = bystandingWindows * windowMs * 1e6;
  let from = 0;
  // Once it has come near its own limit, that may be what it is refused for, however long ago.
  const busy = own.find((row, i) => {
    while ((sentNs[own[from] as number] as number) < (sentNs[row] as number) - spanNs) from++;
    return (i - from) * (redeliveries + 1) >= bystandingPart * requests;
  });
  return busy === undefined ? Number.POSITIVE_INFINITY : (sentNs[busy] as number);
}

/** The reading was accepted with refusals on the bystander's stream, so a limiter of its own explains them. */
function ownLoadExplains(reading: Reading): boolean {
  return reading.streams.some(
    (stream) =>
      stream.roles.length === 1 &&
      stream.roles.includes('bystander') &&
      stream.trace.outcome.includes(limited),
  );
}
