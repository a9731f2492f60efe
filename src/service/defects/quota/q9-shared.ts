import type { Defect } from '../defect.ts';
import { granted } from './granted.ts';

/** Sessions are counted over all accounts and compared with the quota of the one that asks. */
export const quotaShared: Defect = {
  id: 'Q9',
  grade: 3,
  title: 'The sessions of one account spend the quota of the others',
  alterations: {
    parts: (parts, database) => {
      const countOthers = database.query<{ spent: number }>(
        'SELECT coalesce(sum(sessions_created), 0) AS spent FROM accounts WHERE id <> ?',
      );
      return granted(
        parts,
        ({ accountId, sessionQuota }) => sessionQuota - (countOthers.get(accountId)?.spent ?? 0),
      );
    },
  },
};
