// Bounds of tests that members ask for: each is a request to somebody else's server that the caller decides on, and keeps its
// place for as long as that hangs.
import { placesFor } from '../places.ts';
import { createPracticeLimit } from '../practice-limit.ts';
import { type InPracticePlace, practicePlaces } from '../practice-places.ts';
import type { Clock } from '../time.ts';

const TESTS_PER_MINUTE = 12;
/** Of a practice: tests of receivers that hang leave others' a place. */
const TESTS_AT_ONCE = 2;
/** Under way, of all practices, besides all other requests; the others wait. */
const TESTS = 32;

/** `what` is tested, as a sentence begins with it. */
export const createTestBounds = (clock: Clock, what: string): InPracticePlace => {
  const limit = createPracticeLimit(
    clock,
    TESTS_PER_MINUTE,
    `${what} of a practice are tested ${TESTS_PER_MINUTE} times a minute at most.`,
  );
  const inPracticePlace = practicePlaces(
    TESTS_AT_ONCE,
    'Other tests of the practice wait for their receivers.',
  );
  const inPlace = placesFor(TESTS);
  return async (tenantId, work) => {
    limit(tenantId);
    return inPracticePlace(tenantId, () => inPlace(work));
  };
};
