import { readOption, usageError } from '../../exit.ts';
import { parseBaseUrl } from '../../target/guard.ts';
import { parseKeyArgument } from '../../target/keys.ts';
import { parseRateLimit } from '../../vocabulary/quantities.ts';
import { type Role, roles } from '../../vocabulary/roles.ts';
import type { InitArguments } from '../init.ts';
import type { FirstFacts } from './first-profile-text.ts';

/** Asks a question; undefined without a terminal. */
export type Ask = (question: string) => Promise<string | undefined>;

/** What the options say, and where they do not, the answers. Throws a usage error for what cannot be left open. */
export async function gather(args: InitArguments, ask: Ask): Promise<FirstFacts> {
  const baseUrl = args.target ?? (await ask('Base URL, with its version (https://staging.example.com/v1):'));
  if (baseUrl === undefined || baseUrl.trim() === '')
    throw usageError(
      '--target: expected the base URL of your service, such as https://staging.example.com/v1',
    );
  parseBaseUrl(baseUrl.trim());
  const given = new Map(
    (args.key ?? []).map(parseKeyArgument).map(({ place, role }) => [role, place] as const),
  );
  const keys = new Map<Role, { readonly env: string }>();
  for (const role of roles) {
    const place = given.get(role);
    if (place !== undefined && 'env' in place) keys.set(role, place);
  }
  const name = async (role: Role, question: string): Promise<void> => {
    if (keys.has(role)) return;
    const answer = (await ask(question))?.trim();
    if (answer === undefined || answer === '') return;
    const { place } = parseKeyArgument(`${role}=${answer}`);
    if ('env' in place) keys.set(role, place);
  };
  await name('load', 'Name of the environment variable with the key that carries the load:');
  if (!keys.has('load'))
    throw usageError(
      '--key: expected load=ENV_VAR, the environment variable with the key that carries the load',
    );
  const rateLimit = args['rate-limit'] ?? (await ask('Promised rate limit (empty: 1000/1m):'))?.trim() ?? '';
  if (rateLimit !== '') readOption('--rate-limit', () => parseRateLimit(rateLimit));
  await name('quota', 'Variable with a key of a small session quota, which will be used up (empty: none):');
  await name(
    'bystander',
    'Variable with a key of another account, which the load must not affect (empty: none):',
  );
  return {
    baseUrl: baseUrl.trim(),
    keys,
    rateLimit: rateLimit === '' ? undefined : rateLimit,
    quota: args.quota,
  };
}
