// Opens and clicks: part of the composition root.
import type { FeedbackPartsDeps } from './feedback-parts.ts';
import type { Part } from './part.ts';

export const trackingParts = (_deps: FeedbackPartsDeps): Part => ({
  routes: [],
  jobs: [],
  stop: async () => {},
});
