import { counted, listed, number } from '../../../amounts.ts';
import { eitherText, requestsText, requestText } from '../words/requests.ts';
import { type Got, gotText } from './got.ts';

/** How a key or an id was altered. Completes “a key …”. */
const forms: Readonly<Record<string, string>> = {
  'cut-by-1': 'without its last character',
  'last-changed': 'with another last character',
  'byte-73-changed': 'with another 73rd byte',
  case: 'with upper and lower case exchanged',
  longer: 'with one character more',
  twice: 'written twice',
  quoted: 'in quotes',
  basic: 'with the scheme Basic',
  token: 'with the scheme Token',
  'other-scheme': 'with the scheme XBearer',
  'no-scheme': 'without a scheme',
  'scheme-twice': 'with the scheme Bearer twice',
  'word-after': 'with a word after it',
  'scheme-alone': 'left out after the scheme Bearer',
  'session-token': 'replaced by a session token',
};

/** `cut to 16 characters` for `cut-to-16`. */
export function formText(form: string): string {
  return forms[form] ?? `${form.replaceAll('-', ' ')} characters`;
}

const sentWith = { 'no-key': 'without a key', 'bad-key': 'with an unknown key' } as const;
/** The credentials of a request that has to get 401. */
export type WrongCredentials = keyof typeof sentWith;

/** The first forms of a key, and how many others there are. */
function formsText(forms: readonly string[]): string {
  const more = forms.length - 4;
  const told = forms.slice(0, 4).map(formText);
  return listed(more > 0 ? [...told, counted(more, 'other form')] : told);
}

/** Reasons of the checks of keys and accounts. */
export const keyReasons = {
  'auth-status': (params: { sent: WrongCredentials; status: number | null; endpoints: readonly string[] }) =>
    `Expected 401 for a request ${sentWith[params.sent]}, got ${params.status} from ${requestsText(params.endpoints)}.`,
  'auth-channel-status': ({ sent, status }: { sent: WrongCredentials; status: number | null }) =>
    `Expected 4xx from the interaction channel for a request ${sentWith[sent]}, got ${status}.`,
  'auth-spelled-served': (params: { endpoints: readonly string[]; status: number | null }) =>
    `Expected 401 or 404 for ${requestsText(params.endpoints)} without a key, by another spelling or by HEAD, got ${params.status}.`,
  'auth-unclear': ({ endpoint, got, sent }: { sent: WrongCredentials; endpoint: string; got: Got }) =>
    `The request ${sentWith[sent]} to ${requestText(endpoint)} ${gotText(got)}.`,
  'auth-401':
    'Every endpoint that takes an API key answered 401 to a request without a key and to one with an unknown key.',

  'near-keys-status': (params: { form: string; endpoint: string; status: number | null }) =>
    `Expected 401 from ${requestText(params.endpoint)} for the load key ${formText(params.form)}, got ${params.status}.`,
  'near-keys-share': ({ answers, wrong }: { wrong: number; answers: number }) =>
    `Of ${counted(answers, 'answer')} to altered keys, ${number(wrong)} had a wrong status.`,
  'near-keys-unclear': ({ endpoint, form, got }: { form: string; endpoint: string; got: Got }) =>
    `The request to ${requestText(endpoint)} with the load key ${formText(form)} ${gotText(got)}.`,
  'near-keys-not-sent': ({ endpoints }: { endpoints: readonly string[] }) =>
    `No altered key was sent to ${listed(endpoints.map(requestText))}.`,
  'near-keys-401': (params: { answers: number; statuses: readonly number[]; forms: readonly string[] }) =>
    `The target answered ${eitherText(params.statuses.toSorted((a, b) => a - b).slice(0, 3))} to ${counted(params.answers, 'request')} with an altered load key. The forms of the key: ${formsText(params.forms)}.`,

  'auth-under-load-status': (params: {
    statuses: readonly (number | null)[];
    wrong: number;
    answers: number;
  }) =>
    `Expected 401 for an unknown key during overload, got ${params.statuses.slice(0, 4).join(' or ')} in ${number(params.wrong)} of ${counted(params.answers, 'answer')}.`,
  'auth-under-load-not-tried': 'No request with an unknown key was sent during the overload.',
  'auth-under-load-unclear': ({ requests }: { requests: number }) =>
    `During the overload, ${counted(requests, 'request')} with an unknown key got neither 401 nor what only a valid key should get.`,
  'auth-under-load-401': ({ rejected, requests }: { rejected: number; requests: number }) =>
    `During the overload, ${number(rejected)} of ${counted(requests, 'request')} with an unknown key got 401, and none was accepted.`,

  'tenancy-unclear': ({ got }: { got: Got }) =>
    `The request with the bystander key ${gotText(got)}, so nothing is known.`,
  'tenancy-visible': ({ what }: { what: readonly ('session' | 'catalog')[] }) =>
    `The bystander key can read the ${what.slice(0, 2).join(' and the ')} of the load key.`,
  'tenancy-promised-separate':
    'Expected 404, because each account has its own data by the profile (`data_scope: per-key`).',
  'tenancy-one-account':
    'So both keys seem to belong to one account. If they do not, this is a leak, and `data_scope: per-key` in the profile makes it a failure.',
  'tenancy-catalog-hidden':
    'It cannot read its catalog. If the keys belong to two accounts, this is a leak; the profile does not say so (`data_scope`).',
  'tenancy-status': ({ status }: { status: number | null }) =>
    `Expected 404 for the bystander key on a session of the load key, got ${status}.`,
  'tenancy-separate': ({ isCatalogVisible }: { isCatalogVisible: boolean }) =>
    `The bystander key cannot read the session of the load key, ${isCatalogVisible ? 'but it can read' : 'and it cannot read'} its catalog.`,
  'tenancy-by-connection':
    'The bystander key reads the session of the load key over a connection that the load key has used. Over a new connection it gets 404.',
  'tenancy-written': ({ catalog }: { catalog: string }) =>
    `The bystander key cannot list the catalog of the load key. Expected its import into ${catalog} to leave the catalog of the load key with that id as it was. Got its shade in the list of the load key.`,
  'tenancy-shared':
    'The bystander key can read the session of the load key, as `data_scope: shared` in the profile says.',
  'tenancy-not-shared': ({ status }: { status: number | null }) =>
    `All keys share their data by the profile (\`data_scope: shared\`). Expected 2xx for the bystander key on a session of the load key, got ${status}.`,
} as const;
