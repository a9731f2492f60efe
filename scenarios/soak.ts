import { dayCurve, defineScenario } from 'tryon';

/** An evening's traffic for an hour: does anything grow, leak, slow down or drift? */
export default defineScenario({
  name: 'soak',
  title: 'One hour of shoppers with the traffic of an evening, in waves',
  catalog: { products: 24 },
  load: [dayCurve(150_000, '1h', { name: 'evening', bursts: true, fromHour: 18 })],
  crossed: true,
  settle: { readBack: 300 },
  slo: [
    { endpoint: 'create-session', percentile: 99, under: '500ms' },
    { endpoint: '*', percentile: 99.9, under: '2s' },
  ],
  checks: ['contract', 'rate-limit', 'analytics', 'latency'],
});
