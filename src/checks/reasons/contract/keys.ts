import { counted, listed, number } from '../../../amounts.ts';
import { eitherText, requestsText, requestText } from '../../diagnosis/requests.ts';
import { wording } from '../wording.ts';
import { type Got, gotText } from './got.ts';
import { keyFormText } from './key-forms.ts';

const sentWith = { 'no-key': 'without a key', 'bad-key': 'with an unknown key' } as const;
/** The credentials of a request that has to get 401. */
export type WrongCredentials = keyof typeof sentWith;

/** The first forms of a key, and how many others there are. */
function formsText(forms: readonly string[]): string {
  const more = forms.length - 4;
  const told = forms.slice(0, 4).map(keyFormText);
  return listed(more > 0 ? [...told, counted(more, 'other form')] : told);
}

/** Reasons of the checks of keys and accounts. */
export const keyReasons = {
  'auth-status': wording<{
    readonly sent: WrongCredentials;
    readonly status: number | null;
    readonly endpoints: readonly string[];
  }>(
    { sent: 'bad-key', status: 200, endpoints: ['analytics', 'list-shades'] },
    ({ endpoints, sent, status }) =>
      `Expected 401 for a request ${sentWith[sent]}, got ${status} from ${requestsText(endpoints)}.`,
  ),
  'auth-channel-status': wording<{ readonly sent: WrongCredentials; readonly status: number | null }>(
    { sent: 'no-key', status: 202 },
    ({ sent, status }) =>
      `Expected 4xx from the interaction channel for a request ${sentWith[sent]}, got ${status}.`,
  ),
  'auth-unclear': wording<{
    readonly sent: WrongCredentials;
    readonly endpoint: string;
    readonly got: Got;
  }>(
    { sent: 'no-key', endpoint: 'analytics', got: { lost: 'timeout' } },
    ({ endpoint, got, sent }) => `The request ${sentWith[sent]} to ${requestText(endpoint)} ${gotText(got)}.`,
  ),
  'auth-401': wording(
    {},
    () =>
      'Every endpoint that takes an API key answered 401 to a request without a key and to one with an unknown key.',
  ),

  'near-keys-status': wording<{
    readonly form: string;
    readonly endpoint: string;
    readonly status: number | null;
  }>(
    { form: 'cut-to-16', endpoint: 'import-shades', status: 201 },
    ({ endpoint, form, status }) =>
      `Expected 401 from ${requestText(endpoint)} for the load key ${keyFormText(form)}, got ${status}.`,
  ),
  'near-keys-share': wording(
    { wrong: 1, answers: 5 },
    ({ answers, wrong }) =>
      `Of ${counted(answers, 'answer')} to altered keys, ${number(wrong)} had a wrong status.`,
  ),
  'near-keys-unclear': wording<{ readonly form: string; readonly endpoint: string; readonly got: Got }>(
    { form: 'longer', endpoint: 'analytics', got: { status: 429 } },
    ({ endpoint, form, got }) =>
      `The request to ${requestText(endpoint)} with the load key ${keyFormText(form)} ${gotText(got)}.`,
  ),
  'near-keys-not-sent': wording<{ readonly endpoints: readonly string[] }>(
    { endpoints: ['analytics'] },
    ({ endpoints }) => `No altered key was sent to ${listed(endpoints.map(requestText))}.`,
  ),
  'near-keys-401': wording<{
    readonly answers: number;
    readonly statuses: readonly number[];
    readonly forms: readonly string[];
  }>(
    { answers: 5, statuses: [401], forms: ['cut-to-16', 'quoted'] },
    ({ answers, forms, statuses }) =>
      `The target answered ${eitherText(statuses.toSorted((a, b) => a - b).slice(0, 3))} to ${counted(answers, 'request')} with an altered load key. The forms of the key: ${formsText(forms)}.`,
  ),

  'auth-under-load-status': wording<{
    readonly statuses: readonly (number | null)[];
    readonly wrong: number;
    readonly answers: number;
  }>(
    { statuses: [200], wrong: 1, answers: 4 },
    ({ answers, statuses, wrong }) =>
      `Expected 401 for an unknown key during overload, got ${statuses.slice(0, 4).join(' or ')} in ${number(wrong)} of ${counted(answers, 'answer')}.`,
  ),
  'auth-under-load-not-tried': wording(
    {},
    () => 'No request with an unknown key was sent during the overload.',
  ),
  'auth-under-load-unclear': wording(
    { requests: 2 },
    ({ requests }) =>
      `During the overload, ${counted(requests, 'request')} with an unknown key got neither 401 nor what only a valid key should get.`,
  ),
  'auth-under-load-401': wording(
    { rejected: 3, requests: 3 },
    ({ rejected, requests }) =>
      `During the overload, ${number(rejected)} of ${counted(requests, 'request')} with an unknown key got 401, and none was accepted.`,
  ),

  'tenancy-unclear': wording<{ readonly got: Got }>(
    { got: { lost: 'timeout' } },
    ({ got }) => `The request with the bystander key ${gotText(got)}, so nothing is known.`,
  ),
  'tenancy-visible': wording<{ readonly what: readonly ('session' | 'catalog')[] }>(
    { what: ['session', 'catalog'] },
    ({ what }) => `The bystander key can read the ${what.slice(0, 2).join(' and the ')} of the load key.`,
  ),
  'tenancy-promised-separate': wording(
    {},
    () => 'Expected 404, because each account has its own data by the profile (`data_scope: per-key`).',
  ),
  'tenancy-one-account': wording(
    {},
    () =>
      'So both keys seem to belong to one account. If they do not, this is a leak, and `data_scope: per-key` in the profile makes it a failure.',
  ),
  'tenancy-catalog-hidden': wording(
    {},
    () =>
      'It cannot read its catalog. If the keys belong to two accounts, this is a leak; the profile does not say so (`data_scope`).',
  ),
  'tenancy-status': wording<{ readonly status: number | null }>(
    { status: 403 },
    ({ status }) => `Expected 404 for the bystander key on a session of the load key, got ${status}.`,
  ),
  'tenancy-separate': wording(
    { isCatalogVisible: false },
    ({ isCatalogVisible }) =>
      `The bystander key cannot read the session of the load key, ${isCatalogVisible ? 'but it can read' : 'and it cannot read'} its catalog.`,
  ),
  'tenancy-shared': wording(
    {},
    () =>
      'The bystander key can read the session of the load key, as `data_scope: shared` in the profile says.',
  ),
  'tenancy-not-shared': wording<{ readonly status: number | null }>(
    { status: 404 },
    ({ status }) =>
      `All keys share their data by the profile (\`data_scope: shared\`). Expected 2xx for the bystander key on a session of the load key, got ${status}.`,
  ),
} as const;
