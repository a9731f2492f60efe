import { defineScenario, steady } from 'tryon';

/** Every malformed request, and unusual values in pairs. */
export default defineScenario({
  name: 'fields',
  title: 'Each field of each request, malformed and unusual',
  catalog: { products: 1 },
  load: [steady('10/s', '2s', { name: 'shoppers' })],
  crossed: true,
  settle: { readBack: 5 },
  checks: ['contract', 'rate-limit', 'analytics'],
});
