import { isLoopback } from '../../target/guard.ts';
import type { Role } from '../../vocabulary/roles.ts';
import type { Look } from './look.ts';

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
      ...comment.map((line) => `  // ${oneLine(line)}`),
      `  ${JSON.stringify(name)}: ${JSON.stringify(value, null, 2).replaceAll('\n', '\n  ')}${at < fields.length - 1 ? ',' : ''}`,
    ]),
    '  // A run finds out everything else. `tryon run … --write-profile FILE` writes what it found; see docs/profile.md.',
    '}',
    '',
  ].join('\n');
}

/** A header field comes from the target: it must not end the comment. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').slice(0, 160);
}
