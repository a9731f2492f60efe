import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { systemWords, targetError, usageError } from '../../exit.ts';
import { redactText } from '../../history/redact.ts';
import { tlsOf } from '../../target/client.ts';
import { assertAllowed } from '../../target/guard.ts';
import type { Profile } from '../../target/profile.ts';
import { isUrl } from '../../target/profile-layers.ts';
import type { Target } from './open-target.ts';

/** A description of the target that a run was given. */
export interface GivenDescription {
  readonly text: string;
  /** The file or the URL, without what may be a secret. */
  readonly from: string;
  readonly sha256: string;
  /** The headers that it names. */
  readonly headers: readonly string[];
}

/** A description is text that people write; what is larger is something else. */
const mostBytes = 32 * 2 ** 20;

/**
 * Reads the description that the profile names, if it names one: a file, or a URL by one announced request. Throws
 * usage errors, and a target error where nothing answers.
 */
export async function openDescription({
  keys,
  pool,
  profile,
}: Target): Promise<GivenDescription | undefined> {
  const { openapi: place } = profile;
  if (place === undefined) return undefined;
  const { from, text: raw } = isUrl(place) ? await fetched(place, profile) : await readIn(place);
  const secrets = [...Object.values(keys).flatMap((key) => key?.value ?? []), ...pool];
  const text = redactText(raw, secrets);
  // Few runs have one.
  const [{ assertSchemas, readDescription }, { headerNames }] = await Promise.all([
    import('../../target/openapi/document.ts'),
    import('../../target/openapi/description.ts'),
  ]);
  const where = `--openapi ${from}`;
  const description = readDescription(text, where);
  assertSchemas(description, where);
  const sha256 = createHash('sha256').update(text).digest('hex');
  return { text, from, sha256, headers: headerNames(description) };
}

interface Read {
  readonly text: string;
  readonly from: string;
}

async function readIn(file: string): Promise<Read> {
  try {
    return { text: await readFile(file, 'utf8'), from: file };
  } catch (error) {
    throw usageError(`--openapi ${file}: cannot be read: ${systemWords(error)}`, error);
  }
}

async function fetched(place: string, profile: Profile): Promise<Read> {
  if (!URL.canParse(place))
    throw usageError('--openapi: expected a file or a URL such as https://host/openapi.json');
  const url = new URL(place);
  const from = `${url.origin}${url.pathname}`;
  if (url.username !== '' || url.password !== '')
    throw usageError(
      `--openapi ${from}: credentials do not belong into the URL; save the description to a file`,
    );
  assertAllowed(url, profile.allow_hosts);
  const { Agent, request } = await import('undici');
  process.stdout.write(`Reading the description ${from}: 1 request, without a key.\n`);
  const { body: bodyTimeout, connect: timeout, headers: headersTimeout } = profile.timeouts;
  const dispatcher = new Agent({ connect: { ...tlsOf(profile), timeout }, maxResponseSize: mostBytes });
  try {
    const { body, statusCode } = await request(url, {
      dispatcher,
      headersTimeout,
      bodyTimeout,
      headers: { accept: 'application/json' },
    });
    const text = await body.text();
    if (statusCode === 200) return { text, from };
    throw usageError(`--openapi ${from}: expected 200 with a description, got ${statusCode}`);
  } catch (error) {
    if (error instanceof Error && error.name === 'TryonError') throw error;
    throw targetError(`--openapi ${from}: no answer: ${systemWords(error)}`, error);
  } finally {
    await dispatcher.destroy();
  }
}
