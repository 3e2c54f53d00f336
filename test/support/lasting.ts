// What must work for as long as the mail of a practice lies in mailboxes: made by a daemon, and looked at in a later one, whose master
// key or host is another.
import { expect } from 'vitest';
import { createTrackingLinks, encodeUnsubscribeToken } from '#src/mail/copy-links.ts';
import { encodeReturnPath } from '#src/mail/verp.ts';
import type { Sender, TestApp } from './app.ts';
import { keysIn } from './keys.ts';
import { until } from './process.ts';
import { bounceOf, bring } from './reports.ts';

export interface Lasting {
  readonly sender: Sender;
  readonly unsubscribe: string;
  readonly returnPath: string;
  /** The path of a link to `CLICKED` that is tracked. */
  readonly click: string;
  readonly webhook: { readonly id: string; readonly url: string };
}

const CLICKED = 'https://praxis.example.org/termin?nr=1';

const ONE_CLICK = { 'Content-Type': 'application/x-www-form-urlencoded' };
const [LINKED, BOUNCED, SUPPRESSED] = ['link@example.org', 'bounce@example.org', 'gesperrt@example.org'];

/** Sends to three people, of whom one is suppressed then, and sets up a webhook. */
export const makeLasting = async (app: TestApp): Promise<Lasting> => {
  const sender = await app.createSender({ plan: 'praxis' });
  await app.completeLegal(sender.practice.id);
  const target = async (to: string) => {
    await app.untilStatus(sender, await app.send(sender, { to, route: 'broadcast' }), 'processed');
    const [row] = app.sql<{ tenantNumber: number; recipientId: number; host: string }>(
      sender.practice.id,
      `SELECT number AS tenantNumber, recipients.id AS recipientId, managed_host AS host
       FROM recipients, practice WHERE address = ?`,
      to,
    );
    return row ?? expect.fail();
  };
  const keyFor = keysIn(app.home);
  const linked = await target(LINKED);
  const bounced = await target(BOUNCED);
  const asked = async (method: string, path: string, body: unknown) => {
    const answer = await app.request<{ id: string }>(method, path, body, app.adminToken);
    expect(answer.status, answer.text).toBeLessThan(300);
    return answer.body;
  };
  await asked('POST', `${sender.base}/suppression`, { address: SUPPRESSED });
  const hook = { name: 'Akte', url: 'https://hooks.example.org/geheim', events: ['message.delivered'] };
  const { id } = await asked('POST', `${sender.base}/webhooks`, hook);
  return {
    sender,
    unsubscribe: `/api/public/unsub?t=${encodeUnsubscribeToken(keyFor('unsubscribe links'), linked)}`,
    returnPath: encodeReturnPath(keyFor('return paths'), bounced, bounced.host),
    click: createTrackingLinks('', keyFor('tracking links')).click(linked, CLICKED),
    webhook: { id, url: hook.url },
  };
};

/** The daemon has the practice now, under the same id. */
export const expectLasting = async (
  app: TestApp,
  { sender, unsubscribe, returnPath, click: link, webhook }: Lasting,
) => {
  const statusOf = (address: string) =>
    app.sql<{ status: string }>(
      sender.practice.id,
      'SELECT status FROM recipients WHERE address = ? ORDER BY id DESC LIMIT 1',
      address,
    )[0]?.status;
  expect(await bring(app.inboundPort, returnPath, bounceOf(BOUNCED))).toMatch(/^250 /);
  await until('the bounce is noted', () => statusOf(BOUNCED) === 'hard_bounced');
  expect((await app.request('GET', unsubscribe)).status).toBe(200);
  const click = await app.request(
    'POST',
    unsubscribe,
    Buffer.from('List-Unsubscribe=One-Click'),
    undefined,
    ONE_CLICK,
  );
  expect(click.status, click.text).toBe(200);
  for (const address of [LINKED, BOUNCED, SUPPRESSED]) {
    const answer = await app.request(
      'POST',
      `${sender.base}/send`,
      { to: address, subject: 'Danach', text: 'Noch einmal.', route: 'broadcast' },
      sender.token,
    );
    await until(`nothing goes to ${address}`, () => statusOf(address) === 'suppressed');
    expect(answer.status).toBe(202);
  }
  const hooks = await app.request('GET', `${sender.base}/webhooks/${webhook.id}`, undefined, app.adminToken);
  expect(hooks.body).toMatchObject(webhook);
  const clicked = await fetch(`${app.origin}${link}`, { redirect: 'manual' });
  expect(clicked.headers.get('Location')).toBe(CLICKED);
  // A copy is captured only once it was signed.
  await app.untilStatus(sender, await app.send(sender, { to: 'neu@example.org' }), 'processed');
};
