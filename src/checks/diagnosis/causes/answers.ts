import { counted, listed, number } from '../../../amounts.ts';
import { kind } from '../kind.ts';
import { requestsText, requestText } from '../requests.ts';

/** Causes in the form and the status of answers. */
export const answerCauses = {
  'answers-malformed': kind<{ readonly endpoint: string; readonly problem: string }>({
    area: 'contract',
    text: ({ endpoint, problem }) =>
      `Answers of ${requestText(endpoint)} do not have the promised form: ${problem}.`,
    example: { endpoint: 'create-session', problem: 'token: expected string, got number' },
    behind: 'A serialiser or a schema of another version.',
    explains: ['contract.answers', 'contract.names', 'contract.canary', 'contract.catalog'],
    about: ({ endpoint }) => endpoint,
  }),
  'success-status-wrong': kind<{ readonly endpoint: string; readonly status: number }>({
    area: 'contract',
    text: ({ endpoint, status }) => `${requestText(endpoint)} answers ${status} where 200 is promised.`,
    example: { endpoint: 'create-session', status: 201 },
    behind: 'The default status of a framework for a POST.',
    explains: ['contract.answers'],
    about: ({ endpoint }) => endpoint,
  }),
  'unexpected-status': kind<{
    readonly endpoint: string;
    readonly status: number;
    readonly requests: number;
  }>({
    area: 'contract',
    text: ({ endpoint, requests, status }) =>
      `The answer to ${counted(requests, 'valid request')} at ${requestText(endpoint)} is ${status}.`,
    example: { endpoint: 'create-session', status: 422, requests: 3 },
    behind: 'A validation that is stricter than the interface, or a route that is missing.',
    explains: ['contract.errors'],
    about: ({ endpoint, status }) => `${endpoint} ${status}`,
  }),
  'server-errors': kind<{ readonly errors: number; readonly endpoints: readonly string[] }>({
    area: 'contract',
    text: ({ endpoints, errors }) =>
      `The target answers ${counted(errors, 'request')} with 5xx at ${requestsText(endpoints)}.`,
    example: { errors: 14, endpoints: ['list-shades'] },
    behind: 'An exception that nothing handles, or a pool of connections that runs empty.',
    explains: ['contract.errors', 'contract.answers'],
  }),
  'requests-unanswered': kind<{
    readonly requests: number;
    readonly of: number;
    readonly how: readonly string[];
  }>({
    area: 'contract',
    text: ({ how, of, requests }) =>
      `No answer came to ${number(requests)} of ${counted(of, 'request')}: ${listed(how, 3)}.`,
    example: { requests: 40, of: 400, how: ['timed out'] },
    behind: 'A process that stops or restarts, or a queue in front of it that is full.',
    explains: ['contract.availability'],
  }),
} as const;
