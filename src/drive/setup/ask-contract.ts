import type * as calls from '../../target/calls.ts';
import { settlePhases, setupPhases } from '../../vocabulary/phases.ts';
import type { Probe } from '../../vocabulary/probes.ts';
import type { Credential } from '../../vocabulary/requests.ts';
import type { Shade } from '../../wire.ts';
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

/** Asks a contract probe over a connection that is opened for it. */
export async function contractAlone(
  options: SetupOptions,
  call: calls.Call,
  probe: ContractProbe,
): Promise<void> {
  const client = options.openConnection();
  try {
    await options.asker.ask({ call, ...placeOf(options), ...probe, client });
  } finally {
    await client.destroy();
  }
}

/** Keeps the shades that a probe imports, to compare them with lists. */
export function keepShades({ writer }: SetupOptions, catalogId: string, shades: readonly Shade[]): void {
  for (const { sku, name, hex, finish } of shades)
    writer.catalog({ catalogId, productId: '', productName: '', sku, name, hex, finish });
}

/** The stage and the phase of what is probed. */
export function placeOf({
  isAfterLoad,
}: Pick<SetupOptions, 'isAfterLoad'>): Pick<Question, 'stage' | 'phase'> {
  return isAfterLoad === true
    ? { stage: 'settle', phase: settlePhases.corners }
    : { stage: 'setup', phase: setupPhases.contract };
}
