import { defineScenario, spike } from 'tryon';

/** A campaign goes out: a quiet shop, then within a second nearly all that the limit allows, then quiet again. */
export default defineScenario({
  name: 'spike',
  title: 'A sudden peak just under the limit, and what it does to latency',
  catalog: { products: 8 },
  load: [spike({ base: '120/min', peak: '1600/min', lead: '35s', hold: '30s' }, { name: 'campaign' })],
  settle: { readBack: 50 },
  slo: [
    { endpoint: 'create-session', percentile: 99, under: '500ms' },
    { endpoint: 'interact', percentile: 99, under: '500ms' },
  ],
  checks: ['contract', 'rate-limit', 'analytics', 'latency'],
});
