import { channelSchema, type Profile, type ToldChannel } from './profile.ts';

/** The reference service's own path: the one that discovery tries. */
export const usualPath = '/sessions/{session_id}/interactions';

/** An interaction channel as requests use it: where it is and whose credentials it takes is known. */
export interface Channel extends Omit<ToldChannel, 'path' | 'auth'> {
  readonly path: string;
  readonly auth: Exclude<ToldChannel['auth'], 'discover'>;
}

/** The reference service's channel, of which nothing more is known. */
export const usualChannel: Channel = { ...channelSchema.parse({}), path: usualPath, auth: 'session-token' };

/** The channels that a profile allows, in the order in which they are tried. */
export function possibleChannels(told: Profile['channel']): readonly Channel[] {
  if (told === 'none') return [];
  const { auth, path, ...rest } = told === 'discover' ? channelSchema.parse({}) : told;
  const credentials = auth === 'discover' ? (['session-token', 'api-key'] as const) : [auth];
  return credentials.map((each) => ({ ...rest, auth: each, path: path === 'discover' ? usualPath : path }));
}

/** Whether the profile leaves open where the channel is, or whose credentials it takes. */
export function isChannelOpen(told: Profile['channel']): boolean {
  return told === 'discover' || (told !== 'none' && (told.path === 'discover' || told.auth === 'discover'));
}

/** Whether interactions spend the rate limit of the key that opened the session, as far as the profile says. */
export function interactionsCount(
  told: Profile['channel'] | Pick<ToldChannel, 'counts_against_rate_limit'>,
): boolean | 'discover' {
  if (told === 'none') return false;
  return told === 'discover' ? told : told.counts_against_rate_limit;
}

/** Whether they may: what is paced under a limit has to leave room for them. */
export function interactionsMayCount(told: Parameters<typeof interactionsCount>[0]): boolean {
  return interactionsCount(told) !== false;
}

/** How many events a request may carry; undefined: any number. */
export function mostEvents(told: Profile['channel']): number | undefined {
  return typeof told === 'string' ? undefined : told.most_events;
}
