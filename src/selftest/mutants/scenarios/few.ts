import { defineScenario, idle, steady } from 'tryon';

const over = steady('14/12s', '9s', { name: 'over the limit', traffic: 'reads' });
const rest = idle('13s', { name: 'a rest of a window' });
const longRest = idle('25s', { name: 'a rest of two windows' });

/** A limit of few requests: one request more or less is seconds in Retry-After and in resets. */
export default defineScenario({
  name: 'selftest-few',
  title: 'A limit of 4 requests in 12 s, reached after several rests',
  catalog: { products: 1 },
  load: [
    rest,
    ...[over, rest, over, rest, over, rest],
    steady('14/12s', '36s', { name: 'long over the limit', traffic: 'reads' }),
    ...[longRest, over, longRest, over],
  ],
  probes: false,
  settle: { readBack: 0 },
  checks: ['rate-limit'],
});
