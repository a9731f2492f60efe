import { counted, number, percent, seconds, verb } from '../../../amounts.ts';
import { type LimiterSize, sizeText } from './names.ts';

/** From 0 to 1; null where it is as good as certain. */
type Confidence = number | null;

/** Reasons that go beyond the answers to the load: what the study found, what others sent, what was left out. */
export const conditionReasons = {
  'only-first-judged': ({ judged, left }: { judged: number; left: number }) =>
    `This is about the first ${counted(judged, 'request')} only. The check left out ${counted(left, 'later request')}.`,
  'found-endpoints-apart': 'Found, not promised: each endpoint has its own limit.',
  'found-keys-share': 'Found, not promised: all keys share one limit.',
  'found-interactions-count': 'Found, not promised: interactions spend the rate limit.',

  'study-tells-more': ({ limiter }: { limiter: string }) =>
    `The limiter study can distinguish more kinds of limiters. It found a ${limiter} (rate-limit.algorithm).`,
  'study-finds': (params: { limiter: string; size: LimiterSize; confidence: Confidence }) =>
    `The limiter study explains this with a ${params.limiter} of ${sizeText(params.size)} ${studiedText(params.confidence)}.`,
  'study-finds-no-burst': ({ confidence, everyMs }: { everyMs: number; confidence: Confidence }) =>
    `The limiter study explains this with a limiter that admits 1 request every ${seconds(everyMs)} and no burst ${studiedText(confidence)}.`,
  'study-finds-restarts': 'Each rejection restarts the window of this limiter.',

  'others-may-have-spent': ({ isRedelivered }: { isRedelivered: boolean }) =>
    `${isRedelivered ? 'Redeliveries, or other users of the key,' : 'Other users of the key'} may have spent the rest of the limit.`,
  'others-counted-by-headers': ({ requests }: { requests: number }) =>
    `Headers count ${counted(requests, 'more request')} on the key than this run sent.`,
  'others-share-keys': 'The profile says that others use the keys (`shared_keys`).',
  'others-redelivered': ({ deliveries }: { deliveries: number }) =>
    `Each request may have been delivered up to ${number(deliveries)} times (profile: redeliveries).`,
  'others-as-it-looks': 'This is how the limiter looks to this program.',
  'others-spent': ({ requests }: { requests: number }) =>
    `Within some window, ${counted(requests, 'request')} of the limit ${verb(requests, 'was', 'were')} spent, and not by this run.`,
  'others-not-needed': 'No rejection needs this explanation.',
  'others-own-requests': 'The requests of this run explain every rejection.',
} as const;

function studiedText(confidence: Confidence): string {
  return `(${confidence === null ? '' : `${percent(confidence)} likely, `}rate-limit.algorithm)`;
}
