import { counted, number } from '../../../amounts.ts';

/** Reasons of the checks of keys and accounts. */
export const keyReasons = {
  'auth-under-load-status': (params: {
    statuses: readonly (number | null)[];
    wrong: number;
    answers: number;
  }) =>
    `Expected 401 for an unknown key during overload, got ${params.statuses.slice(0, 4).join(' or ')} in ${number(params.wrong)} of ${counted(params.answers, 'answer')}.`,
  'auth-under-load-not-tried': 'No request with an unknown key was sent during the overload.',
  'auth-under-load-unclear':
    'During the overload, {requests:count request} with an unknown key got neither 401 nor what only a valid key should get.',
  'auth-under-load-401':
    'During the overload, {rejected} of {requests:count request} with an unknown key got 401, and none was accepted.',
} as const;
