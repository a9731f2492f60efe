import { counted, number, times, verb } from '../../../../amounts.ts';
import { wording } from '../../wording.ts';

/** Reasons of the check that a session rejected with 429 is not created. */
export const sideEffectReasons = {
  'rejected-no-analytics': wording(
    {},
    () => 'The request for the analytics of the rejected sessions got no usable answer.',
  ),
  'rejected-no-session': wording({}, () => 'The rate limit rejected no session.'),
  'rejected-or-redelivered': wording(
    { told: 4, most: 1, deliveries: 2 },
    ({ deliveries, most, told }) =>
      `Analytics count ${counted(told, 'session')} of a product for which at most ${number(most)} ${verb(most, 'was', 'were')} admitted. Each request may have been delivered ${times(deliveries)} (profile: redeliveries), so nothing shows whether rejected sessions were stored.`,
  ),
  'rejected-more-than-sent': wording(
    { told: 4 },
    ({ told }) => `Analytics count ${counted(told, 'session')} of a product for which fewer were sent.`,
  ),
  'rejected-stored': wording<{ told: number; most: number; isDelivered: boolean }>(
    { told: 2, most: 1, isDelivered: false },
    ({ isDelivered, most, told }) =>
      `Expected at most ${counted(most, 'session')} of one product in the analytics, got ${number(told)}: rejected sessions were stored. No more were ${isDelivered ? 'delivered' : 'admitted'}.`,
  ),
  'rejected-untold': wording(
    { told: 2, least: 3 },
    ({ least, told }) =>
      `Analytics count ${counted(told, 'session')} of at least ${number(least)} admitted, so they cannot show whether rejected sessions were stored.`,
  ),
  'rejected-not-stored': wording(
    { limited: 2, least: 1, told: 1 },
    ({ least, limited, told }) =>
      `The rate limit rejected ${counted(limited, 'session')} of one product and admitted ${number(least)}; the analytics of the product count ${number(told)}.`,
  ),
} as const;
