import { counted, number } from '../../amounts.ts';
import type { ApiCall } from '../call.ts';
import type { Divergence } from '../judge.ts';
import type { Model } from '../stages.ts';

/** The record that a fault is tried on. */
export interface FaultEvidence {
  readonly calls: readonly ApiCall[];
  readonly divergences: readonly Divergence[];
}

export type FaultArea = 'keys' | 'shades' | 'sessions' | 'events' | 'any';

/** Parameters are data: they are printed, compared and kept. */
export type FaultParams = Readonly<Record<string, string | number>>;

/**
 * One row: a fault that such a service may have. The words, the docs and the test come from here. A row predicts the very
 * wrong answer; none looks at how an input is spelled unless the wrong answer follows from it.
 */
export interface ModelFault<Cause extends string = string> {
  /** A published id. Rows with different mechanisms may share it. */
  readonly cause: Cause;
  readonly area: FaultArea;
  /** Says what is wrong, with the parameters in braces: `A list shows at most {most:shade}.` No two rows say the same. */
  readonly says: string;
  /** What usually lies behind it. */
  readonly behind: string;
  /** The values of its parameters that are worth trying, the likeliest first. */
  readonly over: (evidence: FaultEvidence) => readonly FaultParams[];
  readonly alters: (model: Model, params: FaultParams, evidence: FaultEvidence) => Partial<Model>;
  /** A rarer fault costs more, in bits; what it leaves open is charged besides. */
  readonly price: number;
}

/** The parameters that a template names: `{most:shade}` names `most`. */
type Named<Text extends string> = Text extends `${string}{${infer Inner}}${infer Rest}`
  ? (Inner extends `${infer Name}:${string}` ? Name : Inner) | Named<Rest>
  : never;

interface FaultSpec<P extends FaultParams, Text extends string> {
  readonly says: Text & ([Named<Text>] extends [keyof P | never] ? unknown : `unknown parameter in: ${Text}`);
  readonly behind: string;
  readonly over?: readonly P[] | ((evidence: FaultEvidence) => readonly P[]);
  readonly alters: (model: Model, params: P, evidence: FaultEvidence) => Partial<Model>;
  readonly price?: number;
}

/** Rows of one area. Their templates name only parameters that they have. */
export const faultsOf =
  (area: FaultArea) =>
  <const Cause extends string, const P extends FaultParams, const Text extends string>(
    cause: Cause,
    spec: FaultSpec<P, Text>,
  ): ModelFault<Cause> => {
    const { alters, behind, over = noParams, price = 1, says } = spec;
    const values = typeof over === 'function' ? over : () => over;
    // A row is only ever given its own parameters.
    const own = (params: FaultParams): P => params as P;
    return { cause, area, says, behind, price, over: values, alters: (m, p, e) => alters(m, own(p), e) };
  };

const noParams = [{}] as const;

/** A row with its parameters chosen. */
export interface FaultCase {
  readonly fault: ModelFault;
  readonly params: FaultParams;
}

/** A model with a row in it. What the model does besides, it still does. */
export function withRow(model: Model, { fault, params }: FaultCase, evidence: FaultEvidence): Model {
  const altered = fault.alters(model, params, evidence);
  const both =
    (name: 'after' | 'notes'): Model['after'] =>
    (call, world) => {
      altered[name]?.(call, world);
      model[name](call, world);
    };
  return { ...model, ...altered, after: both('after'), notes: both('notes') };
}

/** What parameters that name endpoints and credentials say. */
const said: Readonly<Record<string | number, string>> = {
  any: 'any kind',
  reads: 'reads',
  none: 'no key',
  near: 'a key that resembles a real one',
  token: 'the token of a session',
  'list-shades': 'GET /shades',
  'import-shades': 'POST /shades',
  'create-session': 'POST /sessions',
  'read-session': 'GET /sessions/{id}',
  analytics: 'GET /analytics/sessions',
  interact: 'the interaction channel',
};

/** A template with its parameters filled in: `{most:shade}` is a count with its noun. */
export function filled(template: string, params: FaultParams): string {
  return template.replaceAll(/\{(\w+)(?::(\w+))?\}/g, (_, name: string, noun: string | undefined) => {
    const value =
      name === 'op' || name === 'kind' ? (said[params[name] ?? ''] ?? params[name]) : params[name];
    if (typeof value === 'number') return noun === undefined ? number(value) : counted(value, noun);
    return value ?? '…';
  });
}

/** What is wrong, in one sentence. */
export const sentenceOf = ({ says }: ModelFault, params: FaultParams): string => filled(says, params);
