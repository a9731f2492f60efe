import type { History } from '../../../history/history.ts';
import type { PromisedLimit } from '../../../limits/kinds/kind.ts';
import { isWord, type Rows, rowsWhere, type SentRequests, seqsOf, wordAt } from '../../../sent/columns.ts';
import { type Role, roles } from '../../../vocabulary/roles.ts';
import { shown } from '../../causes/cause.ts';
import { type CheckFinding, evidence } from '../../core/verdict.ts';
import { statedText } from '../../reasons/rate-limit/headers.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import { paceText } from '../../reasons/words/limits.ts';
import type { LimiterFindings } from '../study/findings.ts';
import { interactionsKnownToCount } from '../traces/interactions.ts';
import { isTight, type JudgedStream, survivors } from '../traces/judged.ts';
import type { ScopeJson } from '../traces/scope.ts';
import type { Wrong } from './finding.ts';
import { type FittedLimiter, fittedLimiter } from './fitted.ts';
import { targetClock } from './instant.ts';
import { judgeAdvice } from './judge-advice.ts';
import { judgeLimits } from './limit.ts';
import { faultEvidence, faultReason, remarkReason } from './said.ts';
import { type HeaderContext, type HeaderStream, instants, sayingsOf, seriesOf } from './series.ts';
import { judgeSpoken, remainingHead, resetHead, type Speaker, speakersOf, summaryOf } from './spoken.ts';

/** The streams of a reading, as the other checks of the limiter judged them. */
interface JudgedStreams {
  readonly streams: readonly JudgedStream[];
  /** They explain what the target did. */
  readonly isAcceptable: boolean;
  /** What a study of the limiter found; undefined without one. */
  readonly study?: StudyFindings | undefined;
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
    isFresh: profile.exclusive_keys,
    mostCounted: profile.redeliveries + 1,
    lostForNs: lostForTimeouts * profile.timeouts.headers * 1e6,
    isShortestWait: profile.retry_after === 'shortest',
  };
  const isPerKey = profile.limit_scope === 'per-key';
  const all = isPerKey
    ? undefined
    : competitorsOf(
        sent,
        rowsWhere(sent, () => true),
      );
  const { isAcceptable, study } = judged;
  const isInteraction = isWord(sent.endpoint, 'interact');
  const knowledge = {
    profile,
    isAcceptable,
    isFresh: context.isFresh,
    isPerKey: isPerKey || study?.scope.per_key === true,
    hasOwnLimit: ({ stream }: JudgedStream) => isPerKey && isOwnKey(stream.roles, run.keys),
    areInteractionsKnown:
      interactionsKnownToCount(profile.channel, study?.tried) !== undefined ||
      rowsWhere(sent, isInteraction).length === 0,
    inference: study?.inference,
    studied: study?.inference === undefined ? [] : judged.streams.map(({ trace }) => trace),
  };
  const streams = judged.streams.map((each) =>
    headerStream(
      each,
      isAcceptable,
      all ?? competitorsOf(sent, each.stream.rows),
      speaks(each) ? fittedLimiter(each, knowledge) : undefined,
    ),
  );
  const sayings = sayingsOf(sent);
  const speakers = speakersOf(
    streams.flatMap((each) => seriesOf(each, sayings)),
    context,
  );
  const stated = judgeStated(sent, speakers, context, profile.refusal_headers);
  const advice = judgeAdvice(streams, context);
  return [
    ...(stated === undefined ? [] : [stated]),
    ...judgeSpoken(speakers, remainingHead),
    ...judgeSpoken(speakers, resetHead),
    ...(advice === undefined ? [] : [advice]),
  ];
}

/** Whether the key of these roles is no other's too. */
function isOwnKey(owners: readonly Role[], keys: History['run']['keys']): boolean {
  const [owner, ...others] = owners;
  if (owner === undefined || others.length > 0) return false;
  const print = keys[owner]?.fingerprint;
  return roles.every((role) => role === owner || print === undefined || keys[role]?.fingerprint !== print);
}

type Competitors = Pick<HeaderStream, 'competing' | 'possible'>;

function competitorsOf(sent: SentRequests, competing: Rows): Competitors {
  return { competing, possible: instants(sent, competing) };
}

/** Whether any answer has such a header. */
function speaks({ stream: { rows, sent } }: JudgedStream): boolean {
  return rows.some((row) => sent.retryAfter.code[row] !== 0 || sent.limitHeaders.code[row] !== 0);
}

function headerStream(
  { stream, fit, promised }: JudgedStream,
  isAcceptable: boolean,
  competitors: Competitors,
  fitted: FittedLimiter | undefined,
): HeaderStream {
  const fitting = isAcceptable && fit.limited > 0 ? survivors(fit) : [];
  const isOneLimit = fitting.some((each) => isTight(each, promised));
  return {
    sent: stream.sent,
    rows: stream.rows,
    ...competitors,
    isOneLimit,
    isFixedWindow: isOneLimit && fitting.every(({ candidate }) => candidate.algorithm === 'fixed-window'),
    fitted,
  };
}

/** What is stated, and whether the promised headers are there. Undefined when there was no header and no 429 without one. */
function judgeStated(
  sent: SentRequests,
  speakers: readonly Speaker[],
  context: HeaderContext,
  promisedNames: readonly string[],
): CheckFinding | undefined {
  const { limitHeaders, status } = sent;
  const answers = limitHeaders.code.reduce((sum, code) => sum + (code === 0 ? 0 : 1), 0);
  if (answers === 0 && !status.includes(429)) return undefined;
  const dialects = [...Map.groupBy(speakers, ({ dialect }) => dialect)];
  const stated = new Map(
    dialects.map(([dialect, own]) => [
      dialect,
      judgeLimits(
        own.flatMap(({ series }) => series),
        context,
      ),
    ]),
  );
  const missing = missingHeaders(sent, promisedNames);
  const faults = [...stated].flatMap(([dialect, finding]) =>
    finding.faults.map((fault) => ({ who: { dialect }, fault })),
  );
  const isWrong = missing.length + faults.length > 0;
  const spoken = summaryOf(speakers, stated, context);
  return {
    id: 'rate-limit.headers',
    verdict: isWrong ? 'fail' : 'pass',
    expected: {
      limit: context.promised.requests,
      window_s: context.promised.windowNs / 1e9,
      with_429: promisedNames,
    },
    observed: { answers_with_headers: answers, dialects: spoken.map((each) => ({ ...each })) },
    data: { dialects: spoken },
    reasons: [
      ...missing.map(({ header, rejected, seqs }) =>
        reason('headers-missing', { header, missing: seqs.length, rejected }),
      ),
      ...faults.map(({ fault, who }) => faultReason(who, fault)),
      ...(answers === 0
        ? [reason('headers-none', { promises: promisedNames.length > 0 })]
        : statedReasons(answers, [...stated.keys()], isWrong, context.promised)),
      ...[...stated].flatMap(([dialect, { remarks }]) =>
        remarks.map((remark) => remarkReason({ dialect }, remark)),
      ),
    ],
    evidence: [
      ...missing.map(({ header, seqs }) => evidence(`429 without ${header}`, seqs)),
      ...faults.map(({ fault, who }) => faultEvidence(who, fault)),
    ],
    causes: [
      ...missing.map(({ header, seqs }) =>
        shown('refusal-headers-missing', { headers: [header], refused: seqs.length }, seqs),
      ),
      ...faults.map(({ fault: { seqs, what }, who: { dialect } }) =>
        shown('stated-limit-wrong', { states: `${dialect}: ${statesOf(what)}` }, seqs),
      ),
    ],
  };
}

/** `180 per 60 s, not 200 per 60 s`. */
function statesOf(what: Wrong): string {
  if (what.code !== 'headers-limit-wrong') return what.code;
  return `${what.params.stated.map(statedText).join(' and ')}, not ${paceText(what.params)}`;
}

function statedReasons(
  answers: number,
  dialects: readonly string[],
  isWrong: boolean,
  { requests, windowNs }: PromisedLimit,
): Reason[] {
  if (dialects.length === 0) return [reason('headers-dialect-unknown', { answers })];
  return [
    reason('headers-dialects', { answers, dialects }),
    ...(isWrong ? [] : [reason('headers-limit-right', { requests, windowMs: windowNs / 1e6 })]),
  ];
}

interface MissingHeader {
  readonly header: string;
  /** Answers with 429, with and without it. */
  readonly rejected: number;
  /** Those without it. */
  readonly seqs: readonly number[];
}

function missingHeaders(sent: SentRequests, names: readonly string[]): MissingHeader[] {
  const rejected = rowsWhere(sent, (row) => sent.status[row] === 429);
  return names.flatMap((header) => {
    const field = header.toLowerCase();
    const without = rejected.filter((row) =>
      field === 'retry-after'
        ? sent.retryAfter.code[row] === 0
        : !` | ${wordAt(sent.limitHeaders, row) ?? ''}`.toLowerCase().includes(` | ${field}: `),
    );
    return without.length === 0 ? [] : [{ header, rejected: rejected.length, seqs: seqsOf(sent, without) }];
  });
}
