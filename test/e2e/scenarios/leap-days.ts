import { calendar, defineScenario, idle } from 'tryon';

/** Three days with a leap day among them, in seconds. */
export default defineScenario({
  name: 'leap-days',
  title: 'Three days around a leap day, with the clock moved',
  catalog: { products: 2 },
  shoppers: { thinkTime: 0.02 },
  load: [
    calendar({ from: '2028-02-28', days: 3, shoppersPerDay: 60, dayTakes: '5s' }),
    idle('1s', { name: 'last shoppers leave' }),
  ],
  explore: 150,
  settle: { readBack: 10 },
  checks: ['contract', 'analytics'],
  embedded: { rateLimit: '100000/1m', sessionLifetime: '3d' },
});
