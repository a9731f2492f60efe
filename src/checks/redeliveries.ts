import type { Profile } from '../target/profile.ts';

/**
 * What it means that requests may be delivered again (profile: `redeliveries`). Something between harness and service,
 * say a gateway that tries again on its own, hands a request on up to so many times more than it was given it, at once or
 * one after the other, and passes on the answer to any one of them. It is assumed that the last of them arrives no later than
 * a request that was given up on may (`lateArrivalMs`), counted from the answer; and that all are refused alike but for
 * what others of them have taken: a place in the quota or under the rate limit. So, of a request with whatever answer:
 *
 * - POST /sessions may have made so many sessions that nobody was granted, also behind a refusal, and spent the quota by them;
 * - each may have spent the rate limit as often again, and been refused for that;
 * - an act or an import that was refused with 429 may have been accepted; one that was accepted counts once, by its ids.
 *
 * What was granted was granted, so more than a limit allows is still too much. What too little shows is in doubt as far as
 * redeliveries explain it; what passes, passes as it looks to those who sent the requests. From outside such a deployment
 * cannot be told from a service that counts twice: it has to be said.
 */
export type Redelivering = Pick<Profile, 'redeliveries'>;

/** Completes "…; ⟨this⟩, and that may …". */
export function redeliveryText({ redeliveries }: Redelivering): string {
  return `each request may have been delivered up to ${redeliveries + 1} times (profile: redeliveries)`;
}

/** SQL: the most sessions that a POST /sessions has made. `possible`: SQL, one was granted or may have been. */
export function mostSessionsSql({ redeliveries }: Redelivering, possible: string): string {
  return `(if(coalesce(${possible}, false), 1, 0) + ${redeliveries})`;
}
