import { defineScenario, steady, together } from 'tryon';

/** The rate limit alone, with reads that leave quota and analytics as they are. */
export default defineScenario({
  name: 'rate-limit',
  title: 'The rate limit: no rejections under it, enforced over it, requests admitted again afterwards',
  catalog: { products: 2 },
  load: [
    steady('900/min', '60s', { name: 'under the limit', traffic: 'reads' }),
    together(
      [
        steady('1500/min', '60s', { name: 'over the limit', traffic: 'reads', atOnce: 4 }),
        steady('4000/min', '15s', { name: 'far over the limit', traffic: 'reads', atOnce: 8 }),
      ],
      steady('60/min', '75s', { name: 'bystander', as: 'bystander', traffic: 'reads' }),
    ),
    steady('60/min', '65s', { name: 'recovery', traffic: 'reads' }),
  ],
  settle: { readBack: 0 },
  checks: ['contract', 'rate-limit', 'latency'],
});
