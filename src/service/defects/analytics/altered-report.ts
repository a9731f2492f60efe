import type { SessionAnalytics } from '../../../wire.ts';
import type { Caller, MaybeLater, Period, ServiceParts } from '../../parts.ts';

/** The parameters of an analytics request. */
export interface Question {
  readonly caller: Caller;
  readonly period: Period;
  readonly productId: string | undefined;
}

/** Changes every report of analytics. */
export function alteredReport(
  parts: ServiceParts,
  change: (report: SessionAnalytics, question: Question) => MaybeLater<SessionAnalytics>,
): ServiceParts {
  const { analytics } = parts;
  return {
    ...parts,
    analytics: {
      report: async (caller, period, productId) =>
        change(await analytics.report(caller, period, productId), { caller, period, productId }),
    },
  };
}
