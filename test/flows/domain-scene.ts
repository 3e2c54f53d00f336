// What the tests of custom domains share: the daemon with a DNS of its own in which they publish what they like, owners
// who read their mail, a clock.
import { onTestFinished } from 'vitest';
import type { z } from 'zod';
import type { dnsCheckSchema, dnsRecordsSchema } from '#src/domains/custom/domain-schema.ts';
import { MINUTE } from '#src/kernel/time.ts';
import { type AppOptions, type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { type DnsZone, startDnsZone } from '#test/support/dns-zone.ts';
import { type Mail, mailsTo, makeOwner, systemTenant, unlimitedSignIn } from '#test/support/people.ts';
import { until } from '#test/support/process.ts';
import { createTestClock, type TestClock } from '#test/support/storage.ts';

export type DnsRecords = z.infer<typeof dnsRecordsSchema>;
export type DnsCheck = z.infer<typeof dnsCheckSchema>;

export const CHECK_JOB = 'check the DNS records of custom domains';

export interface DomainScene {
  readonly app: TestApp;
  readonly dns: DnsZone;
  readonly clock: TestClock;
  records(sender: Sender): Promise<DnsRecords>;
  check(sender: Sender): Promise<DnsCheck>;
  attach(sender: Sender, domain: string): Promise<void>;
  /** All records in the DNS that the practice is told to publish now. */
  publish(sender: Sender): Promise<DnsRecords>;
  /** Asked for, published, checked. */
  verified(sender: Sender, domain: string): Promise<void>;
  practice(sender: Sender): Promise<Sender['practice']>;
  /** The job, after so many minutes. */
  checkAfter(minutes: number): Promise<void>;
  /** When the practice is looked at next, minutes from now; null: never. */
  nextCheckIn(sender: Sender): number | null;
  /** The mails about the domain to that address so far, once none waits to be sent. */
  mails(email: string): Promise<readonly Mail[]>;
}

/** `owner` is the first practice's, who is written to in German. */
export const startDomainScene = async (options: AppOptions = {}): Promise<DomainScene> => {
  const dns = await startDnsZone();
  onTestFinished(() => dns.stop());
  const clock = createTestClock(Date.now());
  const authoritative = { listen: '127.0.0.1:0' };
  const { dns: more, ...config } = options.config ?? {};
  const app = await startApp({
    clock,
    ...options,
    config: {
      ...unlimitedSignIn,
      dns: {
        resolvers: [dns.address],
        authoritative,
        zones: { addresses: ['127.0.0.1'] },
        ...(more as object | undefined),
      },
      ...config,
    },
  });
  onTestFinished(() => app.remove());
  dns.delegate('mail.example.com', app.dnsPort ?? 0);
  dns.delegate('send.example.com', app.dnsPort ?? 0);

  const get = async <Body>({ base, token }: Sender, path: string, method = 'GET', body?: unknown) => {
    const answer = await app.request<Body>(method, base + path, body, token);
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.text}`);
    return answer.body;
  };
  const records: DomainScene['records'] = (sender) => get(sender, '/dns-records');
  /** What owners are told of by `verified` is no news of the test. */
  const setUp: { readonly id: string; readonly told: string }[] = [];
  const check: DomainScene['check'] = (sender) => get(sender, '/check-dns', 'POST');
  const attach: DomainScene['attach'] = async (sender, domain) => {
    await get(sender, '/custom-domain', 'POST', { domain });
  };
  const publish: DomainScene['publish'] = async (sender) => {
    const wanted = await records(sender);
    dns.publish([...wanted.records, ...wanted.inbound]);
    return wanted;
  };
  return {
    app,
    dns,
    clock,
    records,
    check,
    attach,
    publish,
    verified: async (sender, domain) => {
      await attach(sender, domain);
      await publish(sender);
      const { dkim_verified, pending } = await check(sender);
      if (!dkim_verified || pending) throw new Error(`${domain} was not verified`);
      setUp.push({ id: sender.practice.id, told: `Die Domain ${domain} ist bestätigt` });
    },
    practice: (sender) => get(sender, ''),
    checkAfter: async (minutes) => {
      clock.set(clock.now() + minutes * MINUTE);
      await app.runJob(CHECK_JOB);
    },
    nextCheckIn: ({ practice }) => {
      const [row] = app.sql<{ check_at: number | null }>(
        null,
        'SELECT check_at FROM domain_work WHERE tenant_id = ?',
        practice.id,
      );
      return row?.check_at == null ? null : Math.round((row.check_at - clock.now()) / MINUTE);
    },
    mails: async (email) => {
      await until('no mail waits', () => app.sql(null, 'SELECT 1 FROM notices').length === 0);
      await until('all are sent', () => app.sql(systemTenant(app), 'SELECT 1 FROM queue').length === 0);
      const isWelcome = ({ subject }: Mail): boolean => /Inhaber von|owner of/.test(subject);
      const told = setUp.flatMap(({ id, told: subject }) =>
        app.sql<{ email: string }>(id, 'SELECT email FROM members').some((one) => one.email === email)
          ? [subject]
          : [],
      );
      return (await mailsTo(app, email)).filter((mail) => !isWelcome(mail) && !told.includes(mail.subject));
    },
  };
};

/** A practice with an owner. */
export const createOwned = async (scene: DomainScene, email: string, name = 'Praxis am Markt') => {
  const sender = await scene.app.createSender({ name, plan: 'praxis' });
  await makeOwner(scene.app, sender.practice.id, email);
  return sender;
};

export const subjects = (mails: readonly Mail[]): string[] => mails.map(({ subject }) => subject);
