import { listed } from '../../../amounts.ts';
import type { Endpoint } from '../../../vocabulary/requests.ts';

/** Requests as the interface document writes them; the interaction channel is none of its. */
const requests: Readonly<Record<Endpoint, string>> = {
  'create-session': 'POST /sessions',
  'read-session': 'GET /sessions/{id}',
  'list-shades': 'GET /shades',
  'import-shades': 'POST /shades',
  analytics: 'GET /analytics/sessions',
  interact: 'the interaction channel',
};

/** The endpoints of the interface; the interaction channel is none of them. */
export const interfaceEndpoints: readonly Endpoint[] = [
  'create-session',
  'read-session',
  'list-shades',
  'import-shades',
  'analytics',
];

/** `GET /shades` for an endpoint of a record, or what a bound is on. */
export function requestText(endpoint: string): string {
  if (endpoint === 'reads') return 'lists and reads of sessions';
  return endpoint in requests ? requests[endpoint as Endpoint] : endpoint;
}

/** `GET /shades (200)` for `list-shades 200`: a request and the status of its answer. */
export function answeredText(what: string): string {
  const [endpoint = what, ...status] = what.split(' ');
  return status.length === 0 ? requestText(endpoint) : `${requestText(endpoint)} (${status.join(' ')})`;
}

/** ``POST /shades (sent as `batch-max`)`` for `import-shades batch-max`: a probe, or an odd form. */
export function probedText(what: string): string {
  const [endpoint = what, ...rest] = what.split(' ');
  return `${requestText(endpoint)} (sent as \`${rest.join(' ')}\`)`;
}

/** At most two by name: the sentence stays short. */
export function requestsText(endpoints: readonly string[]): string {
  return interfaceEndpoints.every((name) => endpoints.includes(name))
    ? 'every endpoint'
    : listed(endpoints.map(requestText), 2);
}

export function eitherText(items: readonly (string | number)[]): string {
  return items.join(' or ');
}
