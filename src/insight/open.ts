// Insight: what a practice is shown of itself.
import type { Base, Room } from '#src/kernel/base.ts';
import { createOriginProbe } from './public-origin.ts';
import { insightRoutes } from './routes.ts';

export const openInsight = ({ config, storage, clock, simulatorDomain }: Base) => {
  const { service, upstreams } = config();
  const origin = createOriginProbe(service.public_origin, clock);
  return {
    routes: insightRoutes({
      files: storage.tenants,
      clock,
      installation: {
        publicOrigin: service.public_origin,
        deliveringUpstreams: upstreams.filter(({ kind }) => kind !== 'capture').map(({ name }) => name),
      },
      serviceHost: service.host,
      simulatorDomain,
      testers: () => config().safe_mode.placement_testers,
      origin,
    }),
    /** Nothing is asked of the network afterwards. */
    stop: () => origin.stop(),
  } satisfies Room & Record<string, unknown>;
};
