import { calendar, defineScenario, idle } from 'tryon';

/**
 * Thirty-one days of shoppers, with a leap day, in two minutes: the embedded service's clock is moved through them.
 * Then every day, week and month is queried. A session lives for days here, as its shopper's minutes are hours.
 */
export default defineScenario({
  name: 'analytics-month',
  title: 'Analytics over 31 days by day, week and month; embedded service only, with a moved clock',
  catalog: { products: 8 },
  // Short visits, so that what passes midnight in them is the exception.
  shoppers: { thinkTime: 0.02 },
  load: [
    calendar({
      from: '2028-02-10',
      days: 31,
      shoppersPerDay: 100,
      dayTakes: '3.5s',
      name: 'a month of shoppers',
    }),
    // Those still on the page finish what they are at, on the day after.
    idle('2s', { name: 'last shoppers leave' }),
  ],
  settle: { readBack: 100 },
  checks: ['contract', 'analytics'],
  // A month's requests in two minutes are more than any deployment would let through.
  embedded: { rateLimit: '100000/1m', sessionLifetime: '3d' },
});
