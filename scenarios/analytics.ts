import { defineScenario, idle, shoppers } from 'tryon';

/** Shoppers as they come, in waves, well under the limit; then every number that analytics give is held against theirs. */
export default defineScenario({
  name: 'analytics',
  title: 'Analytics compared with the events of shoppers, over twenty products',
  catalog: { products: 20 },
  load: [
    shoppers('180/min', '120s', { name: 'shoppers in waves', bursts: true }),
    // Those still on the page finish what they are at.
    idle('30s', { name: 'last shoppers leave' }),
  ],
  settle: { readBack: 200 },
  checks: ['contract', 'analytics', 'latency'],
});
