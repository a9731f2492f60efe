import type { PlannedRequest } from '../../plan/phase-plan.ts';
import type { EventsPath } from '../../target/calls.ts';
import type { SessionGrant } from '../../wire.ts';

/** A shopper's session as the driver knows it. `Step`: what waits for the session to be there. */
export class Visit<Step> {
  state: 'pending' | 'open' | 'refused' | 'left' = 'pending';
  readonly #patienceNs: number;
  sessionId = '';
  /**
   * The session's token. A secret: it exists only here and in the header of the shopper's interaction requests.
   */
  readonly secrets: string[] = [];
  authorization = '';
  /** Where its events go; undefined before the first. */
  eventsPath: EventsPath | undefined;
  /** Steps that were due before the session was there. */
  readonly waiting: Step[] = [];

  constructor(patienceMs: number) {
    this.#patienceNs = patienceMs * 1e6;
  }

  /** One of the shopper's requests was answered, or given up on, so long after it was intended. */
  answered(grant: SessionGrant | undefined, tookNs: number): void {
    if (grant !== undefined) {
      this.state = 'open';
      this.sessionId = grant.session_id;
      this.secrets.push(grant.token);
      this.authorization = `Bearer ${grant.token}`;
    }
    if (this.state === 'open' && tookNs > this.#patienceNs) this.state = 'left';
  }
}

/** The shoppers under way. */
export class Visits<Step> {
  readonly #under = new Map<number, Visit<Step>>();

  /** The visit of a step; a new one if the step opens it. None for a shopper with a single step. */
  of({ last, shopper, step }: PlannedRequest): Visit<Step> | undefined {
    if (step.kind === 'list-shades') return undefined;
    if (step.kind !== 'create-session') return this.#under.get(shopper);
    if (last) return undefined;
    const visit = new Visit<Step>(step.patienceMs);
    this.#under.set(shopper, visit);
    return visit;
  }

  /** The shopper has nothing more to do. */
  end(shopper: number): void {
    this.#under.delete(shopper);
  }
}
