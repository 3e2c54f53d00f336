// What a practice is shown of itself: part of the composition root.

import { complianceRoutes } from '#src/accounts/tenants/compliance-routes.ts';
import { createOriginProbe } from '#src/insight/public-origin.ts';
import { insightRoutes } from '#src/insight/routes.ts';
import type { Config } from '#src/kernel/config/config.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import type { Route } from '#src/kernel/route.ts';
import type { Clock } from '#src/kernel/time.ts';

export interface InsightPartsDeps {
  /** As it is now: safe mode's addresses change in a running daemon. */
  readonly config: () => Config;
  readonly files: TenantFiles;
  readonly clock: Clock;
  readonly simulatorDomain: string;
}

export interface InsightParts {
  readonly routes: readonly Route[];
  /** Nothing is asked of the network afterwards. */
  readonly stop: () => void;
}

export const insightParts = ({ config, files, clock, simulatorDomain }: InsightPartsDeps): InsightParts => {
  const { service, upstreams } = config();
  const origin = createOriginProbe(service.public_origin, clock);
  const installation = {
    publicOrigin: service.public_origin,
    deliveringUpstreams: upstreams.filter(({ kind }) => kind !== 'capture').map(({ name }) => name),
  };
  const routes = [
    ...complianceRoutes({ files, clock }),
    ...insightRoutes({
      files,
      clock,
      installation,
      serviceHost: service.host,
      simulatorDomain,
      testers: () => config().safe_mode.placement_testers,
      origin,
    }),
  ];
  return { routes, stop: origin.stop };
};
