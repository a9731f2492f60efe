import { interactionOf } from '../../../explore/wire.ts';
import type {
  ApiCall,
  CallCredential,
  CallForm,
  KeyForm,
  SessionIdForm,
  TokenForm,
} from '../../../model/call.ts';
import { bearer, json, keyOf, url } from './curl.ts';

/** What a shell needs to send commands, beside keys: new ids, so that they meet nothing of the run, and what these use. */
export function exploredSettings(commands: readonly string[]): readonly string[] {
  const all = commands.join(' ');
  return settings.filter((line) => {
    const [, name] = /^(\w+)\(\)/.exec(line) ?? [];
    return name === undefined || all.includes(`$(${name} `);
  });
}

const settings: readonly string[] = [
  'RUN=again$(date +%s)  # begins every id',
  `id() { sed 's/.*"session_id": *"\\([^"]*\\)".*/\\1/' <<<"$1"; }`,
  `shades() { printf '{"catalog_id":"%s","shades":[%s]}' "$1" "$(seq -s, -f '{"sku":"B%.0f","name":"B","hex":"#112233","finish":"matte"}' "$2")"; }`,
  `token() { sed 's/.*"token": *"\\([^"]*\\)".*/\\1/' <<<"$1"; }`,
];

/** More than these are as many plain ones: what depends on their values was shrunk to fewer before. */
const mostShades = 12;

/**
 * Explored calls as `curl` commands, in their order. `tag`: begins the ids of the run, in whose place come new ones with the same
 * relations. A session's id and token are kept in variables that are named after its call.
 */
export function exploredCommands(calls: readonly ApiCall[], tag: string, channelPath: string): string[] {
  const opened = new Set(calls.flatMap(({ by, session }) => [session, 'of' in by ? by.of : undefined]));
  return calls.flatMap((call) => {
    const command = `curl -sS ${['-i', ...authOf(call.by), ...targetOf(call, tag, channelPath)].join(' ')}`;
    const got = `# seq ${call.n} got ${call.answer.status === 0 ? 'no answer' : call.answer.status}`;
    if (call.op !== 'create-session' || !opened.has(call.n)) return [command, got];
    return [
      `GRANT=$(${command.replace(' -i ', ' ')})`,
      `S${call.n}=$(id "$GRANT"); T${call.n}=$(token "$GRANT")`,
      got,
    ];
  });
}

function authOf(by: CallCredential): string[] {
  switch (by.kind) {
    case 'none':
      return [];
    case 'key':
      return [bearer(keyVariable(by.key))];
    case 'near':
      return [bearer(alteredKey(by.form, keyVariable(by.key)))];
    case 'token':
      return [bearer(`$T${by.of}`)];
    case 'near token':
      return [bearer(alteredToken[by.form](`$T${by.of}`))];
  }
}

const keyVariable = (role: string): string => keyOf[role === 'bystander' ? 'bystander' : 'load'];
const braced = (variable: string): string => variable.slice(1);
const otherCase = (variable: string): string => `$(tr a-zA-Z A-Za-z <<<"${variable}")`;

function alteredKey(form: KeyForm, key: string): string {
  const name = braced(key);
  switch (form) {
    case 'unknown':
      return 'key-of-nobody-0123456789';
    case 'without the last character':
      return `\${${name}%?}`;
    case 'with a further character':
      return `${key}0`;
    case 'with another last character':
      return `\${${name}%?}x`;
    case 'with another 73rd byte':
      return `$(sed 's/./x/73' <<<"${key}")`;
    case 'in the other case':
      return otherCase(key);
    case 'twice':
      return `${key}${key}`;
    case 'in quotes':
      return `\\"${key}\\"`;
    default:
      return `\${${name}:0:${/\d+/.exec(form)?.[0] ?? ''}}`;
  }
}

const alteredToken: Readonly<Record<TokenForm, (token: string) => string>> = {
  'without the last character': (token) => `\${${braced(token)}%?}`,
  'with a further character': (token) => `\${${braced(token)}}0`,
  'with other last characters': (token) => `\${${braced(token)}%??????}xxxxxx`,
  'in the other case': otherCase,
};

const alteredId: Readonly<Record<SessionIdForm, (id: string) => string>> = {
  unknown: () => 'no-such-session',
  'in the other case': otherCase,
  'without the last character': (id) => `\${${braced(id)}%?}`,
  'with a further character': (id) => `\${${braced(id)}}0`,
  'with another last character': (id) => `\${${braced(id)}%?}x`,
  'not decodable': () => '%zz',
};

const malformedBodies: Readonly<Partial<Record<CallForm, string>>> = {
  'broken-json': '{"catalog_id": "x", ',
  'no-fields': '{}',
  array: '[]',
};

function targetOf(call: ApiCall, tag: string, channelPath: string): string[] {
  const { catalog = '', events = [], form, locale, misspelt, op, product = '', session, shades = [] } = call;
  const slash = form === 'slash' ? '/' : '';
  const head = form === 'head' ? ['-I'] : [];
  const posted = (body: object, path: string): string[] => [
    json,
    `-d ${shellText(malformedBodies[form ?? 'head'] ?? JSON.stringify(body), tag)}`,
    url(path),
  ];
  const id = `$S${session ?? ''}`;
  switch (op) {
    case 'import-shades':
      return shades.length > mostShades && form === undefined
        ? [json, `-d "$(shades ${shellText(catalog, tag)} ${shades.length})"`, url('/shades')]
        : posted({ catalog_id: catalog, shades }, '/shades');
    case 'list-shades':
      return [
        ...head,
        '-G',
        `--data-urlencode ${shellText(`catalog_id=${catalog}`, tag)}`,
        url(`/shades${slash}`),
      ];
    case 'create-session':
      return posted({ product_id: product, catalog_id: catalog, locale }, '/sessions');
    case 'read-session':
      return [...head, url(`/sessions/${misspelt === undefined ? id : alteredId[misspelt](id)}${slash}`)];
    case 'interact': {
      return posted({ interactions: events.map(interactionOf) }, channelPath.replaceAll('{session_id}', id));
    }
    case 'analytics': {
      const dayOf = (days: number): string =>
        new Date(call.fromMs + days * 86_400_000).toISOString().slice(0, 10);
      const period = `-d start_date=${dayOf(-1)} -d end_date=${dayOf(1)}`;
      const filter = `--data-urlencode ${shellText(`product_id=${product}`, tag)}`;
      return [...head, '-G', period, filter, url(`/analytics/sessions${slash}`)];
    }
  }
}

/** A text for a shell, with a new id in place of the run's. */
function shellText(text: string, tag: string): string {
  const parts = text.split(tag).map((part) => `'${part.replaceAll("'", `'\\''`)}'`);
  return parts.join('"$RUN"').replaceAll(`''`, '') || `''`;
}
