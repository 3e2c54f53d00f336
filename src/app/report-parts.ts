// Reports of upstreams by HTTP: part of the composition root.
import type { FeedbackPartsDeps } from './feedback-parts.ts';
import type { Part } from './part.ts';

export const reportParts = (_deps: FeedbackPartsDeps): Part => ({
  routes: [],
  jobs: [],
  stop: async () => {},
});
