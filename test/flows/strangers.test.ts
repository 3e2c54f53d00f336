// What strangers may try against a practice's right to send, by real HTTP and SMTP: sign-ups with addresses that do not exist, and
// reports of complaints that nobody proves.
import { simpleParser } from 'mailparser';
import { afterEach, describe, expect, test } from 'vitest';
import { DAY } from '#src/kernel/time.ts';
import { dkimRecord } from '#src/mail/dkim-key.ts';
import { rsa, signed } from '#test/inbound/checks/scene.ts';
import { type AppOptions, type List, type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { type DnsZone, startDnsZone } from '#test/support/dns-zone.ts';
import { makeOwner } from '#test/support/people.ts';
import { until } from '#test/support/process.ts';
import { bounceOf, bring, feedbackReport } from '#test/support/reports.ts';
import { createSmtpReceiver, type SmtpReceiver } from '#test/support/smtp-receiver.ts';

const OWNER = 'chefin@praxis.example';

const endings: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

interface Scene {
  readonly app: TestApp;
  readonly dns: DnsZone;
  readonly receiver: SmtpReceiver;
  readonly sender: Sender;
  readonly listToken: string;
  readonly listPath: string;
  /** ms that the clock is ahead. */
  ahead: number;
}

/** The relay takes everything; what the world says of it later is brought by hand. */
const started = async (config: AppOptions['config'] = {}): Promise<Scene> => {
  const receiver = await createSmtpReceiver();
  endings.push(() => receiver.stop());
  const dns = await startDnsZone();
  endings.push(() => dns.stop());
  const time = { ahead: 0 };
  const app = await startApp({
    runsTwice: true,
    receiver,
    clock: { now: () => Date.now() + time.ahead },
    config: {
      service: { public_origin: 'https://mail.example.com' },
      smtp: { inbound: { listen: '127.0.0.1:0' } },
      dns: { resolvers: [dns.address] },
      http: { trust_proxy: 1 },
      limits: { sign_in_rate: { per_address: { per_minute: 100_000 } } },
      ...config,
    },
  });
  endings.push(() => app.remove());
  const sender = await app.createSender({ plan: 'gruppe' });
  await app.completeLegal(sender.practice.id);
  await makeOwner(app, sender.practice.id, OWNER);
  const list = { name: 'Praxisbrief', wording: 'Ich möchte den Praxisbrief bekommen.' };
  const { body } = await app.request<{ id: string; form_url: string }>(
    'POST',
    `${sender.base}/lists`,
    list,
    sender.token,
  );
  const listToken = new URL(body.form_url).searchParams.get('l') ?? '';
  return Object.assign(time, { app, dns, receiver, sender, listToken, listPath: `lists/${body.id}` });
};

let made = 0;
const next = (): number => {
  made += 1;
  return made;
};

/** Each stranger has an address of their own. */
const subscribe = ({ app, listToken }: Scene, email: string) =>
  app.request('POST', '/api/public/subscribe', { list: listToken, email }, undefined, {
    'X-Forwarded-For': `203.0.113.${next() % 250}`,
  });

const mailTo = async ({ receiver }: Scene, address: string) => {
  const find = () =>
    receiver.messages.findLast(({ recipients }) => recipients.some((one) => one.address === address));
  await until(`the mail to ${address} has left`, () => find() !== undefined);
  const { mailFrom = '', content = Buffer.alloc(0) } = find() ?? {};
  return { returnPath: mailFrom, head: content.toString('latin1').split('\r\n\r\n')[0]?.split('\r\n') ?? [] };
};

/** The practice's own mail: each recipient is one of its people. */
const sendOwn = async ({ app, sender }: Scene, to: readonly string[]): Promise<void> => {
  for (const address of to) await app.send(sender, { to: address });
  await until('all have left', () => app.sql(sender.practice.id, 'SELECT 1 FROM queue').length === 0);
};
const people = (count: number, domain = 'example.net'): string[] =>
  Array.from({ length: count }, () => `r${next()}@${domain}`);

const statusOf = async ({ app, sender }: Scene): Promise<string> =>
  (await app.request<{ status: string }>('GET', sender.base, undefined, sender.token)).body.status;

const formOf = ({ app, sender }: Scene) =>
  app.sql(
    sender.practice.id,
    // A row of the counters is of one day.
    `SELECT health, sum(mails) AS mails, sum(hard_bounced) AS hard_bounced, sum(complaints) AS complaints
     FROM form_alerts JOIN form_counters USING (list_seq) GROUP BY list_seq`,
  );
const tellings = ({ receiver }: Scene, address: string) =>
  receiver.messages.filter(
    ({ recipients, content }) =>
      recipients[0]?.address === address && content.toString().includes('Formular'),
  );
const formMail = async (scene: Scene, address: string): Promise<string> =>
  (await simpleParser(tellings(scene, address)[0]?.content ?? '')).subject ?? '';
const countersOf = ({ app, sender }: Scene) =>
  app.sql(
    sender.practice.id,
    'SELECT sum(accepted) AS accepted, sum(sent) AS sent, sum(hard_bounced) AS hard_bounced, sum(complaints) AS complaints FROM counters',
  );

const formState = async ({ app, sender, listPath }: Scene) => {
  const path = `${sender.base}/${listPath}/form`;
  const { body } = await app.request<{ state: string; reason: string }>('GET', path, undefined, sender.token);
  return { state: body.state, reason: body.reason };
};

const suppressed = ({ app, sender }: Scene): string[] =>
  app
    .sql<{ address: string; reason: string }>(
      sender.practice.id,
      'SELECT address, reason FROM suppressions ORDER BY address',
    )
    .map(({ address, reason }) => `${address} ${reason}`);

/** A complaint about the mail to that address, as anyone can write it. */
const complaintAbout = (address: string, head: readonly string[]): string =>
  feedbackReport('abuse', [`Original-Rcpt-To: <${address}>`], head);

/** As Amazon SNS mails what Amazon SES reports. */
const sesComplaint = (address: string, returnPath: string): string =>
  [
    'From: AWS Notifications <no-reply@sns.amazonaws.com>',
    'Subject: AWS Notification Message',
    'Content-Type: text/plain; charset=UTF-8',
    '',
    JSON.stringify({
      notificationType: 'Complaint',
      complaint: { complainedRecipients: [{ emailAddress: address }], complaintFeedbackType: 'abuse' },
      mail: { source: returnPath, destination: [address], messageId: '0100018c' },
    }),
    '',
  ].join('\r\n');

interface Complained {
  readonly type: string;
  readonly counted: boolean;
  readonly rule: string | null;
}
const complaintsAbout = async ({ app, sender }: Scene, address: string): Promise<readonly Complained[]> => {
  const [message] = app.sql<{ id: string }>(
    sender.practice.id,
    'SELECT messages.id FROM messages JOIN recipients ON message_seq = messages.seq WHERE address = ?',
    address,
  );
  const path = `${sender.base}/messages/${message?.id}/events`;
  const { body } = await app.request<List<Complained>>('GET', path, undefined, sender.token);
  return body.data.filter(({ type }) => type === 'message.spam_complaint');
};

const FBL = 'fbl@mail.example.com';

describe('a stranger cannot pause a practice', () => {
  test('by one sign-up and a report that nobody proves: 1 of 41', async () => {
    const scene = await started();
    await sendOwn(scene, people(40));
    const stranger = 'someone@stranger.example';
    expect((await subscribe(scene, stranger)).status).toBe(202);
    const { head } = await mailTo(scene, stranger);
    expect(await bring(scene.app.inboundPort, FBL, complaintAbout(stranger, head))).toMatch(/^250/);
    expect(await statusOf(scene)).toBe('active');
    expect(suppressed(scene)).toEqual([`${stranger} complaint`]);
  });

  test('by reports that claim to be of Amazon SES, or of the provider, about mail of the practice itself', async () => {
    const scene = await started();
    const to = people(30, 'patient.example');
    await sendOwn(scene, to);
    const [first = '', second = ''] = to;
    const one = await mailTo(scene, first);
    const forged = complaintAbout(first, one.head).replace('feedback@provider.example', 'fbl@yahoo.com');
    expect(await bring(scene.app.inboundPort, one.returnPath, forged, 'fbl@yahoo.com')).toMatch(/^250/);
    const two = await mailTo(scene, second);
    const notice = sesComplaint(second, two.returnPath);
    expect(await bring(scene.app.inboundPort, two.returnPath, notice, 'x@amazonses.com')).toMatch(/^250/);
    expect(await statusOf(scene)).toBe('active');
    expect(suppressed(scene)).toEqual([`${first} complaint`, `${second} complaint`].toSorted());
    const [event] = await complaintsAbout(scene, first);
    expect(event).toMatchObject({ counted: false, rule: 'reporter_not_proven' });
  });

  test('by three sign-ups with invented addresses of their own domain', async () => {
    const scene = await started();
    await sendOwn(scene, people(37));
    const invented = people(3, 'stranger.example');
    for (const address of invented) {
      expect((await subscribe(scene, address)).status).toBe(202);
      const { returnPath } = await mailTo(scene, address);
      expect(await bring(scene.app.inboundPort, returnPath, bounceOf(address))).toMatch(/^250/);
    }
    expect(await statusOf(scene)).toBe('active');
    // The form takes fewer, and the owners know it, once.
    expect(formOf(scene)).toEqual([{ health: 'slowed', mails: 3, hard_bounced: 3, complaints: 0 }]);
    await until('the owners are told', () => tellings(scene, OWNER).length === 1);
    expect(await formMail(scene, OWNER)).toContain('Das Formular der Liste „Praxisbrief“ ist gebremst');
    expect(countersOf(scene)).toEqual([{ accepted: 37, sent: 37, hard_bounced: 0, complaints: 0 }]);
    const answers = [];
    for (const email of people(12, 'others.example')) answers.push((await subscribe(scene, email)).status);
    expect(answers.slice(0, 3)).toEqual([202, 202, 202]);
    expect(answers.at(-1)).toBe(429);
  });

  test('many of them close the form for a while, and nothing is stored of who comes then', async () => {
    const scene = await started();
    const invented = people(10, 'stranger.example');
    for (const address of invented) await subscribe(scene, address);
    for (const address of invented) {
      const { returnPath } = await mailTo(scene, address);
      expect(await bring(scene.app.inboundPort, returnPath, bounceOf(address))).toMatch(/^250/);
    }
    await until('the owners are told', () => tellings(scene, OWNER).length > 0);
    await expect.poll(() => formState(scene)).toEqual({ state: 'closed', reason: 'bounces' });
    expect(await subscribe(scene, 'erika@patient.example')).toMatchObject({
      status: 409,
      body: { code: 'form_closed', reason: 'bounces' },
    });
    expect(await statusOf(scene)).toBe('active');
    scene.ahead = 2 * DAY;
    expect(await formState(scene)).toEqual({ state: 'open', reason: null });
    expect((await subscribe(scene, 'erika@patient.example')).status).toBe(202);
  });
});

describe('a complaint that is proven counts', () => {
  const HEAD = ['From: fbl@provider.example', 'To: fbl@mail.example.com', 'Subject: Complaint'];

  /** The zone of a provider that takes the mail of other domains, and signs. */
  const withProvider = ({ dns }: Scene): void => {
    dns.set('patient.example', 'MX', '10 mx1.in.provider.example');
    dns.set('s1._domainkey.fbl.provider.example', 'TXT', dkimRecord(rsa.publicKey, 'rsa-sha256'));
    dns.set('loop.example', 'TXT', 'v=spf1 ip4:127.0.0.1 -all');
  };
  const signedReport = async (address: string, head: readonly string[]): Promise<string> => {
    const report = Buffer.from(complaintAbout(address, head).replace(/^From: .*/, HEAD.join('\r\n')));
    return (await signed(report, { domain: 'fbl.provider.example' })).toString('latin1');
  };

  test('signed by the provider that the recipient’s MX records name', async () => {
    const scene = await started();
    withProvider(scene);
    const to = people(30, 'patient.example');
    await sendOwn(scene, to);
    const [address = ''] = to;
    const { head } = await mailTo(scene, address);
    expect(await bring(scene.app.inboundPort, FBL, await signedReport(address, head))).toMatch(/^250/);
    expect(await statusOf(scene)).toBe('paused');
    expect(await complaintsAbout(scene, address)).toMatchObject([{ counted: true, rule: null }]);
  });

  test('by SPF of a source that the configuration names, also after one that nobody proved', async () => {
    const scene = await started({ complaints: { feedback_sources: ['loop.example'] } });
    withProvider(scene);
    const to = people(30, 'patient.example');
    await sendOwn(scene, to);
    const [address = ''] = to;
    const { head, returnPath } = await mailTo(scene, address);
    const report = complaintAbout(address, head);
    expect(await bring(scene.app.inboundPort, returnPath, report, 'someone@stranger.example')).toMatch(
      /^250/,
    );
    expect(await statusOf(scene)).toBe('active');
    expect(await bring(scene.app.inboundPort, returnPath, report, 'arf@loop.example')).toMatch(/^250/);
    expect(await statusOf(scene)).toBe('paused');
    expect(await complaintsAbout(scene, address)).toMatchObject([{ counted: false }, { counted: true }]);
  });

  test('but not while the DNS does not answer: it ends mail to the address, and is not counted', async () => {
    const scene = await started();
    withProvider(scene);
    const to = people(30, 'patient.example');
    await sendOwn(scene, to);
    const [address = ''] = to;
    const { head } = await mailTo(scene, address);
    for (const name of ['patient.example', 'provider.example']) scene.dns.fail(name, 'SERVFAIL');
    expect(await bring(scene.app.inboundPort, FBL, await signedReport(address, head))).toMatch(/^250/);
    expect(await statusOf(scene)).toBe('active');
    expect(suppressed(scene)).toEqual([`${address} complaint`]);
    expect(await complaintsAbout(scene, address)).toMatchObject([
      { counted: false, rule: 'reporter_not_checked' },
    ]);
  });
});
