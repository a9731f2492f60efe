import { counted, number, percent, seconds, verb } from '../../../amounts.ts';
import { wording } from '../wording.ts';
import { type LimiterSize, sizeText } from './names.ts';

/** From 0 to 1; null where it is as good as certain. */
type Confidence = number | null;

/** Reasons that go beyond the answers to the load: what the study found, what others sent, what was left out. */
export const conditionReasons = {
  'only-first-judged': wording(
    { judged: 1_500_000, left: 50 },
    ({ judged, left }) =>
      `This is about the first ${counted(judged, 'request')} only. The check left out ${counted(left, 'later request')}.`,
  ),
  'found-endpoints-apart': wording({}, () => 'Found, not promised: each endpoint has its own limit.'),
  'found-keys-share': wording({}, () => 'Found, not promised: all keys share one limit.'),
  'found-interactions-count': wording({}, () => 'Found, not promised: interactions spend the rate limit.'),

  'study-tells-more': wording(
    { limiter: 'token bucket refilled once a window' },
    ({ limiter }) =>
      `The limiter study can distinguish more kinds of limiters. It found a ${limiter} (rate-limit.algorithm).`,
  ),
  'study-finds': wording<{
    readonly limiter: string;
    readonly size: LimiterSize;
    readonly confidence: Confidence;
  }>(
    {
      limiter: 'sliding window',
      size: { limit: 90, windowMs: 6_000, refillPerS: null },
      confidence: 0.83,
    },
    ({ confidence, limiter, size }) =>
      `The limiter study explains this with a ${limiter} of ${sizeText(size)} ${studiedText(confidence)}.`,
  ),
  'study-finds-no-burst': wording<{ readonly everyMs: number; readonly confidence: Confidence }>(
    { everyMs: 60, confidence: 0.83 },
    ({ confidence, everyMs }) =>
      `The limiter study explains this with a limiter that admits 1 request every ${seconds(everyMs)} and no burst ${studiedText(confidence)}.`,
  ),
  'study-finds-restarts': wording({}, () => 'Each rejection restarts the window of this limiter.'),

  'others-may-have-spent': wording(
    { isRedelivered: true },
    ({ isRedelivered }) =>
      `${isRedelivered ? 'Redeliveries, or other users of the key,' : 'Other users of the key'} may have spent the rest of the limit.`,
  ),
  'others-counted-by-headers': wording(
    { requests: 12 },
    ({ requests }) => `Headers count ${counted(requests, 'more request')} on the key than this run sent.`,
  ),
  'others-share-keys': wording({}, () => 'The profile says that others use the keys (`shared_keys`).'),
  'others-redelivered': wording(
    { deliveries: 2 },
    ({ deliveries }) =>
      `Each request may have been delivered up to ${number(deliveries)} times (profile: redeliveries).`,
  ),
  'others-as-it-looks': wording({}, () => 'This is how the limiter looks to this program.'),
  'others-spent': wording(
    { requests: 12 },
    ({ requests }) =>
      `Within some window, ${counted(requests, 'request')} of the limit ${verb(requests, 'was', 'were')} spent, and not by this run.`,
  ),
  'others-not-needed': wording({}, () => 'No rejection needs this explanation.'),
  'others-own-requests': wording({}, () => 'The requests of this run explain every rejection.'),
} as const;

function studiedText(confidence: Confidence): string {
  return `(${confidence === null ? '' : `${percent(confidence)} likely, `}rate-limit.algorithm)`;
}
