import { explainedByCounters } from '../../../limits/counting.ts';
import { fitLimiters } from '../../../limits/fit.ts';
import { promisable } from '../../../limits/kinds/table.ts';
import { isSuccess, rowsWhere, type SentRequests, seqsOf, wordAt } from '../../../limits/sent/columns.ts';
import { ambiguous, limited, type Trace } from '../../../limits/trace.ts';
import type { Profile } from '../../../target/profile.ts';
import { interactionsCount } from '../../../target/profile.ts';
import { fits, type Suspect, shown } from '../../causes/cause.ts';
import { evidence } from '../../core/verdict.ts';
import { reason } from '../../reasons/reason.ts';
import { type OtherCounting, otherCountings } from '../traces/countings.ts';
import { isPastLimit, isTight, judgeStream, subjectOf } from '../traces/judged.ts';
import { readings } from '../traces/streams.ts';
import { judgePromise } from './checks.ts';
import { type Assumption, type Circumstances, limiterAsPromised, traceOf } from './explanation.ts';

/** Statuses that have another meaning in the interface, and 422, which rejects a body and not a load. */
const otherMeaning: ReadonlySet<number> = new Set([401, 402, 404, 422, 429]);

/**
 * The answers with some status fall exactly as the rejections of a limiter of the promised limit would: 503, say, where 429 is
 * due. A target that merely breaks down under the load has no such order.
 */
const anotherStatus: Assumption = {
  what: 'rejections have another status than 429',
  price: 0.5,
  explains(judged) {
    const { fit, meantToExceed, stream } = judged;
    const { rows, sent } = stream;
    if (fit.limited > 0 || !meantToExceed) return undefined;
    for (const status of new Set(Array.from(rows, (row) => sent.status[row] as number))) {
      if (status < 400 || otherMeaning.has(status)) continue;
      const trace = traceOf(judged, rows, { refusalStatus: status, unknownNs: 0 });
      if (limiterAsPromised(trace, judged) === undefined) continue;
      const seqs = seqsOf(
        sent,
        rowsWhere(sent, (row) => sent.status[row] === status, rows),
      );
      return {
        reasons: [reason('enforced-other-status', { ...subjectOf(judged), status, rejected: seqs.length })],
        evidence: [evidence(`answered ${status} where 429 was due`, seqs)],
        causes: [shown('rejection-status-wrong', { status, refused: seqs.length }, seqs)],
      };
    }
    return undefined;
  },
};

/**
 * A limiter of the promised limit explains all answers but those of one endpoint, of two, or of all that are never rejected. If it is of
 * another kind than promised, that is assumed, too; and if it explains those answers as well, they show nothing.
 */
const freeEndpoints: Assumption = {
  what: 'some endpoints spend no limit',
  price: 1,
  isForStudy: true,
  explains(judged, { profile }) {
    const { algorithm, fit, mostAdmitted, promised, stream } = judged;
    const { rows, sent } = stream;
    if (fit.limited === 0 || mostAdmitted.atLeast <= promised.requests) return undefined;
    const endpointOf = (row: number): string => wordAt(sent.endpoint, row) ?? '';
    const rejected = new Set(
      Array.from(rows).flatMap((row) => (sent.status[row] === 429 ? endpointOf(row) : [])),
    );
    const free = [...new Set(Array.from(rows, endpointOf))].filter((endpoint) => !rejected.has(endpoint));
    const pairs = free.flatMap((one, place) => free.slice(place + 1).map((other) => [one, other]));
    const isPromised = profile.limit_endpoints === 'together';
    for (const kind of new Set([algorithm, undefined])) {
      if (limiterAsPromised(judged.trace, { promised, algorithm: kind }) !== undefined) return undefined;
      for (const endpoints of [...free.map((one) => [one]), ...pairs, ...(free.length > 2 ? [free] : [])]) {
        const others = rowsWhere(sent, (row) => !endpoints.includes(endpointOf(row)), rows);
        const limiter = limiterAsPromised(traceOf(judged, others), { promised, algorithm: kind });
        if (limiter === undefined) continue;
        const params = { endpoints, limiter: limiter.candidate.name, isPromised };
        return {
          price: Math.min(2, endpoints.length) + (kind === algorithm ? 0 : 1),
          verdict: isPromised ? 'fail' : 'inconclusive',
          reasons: [reason('enforced-endpoints-exempt', { ...subjectOf(judged), ...params })],
          causes: isPromised ? endpoints.map((endpoint) => shown('endpoint-not-limited', { endpoint })) : [],
        };
      }
    }
    return undefined;
  },
};

/** One endpoint has a limit by itself, of whatever size, and the others have none. */
const oneEndpoint: Assumption = {
  what: 'one endpoint has a limit, and others have none',
  price: 3,
  explains(judged) {
    const { algorithm, promised, stream } = judged;
    const { rows, sent } = stream;
    const { code, words } = sent.endpoint;
    const rejections = rows.filter((row) => sent.status[row] === 429);
    const [own, ...more] = new Set(Array.from(rejections, (row) => code[row] as number));
    const others = rows.filter((row) => code[row] !== own && isSuccess(sent, row));
    if (own === undefined || more.length > 0 || others.length === 0) return undefined;
    const ofIt = rows.filter((row) => code[row] === own);
    const { candidates } = fitLimiters(traceOf(judged, ofIt), promised, promisable(algorithm));
    if (!candidates.some((each) => isTight(each, promised))) return undefined;
    const [first, last] = [rejections[0] ?? 0, rejections.at(-1) ?? 0];
    const meanwhile = others.filter((row) => row > first && row < last);
    if (meanwhile.length === 0) return undefined;
    const passing = [...new Set(Array.from(meanwhile, (row) => wordAt(sent.endpoint, row) ?? ''))];
    const params = { rejected: words[own] ?? '', passing, passed: meanwhile.length };
    return { causes: [fits('some-endpoints-limited', params, seqsOf(sent, rejections).slice(0, 4))] };
  },
};

const countedOtherwise: Assumption = {
  what: 'some requests of a key are counted apart, or not at all',
  price: 0,
  explains(judged, { profile, study }) {
    const { promised, stream } = judged;
    const tracesOf = ({ counters }: OtherCounting): Trace[] =>
      counters(stream.rows).map((rows) => traceOf(judged, rows));
    const counting =
      study === undefined
        ? [...otherCountings(stream.sent, profile, [])].find((each) => {
            const how = explainedByCounters(tracesOf(each), [judged.trace], promised);
            return how === 'exactly' || (how === 'nearly' && each.isExact !== true);
          })
        : study.counting;
    return judged.fit.limited === 0 || counting === undefined
      ? undefined
      : {
          price: study === undefined ? (counting.price ?? 1.3) : 0,
          reasons: [counting.reason],
          causes: [counting.cause],
        };
  },
};

/** This many rejections at least, and this part of all requests in the stretch. */
const fewestAtOnce = 5;
const nearlyAll = 0.95;

/** All rejections that no limiter of the promised limit gives come in one stretch, in which nearly nothing passes. */
const closedForAWhile: Assumption = {
  what: 'everything is rejected for a while',
  price: 2.6,
  isForStudy: true,
  explains(judged) {
    const { promised, refusalPermitted, trace } = judged;
    const wrongful = Array.from(trace.outcome.keys()).filter(
      (i) => trace.outcome[i] === limited && refusalPermitted[i] === 0,
    );
    const [first, last] = [wrongful[0], wrongful.at(-1)];
    if (first === undefined || last === undefined || wrongful.length < fewestAtOnce) return undefined;
    const isInside = (i: number): boolean => i >= first && i <= last;
    if (wrongful.length < nearlyAll * (last - first + 1) || last >= trace.length - 1) return undefined;
    const outcome = trace.outcome.map((each, i) => (isInside(i) && each === limited ? ambiguous : each));
    const rest = { ...trace, outcome };
    const isQuiet = !rest.outcome.includes(limited);
    if (!isQuiet && limiterAsPromised(rest, judged) === undefined) return undefined;
    const [fromNs, toNs] = [trace.sentNs[first] as number, trace.answeredNs[last] as number];
    const span = { fromMs: Math.round(fromNs / 1e6), forMs: Math.round((toNs - fromNs) / 1e6) };
    const params = { ...span, rejected: wrongful.length };
    return {
      reasons: [reason('enforced-closed-for-a-while', { ...subjectOf(judged), ...params })],
      causes: [
        fits(
          'rejects-for-a-while',
          { ...params, limit: promised.requests, windowMs: promised.windowNs / 1e6 },
          wrongful.slice(0, 4).map((i) => trace.seq[i] as number),
        ),
      ],
    };
  },
};

/** A convention that does not hold may be an error in the profile; a promise that does not hold is a fault. */
const anotherConvention: Assumption = {
  what: 'a convention is the other way round',
  price: 0.8,
  explains(_, { otherConvention }) {
    const cause = otherConvention();
    if (cause === undefined) return undefined;
    const price = cause.strength === 'shown' ? 0.2 : 1.2;
    return { price, causes: [cause] };
  },
};

/** The first convention which, taken the other way, lets a limiter of exactly the promised limit explain every answer of the run. */
export function conventionOtherwise(
  sent: SentRequests,
  { profile, run }: Pick<Circumstances, 'profile' | 'run'>,
  counting: readonly boolean[],
): Suspect | undefined {
  return conventions(profile).find(({ profile: assumed }) => {
    const around = { profile: assumed, run };
    const counts = assumed.channel === profile.channel ? counting : counting.map((each) => !each);
    return [...readings(sent, around, counts)].some(({ streams: all }) => {
      const streams = all.map((stream) => judgeStream(stream, around));
      const [wrongful, enforced] = judgePromise(streams, streams.filter(isPastLimit));
      return enforced?.verdict === 'pass' && wrongful?.verdict !== 'fail';
    });
  })?.cause;
}

/** What may be an error in the profile comes before broken promises. */
function conventions(profile: Profile): { readonly profile: Profile; readonly cause: Suspect }[] {
  const { channel, limit_endpoints, limit_scope } = profile;
  const counts = interactionsCount(channel);
  const mistaken = (field: string, told: string, found: string): Suspect =>
    shown('profile-false', { field, told, found });
  const all: { readonly profile: Profile; readonly cause: Suspect }[] = [];
  if (channel !== 'none' && channel !== 'discover' && counts !== 'discover')
    all.push({
      profile: { ...profile, channel: { ...channel, counts_against_rate_limit: !counts } },
      cause: mistaken('channel.counts_against_rate_limit', String(counts), String(!counts)),
    });
  if (limit_scope !== 'discover')
    all.push({
      profile: { ...profile, limit_scope: limit_scope === 'shared' ? 'per-key' : 'shared' },
      cause:
        limit_scope === 'shared'
          ? mistaken('limit_scope', 'shared', 'per-key')
          : fits('limit-shared-by-keys', {}),
    });
  if (limit_endpoints !== 'discover')
    all.push({
      profile: { ...profile, limit_endpoints: limit_endpoints === 'apart' ? 'together' : 'apart' },
      cause:
        limit_endpoints === 'apart'
          ? mistaken('limit_endpoints', 'apart', 'together')
          : fits('limit-per-endpoint', { endpoints: [] }),
    });
  return all.toSorted((a, b) => Number(b.cause.strength === 'shown') - Number(a.cause.strength === 'shown'));
}

/** Assumptions on which requests a limiter counts, and as what. */
export const otherCounting: readonly Assumption[] = [
  anotherStatus,
  anotherConvention,
  freeEndpoints,
  countedOtherwise,
  closedForAWhile,
  oneEndpoint,
];
