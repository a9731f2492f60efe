import { setTimeout } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Database } from './database.ts';
import type { ServiceOptions } from './options.ts';
import type { ServiceParts } from './parts.ts';

/** Ways to change the service without changing its parts' code. */
export interface Alterations {
  /** Changes settings, before anything is made from them. */
  readonly options?: (options: ServiceOptions) => ServiceOptions;
  /** Wraps or replaces parts before the routes are put on them. */
  readonly parts?: (parts: ServiceParts, database: Database, options: ServiceOptions) => ServiceParts;
  /** Gets the server before anything else is put on it, so that its hooks run first. */
  readonly server?: (app: FastifyInstance, options: ServiceOptions) => void;
}

/** What the change of a part can use. */
export interface Context extends ServiceOptions {
  readonly database: Database;
}

/** For a part, by its name: other methods, made from its own. Methods that are not named stay. */
type PartChanges = {
  readonly [Name in keyof ServiceParts]?: (
    part: ServiceParts[Name],
    context: Context,
  ) => Partial<ServiceParts[Name]>;
};

/** Alterations in a shorter form. */
export interface Changes extends Alterations, PartChanges {
  /** Changes the status or the headers of every answer, just before it is sent. */
  readonly answer?: (reply: FastifyReply, options: ServiceOptions) => void;
}

/** The alterations that changes stand for. */
export function altered({ options, parts, server, answer, ...partChanges }: Changes): Alterations {
  const names = Object.keys(partChanges) as (keyof ServiceParts)[];
  return {
    ...(options && { options }),
    parts: (own, database, settings) =>
      names.reduce(
        (all, name) => withPartChanged(all, name, partChanges, { ...settings, database }),
        parts?.(own, database, settings) ?? own,
      ),
    server(app, settings) {
      server?.(app, settings);
      if (answer === undefined) return;
      app.addHook('onSend', (_request, reply, _payload, done) => {
        answer(reply, settings);
        done();
      });
    },
  };
}

function withPartChanged<Name extends keyof ServiceParts>(
  parts: ServiceParts,
  name: Name,
  changes: PartChanges,
  context: Context,
): ServiceParts {
  return { ...parts, [name]: { ...parts[name], ...changes[name]?.(parts[name], context) } };
}

/** All of several alterations, in their order: each gets what those before it have left, and its hooks run after theirs. */
export function compose(all: readonly Alterations[]): Alterations {
  return {
    options: (options) => all.reduce((changed, each) => each.options?.(changed) ?? changed, options),
    parts: (parts, database, options) =>
      all.reduce((changed, each) => each.parts?.(changed, database, options) ?? changed, parts),
    server: (app, options) => {
      for (const each of all) each.server?.(app, options);
    },
  };
}

/** How many processes the service seems to have, behind a load balancer that gives them connections in turn. */
const processes = 2;

/** The number of the process that serves each connection. */
export function processOf(): (socket: object) => number {
  const known = new WeakMap<object, number>();
  let connections = 0;
  return (socket) => {
    const process = known.get(socket) ?? connections++ % processes;
    known.set(socket, process);
    return process;
  };
}

/** Waits. Passed in, so that what waits can be tested without waiting. */
export type Pause = (ms: number) => Promise<void>;

/** Does not hold up the end of the process. */
export const timerPause: Pause = (ms) => setTimeout(ms, undefined, { ref: false });

const channel = '/v1/sessions/:id/interactions';

/** Delays every API request that the gate has admitted. Interactions do not pass here. */
export function beforeApiWork(app: FastifyInstance, wait: () => Promise<void>): void {
  app.addHook('preHandler', async (request) => {
    if (request.routeOptions.url !== channel) await wait();
  });
}
