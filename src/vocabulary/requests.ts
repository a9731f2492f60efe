import { roles } from './roles.ts';

/** The vocabulary of a request's record: its endpoint, the stage that made it, its credentials, and why it has no answer. */

export const endpoints = [
  'create-session',
  'read-session',
  'list-shades',
  'import-shades',
  'analytics',
  'interact',
] as const;
export type Endpoint = (typeof endpoints)[number];

/** What a bound on response times can be on: an endpoint, those of `traffic: 'reads'`, or all. */
export const boundedBy = [...endpoints, 'reads', '*'] as const;

/** The endpoints that a bound is on. */
export function boundedEndpoints(bound: string): readonly string[] {
  if (bound === '*') return endpoints;
  return bound === 'reads' ? ['read-session', 'list-shades'] : [bound];
}

/**
 * The stage of the run that made a request. Only `load` comes from the plan; `companion` (probes during load) runs at
 * the same time, and the others react to answers.
 */
export const stages = ['setup', 'load', 'companion', 'study', 'settle'] as const;
export type Stage = (typeof stages)[number];

/**
 * Which credentials a request carried. `session` is a shopper's token; `bad` and `none` are contract probes; `pool` is one
 * of many keys that take turns.
 */
export const credentials = [...roles, 'session', 'bad', 'none', 'pool'] as const;
export type Credential = (typeof credentials)[number];

/**
 * Why a request that was due was never sent. The target certainly did not get it.
 * - `no-session`: the journey's session was rejected or never answered, so its later requests have no session;
 * - `patience`: the shopper had left, since answers were slow;
 * - `in-flight-bound`: as many requests were in flight as the profile allows;
 * - `no-connection`: the target took no connection;
 * - `no-address`: the name of the target was not resolved, or not in time;
 * - `no-socket`: this machine had no port or file descriptor left for a connection;
 * - `no-channel`: the target has no interaction channel;
 * - `bad-header`: no header can carry a value that it needs, such as a session's token;
 * - `no-key`: no key was given for the role;
 * - `stopped`: the run ended before its time (Ctrl-C, kill switch, a cap).
 */
export const notSentReasons = [
  'no-session',
  'patience',
  'in-flight-bound',
  'no-connection',
  'no-address',
  'no-socket',
  'no-channel',
  'bad-header',
  'no-key',
  'stopped',
] as const;
export type NotSentReason = (typeof notSentReasons)[number];

/**
 * Why a request that was sent has no complete answer.
 * - `timeout`: no answer within the profile's time-outs;
 * - `reset`: the connection broke before the answer was complete;
 * - `closed-idle`: the target closed the idle connection as the request went out, and most likely never read it;
 * - `stopped`: the run was ended while the request was in flight;
 * - `protocol`: the bytes received were not HTTP;
 * - `too-long`: the head or the body of the answer was over what tryon reads;
 * - `no-room`: the bodies under way filled the memory that tryon gives them.
 */
export const lossReasons = [
  'timeout',
  'reset',
  'closed-idle',
  'stopped',
  'protocol',
  'too-long',
  'no-room',
] as const;
export type LossReason = (typeof lossReasons)[number];
