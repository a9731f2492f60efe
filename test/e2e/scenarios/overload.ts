import { defineScenario, idle, steady, together } from 'tryon';

/** What `launch` sends past a limit, scaled to one of 60 requests in 6 s. */
export default defineScenario({
  name: 'overload',
  title: 'More than a limit of 60 requests in 6 s',
  catalog: { products: 2 },
  load: [
    idle('6s', { name: 'nothing yet' }),
    together(
      [
        steady('90/6s', '6s', { name: 'over the limit', traffic: 'reads' }),
        steady('240/6s', '3s', { name: 'far over the limit', traffic: 'reads' }),
      ],
      steady('6/6s', '9s', { name: 'bystander', as: 'bystander', traffic: 'reads' }),
    ),
  ],
  explore: 20,
  settle: { readBack: 3 },
  checks: ['contract', 'rate-limit'],
});
