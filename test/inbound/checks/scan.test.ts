// What the scanners say of mail from the world: the real ones, and one that says what a test wants.
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createReceivedScan, type ReceivedScan } from '#src/content/scan-received.ts';
import { createClamdScanner } from '#src/content/scanners/clamd.ts';
import { createRspamdScanner } from '#src/content/scanners/rspamd.ts';
import { testGuard } from '#test/content/scanners/scanned.ts';
import { type Clamd, EICAR, EICAR_NAME, startClamd } from '#test/support/clamd.ts';
import { freePort } from '#test/support/process.ts';
import { GTUBE, RSPAMD_START_MS, type Rspamd, startRspamd } from '#test/support/rspamd.ts';
import { HEAD, mailOf, useScene } from './scene.ts';
import { startScriptedHttp } from './scripted-http.ts';

const scene = useScene();

const scanBy = (
  at: { readonly rspamd?: string; readonly clamd?: string },
  { onFailure = 'pass', places = 8 }: { onFailure?: 'pass' | 'refuse'; places?: number } = {},
): ReceivedScan => {
  const rspamd = at.rspamd ? createRspamdScanner(at.rspamd, 'mx.service.test', testGuard({ places })) : null;
  const clamd = at.clamd ? createClamdScanner(at.clamd, testGuard()) : null;
  onTestFinished(() => {
    rspamd?.stop();
    clamd?.stop();
  });
  return createReceivedScan({ rspamd, clamd, onFailure: () => onFailure });
};

const withAttachment = (content: string): Buffer => {
  const head = HEAD.replace(/Content-Type: .*/, 'Content-Type: multipart/mixed; boundary=b');
  const encoded = Buffer.from(content).toString('base64').replace(/.{76}/g, '$&\r\n');
  const parts = [
    'Content-Type: text/plain\r\n\r\nHallo',
    `Content-Type: text/csv\r\nContent-Transfer-Encoding: base64\r\n\r\n${encoded}`,
  ];
  return mailOf(`X-First: 1\r\n${head}`, `${parts.map((part) => `--b\r\n${part}\r\n`).join('')}--b--\r\n`);
};

describe('clamd', { tags: 'debian/clamav-daemon' }, () => {
  let clamd: Clamd;
  beforeAll(async () => {
    clamd = await startClamd();
  });
  afterAll(() => clamd.stop());

  test('finds what an attachment hides, whatever field the mail begins with', async () => {
    const scan = scanBy({ clamd: clamd.address });
    const { spam } = await scene.check(withAttachment(`name;wert\n${EICAR}\n`), {}, scan);
    expect(spam).toEqual({ verdict: 'virus', score: 100, reasons: [EICAR_NAME] });
    expect((await scene.check(withAttachment('name;wert\n'), {}, scan)).spam.verdict).toBe('clean');
  });
});

describe('rspamd', { tags: 'debian/rspamd' }, () => {
  let rspamd: Rspamd;
  beforeAll(async () => {
    rspamd = await startRspamd();
  }, RSPAMD_START_MS);
  afterAll(() => rspamd.stop());

  test('calls its test string spam, and an ordinary mail not', async () => {
    const scan = scanBy({ rspamd: rspamd.url });
    expect((await scene.check(mailOf(HEAD, `${GTUBE}\r\n`), {}, scan)).spam).toMatchObject({
      verdict: 'spam',
      score: 90,
    });
    expect((await scene.check(mailOf(), {}, scan)).spam).toMatchObject({ verdict: 'clean' });
  });
});

describe('a scanner that says what the test wants', () => {
  const answer = (action: string, score: number) => ({
    action,
    score,
    required_score: 15,
    symbols: { BAD_WORDS: { score: 5 } },
  });

  test.each([
    ['no action', 0, 'clean', 0],
    ['greylist', 4, 'clean', 19],
    ['soft reject', 4, 'clean', 19],
    ['add header', 7.5, 'spam', 35],
    ['rewrite subject', 9, 'spam', 42],
    ['reject', 20, 'spam', 90],
    ['quarantine', 20, 'spam', 90],
  ])('rspamd: %s', async (action, score, verdict, shown) => {
    const server = await startScriptedHttp(() => answer(action, score));
    const { spam } = await scene.check(mailOf(), {}, scanBy({ rspamd: server.url }));
    expect(spam).toEqual({ verdict, score: shown, reasons: ['BAD_WORDS'] });
  });

  test('it is asked as for mail that comes in, with all of the mail', async () => {
    const server = await startScriptedHttp(() => answer('no action', 0));
    const envelope = { mailFrom: 'müller@example.org', helo: 'a\x01b' };
    const { isDeferred } = await scene.check(mailOf(), envelope, scanBy({ rspamd: server.url }));
    expect(isDeferred).toBe(false);
    const [asked] = server.asked;
    expect(asked?.body).toBe(mailOf().toString());
    expect(asked?.headers).toMatchObject({
      ip: '192.0.2.10',
      helo: 'a?b',
      hostname: 'client.example.org',
      from: Buffer.from('müller@example.org').toString('latin1'),
      rcpt: 'praxis@in.service.test',
    });
    expect(asked?.headers).not.toHaveProperty('settings-id');
    expect(asked?.headers).not.toHaveProperty('user');
  });

  test('none answers: not scanned, and the mail passes or comes again, as the operator wants', async () => {
    const gone = { rspamd: `http://127.0.0.1:${await freePort()}` };
    const notScanned = { spam: { verdict: 'not_scanned', score: null, reasons: [] } };
    expect(await scene.check(mailOf(), {}, scanBy(gone))).toMatchObject({ ...notScanned, isDeferred: false });
    const refusing = scanBy(gone, { onFailure: 'refuse' });
    expect(await scene.check(mailOf(), {}, refusing)).toMatchObject({ ...notScanned, isDeferred: true });
    expect(await scene.check(mailOf())).toMatchObject({ ...notScanned, isDeferred: false });
  });

  test('more mails than may wait for it come again: a flood does not evade it', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const server = await startScriptedHttp(async () => {
      await promise;
      return answer('no action', 0);
    });
    const check = scene.checks(scanBy({ rspamd: server.url }, { places: 1 }));
    const checked = Promise.all(Array.from({ length: 10 }, () => check(mailOf())));
    setImmediate(resolve);
    expect((await checked).filter(({ isDeferred }) => isDeferred)).toHaveLength(1);
  });
});
