// What is removed when it is old enough: part of the composition root.
import type { FeedbackPartsDeps } from './feedback-parts.ts';
import type { Part } from './part.ts';

export const retentionParts = (_deps: FeedbackPartsDeps): Part => ({
  routes: [],
  jobs: [],
  stop: async () => {},
});
