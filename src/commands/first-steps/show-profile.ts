import { span } from '../../amounts.ts';
import { table } from '../../report/figure.ts';
import { figureLines } from '../../report/figure-terminal.ts';
import { fingerprint, type KeyPlace, placeText, readKey } from '../../target/keys.ts';
import { profileFields, resolveProfile } from '../../target/profile-layers.ts';
import { limitText, type RateLimit } from '../../vocabulary/quantities.ts';
import { roles } from '../../vocabulary/roles.ts';
import type { TargetArguments } from '../options.ts';
import { profileLayers } from '../run/open-target.ts';
import { environment } from '../shell.ts';

/** A field of a profile as text. */
interface ProfileRow {
  readonly path: string;
  readonly value: string;
  readonly origin: string;
}

/** Prints each field of the profile, its value and its origin. Throws usage errors. */
export function showProfile(args: TargetArguments): void {
  const env = environment(args['env-file']);
  const { input, origins } = profileLayers(args, env);
  const profile = resolveProfile(input, `profile ${args.profile ?? ''}`);
  const rows = profileFields().flatMap(({ path, types }): ProfileRow[] => {
    if (path === 'keys') {
      return roles.flatMap((role) => {
        const place = profile.keys[role];
        const origin = origins.get(`keys.${role}`) ?? '';
        return place === undefined ? [] : [{ path: `keys.${role}`, value: keyText(place, env), origin }];
      });
    }
    const value = at(profile, path);
    if (value === undefined) return [];
    const isDuration = types.has('string') && types.has('number');
    return [{ path, value: valueText(path, value, isDuration), origin: origins.get(path) ?? 'default' }];
  });
  const columns = Math.max(60, Math.min(120, process.stdout.columns ?? 80));
  const shown = table('Profile', rows, [
    ['Field', ({ path }) => path],
    ['Value', ({ value }) => value],
    ['From', ({ origin }) => origin],
  ]);
  process.stdout.write(`${figureLines([shown], columns).join('\n')}\n`);
  if (profile.base_url === undefined)
    process.stdout.write(
      '\nNo target: a run uses the embedded service. The conventions of that service replace these defaults.\n',
    );
}

function at(fields: object, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => {
    const known = typeof value === 'object' && value !== null ? new Map(Object.entries(value)) : undefined;
    return known?.get(name);
  }, fields);
}

function valueText(path: string, value: unknown, isDuration: boolean): string {
  if (path === 'rate_limit') return limitText(value as RateLimit);
  if (isDuration && typeof value === 'number') return span(value);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Where a key is, and whether it is there; of the key itself no more than a part of its digest. */
function keyText(place: KeyPlace, env: NodeJS.ProcessEnv): string {
  const from = placeText(place);
  const value = readKey(place, env);
  return value === undefined
    ? `${from} (not set)`
    : `${from} (set, SHA-256 begins with ${fingerprint({ value, from })})`;
}
