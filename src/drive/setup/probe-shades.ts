import { generateShades } from '../../catalog/generate.ts';
import type { Shade } from '../../wire.ts';
import type { SetupOptions } from './setup-options.ts';

/** Valid shades for a probe, in the finishes of the profile. `mark`: goes into the SKUs. */
export function probeShades(
  { profile, seed, tag }: Pick<SetupOptions, 'profile' | 'seed' | 'tag'>,
  mark: string,
  count: number,
): Shade[] {
  return generateShades({ seed, tag: `${tag}${mark}`, count, finishes: profile.finishes });
}
