import { defineScenario, steady } from 'tryon';

/** A look at everything in seconds: is the target up, does it keep the interface, do its numbers add up? */
export default defineScenario({
  name: 'smoke',
  title: 'A quick check of contract and analytics, well under every limit',
  catalog: { products: 3 },
  shoppers: { thinkTime: 0.1 },
  load: [steady('840/min', '4s', { name: 'a few shoppers' })],
  settle: { readBack: 20 },
  slo: [{ endpoint: '*', percentile: 95, under: '1s' }],
  checks: ['contract', 'rate-limit', 'analytics', 'latency'],
});
