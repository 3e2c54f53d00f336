// Campaigns by real mail: who gets it, once; what holds it back, what stops it, and what goes on after a start.
// @module-tag slow
import { copyFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { simpleParser } from 'mailparser';
import { afterEach, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE } from '#src/kernel/time.ts';
import { startApp } from '#test/support/app.ts';
import { join, makeOwner, unlimitedSignIn } from '#test/support/people.ts';
import { startPlayedRspamd } from '#test/support/played-rspamd.ts';
import { until } from '#test/support/process.ts';
import { textOf, visitorAt } from '#test/support/visitor.ts';
import { act, campaign, create, people, type Scene, seed, startScene, untilStatus } from './scene.ts';

const endings: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  offset = 0;
  for (const end of endings.splice(0).reverse()) await end();
});

/** Time passes by setting this. */
let offset = 0;
const clock = { now: () => Date.now() + offset };

const started = async (...[options, config]: Parameters<typeof startScene>): Promise<Scene> => {
  const scene = await startScene({ runsTwice: true, clock, ...options }, config);
  endings.push(scene.end);
  return scene;
};

const received = ({ receiver }: Scene): string[] =>
  receiver.messages.flatMap(({ recipients }) => recipients.map(({ address }) => address)).toSorted();
const addresses = (count: number): string[] =>
  people(count)
    .map(({ address }) => address)
    .toSorted();

/** From now on the relay holds what comes after so many mails in all, until the result is called. */
const holdAfter = ({ receiver }: Scene, count: number): (() => void) => {
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  receiver.setBehaviour({
    dot: async () => {
      if (receiver.messages.length >= count) await opened;
      return '250 2.0.0 Ok';
    },
  });
  return open;
};

const OWNER = 'owner@example.org';
/** The mails to the owner about campaigns. */
const noticeMails = async ({ receiver }: Scene) => {
  const own = receiver.messages.filter(({ recipients }) => recipients[0]?.address === OWNER);
  const mails = await Promise.all(own.map(({ content }) => simpleParser(content)));
  return mails.filter(({ subject = '' }) => subject.startsWith('Rundschreiben'));
};
const notices = async (scene: Scene): Promise<string[]> =>
  (await noticeMails(scene)).map(({ subject = '' }) => subject);
const untilNotified = (scene: Scene, subjects: readonly string[]): Promise<void> =>
  until('the owner is notified', async () => {
    const came = await notices(scene);
    return came.length >= subjects.length && subjects.every((subject) => came.includes(subject));
  });

const send = async (scene: Scene, id: string): Promise<void> => {
  const answer = await act(scene, id, 'send');
  expect(answer.status, answer.text).toBe(200);
};

test('each person of its lists gets it once; owners are notified with its numbers', async () => {
  const scene = await started();
  await makeOwner(scene.app, scene.sender.practice.id, OWNER);
  const lists = [seed(scene, people(40)), seed(scene, people(60))];
  const id = await create(scene, lists);
  await send(scene, id);
  const { counts, left_out } = await untilStatus(scene, id, 'sent');
  expect(counts.handed_over).toBe(60);
  expect(left_out).toEqual({});
  await untilNotified(scene, ['Rundschreiben „Herbst“ ist versendet']);
  const ended = await noticeMails(scene);
  expect(ended).toHaveLength(1);
  expect(ended[0]?.text).toContain('Davon versendet: 60\nDavon noch in der Warteschlange: 0\n');
  expect(received(scene).filter((address) => address.startsWith('p'))).toEqual(addresses(60));
  // Programs sort mail by list, receivers count complaints by campaign.
  const mails = scene.receiver.messages.filter(({ recipients }) => recipients[0]?.address.startsWith('p'));
  const valuesOf = (field: RegExp) => mails.map(({ content }) => field.exec(content.toString())?.[1]);
  const listIds = valuesOf(/^List-Id:\s+<([\w-]+)\.list\.[\w.-]+>\r$/im);
  expect(lists.map((list) => listIds.filter((listId) => listId === list).length)).toEqual([40, 20]);
  const feedbackIds = valuesOf(/^Feedback-ID: ?(.*?)\r$/im);
  expect(new Set(feedbackIds).size).toBe(1);
  expect(feedbackIds[0]).toMatch(/^c-[\w-]+-1:newsletter:p-[\w-]+:[a-z0-9-]{5,15}$/);
});

test('values of the first person that are refused leave out that person only', async () => {
  const rspamd = await startPlayedRspamd();
  endings.push(rspamd.stop);
  rspamd.reject('verboten');
  const scene = await started({}, { scanners: { rspamd: { url: rspamd.url } } });
  const { app, sender } = scene;
  const link = 'https://praxis.example/';
  const list = seed(
    scene,
    people(5).map((one) => ({ ...one, data: { link } })),
  );
  app.sql(
    sender.practice.id,
    `UPDATE subscribers SET data_json = '{"link":"https://verboten.example/"}'
     WHERE address_hash = (SELECT min(address_hash) FROM subscribers)`,
  );
  const id = await create(scene, [list], { text: 'Guten Tag {{name}}, mehr: {{link}}' });
  await send(scene, id);
  const { counts, left_out } = await untilStatus(scene, id, 'sent');
  expect(counts.handed_over).toBe(4);
  expect(left_out).toEqual({ 'refused:content_blocked': 1 });
  // Where the content itself is refused, that is the answer.
  const bad = await create(scene, [list], { text: 'Guten Tag {{name}}, verboten: {{link}}' });
  expect((await act(scene, bad, 'send')).body).toMatchObject({ code: 'content_blocked' });
});

test('who is on two lists gets it by the one whose consent is in the ledger', async () => {
  const scene = await started();
  const { app, sender } = scene;
  const lists = [seed(scene, people(1)), seed(scene, people(1))];
  app.sql(sender.practice.id, 'UPDATE subscribers SET consent_seq = consent_seq + 100 WHERE seq = 1');
  const id = await create(scene, lists);
  await send(scene, id);
  const { counts, left_out } = await untilStatus(scene, id, 'sent');
  expect([counts.handed_over, left_out]).toEqual([1, {}]);
});

test('who may not get it is left out, with the reason, and no message is made', async () => {
  const scene = await started();
  const { app, sender } = scene;
  const list = seed(scene, [...people(6), { address: 'nameless@example.net' }]);
  const suppressed = await app.request(
    'POST',
    `${sender.base}/suppression`,
    { address: 'p0@example.net', scope: 'team' },
    sender.token,
  );
  expect(suppressed.status, suppressed.text).toBe(201);
  // Their last word is no consent, whatever the row says.
  app.sql(
    sender.practice.id,
    "UPDATE subscribers SET consent_seq = consent_seq + 1 WHERE address = 'p1@example.net'",
  );
  app.sql(
    sender.practice.id,
    "UPDATE subscribers SET status = 'unsubscribed' WHERE address = 'p2@example.net'",
  );
  const id = await create(scene, [list]);
  await send(scene, id);
  const { counts, left_out } = await untilStatus(scene, id, 'sent');
  expect(counts.handed_over).toBe(3);
  expect(left_out).toEqual({ suppressed: 1, no_consent: 1, unsubscribed: 1, missing_value: 1 });
  expect(received(scene)).toEqual(['p3@example.net', 'p4@example.net', 'p5@example.net']);
  expect(app.rowCounts(sender.practice.id).messages).toBe(3);
});

test('who leaves its lists gets none of its mail that still waits', async () => {
  const scene = await started({}, { service: { public_origin: 'https://mail.example.com' } });
  const { app, sender, receiver } = scene;
  const [erika, otto, anna] = ['erika@example.net', 'otto@example.net', 'anna@example.net'];
  const list = seed(scene, [{ address: erika }, { address: otto }, { address: anna }]);
  const other = seed(scene, [{ address: otto }]);
  const fields = { subject: 'Grippeschutz', text: 'Ab sofort impfen wir.' };
  await send(scene, await create(scene, [list], fields));
  await until('the first came', () => received(scene).length === 3);
  const first = receiver.messages.find(({ recipients }) => recipients[0]?.address === erika);
  const mail = await simpleParser(first?.content ?? '');
  const header = mail.headers.get('list') as { unsubscribe?: { url?: string } } | undefined;

  receiver.setBehaviour({ rcpt: '451 4.7.1 Greylisted' });
  const id = await create(scene, [list, other], fields);
  await send(scene, id);
  const statuses = () =>
    app
      .sql<{ address: string; status: string }>(
        sender.practice.id,
        `SELECT address, recipients.status FROM recipients JOIN messages ON messages.seq = message_seq
         WHERE campaign_seq = (SELECT max(seq) FROM campaigns) ORDER BY address`,
      )
      .map(({ address, status }) => `${address} ${status}`);
  const waiting = () =>
    app.sql(sender.practice.id, 'SELECT 1 FROM queue WHERE claimed = 0 AND attempts = 1').length;
  await until('all are deferred', () => waiting() === 3);
  const visitor = visitorAt(app.origin);
  const page = (header?.unsubscribe?.url ?? '').replace('/unsub?', '/preferences?');
  const gone = await visitor.submit(await visitor.open(page), 'Alle Listen abbestellen');
  expect(textOf(gone.html)).toContain('ist auf keiner Liste');
  const path = `${sender.base}/lists/${list}/subscribers`;
  const { body } = await app.request<{ data: { id: string; address: string }[] }>(
    'GET',
    path,
    undefined,
    sender.token,
  );
  for (const one of body.data.filter(({ address }) => address !== erika)) {
    const left = await app.request('PATCH', `${path}/${one.id}`, { status: 'unsubscribed' }, sender.token);
    expect(left.status, left.text).toBe(200);
  }
  expect(statuses()).toEqual([`${anna} suppressed`, `${erika} suppressed`, `${otto} delivery_delayed`]);
  expect(waiting()).toBe(1);
  receiver.setBehaviour({});
  offset = HOUR;
  await app.send(sender);
  await until('the one who is on the other list gets it', () => received(scene).length === 5);
  await until('they are counted', async () => (await campaign(scene, id)).counts.suppressed === 2);
  expect(received(scene).filter((address) => address === otto)).toHaveLength(2);
});

test('a pause holds it at once, and a resumption goes on with the next person', async () => {
  const scene = await started();
  const id = await create(scene, [seed(scene, people(200))]);
  const open = holdAfter(scene, 20);
  await send(scene, id);
  await until('some came', () => received(scene).length >= 20);
  const paused = await act(scene, id, 'pause');
  expect(paused.status, paused.text).toBe(200);
  const { handed_over = 0 } = paused.body.counts;
  expect(handed_over).toBeLessThan(100);
  open();
  await until('what waited has left', () => received(scene).length === handed_over);
  expect((await act(scene, id, 'pause')).status).toBe(409);
  const openAgain = holdAfter(scene, handed_over + 10);
  expect((await act(scene, id, 'resume')).body.status).toBe('sending');
  await until('more came', () => received(scene).length > handed_over);
  expect((await act(scene, id, 'cancel')).body.status).toBe('cancelled');
  openAgain();
  await until('nothing is queued', async () => (await campaign(scene, id)).counts.queued === 0);
  const { counts } = await campaign(scene, id);
  expect(received(scene)).toHaveLength((counts.handed_over ?? 0) - (counts.failed ?? 0));
  expect(new Set(received(scene)).size).toBe(received(scene).length);
  expect((await act(scene, id, 'resume')).status).toBe(409);
});

test('a campaign of whose addresses every twentieth is unknown pauses itself, not the practice', async () => {
  const scene = await started();
  const { app, sender } = scene;
  await makeOwner(app, sender.practice.id, OWNER);
  await send(scene, await create(scene, [seed(scene, people(150, 'example.com'))]));
  await until('the practice has a history', () => received(scene).length >= 150);
  const bad = people(600).map((one, index) =>
    index % 20 === 0 ? { ...one, address: `unknown-${one.address}` } : one,
  );
  const id = await create(scene, [seed(scene, bad)]);
  await send(scene, id);
  const { reason, counts } = await untilStatus(scene, id, 'paused');
  expect(reason).toBe('bounces');
  expect(counts.handed_over).toBeLessThan(400);
  await untilNotified(scene, ['Rundschreiben „Herbst“ hat sich selbst angehalten']);
  const practice = await app.request<{ status: string }>('GET', sender.base, undefined, sender.token);
  expect(practice.body.status).toBe('active');
  const resumed = await act(scene, id, 'resume');
  expect(resumed.body.status, resumed.text).toBe('sending');
});

test('the first address of a small list that does not exist stops nothing; the second does, and owners learn what to do', async () => {
  const scene = await started();
  const { app, sender } = scene;
  await makeOwner(app, sender.practice.id, OWNER);
  const small = [...people(6), { address: 'unknown@example.net', name: 'Weg' }];
  const one = await create(scene, [seed(scene, small)]);
  await send(scene, one);
  await untilStatus(scene, one, 'sent');
  await until('all are counted', async () => (await campaign(scene, one)).counts.queued === 0);
  expect((await campaign(scene, one)).counts).toMatchObject({ sent: 6, refused: 1, hard_bounced: 1 });

  // So many that some are left when the second has bounced, in whatever order they come.
  const unknown = people(10).map((who) => ({ ...who, address: `unknown-${who.address}` }));
  const many = await create(scene, [seed(scene, [...people(2, 'example.com'), ...unknown])]);
  await send(scene, many);
  const stopped = await untilStatus(scene, many, 'paused');
  expect(stopped.reason).toBe('bounces');
  expect(stopped.counts.hard_bounced).toBeGreaterThanOrEqual(2);
  await untilNotified(scene, ['Rundschreiben „Herbst“ hat sich selbst angehalten']);
  const mails = await noticeMails(scene);
  const stop = mails.find(({ subject = '' }) => subject.includes('angehalten'));
  expect(stop?.text).toMatch(/\d Adressen gibt es nicht/);
  expect(stop?.text).toContain('bereits gesperrt');
  expect((await act(scene, many, 'resume')).body.status).toBe('sending');
});

test('while the relay takes nothing few are handed over, and a cancellation keeps all of them back', async () => {
  const scene = await started();
  const { app, receiver, sender } = scene;
  receiver.setBehaviour({ rcpt: '451 4.7.1 Try again later' });
  const id = await create(scene, [seed(scene, people(600))]);
  await send(scene, id);
  await until('it waits', async () => (await campaign(scene, id)).reason === 'deferred');
  const { status, waiting, counts } = await campaign(scene, id);
  expect(status).toBe('sending');
  expect(waiting).not.toBeNull();
  expect(counts.handed_over).toBeLessThan(30);
  expect((await act(scene, id, 'cancel')).body.status).toBe('cancelled');
  await until('nothing is queued', async () => (await campaign(scene, id)).counts.queued === 0);
  receiver.setBehaviour({});
  offset = HOUR;
  await app.send(sender);
  await until('other mail leaves', () => received(scene).length > 0);
  expect(received(scene).filter((address) => address.startsWith('p'))).toEqual([]);
  expect((await campaign(scene, id)).counts).toMatchObject({ failed: counts.handed_over, sent: 0 });
});

test('a campaign to few people whose mails are all deferred is sent, and can be cancelled until they have left', async () => {
  const scene = await started();
  const { receiver } = scene;
  receiver.setBehaviour({ rcpt: '451 4.7.1 Try again later' });
  const id = await create(scene, [seed(scene, people(10))]);
  await send(scene, id);
  expect((await untilStatus(scene, id, 'sent')).counts).toMatchObject({ handed_over: 10, queued: 10 });
  expect((await act(scene, id, 'cancel')).body.status).toBe('cancelled');
  await until('nothing is queued', async () => (await campaign(scene, id)).counts.queued === 0);
  expect((await campaign(scene, id)).counts.failed).toBe(10);
  receiver.setBehaviour({});
  const other = await create(scene, [seed(scene, people(3, 'example.com'))]);
  await send(scene, other);
  await until('all have left', () => received(scene).length === 3);
  await until('all are counted', async () => (await campaign(scene, other)).counts.queued === 0);
  await untilStatus(scene, other, 'sent');
  expect((await act(scene, other, 'cancel')).status).toBe(409);
});

test('unknown addresses that a relay defers first do not pause the practice', async () => {
  const scene = await started();
  const { app, receiver, sender } = scene;
  const seen = new Set<string>();
  receiver.setBehaviour({
    rcpt: ({ address }) => {
      if (!seen.has(address)) {
        seen.add(address);
        return '451 4.7.1 Greylisted';
      }
      return address.startsWith('unknown') ? '550 5.1.1 User unknown' : '250 2.1.5 Ok';
    },
  });
  const bad = people(300).map((one, index) =>
    index % 10 === 0 ? { ...one, address: `unknown-${one.address}` } : one,
  );
  const id = await create(scene, [seed(scene, bad)]);
  await send(scene, id);
  await until('it waits', async () => (await campaign(scene, id)).reason === 'deferred');
  offset = 30 * MINUTE;
  await app.send(sender);
  await until('the 15 that waited have left', async () => {
    const { sent = 0, hard_bounced = 0 } = (await campaign(scene, id)).counts;
    return sent + hard_bounced >= 15;
  });
  const practice = await app.request<{ status: string }>('GET', sender.base, undefined, sender.token);
  expect(practice.body.status).toBe('active');
  expect(seen.size).toBeLessThan(60);
});

test('at the cap of the plan it waits for the next month, says so, and goes on by itself', async () => {
  const scene = await started();
  const { app, sender } = scene;
  const { id: practiceId } = sender.practice;
  const id = await create(scene, [seed(scene, people(30))]);
  const month = new Date(clock.now()).toISOString().slice(0, 7);
  app.sql(practiceId, 'INSERT INTO monthly_usage (month, accepted) VALUES (?, 1000000000)', month);
  await send(scene, id);
  await until('it waits', async () => (await campaign(scene, id)).waiting !== null);
  const { status, reason, waiting } = await campaign(scene, id);
  expect([status, reason]).toEqual(['sending', 'plan_cap_reached']);
  expect(waiting?.until).toMatch(/-01T00:00:00\.000Z$/);
  offset = Date.parse(waiting?.until ?? '') + 1_000 - Date.now();
  // Any commit of the practice is a look.
  await app.completeLegal(practiceId);
  await untilStatus(scene, id, 'sent');
  expect(received(scene)).toEqual(addresses(30));
});

test('what each of its messages would be refused with is the answer; a pause of the practice holds it', async () => {
  const scene = await started();
  const { app, sender } = scene;
  const id = await create(scene, [seed(scene, people(100))]);
  const open = holdAfter(scene, 10);
  const pause = (verb: string, body: object) =>
    app.request('POST', `${sender.base}/${verb}`, body, app.adminToken);
  await pause('pause', { reason: 'Urlaub' });
  expect((await act(scene, id, 'send')).body).toMatchObject({ code: 'tenant_paused' });
  await pause('resume', {});
  await send(scene, id);
  await until('some came', () => received(scene).length >= 10);
  await pause('pause', { reason: 'Urlaub' });
  await until('it waits', async () => (await campaign(scene, id)).waiting !== null);
  expect((await campaign(scene, id)).reason).toBe('tenant_paused');
  open();
  await pause('resume', {});
  offset = 2 * MINUTE;
  await app.completeLegal(sender.practice.id);
  await untilStatus(scene, id, 'sent');
  expect(received(scene)).toEqual(addresses(100));
});

test('callers need all projects, and to send what sending needs', async () => {
  const app = await startApp({ config: unlimitedSignIn });
  endings.push(() => app.remove());
  const sender = await app.createSender({ plan: 'gruppe' });
  await app.completeLegal(sender.practice.id);
  const scene = { app, sender };
  const { base } = sender;
  const id = await create(scene, [seed(scene, people(3))]);
  const projects = await app.request<{ data: { id: string }[] }>(
    'GET',
    `${base}/projects`,
    undefined,
    sender.token,
  );
  const project_id = projects.body.data[0]?.id;
  const limited = await app.createToken(sender.practice.id, { scope: 'project', project_id });
  const permissions = ['campaigns.send'];
  const role = await app.request<{ id: string }>(
    'POST',
    `${base}/roles`,
    { name: 'Redaktion', permissions },
    app.adminToken,
  );
  const editor = await join(app, sender.practice.id, 'editor@example.org', { role_id: role.body.id });
  const statusOf = async (verb: string, token: string): Promise<number> => {
    const body = verb === 'schedule' ? { schedule_at: new Date(clock.now() + DAY).toISOString() } : {};
    return (await app.request('POST', `${base}/campaigns/${id}/${verb}`, body, token)).status;
  };
  for (const verb of ['send', 'schedule', 'pause', 'resume', 'cancel'])
    expect(await statusOf(verb, limited)).toBe(403);
  for (const verb of ['send', 'schedule', 'resume']) expect(await statusOf(verb, editor.token)).toBe(403);
  expect(await statusOf('pause', editor.token)).toBe(409);
  // Also not by changing what sends itself.
  expect(await statusOf('schedule', sender.token)).toBe(200);
  const changed = await app.request('PATCH', `${base}/campaigns/${id}`, { text: 'Anders' }, editor.token);
  expect(changed.status).toBe(403);
  expect((await campaign(scene, id)).status).toBe('scheduled');
});

test('owners are notified once of what a campaign waits for that they must do, in words', async () => {
  const scene = await started();
  const { app, sender } = scene;
  await makeOwner(app, sender.practice.id, OWNER);
  const id = await create(scene, [seed(scene, people(5))]);
  const schedule_at = new Date(clock.now() + DAY).toISOString();
  expect((await act(scene, id, 'schedule', { schedule_at })).status).toBe(200);
  const legal = (street: string | null) =>
    app.request('PATCH', `${sender.base}/compliance`, { street }, app.adminToken);
  expect((await legal(null)).status).toBe(200);
  offset = DAY + 1_000;
  await app.send(sender);
  await until('it waits', async () => (await campaign(scene, id)).reason === 'impressum_incomplete');
  for (const minutes of [32, 34, 36]) {
    offset = DAY + minutes * MINUTE;
    await app.send(sender);
    await untilNotified(scene, ['Rundschreiben „Herbst“ geht nicht weiter']);
  }
  const [mail, ...others] = await noticeMails(scene);
  expect(mail?.text).toContain('Der Grund: das Impressum der Praxis ist unvollständig.');
  expect(others).toEqual([]);
  expect((await campaign(scene, id)).reason).toBe('impressum_incomplete');
  expect((await legal('Am Markt 1')).status).toBe(200);
  offset = DAY + HOUR;
  await app.send(sender);
  await untilStatus(scene, id, 'sent');
});

test('a campaign that waits for the plan is looked at again within minutes', async () => {
  const scene = await started();
  const { app, sender } = scene;
  const id = await create(scene, [seed(scene, people(5))]);
  const month = new Date(clock.now()).toISOString().slice(0, 7);
  app.sql(sender.practice.id, 'INSERT INTO monthly_usage (month, accepted) VALUES (?, 1000000000)', month);
  await send(scene, id);
  await until('it waits', async () => (await campaign(scene, id)).reason === 'plan_cap_reached');
  app.sql(sender.practice.id, 'UPDATE monthly_usage SET accepted = 0');
  offset = 16 * MINUTE;
  await app.completeLegal(sender.practice.id);
  await untilStatus(scene, id, 'sent');
});

test('a campaign that wakes in another file than it was worked on waits for a person', async () => {
  const scene = await started({ upstream: { rate: 60 } });
  const { app, receiver, sender } = scene;
  const id = await create(scene, [seed(scene, people(400))]);
  await send(scene, id);
  await until('some came', () => received(scene).length >= 10);
  await app.stop();
  const file = path.join(app.home, 'data', 'tenants', sender.practice.id, 'tenant.db');
  await copyFile(file, `${file}.copy`);
  await rm(file);
  await rename(`${file}.copy`, file);
  const again = { ...scene, app: await startApp({ home: app.home, receiver, clock }) };
  endings.push(() => again.app.stop());
  expect((await untilStatus(again, id, 'paused')).reason).toBe('restored');
  expect((await act(again, id, 'resume')).body.status).toBe('sending');
  await untilStatus(again, id, 'sent');
  expect(received(again)).toEqual(addresses(400));
});

test('one that is not handed over for an hour before a start waits for a person; one that is started again at once does not', async () => {
  const scene = await started({ upstream: { rate: 60 } });
  const { app, receiver } = scene;
  // So many that none of the starts finds it sent.
  const id = await create(scene, [seed(scene, people(2_000))]);
  await send(scene, id);
  await until('some came', () => received(scene).length >= 10);
  await app.stop();
  const again = {
    ...scene,
    app: await startApp({ home: app.home, receiver, clock, upstream: { rate: 60 } }),
  };
  endings.push(() => again.app.stop());
  expect((await campaign(again, id)).status).toBe('sending');
  await again.app.stop();
  offset = 2 * HOUR;
  const late = { ...scene, app: await startApp({ home: app.home, receiver, clock }) };
  endings.push(() => late.app.stop());
  expect((await untilStatus(late, id, 'paused')).reason).toBe('restored');
  expect(new Set(received(scene)).size).toBe(received(scene).length);
});

test('a scheduled campaign begins at its time', async () => {
  const scene = await started();
  const id = await create(scene, [seed(scene, people(5))]);
  const at = new Date(clock.now() + DAY).toISOString();
  const scheduled = await act(scene, id, 'schedule', { schedule_at: at });
  expect(scheduled.body.status, scheduled.text).toBe('scheduled');
  offset = DAY + 1_000;
  // Any commit of the practice is a look.
  await scene.app.send(scene.sender);
  await untilStatus(scene, id, 'sent');
  expect(received(scene).filter((address) => address.startsWith('p'))).toEqual(addresses(5));
});

test('owners are notified once that it does not go on, and when it is done', async () => {
  const scene = await started();
  const { app, sender } = scene;
  await makeOwner(app, sender.practice.id, OWNER);
  const open = holdAfter(scene, 0);
  const id = await create(scene, [seed(scene, people(5))]);
  await send(scene, id);
  await until('it is under way', async () => ((await campaign(scene, id)).counts.handed_over ?? 0) > 0);
  offset = 31 * MINUTE;
  await until('it is reported', async () => (await campaign(scene, id)).reason === 'stalled');
  open();
  await untilStatus(scene, id, 'sent');
  await untilNotified(scene, [
    'Rundschreiben „Herbst“ geht nicht weiter',
    'Rundschreiben „Herbst“ ist versendet',
  ]);
  expect(await notices(scene)).toHaveLength(2);
});

test('safe mode refuses the whole campaign, and holds one that is being sent', async () => {
  const scene = await started();
  const { app, sender } = scene;
  const setSafeMode = async (safe_mode: boolean): Promise<void> => {
    const changed = await app.request(
      'POST',
      `${sender.base}/safe-mode`,
      { enabled: safe_mode },
      app.adminToken,
    );
    expect(changed.status, changed.text).toBe(200);
  };
  const id = await create(scene, [seed(scene, people(60))]);
  await setSafeMode(true);
  for (const [verb, body] of [
    ['send', {}],
    ['schedule', { schedule_at: new Date(clock.now() + DAY).toISOString() }],
  ] as const)
    expect(await act(scene, id, verb, body)).toMatchObject({
      status: 422,
      body: { code: 'safe_mode_recipient' },
    });
  // Also where a change schedules it.
  const scheduled = await app.request<{ code: string }>(
    'PATCH',
    `${sender.base}/campaigns/${id}`,
    { text: 'Anders', schedule_at: new Date(clock.now() + DAY).toISOString() },
    sender.token,
  );
  expect(scheduled.body.code).toBe('safe_mode_recipient');
  await expect(
    create(scene, [seed(scene, people(1))], { schedule_at: new Date(clock.now() + DAY).toISOString() }),
  ).rejects.toThrow('safe_mode_recipient');
  expect((await campaign(scene, id)).status).toBe('draft');
  await setSafeMode(false);
  const open = holdAfter(scene, 10);
  await send(scene, id);
  await until('some came', () => received(scene).length >= 10);
  await setSafeMode(true);
  open();
  await until('it waits', async () => (await campaign(scene, id)).waiting !== null);
  expect((await campaign(scene, id)).reason).toBe('safe_mode_recipient');
  await setSafeMode(false);
  offset = 2 * MINUTE;
  await app.completeLegal(sender.practice.id);
  const { left_out } = await untilStatus(scene, id, 'sent');
  expect(left_out).toEqual({});
  expect(received(scene)).toEqual(addresses(60));
});

test('no campaign goes to an archived list, and none that goes on loses its list', async () => {
  const scene = await started();
  const { app, sender } = scene;
  const list = seed(scene, people(3), 'Sommer');
  const archive = () =>
    app.request<{ code: string }>('DELETE', `${sender.base}/lists/${list}`, undefined, sender.token);
  const schedule = { schedule_at: new Date(clock.now() + DAY).toISOString() };
  const draft = await create(scene, [list, seed(scene, people(5))]);
  const scheduled = await create(scene, [list], schedule);
  expect((await archive()).body).toMatchObject({
    code: 'conflict',
    error: expect.stringContaining('Herbst'),
  });
  expect((await act(scene, scheduled, 'cancel')).status).toBe(200);
  expect((await archive()).status).toBe(204);
  for (const [verb, body] of [
    ['send', {}],
    ['schedule', schedule],
  ] as const)
    expect(await act(scene, draft, verb, body)).toMatchObject({
      status: 409,
      body: { code: 'conflict', error: expect.stringContaining('Sommer') },
    });
});
