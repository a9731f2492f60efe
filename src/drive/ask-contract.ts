import type * as calls from '../target/calls.ts';
import { setupPhases } from '../vocabulary/phases.ts';
import type { Probe } from '../vocabulary/probes.ts';
import type { Credential } from '../vocabulary/requests.ts';
import type { Asker, Reply } from './ask.ts';
import type { SetupOptions } from './setup-options.ts';

/** The fields of a request known before it is sent. */
export type Known = NonNullable<Parameters<Asker['ask']>[0]['known']>;

/** Asks a contract probe. */
export function contract(
  options: SetupOptions,
  call: calls.Call,
  credential: Credential,
  probe: Probe,
  known: Known = {},
): Promise<Reply> {
  return options.asker.ask({ call, stage: 'setup', phase: setupPhases.contract, credential, probe, known });
}
