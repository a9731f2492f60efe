import { counted, number } from '../../../amounts.ts';
import type { History } from '../../../history/history.ts';
import { shown } from '../../diagnosis/cause.ts';
import { type CheckResult, evidence } from '../../verdict.ts';
import { interactionsKnownToCount } from '../interactions.ts';
import { isTight, type JudgedStream, survivors } from '../judged.ts';
import { isWord, type Rows, rowsWhere, type SentRequests, seqsOf, wordAt } from '../sent.ts';
import type { LimiterFindings } from '../study/findings.ts';
import type { ScopeJson } from '../study/scope.ts';
import { capital, pace } from '../words.ts';
import type { Fault } from './finding.ts';
import { type FittedLimiter, fittedLimiter } from './fitted.ts';
import { judgeAdvice } from './judge-advice.ts';
import { judgeLimits } from './limit.ts';
import { type HeaderContext, type HeaderStream, instants, sayingsOf, seriesOf } from './series.ts';
import {
  judgeSpoken,
  remainingHead,
  resetHead,
  type Speaker,
  said,
  sentencesOf,
  speakersOf,
  summaryOf,
} from './spoken.ts';
import { targetClock } from './target-clock.ts';

/** The streams of a reading, as the other checks of the limiter judged them. */
export interface JudgedStreams {
  readonly streams: readonly JudgedStream[];
  /** They explain what the target did. */
  readonly isAcceptable: boolean;
  /** What a study of the limiter found; undefined without one. */
  readonly study?: Study | undefined;
}

/** What a study found of the limiter. */
export type Study = Pick<LimiterFindings, 'inference' | 'tried'> & {
  readonly scope: Pick<ScopeJson, 'per_key'>;
};

/** Nothing waits longer for its turn than so many times as long as an answer is waited for. */
const lostForTimeouts = 2;

/**
 * Whether the headers in which a target speaks of its limit, and `Retry-After`, are true. Nothing promises any: what is
 * not said is not judged, but for what the profile promises.
 */
export function judgeHeaders(
  sent: SentRequests,
  judged: JudgedStreams,
  history: Pick<History, 'run' | 'profile'>,
): CheckResult[] {
  const { profile, run } = history;
  const context: HeaderContext = {
    promised: { requests: profile.rate_limit.requests, windowNs: profile.rate_limit.windowMs * 1e6 },
    clock: targetClock(sent, run.zero_epoch_ms, profile.clock_skew_bound),
    isFresh: run.target.kind === 'embedded',
    mostCounted: profile.redeliveries + 1,
    lostForNs: lostForTimeouts * profile.timeouts.headers * 1e6,
  };
  const isPerKey = profile.limit_scope === 'per-key';
  const all = isPerKey
    ? undefined
    : competitorsOf(
        sent,
        rowsWhere(sent, () => true),
      );
  const { isAcceptable, study } = judged;
  const isAct = isWord(sent.endpoint, 'interact');
  const knowledge = {
    profile,
    isAcceptable,
    isFresh: context.isFresh,
    isPerKey: isPerKey || study?.scope.per_key === true,
    areActsTold:
      interactionsKnownToCount(profile.channel, study?.tried) !== undefined ||
      rowsWhere(sent, isAct).length === 0,
    inference: study?.inference,
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

type Competitors = Pick<HeaderStream, 'competing' | 'possible'>;

function competitorsOf(sent: SentRequests, competing: Rows): Competitors {
  return { competing, possible: instants(sent, competing) };
}

/** Whether any answer says something of the limit. */
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

/** What is stated, and that what is promised is there. Undefined when nothing was said, and nothing refused that might have. */
function judgeStated(
  sent: SentRequests,
  speakers: readonly Speaker[],
  context: HeaderContext,
  promisedNames: readonly string[],
): CheckResult | undefined {
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
  const faults = [
    ...missing,
    ...[...stated].flatMap(([dialect, { faults: own }]) => own.map((fault) => said({ dialect }, fault))),
  ];
  const remarks = [...stated].flatMap(([dialect, { remarks: own }]) =>
    own.map((remark) => `${dialect}: ${remark}`),
  );
  const spoken = summaryOf(speakers, stated, context);
  return {
    id: 'rate-limit.headers',
    title: 'Headers state the promised limit',
    verdict: faults.length > 0 ? 'fail' : 'pass',
    expected: {
      limit: context.promised.requests,
      window_s: context.promised.windowNs / 1e9,
      with_429: promisedNames,
    },
    observed: { answers_with_headers: answers, dialects: spoken.map((each) => ({ ...each })) },
    data: { dialects: spoken },
    explanation: [
      ...sentencesOf(faults),
      explainStated(answers, [...stated.keys()], faults.length > 0, context),
      ...remarks.map((remark) => `${capital(remark)}.`),
    ].join(' '),
    evidence: faults.map(({ what, seqs }) => evidence(what, seqs)),
    causes: [
      ...missing.map(({ header, seqs }) =>
        shown('refusal-headers-missing', { headers: [header], refused: seqs.length }, seqs),
      ),
      ...faults
        .slice(missing.length)
        .map(({ seqs, what }) => shown('stated-limit-wrong', { states: what }, seqs)),
    ],
  };
}

function explainStated(
  answers: number,
  dialects: readonly string[],
  isWrong: boolean,
  { promised }: HeaderContext,
): string {
  if (answers === 0)
    return 'No answer speaks of a limit by a header, and the interface does not promise any.';
  if (dialects.length === 0) return 'What answers say of a limit is in none of the known dialects.';
  const carried = `${number(answers)} answers came with headers of a limit (${dialects.join(', ')})`;
  return isWrong ? `${carried}.` : `${carried}, and none contradicts ${pace(promised)}.`;
}

function missingHeaders(
  sent: SentRequests,
  names: readonly string[],
): (Fault & { readonly header: string })[] {
  const refused = rowsWhere(sent, (row) => sent.status[row] === 429);
  return names.flatMap((name) => {
    const field = name.toLowerCase();
    const without = refused.filter((row) =>
      field === 'retry-after'
        ? sent.retryAfter.code[row] === 0
        : !` | ${wordAt(sent.limitHeaders, row) ?? ''}`.toLowerCase().includes(` | ${field}: `),
    );
    return without.length === 0
      ? []
      : [
          {
            header: name,
            what: `${number(without.length)} of ${counted(refused.length, 'request')} refused came without ${name}, which the profile promises`,
            seqs: seqsOf(sent, without),
          },
        ];
  });
}
