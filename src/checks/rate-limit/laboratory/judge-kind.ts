import { counted, number, percent, verb } from '../../../amounts.ts';
import type { Survivor } from '../../../limits/inference.ts';
import { admissionsNeedOver } from '../../../limits/one-sided.ts';
import type { Profile } from '../../../target/profile.ts';
import { type CheckResult, evidence, type Verdict } from '../../verdict.ts';
import { pace } from '../words.ts';
import { contains, excusedBy, kindsOf } from './as-promised.ts';
import type { LimiterFindings } from './findings.ts';
import { certain, judgeSize, nodesOver } from './judge-size.ts';
import { sizeOf } from './size-of.ts';

/** Kinds less likely than this are not what keeps a verdict open. */
const negligible = 0.001;

/** The algorithm of the profile that a kind decides as; undefined where it has none. */
export function promisedKind(kind: string): keyof typeof kindsOf | undefined {
  const names = Object.keys(kindsOf) as (keyof typeof kindsOf)[];
  return names.find((name) => kindsOf[name].includes(kind));
}

/** The limiter that was found out, against what the profile promises: its kind, its limit and its window. */
export function judgeKind(findings: LimiterFindings, profile: Profile): CheckResult[] {
  const possible = findings.inference.survivors.filter(({ confidence }) => confidence >= negligible);
  return [
    judgeAlgorithm(findings, possible, profile),
    judgeSize('limit', findings, possible, profile.rate_limit),
    judgeSize('window', findings, possible, profile.rate_limit),
  ];
}

function judgeAlgorithm(
  { asPromised, inference, refusalStatus, keysDiffer, traces }: LimiterFindings,
  possible: readonly Survivor[],
  { limiter, rate_limit }: Profile,
): CheckResult {
  const promised = limiter === 'unspecified' ? undefined : limiter;
  const head = {
    id: 'rate-limit.algorithm',
    title: 'What kind of limiter it is',
    expected: promised ?? 'any limiter of requests per time',
    observed: {
      requests: inference.requests,
      'still possible': Object.fromEntries(possible.map((each) => [each.name, percent(each.confidence)])),
      refuted: inference.refuted.length,
    },
    evidence: inference.refuted
      .filter(({ evidence: seqs }) => seqs.length > 0)
      .map(({ algorithm, because, evidence: seqs }) => evidence(`${algorithm}: ${because}`, seqs)),
  } as const;
  const say = (verdict: Verdict, explanation: string): CheckResult => ({
    ...head,
    verdict,
    explanation: `${explanation}${keysDiffer ? ' (The keys have different limits; this is that of load.)' : ''}`,
  });
  /** A fail, unless the promised limiter may have given the same answers. */
  const sayBroken = (explanation: string): CheckResult =>
    asPromised === undefined
      ? say('fail', explanation)
      : say('inconclusive', `${explanation} ${excusedBy(asPromised)}`);
  const [best] = possible;
  const isOver = traces.some(
    (trace) =>
      admissionsNeedOver(trace, { requests: rate_limit.requests, windowNs: rate_limit.windowMs * 1e6 }) !==
      undefined,
  );
  const perTime = {
    requests: rate_limit.requests,
    windowNs: rate_limit.windowMs * 1e6,
  };
  if (best === undefined) {
    return say(
      'inconclusive',
      'No known kind of limiter explains every answer. Other users of the same key would look like this, too.',
    );
  }
  if (possible.every(({ algorithm }) => algorithm === 'queueing') && inference.limited > 0) {
    return say(
      'inconclusive',
      'What is admitted waits its turn, and some is refused: a queue that refuses when it is full, or a slow target behind a limiter.',
    );
  }
  if (possible.every(({ algorithm }) => algorithm === 'queueing')) {
    return say(
      'fail',
      `Past ${pace(perTime)} requests are not refused: they wait in a queue that goes on at ${best.refillPerS === null ? '?' : number(best.refillPerS)} a second. Exceeding the limit should give 429.`,
    );
  }
  if (possible.every(({ algorithm }) => algorithm === 'none')) {
    return say(
      isOver ? 'fail' : 'inconclusive',
      `${isOver ? '' : 'The promised limit was never surely passed. '}No limit was found: ${counted(inference.admitted, 'request')} of the probes ${verb(inference.admitted, 'was', 'were')} admitted and none was refused.`,
    );
  }
  if (possible.every(({ algorithm }) => algorithm === 'several-nodes')) {
    // Nothing is known of them but that they mix: that alone breaks no promise.
    const isMore = best.limit !== null && best.limit > nodesOver * rate_limit.requests;
    const judge = isMore ? sayBroken : (explanation: string) => say('inconclusive', explanation);
    return judge(
      `Admissions and refusals mix as if several nodes counted by themselves${isMore ? '' : ', or a limiter of a kind that is not known here'}: together they let ${best.limit === null ? 'more' : number(best.limit)} through, and ${pace(perTime)} are promised.`,
    );
  }
  if (possible.every(({ algorithm }) => algorithm === 'concurrency')) {
    const explanation = `What is limited is the number of requests in work at once (about ${best.limit === null ? '?' : number(best.limit)}), not requests per time.`;
    // Under overload any service may answer 5xx.
    return refusalStatus === 429 ? sayBroken(explanation) : say('inconclusive', explanation);
  }
  const status = refusalStatus === 429 ? '' : ` It refuses with ${refusalStatus} in place of 429.`;
  if (promised !== undefined && !possible.some(({ algorithm }) => kindsOf[promised].includes(algorithm))) {
    return sayBroken(`A ${promised} is promised; it is a ${best.name}.${status}`);
  }
  if (refusalStatus !== 429) {
    const isSure = best.confidence >= certain && contains(best.limitBounds, rate_limit.requests, 'limit');
    return say(isSure ? 'fail' : 'inconclusive', `It looks like a ${best.name}.${status}`);
  }
  if (best.confidence < certain) {
    const names = possible.map(({ name }) => `a ${name}`).join(', ');
    return say(
      'inconclusive',
      `Several kinds explain every answer: ${names}. More probes (--budget) would tell.`,
    );
  }
  return say(
    'pass',
    `It is a ${best.name} of ${sizeOf(best)}: it explains ${counted(inference.requests, 'request')} of the keys, every one, and ${counted(inference.refuted.length, 'other kind')} ${verb(inference.refuted.length, 'is', 'are')} refuted.`,
  );
}
