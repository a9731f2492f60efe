import type { Interaction } from '../../../wire.ts';
import type { Defect } from '../defect.ts';

/** A session keeps the set of the shades that were selected in it rather than the selections. */
export const repeatedSelectionsCollapsed: Defect = {
  id: 'N5',
  grade: 2,
  title: 'Repeated selections of a shade in a session are stored once',
  alterations: {
    parts(parts, database) {
      const findSelection = database.query(
        `SELECT 1 FROM interactions WHERE session = ? AND type = 'shade_selected' AND sku = ?`,
      );
      return {
        ...parts,
        interactions: {
          ...parts.interactions,
          async record(session, interactions) {
            const seen = new Set<string>();
            const isNew = ({ type, sku }: Interaction): boolean => {
              if (type !== 'shade_selected' || sku === undefined) return true;
              if (seen.has(sku) || findSelection.get(session.id, sku) !== undefined) return false;
              seen.add(sku);
              return true;
            };
            const kept = interactions.filter(isNew);
            const recorded = await parts.interactions.record(session, kept);
            if (recorded.outcome !== 'recorded') return recorded;
            return { ...recorded, accepted: recorded.accepted + interactions.length - kept.length };
          },
        },
      };
    },
  },
};
