/** Conventions of analytics that the reference service documents, and the interface leaves open. */
export const referenceConventions = {
  date_format: 'date',
  end_date: 'inclusive',
  time_zone: 'UTC',
  session_day: 'creation',
  shades_per_session: 'distinct',
  sessions_averaged: 'all',
  cart_intent: 'ever',
  top_shades: 10,
  decimals: 4,
} as const;
