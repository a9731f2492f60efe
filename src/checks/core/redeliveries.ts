import type { Profile } from '../../target/profile.ts';

/**
 * What `redeliveries` in the profile means: something between this program and the service, such as a gateway that
 * retries, delivers each request up to that many times more than it was sent, and passes on the answer to any of them.
 * The last delivery arrives within `lateArrivalMs` after the answer. All deliveries are rejected alike, except for what
 * other deliveries have taken from the quota or the rate limit. So, whatever the answer was:
 *
 * - POST /sessions may have made as many sessions that no client knows of, and spent the quota by them;
 * - each request may have spent the rate limit as often, and been rejected for that;
 * - an event or an import that got 429 may have been accepted; one that was accepted counts once, by its ids.
 *
 * What was admitted was admitted, so more than a limit allows is still a failure. Too little is in doubt as far as
 * redeliveries explain it. From outside, such a deployment looks like a service that counts twice: the profile has to
 * say it.
 */
export type Redelivering = Pick<Profile, 'redeliveries'>;

/** SQL: the most sessions that a POST /sessions has made. `possible`: SQL, one was granted or may have been. */
export function mostSessionsSql({ redeliveries }: Redelivering, possible: string): string {
  return `(if(coalesce(${possible}, false), 1, 0) + ${redeliveries})`;
}
