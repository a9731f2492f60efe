import { defineScenario, midnights } from 'tryon';

/**
 * Shoppers around four midnights: into and out of a leap day, which also ends a month, and into the days on which hours change
 * in America and Europe. For a deployment whose clock the profile can set, and for the embedded service. It stays under
 * 1,000 requests a minute.
 */
export default defineScenario({
  name: 'analytics-days',
  title: 'Analytics around midnights: a leap day, the end of a month, and two changes of the hour',
  catalog: { products: 4 },
  // Short visits: all are over before the clock is moved again.
  shoppers: { thinkTime: 0.02 },
  load: midnights({
    before: ['2028-02-29', '2028-03-01', '2028-03-12', '2028-03-26'],
    shoppers: '90/min',
    each: '10s',
  }),
  settle: { readBack: 60 },
  checks: ['contract', 'analytics'],
});
