// How many source files one send over HTTP runs through, from the arrival of the request to its 202, in a daemon that is warm. A
// reader of the way in has to know all of them. The limit only goes down; docs/decisions/limits-of-the-house.md says how to raise it.
import diagnostics from 'node:diagnostics_channel';
import { expect, onTestFinished, test } from 'vitest';
import { HOUR } from '#src/kernel/time.ts';
import { letter, startApp } from '#test/support/app.ts';
import { countCalls, takeReach } from '#test/support/reach.ts';

const MAX_FILES = 82;
/** The day's counters, prepared statements and connections are there then. */
const WARM_UP = 3;

test(`one send runs through at most ${MAX_FILES} files`, async () => {
  const app = await startApp();
  onTestFinished(app.remove);
  const sender = await app.createSender();
  countCalls();
  for (let count = 0; count < WARM_UP; count += 1)
    await app.untilStatus(sender, await app.send(sender), 'processed');

  let ran: readonly string[] | undefined;
  const begin = (): void => countCalls();
  const end = (): void => {
    ran ??= Object.keys(takeReach()).sort();
  };
  diagnostics.subscribe('http.server.request.start', begin);
  diagnostics.subscribe('http.server.response.finish', end);
  onTestFinished(() => {
    diagnostics.unsubscribe('http.server.request.start', begin);
    diagnostics.unsubscribe('http.server.response.finish', end);
  });
  // What leaves at once may be claimed by the commit that stores it, and that is the way out.
  const later = { ...letter, scheduled_at: new Date(Date.now() + HOUR).toISOString() };
  const { status } = await app.request('POST', `${sender.base}/send`, later, sender.token);

  expect(status).toBe(202);
  expect(ran).toContain('src/intake/accept.ts');
  expect(ran?.length, ran?.join('\n')).toBeLessThanOrEqual(MAX_FILES);
});
