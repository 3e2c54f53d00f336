// How many copies are in memory at a time.
import { expect, test } from 'vitest';
import { followers } from '#src/inbound/forwarding/queue.ts';
import { createInFlight } from '#src/kernel/work/in-flight.ts';

const LARGE = 36 * 1_024 * 1_024;

test('of the largest mails few copies are in memory at once, of small ones as many as there are places', () => {
  const takenOf = (bytes: number): number => {
    const inFlight = createInFlight(followers.forward.limits, { now: () => 0 });
    let taken = 0;
    for (let tenant = 0; tenant < 20; tenant += 1) {
      const target = `${tenant}@example.org`;
      if (inFlight.room(`tenant ${tenant}`, target) === 0) continue;
      inFlight.begin(`tenant ${tenant}`, { key: tenant, target, bytes });
      taken += 1;
    }
    return taken;
  };
  expect(takenOf(LARGE)).toBe(1);
  expect(takenOf(1_000)).toBe(4);
});
