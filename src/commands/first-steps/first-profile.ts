import { dirname, relative, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { fileURLToPath } from 'node:url';
import { counted } from '../../amounts.ts';
import { exitCode, readOption, TryonError, targetError, usageError } from '../../exit.ts';
import { profileSchemaFile } from '../../program-files.ts';
import { isLoopback, parseBaseUrl } from '../../target/guard.ts';
import { parseKeyArgument, readKeys } from '../../target/keys.ts';
import { resolveProfile } from '../../target/profile-layers.ts';
import { parseRateLimit } from '../../vocabulary/quantities.ts';
import { type Role, roles } from '../../vocabulary/roles.ts';
import type { InitArguments } from '../options.ts';
import { assertNew, environment, writeNew } from '../shell.ts';
import { type Look, lookAt, requestsOfLook } from './look.ts';

/**
 * Asks what the options leave open, looks at the target and writes a profile with comments. Throws usage errors, and a
 * target error if the target does not answer.
 */
export async function writeFirstProfile(args: InitArguments): Promise<void> {
  assertNew(args.file, args.file);
  const env = environment(args['env-file']);
  const facts = await withTerminal((ask) => gather(args, ask));
  const baseUrl = parseBaseUrl(facts.baseUrl);
  const profile = resolveProfile({ base_url: baseUrl.href }, 'profile');
  // A key that is not set yet is no reason not to write a profile.
  const set = [...facts.keys].filter(([, place]) => (env[place.env] ?? '').trim() !== '');
  const keys = readKeys(Object.fromEntries(set), env);
  process.stdout.write(
    `Reading analytics of ${baseUrl.href}: up to ${counted(requestsOfLook(keys), 'request')}. Nothing is changed there.\n`,
  );
  const look = await lookAt(baseUrl, profile, keys);
  const schema = relative(dirname(resolve(args.file)), fileURLToPath(profileSchemaFile));
  const text = profileText(facts, look, schema.startsWith('.') ? schema : `./${schema}`);
  writeNew(args.file, args.file, text);
  process.stdout.write(outcome(args.file, facts, look));
}

/** Lends a way to ask: the terminal, if there is one. */
async function withTerminal<Result>(use: (ask: Ask) => Promise<Result>): Promise<Result> {
  if (!process.stdin.isTTY) return use(() => Promise.resolve(undefined));
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await use((question) => terminal.question(`${question} `));
  } catch (error) {
    // Ctrl-C or Ctrl-D in place of an answer.
    if (error instanceof Error && error.name === 'AbortError')
      throw new TryonError(exitCode.interrupted, 'interrupted; no profile was written', { cause: error });
    throw error;
  } finally {
    terminal.close();
  }
}

function outcome(file: string, { baseUrl, keys }: FirstFacts, look: Look): string {
  const { host, hostname } = new URL(baseUrl);
  const { withKey, withoutKey } = look;
  if (withoutKey.status === undefined)
    throw targetError(
      `${host} did not answer (${withoutKey.problem ?? 'no reason given'}). ${file} was written nevertheless`,
    );
  const notes = [...keys].flatMap(([role, { env }]) => {
    const seen = withKey.get(role);
    if (seen === undefined) return [`Key ${role}: ${env} is not set, so it was not tried.`];
    return seen.status === 200
      ? []
      : [`Key ${role} (${env}): expected 200, got ${seen.status ?? seen.problem}.`];
  });
  const permission = isLoopback(hostname)
    ? []
    : [`It permits load on ${host} (allow_hosts). Remove the line if you have no permission for that.`];
  return [
    `Profile written to ${file}.`,
    ...permission,
    ...notes,
    '',
    'Next:',
    `  npx tryon doctor --profile ${file}      # what each scenario would lack`,
    `  npx tryon run smoke --profile ${file}   # a quick check of everything`,
    '',
  ].join('\n');
}

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

/** What the author of a profile said. */
export interface FirstFacts {
  readonly baseUrl: string;
  readonly keys: ReadonlyMap<Role, { readonly env: string }>;
  readonly rateLimit: string | undefined;
  readonly quota: number | undefined;
}

/** A field of the profile with the lines of comment above it. */
interface CommentedField {
  readonly name: string;
  readonly value: unknown;
  readonly comment: readonly string[];
}

/** The profile as JSON with comments. `schema`: where its JSON Schema is. */
export function profileText(facts: FirstFacts, look: Look, schema: string): string {
  const { host, hostname } = new URL(facts.baseUrl);
  const limits = look.withKey.get('load')?.limits ?? [];
  const fields: CommentedField[] = [
    { name: '$schema', value: schema, comment: ['For completion and checks in an editor.'] },
    { name: 'name', value: host, comment: ['Shown in reports.'] },
    { name: 'base_url', value: facts.baseUrl, comment: [] },
    {
      name: 'keys',
      value: Object.fromEntries(facts.keys),
      comment: [
        'The environment variables with the keys; never a key itself. `{ "file": "…" }` names a file.',
        'Roles: `load` carries the load. The quota of `quota` is used up. `twin` shares that quota, or has one of the same size.',
        '`bystander` belongs to another account, which the load must not affect.',
      ],
    },
    ...(isLoopback(hostname)
      ? []
      : [
          {
            name: 'allow_hosts',
            value: [hostname],
            comment: ['Hosts to which tryon may send load. You need the permission of their operator.'],
          },
        ]),
    {
      name: 'rate_limit',
      value: facts.rateLimit ?? '1000/1m',
      comment: [
        facts.rateLimit === undefined
          ? 'Requests in a window. This is the limit in the interface document; correct it if yours differs.'
          : 'The promised limit: requests in a window.',
        ...limits.map((line) => `The service sends ${line}`),
      ],
    },
    ...(facts.keys.has('quota') || facts.quota !== undefined
      ? [
          {
            name: 'quota',
            value: { ...(facts.quota === undefined ? {} : { sessions: facts.quota }), fresh: false },
            comment: [
              'The session quota of the quota key. Without `sessions` the run finds it out if it is small enough.',
              '`fresh`: true if its account has created no session before.',
            ],
          },
        ]
      : []),
    {
      name: 'analytics',
      value: {
        ...(look.dateFormat === undefined ? {} : { date_format: look.dateFormat }),
        freshness: '10s',
        exclusive: false,
      },
      comment: [
        ...(look.dateFormat === undefined ? [] : ['`date_format` was seen.']),
        '`freshness`: analytics show an event within this time. `exclusive`: true if no one else uses the account.',
      ],
    },
  ];
  return [
    '{',
    ...fields.flatMap(({ comment, name, value }, at) => [
      // A header field comes from the target: it must not end the comment.
      ...comment.map((line) => `  // ${line.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').slice(0, 160)}`),
      `  ${JSON.stringify(name)}: ${JSON.stringify(value, null, 2).replaceAll('\n', '\n  ')}${at < fields.length - 1 ? ',' : ''}`,
    ]),
    '  // A run finds out everything else. `tryon run … --write-profile FILE` writes what it found; see docs/profile.md.',
    '}',
    '',
  ].join('\n');
}
