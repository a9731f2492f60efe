import { isObject } from '../json.ts';
import type { HistoryNames } from '../profile.ts';

/** A session read back, with its history under the names that the profile has for it: its readers go by them. */
export function inHistoryNames(session: unknown, { at, id, list, sku, type }: HistoryNames): unknown {
  if (!isObject(session)) return session;
  const { interactions, ...fields } = session;
  if (!Array.isArray(interactions)) return fields;
  const names: Readonly<Record<string, string>> = { at, id, sku, type };
  const entries = interactions.map((entry: unknown) =>
    isObject(entry)
      ? Object.fromEntries(Object.entries(entry).map(([name, value]) => [names[name] ?? name, value]))
      : entry,
  );
  return { ...fields, [list]: entries };
}
