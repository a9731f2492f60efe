import { counted } from '../../../amounts.ts';
import { problemField } from '../../../history/record.ts';
import { readWait } from '../../../history/wait-times.ts';
import { countUpTo, valuesAt } from '../../../limits/arrays.ts';
import { isSuccess, limitOfRow, rowsWhere, type SentRequests, wordAt } from '../../../limits/sent/columns.ts';
import { fits, type Suspect, shown } from '../../causes/cause.ts';
import { type CheckFinding, evidenceIfAny } from '../../core/verdict.ts';
import { reason } from '../../reasons/reason.ts';
import type { Claims, HeaderContext } from './claims.ts';
import { faultAt, type HeaderFault, maySpendUnseen, type Quantity, upTo } from './envelope.ts';
import {
  type GivenInstant,
  instantOf,
  jitterNs,
  namedInstants,
  roundingNs,
  type WaitContext,
  waysWrong,
  wrongByItself,
} from './instants.ts';
import type { JudgedPolicy } from './stated.ts';

/** Of the waits that were as long as advised, this part rejected, and more than once, is no accident. */
const shortPart = 1 / 3;
const shortLeast = 2;

/**
 * When a request will be admitted again. A wait is too short if a request after it gets 429 again, or if the limiter that explains
 * the answers admits nothing by then. RFC 9110 sets no upper bound, so only a wait that no limiter needs is too long.
 */
export const wait: Quantity = {
  // Only resets may be rounded down: a `Retry-After` says how long to wait at least.
  values: (claims, { clock }) =>
    namedInstants(claims, clock, (i) => (claims.statements[i]?.form === undefined ? roundingNs : 0)),
  rules: {
    // An admission within the wait, where no limiter needs so long a one.
    'wait-too-long'(claims, context) {
      const { answeredNs, sent, statements } = claims;
      const admitted = rowsWhere(sent, (row) => isSuccess(sent, row), claims.own);
      const admittedNs = valuesAt(sent.sentNs, admitted);
      return (i) => {
        const first = admitted[countUpTo(admittedNs, answeredNs[i] as number)];
        return statements[i]?.form === undefined || first === undefined
          ? undefined
          : upTo(Math.max(longestNs(claims, i, context), (sent.answeredNs[first] as number) + roundingNs));
      };
    },
  },
  patterns(claims, context) {
    const full = triedIn(claims, context).filter(({ length }) => length === 'full');
    const short = full.filter(({ admitted }) => !admitted).map(({ index }) => index);
    const isOften = short.length >= shortLeast && short.length >= shortPart * full.length;
    return isOften ? faultAt('wait-rejected-again', claims, short, shortLeast) : [];
  },
  errsByWindow: false,
  inState({ free }, claims, i) {
    const { answeredNs, statements } = claims;
    const isReset = statements[i]?.form === undefined;
    return {
      // Where a place may have come free at once, no advice is too short.
      least: free.loNs > (answeredNs[i] as number) ? free.loNs : Number.NEGATIVE_INFINITY,
      // A reset may be that of several places, and what was spent unseen before the run makes waits longer, never shorter.
      most: isReset || maySpendUnseen(claims, i) ? Number.POSITIVE_INFINITY : free.hiNs + roundingNs,
    };
  },
  differs: (_, __, { isShortestWait }) => ({
    above: isShortestWait ? 'wait-not-shortest' : 'wait-beyond-need',
    below: 'wait-too-short',
  }),
  isExcess: (claims, i, context) =>
    context.isShortestWait || (claims.least[i] as number) > longestNs(claims, i, context),
};

/** No limiter of the promised window needs a longer wait: after a window nothing counts, or after two where the one before does. */
function longestNs(claims: Claims, i: number, { clock, promised }: HeaderContext): number {
  const { answeredNs, isFixedWindow, known, statements } = claims;
  const { reset } = statements[i] ?? {};
  // A clock that `Date` does not show may be far off.
  if (reset !== undefined && 'atEpochMs' in reset && !clock.isKnown) return Number.POSITIVE_INFINITY;
  const windows = isFixedWindow ? 1 : (known?.remembersWindows ?? 2);
  return (answeredNs[i] as number) + windows * promised.windowNs + roundingNs + jitterNs(promised.windowNs);
}

/** What the next request after a rejection got, with no other request in between. */
interface TriedWait {
  /** The rejection's index among the claims. */
  readonly index: number;
  /** Waited as long as advised, beyond doubt; or beyond doubt less. */
  readonly length: 'full' | 'less';
  readonly admitted: boolean;
}

/** The waits that history holds: rejections with an advice, and no request at all until the next one. */
function triedIn(claims: Claims, { clock }: HeaderContext): TriedWait[] {
  const { competing, rows, sent, statements } = claims;
  const { answeredNs, sentNs, status } = sent;
  return statements.flatMap(({ form, reset }, index): TriedWait[] => {
    const row = rows[index] as number;
    const place = countUpTo(competing.rows, row) - 1;
    const [next, after] = [competing.rows[place + 1], competing.rows[place + 2]];
    const at = { sentNs: sentNs[row] as number, answeredNs: answeredNs[row] as number };
    const isAlone = !((competing.busyUntilNs[place - 1] as number) >= at.sentNs);
    if (reset === undefined || !isAlone || next === undefined) return [];
    const isBetween =
      (sentNs[next] as number) > at.answeredNs &&
      (after === undefined || (sentNs[after] as number) > (answeredNs[next] as number));
    const admitted = isSuccess(sent, next);
    if (!isBetween || !(admitted || status[next] === 429)) return [];
    if (limitOfRow(sent, next) !== limitOfRow(sent, row)) return [];
    const due = instantOf(reset, at, clock);
    // A date has no parts of seconds, a reset may be rounded down.
    const overNs = due.hiNs + (form === undefined || 'atEpochMs' in reset ? roundingNs : 0);
    if ((sentNs[next] as number) >= overNs) return [{ index, length: 'full', admitted }];
    return (answeredNs[next] as number) < due.loNs ? [{ index, length: 'less', admitted }] : [];
  });
}

/** A pass needs this number of waits that could have been found too short, or all there are: one may be right by luck. */
const leastTested = 2;

/** What became of the waits that rejections advise. */
export function testsOf(policies: readonly JudgedPolicy[], context: HeaderContext) {
  const claims = policies.flatMap((each) => each.claims);
  const tried = claims.flatMap((each) => triedIn(each, context));
  const count = (length: 'full' | 'less', isAdmitted: boolean): number =>
    tried.filter((each) => each.length === length && each.admitted === isAdmitted).length;
  const [admitted, rejected, earlyAdmitted] = [
    count('full', true),
    count('full', false),
    count('less', true),
  ];
  const waited = admitted + rejected;
  const advices = claims.reduce((sum, { length }) => sum + length, 0);
  const known = policies.flatMap((each) => each.wait.known?.below ?? []);
  const compared = known.reduce((sum, below) => sum + below.compared, 0);
  // An admission before the end of a wait shows that the wait is long enough.
  const tested = Math.max(compared, waited + earlyAdmitted);
  const isTested = tested >= Math.min(advices, leastTested);
  const isMeant = claims.some(({ own, sent: { probe } }) =>
    own.some((row) => probe.words[probe.code[row] as number]?.startsWith('wait:')),
  );
  const by = policies.some(({ dialect }) => dialect === 'reset') ? 'reset' : 'retry-after';
  const early = earlyAdmitted + count('less', false);
  return {
    isWorthTelling: isMeant || isTested,
    isOpen: !isTested || rejected > 0 || known.some(({ seqs }) => seqs.length > 0),
    observed: {
      advices,
      waited: { admitted, rejected },
      waited_less: { admitted: earlyAdmitted, of: early },
    },
    reasons: [
      ...(waited === 0 && compared > 0
        ? []
        : [reason('retry-after-waits', { by, answers: advices, waited, admitted, early, earlyAdmitted })]),
      ...(isTested || tested === 0 ? [] : [reason('retry-after-few-tested', { tested, advices })]),
    ],
  };
}

/** How waits are wrong, where the values by themselves do not tell. */
export function whyWaitWrong({ given, seqs, wrong }: HeaderFault, context: HeaderContext): Suspect {
  const [how, ways] =
    wrong === 'wait-not-shortest'
      ? ['longer than needed']
      : [
          wrong === 'wait-too-long' || wrong === 'wait-beyond-need' ? 'too long' : 'too short',
          waysWrong(
            given.filter(({ form }) => form !== undefined),
            context,
          ),
        ];
  const example = `in ${counted(seqs.length, 'answer')}${given[0]?.text === undefined ? '' : `, for example with the value ${given[0].text}`}`;
  return ways === undefined
    ? fits('retry-after-wrong', { how, example }, seqs)
    : shown('retry-after-wrong', ways, seqs);
}

/** Whether each Retry-After can be true, by itself. What became of the waits is another check's. */
export function judgeRejections(sent: SentRequests, context: WaitContext): CheckFinding {
  const rejected = rowsWhere(sent, (row) => sent.status[row] === 429);
  const all = Array.from(rejected).flatMap((row) => {
    const text = wordAt(sent.retryAfter, row);
    if (text === null) return [];
    const at = { sentNs: sent.sentNs[row] as number, answeredNs: sent.answeredNs[row] as number };
    const given: GivenInstant = { ...at, text, ...readWait(text) };
    return [{ given, seq: sent.seq[row] as number, wrong: wrongByItself(given, context) }];
  });
  const impossible = all.filter(({ wrong }) => wrong?.isCertain === true);
  const doubtful = all.filter(({ wrong }) => wrong?.isCertain === false);
  const isImpossible = impossible.length > 0;
  const shownBy = isImpossible ? impossible : doubtful;
  const ways = waysWrong(
    shownBy.map(({ given }) => given),
    context,
  );
  const seqsOf = (some: typeof all): number[] => some.map(({ seq }) => seq);
  const isForm = shownBy.every(({ wrong }) => wrong?.isForm);
  const causes: Suspect[] =
    isImpossible && ways !== undefined ? [shown('retry-after-wrong', ways, seqsOf(impossible))] : [];
  const names = Array.from(rejected, (row) => wordAt(sent.limitHeaders, row)?.split(' | ') ?? [])
    .flat()
    .map((pair) => pair.slice(0, Math.max(0, pair.indexOf(':'))).toLowerCase());
  return {
    id: 'rate-limit.rejections',
    verdict: rejected.length === 0 ? 'inconclusive' : isImpossible ? 'fail' : 'pass',
    expected: { retry_after: 'absent, or a possible wait' },
    observed: {
      rejected: rejected.length,
      with_retry_after: all.length,
      limit_headers: [...new Set(names)].filter((name) => name !== problemField).toSorted(),
    },
    reasons: [
      ...(ways === undefined
        ? []
        : [reason('rejections-wrong', { ...ways, values: shownBy.length, isImpossible, isForm })]),
      rejected.length === 0
        ? reason('rejections-none')
        : all.length === 0
          ? reason('rejections-without-retry-after')
          : reason('rejections-with-retry-after', { given: all.length, rejected: rejected.length }),
    ],
    causes,
    evidence: [
      ...evidenceIfAny('Retry-After that cannot be true', seqsOf(impossible)),
      ...evidenceIfAny('Retry-After in doubt', seqsOf(doubtful)),
    ],
  };
}
