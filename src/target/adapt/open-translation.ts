import type { Profile } from '../profile.ts';
import { mapOf } from './map.ts';
import type { Translation } from './translation.ts';

/** What stands between the interface and the target, by the profile; undefined where it speaks the interface. */
export async function openTranslation(profile: Profile, baseUrl: URL): Promise<Translation | undefined> {
  return mapOf(profile, baseUrl);
}
