import type { History } from '../../history/history.ts';
import { isRedacted } from '../../history/redact.ts';
import { readDescription } from '../../openapi/document.ts';
import { type Held, holdAgainst } from '../../openapi/hold.ts';
import { readSeen } from './openapi-seen.ts';

/** Holds the answers of a history against a description in OpenAPI, which is `from` somewhere. Throws if it cannot be read. */
export async function holdHistory(history: History, text: string, from: string): Promise<Held> {
  const description = readDescription(text, from);
  return holdAgainst(description, await readSeen(history, description), isRedacted);
}
