import type { ApiCall, CallCredential } from '../model/call.ts';

/** A call as a shell command. Keys, tokens and ids of sessions are variables: secrets are never printed. */
export function curlOf(call: ApiCall): string {
  const { by, catalog = '', events = [], form, locale, n, op, product = '', session, shades = [] } = call;
  const id = `$S${session ?? ''}`;
  const query = (name: string, value: string): string =>
    `--get --data-urlencode ${quoted(`${name}=${value}`)}`;
  const posted = (body: unknown): string =>
    `--json ${quoted(form === undefined ? JSON.stringify(body) : `(${form})`)}`;
  const [path, rest] = ((): readonly [string, string] => {
    switch (op) {
      case 'import-shades':
        return ['/shades', posted({ catalog_id: catalog, shades })];
      case 'list-shades':
        return ['/shades', query('catalog_id', catalog)];
      case 'create-session':
        return ['/sessions', posted({ product_id: product, catalog_id: catalog, locale })];
      case 'read-session':
        return [`/sessions/${call.misspelt === undefined ? id : `(${id} ${call.misspelt})`}`, ''];
      case 'interact': {
        const interactions = events.map(({ atMs, ...event }) => ({
          ...event,
          at: new Date(atMs).toISOString(),
        }));
        return [`/sessions/${id}/interactions`, posted({ interactions })];
      }
      default:
        return ['/analytics/sessions', `${query('product_id', product)} -d start_date=… -d end_date=…`];
    }
  })();
  const keep = op === 'create-session' ? `   # gives S${n} and T${n}` : '';
  const method = form === 'head' ? '--head ' : '';
  return `curl ${method}"$BASE${path}" ${headerOf(by)}${rest}`.trimEnd() + keep;
}

function headerOf(by: CallCredential): string {
  if (by.kind === 'none') return '';
  const name =
    by.kind === 'token' || by.kind === 'near token' ? `$T${by.of}` : `$KEY_${by.key.toUpperCase()}`;
  const form = by.kind === 'near' || by.kind === 'near token' ? ` (${by.form})` : '';
  return `-H "Authorization: Bearer ${name}${form}" `;
}

/** For a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
