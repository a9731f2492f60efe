/** How a key was altered. Completes “a key …”. */
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
  'session-token': 'replaced by a session token',
};

/** `cut to 16 characters` for `cut-to-16`. */
export function keyFormText(form: string): string {
  return forms[form] ?? `${form.replaceAll('-', ' ')} characters`;
}
