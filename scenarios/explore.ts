import { defineScenario, steady } from 'tryon';

/** Many calls that tell a sound service from a faulty one: for a change of keys, catalogs, sessions or events. */
export default defineScenario({
  name: 'explore',
  title: 'A long search for faults in keys, shades, sessions and events',
  catalog: { products: 1 },
  load: [steady('60/min', '2s', { name: 'a few shoppers' })],
  explore: 1_500,
  settle: { readBack: 2 },
  checks: ['contract'],
});
