// A look at a smarthost: what it says, how its TLS is, and that no credential is in what is shown.
import { afterEach, expect, test } from 'vitest';
import { createLog } from '#src/kernel/log.ts';
import type { SmtpOptions } from '#src/relay/smtp/options.ts';
import { createSmtpUpstream } from '#src/relay/smtp/upstream.ts';
import type { Probe } from '#src/relay/upstream.ts';
import { createCertificate } from '#test/support/certificate.ts';
import { type Behaviour, createSmtpReceiver } from '#test/support/smtp-receiver.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of closing.splice(0).reverse()) await stop();
});

const good = createCertificate(['127.0.0.1', 'localhost']);
const credentials = { user: 'relay-user', password: 'not-to-be-seen' };

const probe = async (behaviour: Behaviour, options: Partial<SmtpOptions>): Promise<Probe> => {
  const { port, stop } = await createSmtpReceiver(behaviour);
  closing.push(stop);
  const fixed = { name: 'relay', host: '127.0.0.1', port, pool: 1, ehloName: 'client.test' } as const;
  const upstream = createSmtpUpstream(
    { ...fixed, tls: 'none', deliveredOn: 'dsn', ...options },
    createLog('silent'),
  );
  closing.push(upstream.stop);
  return upstream.probe();
};

test('shows the conversation up to AUTH, and TLS with its certificate', async () => {
  const seen = await probe(
    { certificate: good, credentials },
    { tls: 'required', ca: good.certificate, ...credentials },
  );
  expect(seen).toMatchObject({ ok: true, failedAt: null, error: null });
  expect(seen.tls).toMatchObject({ protocol: 'TLSv1.3', verified: true, problem: null });
  expect(Date.parse(seen.tls?.validTo ?? '')).toBeGreaterThan(Date.now());
  expect(seen.transcript).toEqual(expect.arrayContaining(['C: STARTTLS', 'C: QUIT']));
  const text = seen.transcript.join('\n');
  expect(text).toMatch(/^C: AUTH /m);
  expect(text).not.toContain(credentials.password);
  for (const secret of [credentials.password, `\0${credentials.user}\0${credentials.password}`])
    expect(text).not.toContain(Buffer.from(secret).toString('base64'));
});

const cases: readonly (readonly [string, Behaviour, Partial<SmtpOptions>, Partial<Probe>])[] = [
  ['a certificate that is not trusted', { certificate: good }, { tls: 'required' }, { failedAt: 'starttls' }],
  [
    'credentials that are refused',
    { certificate: good, credentials },
    { tls: 'required', ca: good.certificate, ...credentials, password: 'wrong' },
    { failedAt: 'auth', error: expect.stringMatching(/^535 /) },
  ],
  [
    'a greeting that refuses',
    { greeting: '554 5.7.1 No' },
    {},
    { failedAt: 'greeting', error: '554 5.7.1 No' },
  ],
];
test.each(cases)('shows %s', async (_, behaviour, options, expected) => {
  expect(await probe(behaviour, options)).toMatchObject({ ok: false, tls: null, ...expected });
});

test('shows that a certificate is taken without being verified', async () => {
  const { ok, tls } = await probe({ certificate: good }, { tls: 'opportunistic' });
  expect(ok).toBe(true);
  expect(tls).toMatchObject({ verified: false, problem: expect.stringMatching(/CERT|SIGN/) });
});
