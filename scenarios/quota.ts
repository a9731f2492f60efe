import { defineScenario, exhaustQuota, steady, together } from 'tryon';

/** The session quota alone: spent to the last session with two hundred racing for it, and refused from then on. Costs the quota key its whole plan. */
export default defineScenario({
  name: 'quota',
  title: "The plan's session quota: exact to the session, 402 from then on, reads still served",
  catalog: { products: 2 },
  load: [
    together(
      exhaustQuota({ rate: '600/min', beyond: 120, race: 200 }),
      steady('60/min', '20s', { name: 'other account', traffic: 'reads' }),
    ),
  ],
  settle: { readBack: 0 },
  checks: ['contract', 'quota', 'latency'],
});
