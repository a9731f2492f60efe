import { defineScenario, steady } from 'tryon';
export default defineScenario({
  name: 'tiny',
  title: 'A second',
  catalog: { products: 1 },
  load: [steady('30/s', '1s', { name: 'reads', traffic: 'reads' })],
  probes: false,
  settle: { readBack: 0 },
  checks: ['latency'],
});
