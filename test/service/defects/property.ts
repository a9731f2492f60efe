import { describe, expect, test } from 'vitest';
import type { Defect } from '../../../src/service/defects/defect.ts';
import type { Alterations, ServiceInput } from '../../../src/service/server.ts';
import { type ServiceUnderTest, serviceUnderTest } from '../service-under-test.ts';

/** Something that can be seen of a service from outside, which is one thing by rights and another with a defect. */
export interface Property {
  readonly defect: Defect;
  /** What is looked at. */
  readonly of: string;
  readonly options?: Partial<ServiceInput>;
  look(service: ServiceUnderTest): Promise<unknown>;
  readonly kept: unknown;
  readonly broken: unknown;
}

/** Starts the service that is looked at. */
export type Start = (
  options?: Partial<ServiceInput>,
  alterations?: Alterations,
) => ServiceUnderTest | Promise<ServiceUnderTest>;

/** Looks at each property twice, in the same way: without the defect and with it. */
export function testProperties(properties: readonly Property[], start: Start = serviceUnderTest): void {
  describe.each(properties)('$defect.id, $defect.title: $of', ({ defect, options, look, kept, broken }) => {
    test('is right without it', async () => {
      expect(await look(await start(options))).toEqual(kept);
    });

    test('is wrong with it', async () => {
      expect(await look(await start(options, defect.alterations))).toEqual(broken);
    });
  });
}
