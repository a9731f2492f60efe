import { explorerRoles } from '../../explore/exploration.ts';
import type { CallRequest } from '../../model/call.ts';
import type * as calls from '../../target/calls.ts';
import { settlePhases, setupPhases } from '../../vocabulary/phases.ts';
import type { Probe } from '../../vocabulary/probes.ts';
import type { Credential } from '../../vocabulary/requests.ts';
import type { Role } from '../../vocabulary/roles.ts';
import type { Asker, Question, Reply } from '../ask/ask.ts';
import type { SetupOptions } from './setup-options.ts';

/** The fields of a request known before it is sent. */
type KnownFields = NonNullable<Parameters<Asker['ask']>[0]['known']>;

/** A contract probe: whose key it is sent with, and what it is called. */
interface ContractProbe {
  readonly credential: Credential;
  readonly probe: Probe;
  /** A check needs the answer's body. */
  readonly keeps?: boolean;
}

/** Asks a contract probe. */
export function contract(
  options: SetupOptions,
  call: calls.Call,
  probe: ContractProbe,
  known: KnownFields = {},
): Promise<Reply> {
  return options.asker.ask({ call, ...placeOf(options), ...probe, known });
}

/** For the model of the interface, which judges the answer: what is asked with a key that the explorer has. */
export function modelled(role: Role, request: Omit<CallRequest, 'by'>): KnownFields {
  return explorerRoles.some((each) => each === role)
    ? { call: { ...request, by: { kind: 'key', key: role } } }
    : {};
}

/** The stage and the phase of what is probed. */
export function placeOf({
  isAfterLoad,
}: Pick<SetupOptions, 'isAfterLoad'>): Pick<Question, 'stage' | 'phase'> {
  return isAfterLoad === true
    ? { stage: 'settle', phase: settlePhases.corners }
    : { stage: 'setup', phase: setupPhases.contract };
}
