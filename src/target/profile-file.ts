import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import stripJsonComments from 'strip-json-comments';
import { z } from 'zod';
import { fieldErrors, usageError } from '../exit.ts';
import { type Profile, type ProfileInput, profileSchema } from './profile.ts';

/**
 * Reads a profile file: JSON with comments, and `$schema` for editors. Throws a usage error that names the file, the
 * field, and what was expected.
 */
export function readProfileFile(file: string): ProfileInput {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw usageError(`profile ${file}: cannot be read`, error);
  }
  let json: unknown;
  try {
    json = JSON.parse(stripJsonComments(text, { trailingCommas: true }));
  } catch (error) {
    throw usageError(`profile ${file}: not JSON${placeOf(error)}`);
  }
  if (typeof json === 'object' && json !== null && '$schema' in json) {
    const { $schema: _schema, ...fields } = json;
    json = fields;
  }
  const checked = profileSchema.safeParse(json);
  if (!checked.success) throw usageError(`profile ${file}:\n  ${fieldErrors(checked.error)}`);
  // The profile is parsed again with the command line's values, so this returns the input, which has just been
  // checked.
  return withPlaces(z.custom<ProfileInput>().parse(json), dirname(file));
}

/** Files lie beside the profile that names them. */
function withPlaces(profile: ProfileInput, folder: string): ProfileInput {
  const { adapter, openapi } = profile;
  return {
    ...profile,
    ...(adapter === undefined ? {} : { adapter: resolve(folder, adapter) }),
    ...(openapi === undefined || isUrl(openapi) ? {} : { openapi: resolve(folder, openapi) }),
  };
}

/** Whether a place is a URL, and no file. */
export function isUrl(place: string): boolean {
  return /^https?:\/\//i.test(place);
}

/** Where JSON.parse stopped. The rest of its message quotes the file, which may hold a secret that has no place there. */
function placeOf(error: unknown): string {
  const place = /at position \d+(?: \(line \d+ column \d+\))?/.exec(
    error instanceof Error ? error.message : '',
  );
  return place === null ? '' : ` ${place[0]}`;
}

/** Fills in a profile's defaults. `where` names its origin in the usage error. */
export function resolveProfile(input: ProfileInput, where: string): Profile {
  const parsed = profileSchema.safeParse(input);
  if (!parsed.success) throw usageError(`${where}:\n  ${fieldErrors(parsed.error)}`);
  return parsed.data;
}
