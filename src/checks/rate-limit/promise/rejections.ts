import { problemField } from '../../../history/record.ts';
import { type Rows, rowsWhere, type SentRequests, wordAt } from '../../../limits/sent/columns.ts';
import { type Suspect, shown } from '../../causes/cause.ts';
import { type CheckFinding, evidenceIfAny, type Verdict } from '../../core/verdict.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import { repeatedly } from '../headers/comparison.ts';
import {
  type GivenWait,
  givenWait,
  judgeWait,
  type WaitContext,
  type WaitJudgement,
  waysWrong,
} from '../headers/readings.ts';
import { contradictedWaits } from '../headers/waits.ts';

/** Whether the headers of rejections can be true. */
export function judgeRejections(sent: SentRequests, context: WaitContext): CheckFinding {
  const rejected = rowsWhere(sent, (row) => sent.status[row] === 429);
  const head = {
    id: 'rate-limit.rejections',
    expected: { retry_after: 'absent, or a wait that later answers do not contradict' },
  } as const;
  if (rejected.length === 0)
    return {
      ...head,
      verdict: 'inconclusive',
      observed: { rejected: 0 },
      reasons: [reason('rejections-none')],
      evidence: [],
    };
  const judged = judgeEach(rejected, sent, context);
  const impossible = judged.filter((each) => each.plausibility === 'impossible');
  const doubtful = judged.filter((each) => each.plausibility === 'doubtful');
  const verdict: Verdict = impossible.length > 0 ? 'fail' : 'pass';
  const said = new Set(Array.from(rejected, (row) => wordAt(sent.limitHeaders, row)));
  const named = [...new Set([...said].flatMap(headerNames))].toSorted();
  return {
    ...head,
    verdict,
    observed: {
      rejected: rejected.length,
      with_retry_after: judged.length,
      limit_headers: named,
    },
    reasons: [
      ...reasonsOf(impossible, doubtful),
      judged.length === 0
        ? reason('rejections-without-retry-after')
        : reason('rejections-with-retry-after', { given: judged.length, rejected: rejected.length }),
    ],
    causes: causesOf(impossible, context),
    evidence: [
      ...evidenceIfAny(
        'Retry-After that cannot be true',
        impossible.map((each) => each.seq),
      ),
      ...evidenceIfAny(
        'Retry-After in doubt',
        doubtful.map((each) => each.seq),
      ),
    ],
  };
}

function causesOf(impossible: readonly JudgedHeader[], context: WaitContext): Suspect[] {
  const ways = waysWrong(impossible, context);
  const seqs = impossible.map(({ seq }) => seq);
  if (ways !== undefined) return [shown('retry-after-wrong', ways, seqs)];
  // Only what happened afterwards shows it.
  const [first] = impossible;
  return first === undefined
    ? []
    : [shown('retry-after-wrong', { how: 'too long', example: `a header says ${first.text}` }, seqs)];
}

interface JudgedHeader extends WaitJudgement, GivenWait {
  readonly seq: number;
}

/** Each Retry-After by its text, and a long wait by what became of it. */
function judgeEach(rejected: Rows, sent: SentRequests, context: WaitContext): JudgedHeader[] {
  const read = Array.from(rejected).flatMap((row) => {
    const text = wordAt(sent.retryAfter, row);
    if (text === null) return [];
    const given = givenWait(text, sent.sentNs[row] as number, sent.answeredNs[row] as number);
    return [{ row, ...given, ...judgeWait(given, context) }];
  });
  const long = read.flatMap(({ longNs, row }) => (longNs === undefined ? [] : [{ row, longNs }]));
  const early = new Map(
    contradictedWaits(long, sent, context.windowNs).map(({ row, longNs }) => [row, longNs]),
  );
  return read.map(({ row, ...each }) => {
    const seq = sent.seq[row] as number;
    const longNs = early.get(row);
    if (longNs === undefined) return { ...each, seq };
    const waited = { text: each.text, waitMs: longNs / 1e6, admissions: repeatedly };
    const why = reason('rejections-admitted-earlier', waited);
    return { ...each, seq, plausibility: 'impossible', reason: why };
  });
}

/** How many values are wrong, with an example. */
function reasonsOf(impossible: readonly JudgedHeader[], doubtful: readonly JudgedHeader[]): Reason[] {
  const [example = doubtful[0]] = impossible;
  if (example?.reason === undefined) return [];
  const count =
    impossible.length > 0
      ? reason('rejections-impossible', { values: impossible.length })
      : reason('rejections-doubtful', { values: doubtful.length });
  return [count, example.reason];
}

/** `limit_headers` holds `name: value` pairs, joined by ` | `. */
function headerNames(headers: string | null): string[] {
  if (headers === null) return [];
  const names = headers
    .split(' | ')
    .map((pair) => pair.slice(0, Math.max(0, pair.indexOf(':'))).toLowerCase());
  return names.filter((name) => name !== problemField);
}
