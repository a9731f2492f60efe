import { judgeEnforced } from '../../../src/checks/rate-limit/enforced.ts';
import { judgeHeaders } from '../../../src/checks/rate-limit/headers/judge.ts';
import { isPastLimit, judgeStream } from '../../../src/checks/rate-limit/judged.ts';
import { readings } from '../../../src/checks/rate-limit/streams.ts';
import { judgeWrongful } from '../../../src/checks/rate-limit/wrongful.ts';
import type { CheckResult } from '../../../src/checks/verdict.ts';
import type { History } from '../../../src/history/history.ts';
import { type SeenRequest, sentOf } from './sent-of.ts';

/** The headers' verdicts on requests that are in no history file; `history` lends profile and run. */
export function judgeSeen(seen: readonly SeenRequest[], history: History): CheckResult[] {
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
    { streams: accepted ?? all[0] ?? [], isAcceptable: accepted !== undefined },
    history,
  );
}
