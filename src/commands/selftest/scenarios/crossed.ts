import { defineScenario, steady } from 'tryon';

/** A few shoppers, and then every endpoint alone and in pairs, and new connections. */
export default defineScenario({
  name: 'selftest-crossed',
  title: 'Endpoints alone and in pairs, and new connections',
  catalog: { products: 1 },
  load: [steady('300/min', '4s', { name: 'a few shoppers' })],
  crossed: true,
  settle: { readBack: 10 },
  checks: ['contract', 'analytics', 'latency'],
});
