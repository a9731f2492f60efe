import { defineScenario, steady } from 'tryon';

/** Sessions while all is well, then nothing but reads while the service is frozen for a second. */
export default defineScenario({
  name: 'freeze',
  title: 'A freeze of a second in the middle of steady reads',
  catalog: { products: 1 },
  load: [
    steady('20/s', '1s', { name: 'healthy', traffic: 'sessions' }),
    steady('20/s', '3s', { name: 'frozen', traffic: 'reads' }),
  ],
  settle: { readBack: 0 },
  checks: ['latency'],
});
