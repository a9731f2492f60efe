import { counted, number, times, verb } from '../../../../amounts.ts';

/** Reasons of the check that a session rejected with 429 is not created. */
export const sideEffectReasons = {
  'rejected-no-analytics': 'The request for the analytics of the rejected sessions got no usable answer.',
  'rejected-no-session': 'The rate limit rejected no session.',
  'rejected-or-redelivered': (params: { told: number; most: number; deliveries: number }) =>
    `Analytics count ${counted(params.told, 'session')} of a product for which at most ${number(params.most)} ${verb(params.most, 'was', 'were')} admitted. Each request may have been delivered ${times(params.deliveries)} (profile: redeliveries), so nothing shows whether rejected sessions were stored.`,
  'rejected-more-than-sent': ({ told }: { told: number }) =>
    `Analytics count ${counted(told, 'session')} of a product for which fewer were sent.`,
  'rejected-stored': ({ isDelivered, most, told }: { told: number; most: number; isDelivered: boolean }) =>
    `Expected at most ${counted(most, 'session')} of one product in the analytics, got ${number(told)}: rejected sessions were stored. No more were ${isDelivered ? 'delivered' : 'admitted'}.`,
  'rejected-untold': ({ least, told }: { told: number; least: number }) =>
    `Analytics count ${counted(told, 'session')} of at least ${number(least)} admitted, so they cannot show whether rejected sessions were stored.`,
  'rejected-not-stored': ({ least, limited, told }: { limited: number; least: number; told: number }) =>
    `The rate limit rejected ${counted(limited, 'session')} of one product and admitted ${number(least)}; the analytics of the product count ${number(told)}.`,
} as const;
