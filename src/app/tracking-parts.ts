// Opens and clicks: part of the composition root.
import { createRecorder } from '#src/feedback/tracking/recorder.ts';
import { trackingRoutes } from '#src/feedback/tracking/routes.ts';
import type { FeedbackPartsDeps } from './feedback-parts.ts';
import type { Part } from './part.ts';

export const trackingParts = ({ storage, clock, log, sending }: FeedbackPartsDeps): Part => {
  const recorder = createRecorder({
    platform: storage.platform,
    files: storage.tenants,
    log,
    takeIn: sending.received,
  });
  return {
    routes: trackingRoutes({ clock, trackingKey: sending.keys.trackingLinks, recorder }),
    jobs: [],
    stop: () => recorder.stop(),
  };
};
