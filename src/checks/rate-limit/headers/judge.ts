import type { History } from '../../../history/history.ts';
import { isWord, rowsWhere, type SentRequests } from '../../../limits/sent/columns.ts';
import { type Role, roles } from '../../../vocabulary/roles.ts';
import { fits, type Suspect, shown } from '../../causes/cause.ts';
import { type CheckFinding, evidence, type Shown } from '../../core/verdict.ts';
import type { HeaderQuantity } from '../../reasons/rate-limit/headers.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import type { LimiterFindings } from '../study/findings.ts';
import { isTight, type JudgedStream, survivors } from '../traces/judged.ts';
import type { ScopeJson } from '../traces/scope.ts';
import { interactionsKnownToCount } from '../traces/streams.ts';
import {
  type Claims,
  claimsIn,
  competingOf,
  type HeaderContext,
  type HeaderStream,
  statementsOf,
} from './claims.ts';
import { countersIn, takenBeside } from './counters.ts';
import { type HeaderFault, type HeaderFinding, judgeClaims, type Quantity, together } from './envelope.ts';
import { targetClock, waysWrong } from './instants.ts';
import { knownStateOf } from './limiter.ts';
import { remaining, reset } from './quantities.ts';
import { type JudgedPolicy, judgeStated } from './stated.ts';
import { judgeRejections, testsOf, wait, whyWaitWrong } from './waits.ts';

/** What answers claim of the state of a limiter, and the check of each. */
const quantities = {
  remaining: { id: 'rate-limit.headers-remaining', quantity: remaining },
  reset: { id: 'rate-limit.headers-reset', quantity: reset },
  wait: { id: 'rate-limit.retry-after', quantity: wait },
} as const satisfies Record<HeaderQuantity, { readonly id: string; readonly quantity: Quantity }>;

/** The streams of a reading, as the other checks of the limiter judged them. */
interface JudgedStreams {
  readonly streams: readonly JudgedStream[];
  /** They explain what the target did. */
  readonly isAcceptable: boolean;
  /** What a study of the limiter found; undefined without one. */
  readonly study?: StudyFindings | undefined;
  /** The run went past the limit, or meant to. */
  readonly isBeyond: boolean;
}

/** What a study found of the limiter. */
export type StudyFindings = Pick<LimiterFindings, 'inference' | 'tried'> & {
  readonly scope: Pick<ScopeJson, 'per_key'>;
};

/** A request without an answer may still be counted for this many times the timeout. */
const lostForTimeouts = 2;

/** Whether rate-limit headers and `Retry-After` are true. A header that is missing is a fault only where the profile promises it. */
export function judgeHeaders(
  sent: SentRequests,
  judged: JudgedStreams,
  history: Pick<History, 'run' | 'profile'>,
): CheckFinding[] {
  const { profile, run } = history;
  const context: HeaderContext = {
    promised: { requests: profile.rate_limit.requests, windowNs: profile.rate_limit.windowMs * 1e6 },
    clock: targetClock(sent, run.zero_epoch_ms, profile.clock_skew_bound),
    mostCounted: profile.redeliveries + 1,
    lostForNs: lostForTimeouts * profile.timeouts.headers * 1e6,
    isShortestWait: profile.retry_after === 'shortest',
  };
  const statements = statementsOf(sent);
  const claims = streamsOf(sent, judged, history, context).flatMap((each) =>
    claimsIn(each, statements, context),
  );
  const policies = [...Map.groupBy(claims, ({ dialect, policy }) => `${dialect} ${policy}`).values()].map(
    (own) => judgePolicy(own, context),
  );
  const rejections = judgeRejections(sent, context);
  return [
    ...(judged.isBeyond || rejections.verdict === 'fail' ? [rejections] : []),
    ...judgeStated(sent, policies, context, profile.refusal_headers),
    ...(Object.keys(quantities) as HeaderQuantity[]).flatMap((of) => judgeValues(of, policies, context)),
  ];
}

function streamsOf(
  sent: SentRequests,
  { isAcceptable, streams, study }: JudgedStreams,
  { profile, run }: Pick<History, 'run' | 'profile'>,
  context: HeaderContext,
): HeaderStream[] {
  const isPerKey = profile.limit_scope === 'per-key';
  const all = isPerKey
    ? undefined
    : competingOf(
        sent,
        rowsWhere(sent, () => true),
        context,
      );
  const isInteraction = isWord(sent.endpoint, 'interact');
  const knowledge = {
    profile,
    isAcceptable,
    isPerKey: isPerKey || study?.scope.per_key === true,
    hasOwnLimit: ({ stream }: JudgedStream) => isPerKey && isOwnKey(stream.roles, run.keys),
    areInteractionsKnown:
      interactionsKnownToCount(profile.channel, study?.tried) !== undefined ||
      rowsWhere(sent, isInteraction).length === 0,
    inference: study?.inference,
    studied: study?.inference === undefined ? [] : streams.map(({ trace }) => trace),
  };
  return streams.map((each) => {
    const { fit, promised, stream } = each;
    const { rows } = stream;
    const fitting = isAcceptable && fit.limited > 0 ? survivors(fit) : [];
    const isOneLimit = fitting.some((candidate) => isTight(candidate, promised));
    const hasHeaders = rows.some(
      (row) => sent.retryAfter.code[row] !== 0 || sent.limitHeaders.code[row] !== 0,
    );
    return {
      sent: stream.sent,
      rows,
      competing: all ?? competingOf(sent, rows, context),
      isOneLimit,
      isFixedWindow: isOneLimit && fitting.every(({ candidate }) => candidate.algorithm === 'fixed-window'),
      known: hasHeaders ? knownStateOf(each, knowledge) : undefined,
    };
  });
}

/** Whether the key of these roles is no other's too. */
function isOwnKey(owners: readonly Role[], keys: History['run']['keys']): boolean {
  const [owner, ...others] = owners;
  if (owner === undefined || others.length > 0) return false;
  const print = keys[owner]?.fingerprint;
  return roles.every((role) => role === owner || print === undefined || keys[role]?.fingerprint !== print);
}

/** What all keys and endpoints show of one policy; what is said of several is said once. */
function judgePolicy(claims: readonly Claims[], context: HeaderContext): JudgedPolicy {
  const { dialect, policy } = claims[0] as Claims;
  const isAdvice = dialect === 'advice';
  const judge = (of: HeaderQuantity): HeaderFinding => {
    const findings =
      (of === 'wait') === isAdvice
        ? claims.map((each) => judgeClaims(quantities[of].quantity, each, context))
        : [];
    const faults = findings.flatMap((each) => each.faults);
    return {
      values: findings.reduce((sum, { values }) => sum + values, 0),
      faults: [...Map.groupBy(faults, ({ wrong }) => wrong).values()].map((same) => ({
        ...(same[0] as HeaderFault),
        seqs: same.flatMap(({ seqs }) => seqs),
        given: same.flatMap(({ given }) => given),
      })),
      known: together(findings.flatMap(({ known }) => known ?? [])),
    };
  };
  const isWait = claims.some(({ statements }) => statements.some(({ form }) => form !== undefined));
  return {
    // Advice is named after the header that gives it.
    dialect: isAdvice ? (isWait ? 'Retry-After' : 'reset') : dialect,
    ...{ policy, claims, isAdvice },
    ...{ remaining: judge('remaining'), reset: judge('reset'), wait: judge('wait') },
    unexplained: isAdvice ? 0 : Math.max(...claims.map((each) => takenBeside(each, context))),
  };
}

/** One result for all dialects and policies; none where none says anything of the kind, or no wait could be tested. */
function judgeValues(
  of: HeaderQuantity,
  policies: readonly JudgedPolicy[],
  context: HeaderContext,
): CheckFinding[] {
  const { id } = quantities[of];
  const telling = policies.filter((each) => each[of].values > 0);
  if (telling.length === 0) return [];
  const faults = telling.flatMap((who) => who[of].faults.map((fault) => ({ ...fault, who })));
  const values = telling.reduce((sum, each) => sum + each[of].values, 0);
  const tests = of === 'wait' ? testsOf(telling, context) : undefined;
  if (faults.length === 0 && tests?.isWorthTelling === false) return [];
  /** By which other meaning the resets are right. */
  const howOf = (all: readonly HeaderFault[]): { readonly how?: string } => {
    const given = all.flatMap((each) => each.given);
    const how = of === 'reset' ? (all[0]?.how ?? waysWrong(given, context)?.how) : undefined;
    return how === undefined ? {} : { how };
  };
  const more = { of: values, ...howOf(faults) };
  return [
    {
      id,
      verdict: faults.length > 0 ? 'fail' : tests?.isOpen === true ? 'inconclusive' : 'pass',
      observed: Object.fromEntries([
        ...telling.map((each) => [labelOf(each), observedOf(each[of])]),
        ...(tests === undefined ? [] : [['waits', tests.observed]]),
      ]),
      reasons: [
        ...faults.map((fault) => {
          const { dialect, policy } = fault.who;
          const who = { dialect, policy, answers: fault.seqs.length, wrong: fault.wrong };
          return reason('headers-wrong', { ...who, ...howOf([fault]) });
        }),
        ...(tests?.reasons ?? (faults.length > 0 ? [] : [reason('headers-possible', { of, values })])),
        ...telling.flatMap((each) => remarksOf(each, of)),
      ],
      evidence: faults.map(({ seqs, who, wrong }) =>
        evidence(`${labelOf(who)}: ${wrong.replaceAll('-', ' ')}`, seqs),
      ),
      causes:
        of === 'wait'
          ? faults.map((fault) => whyWaitWrong(fault, context))
          : faults.length === 0
            ? []
            : [whyWrong(of, telling, faults, more)],
    },
  ];
}

/** `draft-6`, `draft-10 "burst"`. */
function labelOf({ dialect, policy }: JudgedPolicy): string {
  return policy === '' ? dialect : `${dialect} "${policy}"`;
}

function observedOf({ faults, known, values }: HeaderFinding): Shown {
  return {
    values,
    contradicted: new Set(faults.flatMap(({ seqs }) => seqs)).size,
    with_fitted_limiter:
      known === undefined
        ? 'not known'
        : {
            values: known.compared,
            too_high: known.above.seqs.length,
            too_high_by: Math.round(known.above.by),
            too_low: known.below.seqs.length,
            too_low_by: Math.round(known.below.by),
          },
  };
}

/** What the comparison with the known limiter shows. */
function remarksOf(judged: JudgedPolicy, of: HeaderQuantity): Reason[] {
  const { dialect, policy } = judged;
  const { faults, known } = judged[of];
  // Where values are wrong by themselves, that none is wrong by the known limiter would contradict it.
  const isKnownWrong = known !== undefined && known.above.seqs.length + known.below.seqs.length > 0;
  return [
    ...(known === undefined || (faults.length > 0 && !isKnownWrong)
      ? []
      : [
          reason('headers-values', {
            ...{ dialect, policy, of, compared: known.compared, fitted: known.fitted },
            ...{ above: known.above.seqs.length, aboveBy: known.above.by },
            ...{ below: known.below.seqs.length, belowBy: known.below.by },
          }),
        ]),
  ];
}

/** This many answers that all say the same are no accident. */
const frozenLeast = 20;

function whyWrong(
  of: 'remaining' | 'reset',
  telling: readonly JudgedPolicy[],
  faults: readonly HeaderFault[],
  more: { readonly of: number; readonly how?: string },
): Suspect {
  const seqs = [...new Set(faults.flatMap((fault) => fault.seqs))];
  if (of === 'reset') return fits('reset-wrong', { wrong: seqs.length, ...more }, seqs);
  const nodes = telling.map(({ claims }) => countersIn(claims)).find((each) => each !== undefined);
  if (nodes !== undefined) return fits('counters-per-node', { nodes }, seqs);
  const said = telling.flatMap(({ claims }) =>
    claims.flatMap(({ statements }) => statements.flatMap((each) => each.remaining ?? [])),
  );
  const [left, ...others] = new Set(said);
  return left !== undefined && others.length === 0 && said.length >= frozenLeast
    ? shown('limit-headers-frozen', { remaining: left, answers: said.length }, seqs)
    : fits('remaining-wrong', { wrong: seqs.length, of: more.of }, seqs);
}
