// Reports of upstreams by HTTP: part of the composition root.
import { confirmSubscription } from '#src/feedback/upstream/confirm.ts';
import { upstreamEventRoutes } from '#src/feedback/upstream/routes.ts';
import type { FeedbackPartsDeps } from './feedback-parts.ts';
import type { Part } from './part.ts';

export const reportParts = ({ config, storage, sending }: FeedbackPartsDeps): Part => {
  const { keys, received } = sending;
  return {
    routes: upstreamEventRoutes({
      eventsOf: (name) => {
        const upstream = config().upstreams.find((one) => one.name === name);
        return upstream?.kind === 'smtp' ? upstream.events : null;
      },
      locate: {
        readPlatform: storage.platform.read,
        files: storage.tenants,
        returnPathKey: keys.returnPaths,
        unsubscribeKey: keys.unsubscribeLinks,
      },
      received,
      confirm: confirmSubscription,
    }),
    jobs: [],
    stop: async () => {},
  };
};
