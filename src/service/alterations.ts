import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { SessionAnalytics } from '../wire.ts';
import type { Database } from './database.ts';
import type { ServiceOptions } from './options.ts';
import type { Analytics, MaybeLater, ServiceParts } from './parts.ts';

/** Ways to change the service without changing its parts' code. */
export interface Alterations {
  /** Changes settings, before anything is made from them. */
  readonly options?: (options: ServiceOptions) => ServiceOptions;
  /** Wraps or replaces parts before the routes are put on them. */
  readonly parts?: (parts: ServiceParts, database: Database, options: ServiceOptions) => ServiceParts;
  /** Gets the server before anything else is put on it, so that its hooks run first. */
  readonly server?: (app: FastifyInstance, options: ServiceOptions) => void;
}

/**
 * What it takes to see a defect from outside: 1 one request; 2 a few requests or fields; 3 a history, timing or
 * relations; 4 concurrency, load or statistics.
 */
type Grade = 1 | 2 | 3 | 4;

/** A fault that the service can be started with, to test whether it is detected. */
export interface Defect {
  /** A letter for what is defective, and a number: `R2`. */
  readonly id: string;
  readonly grade: Grade;
  /** A caller's complaint about the service, in a few words. */
  readonly title: string;
  readonly alterations: Alterations;
}

/** A service that differs from the reference service in what the interface leaves open, and is as right as that. */
export interface Variant {
  /** In lower case, with hyphens. */
  readonly name: string;
  /** What is different, in a few words. */
  readonly title: string;
  readonly alterations: Alterations;
}

export function plant(id: string, grade: Grade, title: string, changes: Changes): Defect {
  return { id, grade, title, alterations: altered(changes) };
}

export function vary(name: string, title: string, changes: Changes): Variant {
  return { name, title, alterations: altered(changes) };
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

/** How long a request waits at some point; undefined: not at all. */
type RequestWait = (request: FastifyRequest) => Promise<void> | undefined;

/** The body of an answer as it goes out. */
type PayloadChange = (payload: unknown, request: FastifyRequest, reply: FastifyReply) => unknown;

/** Alterations in a shorter form. */
export interface Changes extends Alterations, PartChanges {
  /** Changes the status or the headers of every answer, just before it is sent. */
  readonly answer?: (reply: FastifyReply, options: ServiceOptions) => void;
  /** Replaces the body of every answer. */
  readonly payload?: (options: ServiceOptions) => PayloadChange;
  /** Has a request wait before anything is done with it. */
  readonly arrival?: (options: ServiceOptions) => RequestWait;
  /** Has an API request wait that the gate has admitted. Interactions do not pass here. */
  readonly work?: (options: ServiceOptions) => RequestWait;
}

const channel = '/v1/sessions/:id/interactions';

/** The alterations that changes stand for. */
function altered({
  answer,
  arrival,
  options,
  parts,
  payload,
  server,
  work,
  ...partChanges
}: Changes): Alterations {
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
      const arriving = arrival?.(settings);
      if (arriving !== undefined) app.addHook('onRequest', async (request) => arriving(request));
      const working = work?.(settings);
      if (working !== undefined)
        app.addHook('preHandler', async (request) => {
          if (request.routeOptions.url !== channel) await working(request);
        });
      const replaced = payload?.(settings);
      if (answer === undefined && replaced === undefined) return;
      app.addHook('onSend', async (request, reply, body) => {
        const sent = replaced === undefined ? body : replaced(body, request, reply);
        answer?.(reply, settings);
        return sent;
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

type ReportQuestion = Parameters<Analytics['report']>;

/** Changes every report of analytics. */
export function reports(
  changeFor: (
    context: Context,
  ) => (report: SessionAnalytics, ...question: ReportQuestion) => MaybeLater<SessionAnalytics>,
): NonNullable<Changes['analytics']> {
  return ({ report }, context) => {
    const change = changeFor(context);
    return { report: async (...question) => change(await report(...question), ...question) };
  };
}

/** The end of a request with this status. */
export function failure(statusCode: number, message: string): Error {
  return Object.assign(new Error(message), { statusCode });
}

/** `METHOD /path/:pattern`. */
export function endpointOf({ method, routeOptions }: FastifyRequest): string {
  return `${method} ${routeOptions.url ?? ''}`;
}

/** How many processes the service seems to have, behind a load balancer that gives them connections in turn. */
const processes = 2;

/** The number of the process that serves each connection. */
export function processOf(): (request: FastifyRequest) => number {
  const known = new WeakMap<object, number>();
  let connections = 0;
  return ({ raw: { socket } }) => {
    const process = known.get(socket) ?? connections++ % processes;
    known.set(socket, process);
    return process;
  };
}
