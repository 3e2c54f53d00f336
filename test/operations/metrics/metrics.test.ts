// Metrics as Prometheus reads them from a running daemon: off unless configured, on a listener of its own, or by a token; and
// numbers that change as their names say.
// @module-tag slow
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { DAY, SECOND } from '#src/kernel/time.ts';
import { startApp, type TestApp } from '#test/support/app.ts';
import { createCertificate } from '#test/support/certificate.ts';
import type { ConfigFile } from '#test/support/daemon.ts';
import { startHttpsReceiver } from '#test/support/https-receiver.ts';
import { scrape } from '#test/support/metrics.ts';
import { until } from '#test/support/process.ts';
import { createSmtpReceiver } from '#test/support/smtp-receiver.ts';
import { talkTo } from '#test/support/smtp-talk.ts';

const TOKEN = 'prometheus-0123456789abcdef';
const OWN_LISTENER = { metrics: { listen: '127.0.0.1:0' } };

const startWith = async (options: Parameters<typeof startApp>[0]): Promise<TestApp> => {
  const app = await startApp(options);
  onTestFinished(() => app.remove());
  return app;
};

const directory = async (): Promise<string> => {
  const made = await mkdtemp(path.join(tmpdir(), 'metrics-'));
  onTestFinished(() => rm(made, { recursive: true }));
  return made;
};

const withToken = async (): Promise<ConfigFile> => {
  const file = path.join(await directory(), 'metrics.token');
  await writeFile(file, `${TOKEN}\n`, { mode: 0o600 });
  return { token_file: file };
};

/** One series of the daemon, now; 0 where it is not printed. */
const value = async (app: TestApp, series: string): Promise<number> =>
  (await scrape(app.metricsPort)).series.get(series) ?? 0;
const untilValue = (app: TestApp, series: string, expected: number): Promise<void> =>
  until(`${series} is ${expected}`, async () => (await value(app, series)) === expected);

describe('where they are served', () => {
  test('nowhere, unless the configuration says so', async () => {
    const app = await startWith({});
    expect(app.metricsPort).toBeNull();
    expect(await app.request('GET', '/metrics')).toMatchObject({ status: 404, body: { code: 'not_found' } });
    const asked = await app.request('GET', '/metrics', undefined, TOKEN);
    expect(asked).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });

  test('by the token on the HTTP of the daemon; without it, or by another one, nothing is told', async () => {
    const app = await startWith({ config: { metrics: await withToken() } });
    expect(app.metricsPort).toBeNull();
    const read = await app.request<string>('GET', '/metrics', undefined, TOKEN);
    expect(read.status).toBe(200);
    expect(read.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(read.body).toContain('\nsendwerk_build_info{version=');
    const basic = Buffer.from(`prometheus:${TOKEN}`).toString('base64');
    const byPassword = await app.request('GET', '/metrics', undefined, undefined, {
      Authorization: `Basic ${basic}`,
    });
    expect(byPassword.status).toBe(200);
    for (const wrong of [undefined, `${TOKEN}x`, TOKEN.slice(0, -1), app.adminToken]) {
      const headers = wrong === undefined ? {} : { Authorization: `Bearer ${wrong}` };
      const refused = await app.request('GET', '/metrics', undefined, undefined, headers);
      expect(refused).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
      expect(refused.text).not.toContain('sendwerk_');
    }
  });

  test('a listener of its own serves nothing else', async () => {
    const app = await startWith({ config: OWN_LISTENER });
    const own = `http://127.0.0.1:${app.metricsPort}`;
    expect((await fetch(`${own}/metrics`)).status).toBe(200);
    for (const other of ['/', '/healthz', '/api/admin/health', '/metrics/', '/app', '/openapi.yaml'])
      expect([other, (await fetch(own + other)).status]).toEqual([other, 404]);
    expect((await fetch(`${own}/metrics`, { method: 'POST', body: 'x' })).status).toBe(405);
    expect((await app.request('GET', '/metrics')).status).toBe(404);
  });

  test('with a token the listener asks for it as well', async () => {
    const app = await startWith({ config: { metrics: { ...OWN_LISTENER.metrics, ...(await withToken()) } } });
    const own = `http://127.0.0.1:${app.metricsPort}/metrics`;
    const refused = await fetch(own);
    expect([refused.status, await refused.text()]).toEqual([401, 'unauthorized\n']);
    expect((await fetch(own, { headers: { Authorization: `Bearer ${TOKEN}` } })).status).toBe(200);
  });
});

describe('what they say', () => {
  test('a mail that is delivered, and one that bounces', async () => {
    const receiver = await createSmtpReceiver({
      rcpt: ({ address }) => (address.startsWith('gone@') ? '550 5.1.1 no such user' : '250 2.1.5 Ok'),
    });
    onTestFinished(receiver.stop);
    const app = await startWith({ receiver, config: OWN_LISTENER });
    const sender = await app.createSender({ plan: 'praxis' });
    const delivered = 'sendwerk_delivery_duration_seconds_count{stream="transactional"}';
    const attempts = (outcome: string) => `sendwerk_attempts_total{upstream="relay",outcome="${outcome}"}`;
    const before = await scrape(app.metricsPort);
    expect(before.series.get('sendwerk_messages_accepted_total{stream="transactional",source="api"}')).toBe(
      0,
    );
    expect(before.series.get(delivered)).toBe(0);
    expect(before.series.get(attempts('bounced'))).toBe(0);

    await app.untilStatus(sender, await app.send(sender, { to: 'erika@example.org' }), 'processed');
    await app.untilStatus(sender, await app.send(sender, { to: 'gone@example.org' }), 'hard_bounced');
    const after = await scrape(app.metricsPort);
    const of = (series: string): number | undefined => after.series.get(series);
    expect(of('sendwerk_messages_accepted_total{stream="transactional",source="api"}')).toBe(2);
    expect(of('sendwerk_messages_accepted_total{stream="marketing",source="api"}')).toBe(0);
    expect(of(attempts('accepted'))).toBe(1);
    expect(of(attempts('bounced'))).toBe(1);
    expect(of(attempts('deferred'))).toBe(0);
    expect(of(delivered)).toBe(1);
    expect(of('sendwerk_delivery_duration_seconds_bucket{le="30",stream="transactional"}')).toBe(1);
    expect(of('sendwerk_upstream_breaker_state{upstream="relay",state="closed"}')).toBe(1);
    expect(of('sendwerk_queue_practices{stream="transactional",state="due"}')).toBe(0);
    expect(of('sendwerk_tenant_files_open')).toBe(2);
    // More than one writer may have shared a commit, and each has one.
    const commits = of('sendwerk_commit_duration_seconds_count{file="practice"}') ?? 0;
    const writers = of('sendwerk_commit_writers_total{file="practice"}') ?? 0;
    expect(commits).toBeGreaterThan(3);
    expect(writers).toBeGreaterThanOrEqual(commits);
    expect(of('sendwerk_http_requests_total{status="2xx"}')).toBeGreaterThan(3);
    expect(of('sendwerk_disk_free_bytes')).toBeGreaterThan(0);
  });

  test('an upstream that fails is set aside, and its mail waits', async () => {
    const receiver = await createSmtpReceiver({ greeting: '421 4.3.2 Shutting down' });
    onTestFinished(receiver.stop);
    const app = await startWith({ receiver, config: OWN_LISTENER });
    const sender = await app.createSender({ plan: 'praxis' });
    for (let sent = 0; sent < 3; sent += 1) await app.send(sender);
    await untilValue(app, 'sendwerk_upstream_breaker_state{upstream="relay",state="open"}', 1);
    const { series } = await scrape(app.metricsPort);
    expect(series.get('sendwerk_upstream_breaker_state{upstream="relay",state="closed"}')).toBe(0);
    const failed = series.get('sendwerk_attempts_total{upstream="relay",outcome="upstream_failure"}');
    expect(failed).toBeGreaterThanOrEqual(3);
    await untilValue(app, 'sendwerk_queue_practices{stream="transactional",state="due"}', 1);
    await until(
      'the mail has been due for some time',
      async () => (await value(app, 'sendwerk_queue_oldest_due_seconds{stream="transactional"}')) > 0,
    );
    receiver.setBehaviour({});
    await untilValue(app, 'sendwerk_queue_practices{stream="transactional",state="due"}', 0);
    await untilValue(app, 'sendwerk_upstream_breaker_state{upstream="relay",state="closed"}', 1);
  });

  test('webhooks by how they end', async () => {
    const receiver = await startHttpsReceiver({ plain: true });
    onTestFinished(() => receiver.stop());
    receiver.answerNext({ status: 500 }, { status: 204 });
    receiver.setAnswer('reset');
    const app = await startWith({
      config: {
        ...OWN_LISTENER,
        security: { outbound_allow: ['127.0.0.0/8'], outbound_allow_http: true },
      },
    });
    const { base, token } = await app.createSender({ plan: 'praxis' });
    const fields = { name: 'Hook', url: receiver.url('/hook'), events: ['message.created'] };
    const made = await app.request<{ id: string }>('POST', `${base}/webhooks`, fields, token);
    expect(made.status).toBe(201);
    const test = () => app.request('POST', `${base}/webhooks/${made.body.id}/test`, {}, token);
    const ended = (outcome: string) =>
      `sendwerk_webhook_request_duration_seconds_count{outcome="${outcome}"}`;
    await test();
    expect(await value(app, ended('refused'))).toBe(1);
    await test();
    await test();
    const { series } = await scrape(app.metricsPort);
    expect(['delivered', 'refused', 'timed_out', 'failed'].map((one) => series.get(ended(one)))).toEqual([
      1, 1, 0, 1,
    ]);
  });

  test('mail from the world, and how long our replies took; the certificate of the listener', async () => {
    const home = await directory();
    const { certificate, key } = createCertificate(['mail.example.com']);
    const tls = { cert: path.join(home, 'mail.crt'), key: path.join(home, 'mail.key') };
    await writeFile(tls.cert, certificate);
    await writeFile(tls.key, key, { mode: 0o600 });
    const app = await startWith({
      config: { ...OWN_LISTENER, smtp: { inbound: { listen: '127.0.0.1:0', tls } } },
    });
    const client = await talkTo(app.inboundPort ?? 0);
    await client.hello();
    await client.say('MAIL FROM:<anna@example.org>');
    expect(await client.say('RCPT TO:<erika@elsewhere.example>')).toMatch(/^550 /);
    client.end();
    const { series } = await scrape(app.metricsPort);
    expect(series.get('sendwerk_inbound_recipients_refused_total{reason="relaying"}')).toBe(1);
    expect(series.get('sendwerk_inbound_mails_total{outcome="received"}')).toBe(0);
    const replied = 'sendwerk_smtp_command_duration_seconds_count{listener="inbound",command="rcpt"}';
    expect(series.get(replied)).toBe(1);
    const ends = series.get('sendwerk_certificate_expiry_timestamp_seconds{used_by="inbound"}') ?? 0;
    expect(ends).toBeGreaterThan(Date.now() / SECOND);
    expect(ends).toBeLessThan((Date.now() + 100 * 365 * DAY) / SECOND);
    expect([...series.keys()].filter((name) => name.includes('used_by="submission"'))).toEqual([]);
  });

  test('backups: nothing before the first one, but how old it may be', async () => {
    const app = await startWith({
      config: { ...OWN_LISTENER, backup: { dir: await directory(), max_age: '2h' } },
    });
    const { series } = await scrape(app.metricsPort);
    expect(series.get('sendwerk_backup_max_age_seconds')).toBe(7_200);
    expect(series.has('sendwerk_backup_timestamp_seconds')).toBe(false);
    expect(series.has('sendwerk_replica_lag_seconds')).toBe(false);
  });
});
