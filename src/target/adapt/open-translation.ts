import type { Profile } from '../profile.ts';
import { mapOf } from './map.ts';
import type { Translation } from './translation.ts';

/**
 * What stands between the interface and the target, by the profile; undefined where it speaks the interface. Throws a
 * usage error for an adapter that cannot be used.
 */
export async function openTranslation(profile: Profile, baseUrl: URL): Promise<Translation | undefined> {
  const map = mapOf(profile, baseUrl);
  const { adapter: file } = profile;
  if (file === undefined) return map;
  // Few profiles name one.
  const [{ AdapterTranslation }, { loadAdapter }] = await Promise.all([
    import('./adapter-translation.ts'),
    import('./load-adapter.ts'),
  ]);
  return new AdapterTranslation(await loadAdapter(file), file, profile, map);
}
