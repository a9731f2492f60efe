import { defineScenario, steady } from 'tryon';

/** A second of reads, without probes: for what is about several runs. */
export default defineScenario({
  name: 'tiny',
  title: 'A second of reads',
  catalog: { products: 1 },
  load: [steady('30/s', '1s', { name: 'reads', traffic: 'reads' })],
  probes: false,
  settle: { readBack: 0 },
  checks: ['latency'],
});
