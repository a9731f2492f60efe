import { describe, expect, test } from 'vitest';
import type { Alterations, Defect, Variant } from '../../../src/service/alterations.ts';
import { defectGroups, defects } from '../../../src/service/defects/catalogue.ts';
import type { ServiceInput } from '../../../src/service/server.ts';
import { variants } from '../../../src/service/variants.ts';
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

/** The defect with this id. */
export function planted(id: string): Defect {
  const found = defects.find((each) => each.id === id);
  if (found === undefined) throw new Error(`there is no defect ${id}`);
  return found;
}

/** The variant with this name. */
export function varied(name: string): Variant {
  const found = variants.find((each) => each.name === name);
  if (found === undefined) throw new Error(`there is no variant ${name}`);
  return found;
}

/** The defects of a group. */
export function inGroup(name: string): readonly Defect[] {
  const group = defectGroups[name];
  if (group === undefined) throw new Error(`there is no group ${name}`);
  return group;
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
