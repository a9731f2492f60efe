/** A profile's conventions where it leaves none open. */
export const promisedConventions = {
  end_date: 'inclusive',
  time_zone: 'UTC',
  session_day: 'creation',
  shades_per_session: 'distinct',
  sessions_averaged: 'all',
  cart_intent: 'ever',
} as const;
