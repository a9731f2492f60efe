import { defineScenario, exhaustQuota, steady, together } from 'tryon';

/** A minute of everything, to be cut short by the test. */
export default defineScenario({
  name: 'long',
  title: 'A minute of shoppers, of a spent quota and of a bystander',
  catalog: { products: 2 },
  shoppers: { thinkTime: 0.05 },
  load: [
    together(
      steady('30/s', '60s', { name: 'shoppers' }),
      exhaustQuota({ rate: '5/s', beyond: 3 }),
      steady('2/s', '60s', { name: 'bystander', as: 'bystander', traffic: 'reads' }),
    ),
  ],
  explore: 20,
  settle: { readBack: 5 },
  checks: ['contract', 'rate-limit', 'quota', 'analytics', 'latency'],
});
