import type { Interaction } from '../../../wire.ts';
import type { Defect } from '../defect.ts';

/** The service does not check that the session's catalog has the shade. */
export const unknownSkuAccepted: Defect = {
  id: 'N2',
  grade: 2,
  title: 'An event with an unknown SKU is accepted',
  alterations: {
    parts(parts, database) {
      const nameSku = database.query(
        'UPDATE interactions SET sku = ? WHERE session = ? AND id = ? AND sku IS NULL',
      );
      return {
        ...parts,
        interactions: {
          ...parts.interactions,
          async record(session, interactions) {
            // Stored without their SKUs, so that no lookup happens, and named afterwards.
            const unknown: Interaction[] = [];
            let batch = interactions;
            let recorded = await parts.interactions.record(session, batch);
            while (recorded.outcome === 'unknown-sku') {
              const { sku: unknownSku } = recorded;
              unknown.push(...batch.filter(({ sku }) => sku === unknownSku));
              batch = batch.map(({ sku, ...rest }) =>
                sku === undefined || sku === unknownSku ? rest : { ...rest, sku },
              );
              recorded = await parts.interactions.record(session, batch);
            }
            for (const { id, sku } of unknown) nameSku.run(sku ?? null, session.id, id);
            return recorded;
          },
        },
      };
    },
  },
};
