import { defineScenario, steady } from 'tryon';

/** Sessions while all is well, then nothing but reads while the service is frozen for 2 s. */
export default defineScenario({
  name: 'freeze',
  title: 'A freeze of 2 s in the middle of steady reads',
  catalog: { products: 1 },
  load: [
    steady('20/s', '2s', { name: 'healthy', traffic: 'sessions' }),
    steady('20/s', '5s', { name: 'frozen', traffic: 'reads' }),
  ],
  settle: { readBack: 0 },
  checks: ['latency'],
});
