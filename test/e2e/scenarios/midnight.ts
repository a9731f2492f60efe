import { defineScenario, midnights } from 'tryon';

/** The midnight before a leap day. */
export default defineScenario({
  name: 'midnight',
  title: 'Shoppers around one midnight',
  catalog: { products: 2 },
  shoppers: { thinkTime: 0.02 },
  load: midnights({ before: ['2028-02-29'], shoppers: '5/s', each: '4s' }),
  settle: { readBack: 10 },
  probes: false,
  checks: ['analytics'],
});
