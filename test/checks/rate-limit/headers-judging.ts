import { render } from '../../../src/checks/core/render.ts';
import type { CheckResult } from '../../../src/checks/core/verdict.ts';
import { judgeHeaders, type StudyFindings } from '../../../src/checks/rate-limit/headers/judge.ts';
import { judgeWrongful } from '../../../src/checks/rate-limit/promise/checks.ts';
import { judgeEnforced } from '../../../src/checks/rate-limit/promise/enforced.ts';
import { isPastLimit, judgeStream } from '../../../src/checks/rate-limit/traces/judged.ts';
import { readings } from '../../../src/checks/rate-limit/traces/streams.ts';
import type { History } from '../../../src/history/history.ts';
import { keyOf, scaleNsOf } from '../../../src/limits/kinds/kind.ts';
import { kinds } from '../../../src/limits/kinds/table.ts';
import { type SeenRequest, sentOf } from './sent-of.ts';

/** The headers' verdicts on requests that are in no history file; `history` lends profile and run. */
export function judgeSeen(
  seen: readonly SeenRequest[],
  history: History,
  study?: StudyFindings,
): CheckResult[] {
  const sent = sentOf(seen);
  const all = [...readings(sent, history)].map(({ streams }) =>
    streams.map((each) => judgeStream(each, history)),
  );
  const accusesOfNothing = (streams: (typeof all)[number]): boolean =>
    judgeWrongful(streams).verdict !== 'fail' &&
    judgeEnforced(streams.filter(isPastLimit)).verdict !== 'fail';
  const accepted = all.find(accusesOfNothing);
  return judgeHeaders(
    sent,
    {
      streams: accepted ?? all[0] ?? [],
      isAcceptable: accepted !== undefined,
      study,
      isBeyond: seen.some(({ status }) => status === 429),
    },
    history,
  ).map(render);
}

/** What a study says that left one kind of limiter, of the promised limit and window; whose limit it is, it does not say. */
export function studied(id: string, requests: number, windowMs: number): StudyFindings {
  const kind = kinds.find((each) => each.id === id);
  if (kind === undefined) throw new Error(`no kind of limiter is called ${id}`);
  const { name, rejectsCount, scale } = kind;
  const inference = {
    requests: 0,
    admitted: 0,
    limited: 0,
    refuted: [],
    survivors: [
      {
        algorithm: id,
        name,
        limit: requests,
        windowMs,
        burst: requests,
        refillPerS: scale === 'token' ? (requests / windowMs) * 1e3 : null,
        phase: null,
        rejectsCount,
        limitBounds: { min: requests, max: requests },
        windowMsBounds: { min: windowMs * 0.999, max: windowMs * 1.001 },
        mismatches: 0,
        confidence: 0.99,
        settled: {
          kind: keyOf(kind),
          limit: requests,
          scaleNs: scaleNsOf(kind, requests, windowMs * 1e6),
          boundaryNs: 0,
        },
      },
    ],
  };
  return { inference, tried: [], scope: { per_key: null } };
}
