import type * as calls from '../target/calls.ts';
import { setupPhases } from '../vocabulary/phases.ts';
import type { Probe } from '../vocabulary/probes.ts';
import type { Credential } from '../vocabulary/requests.ts';
import type { Asker, Reply } from './ask.ts';
import type { SetupOptions } from './setup-options.ts';

/** The fields of a request known before it is sent. */
export type KnownFields = NonNullable<Parameters<Asker['ask']>[0]['known']>;

/** A contract probe: whose key it is sent with, and what it is called. */
export interface ContractProbe {
  readonly credential: Credential;
  readonly probe: Probe;
}

/** Asks a contract probe. */
export function contract(
  { asker }: SetupOptions,
  call: calls.Call,
  { credential, probe }: ContractProbe,
  known: KnownFields = {},
): Promise<Reply> {
  return asker.ask({ call, stage: 'setup', phase: setupPhases.contract, credential, probe, known });
}
