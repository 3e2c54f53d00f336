// The MTA-STS policy as senders find it: the id in the DNS, the file over HTTP under the policy host's own name, and
// what a TLS proxy in front is told about that name.

import { Resolver } from 'node:dns/promises';
import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startApp, type TestApp } from '#test/support/app.ts';

const HOST = 'mail.example.com';
const OWN = 'praxis-am-see.send.example.com';
const CUSTOM = 'praxis-am-see.de';
const WANTED = ['version: STSv1', 'mode: testing', `mx: ${HOST}`, 'max_age: 604800', ''].join('\r\n');

interface PolicyAnswer {
  readonly status: number;
  readonly type: string | undefined;
  readonly text: string;
}

/** As a sender asks, with that Host header, or with none or several further header lines. */
const policyAt = (app: TestApp, ...headers: string[]): Promise<PolicyAnswer> =>
  new Promise((resolve, reject) => {
    const asked = httpRequest(
      `${app.origin}/.well-known/mta-sts.txt`,
      { setHost: false, headers },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        answer.on('end', () =>
          resolve({ status: answer.statusCode ?? 0, type: answer.headers['content-type'], text }),
        );
      },
    );
    asked.on('error', reject).end();
  });

const tlsHost = (app: TestApp, domain: string) =>
  app.request('GET', `/api/public/tls-host?domain=${encodeURIComponent(domain)}`);

/** One practice with its managed host, and a custom domain that it has verified. */
const withDomains = async (app: TestApp): Promise<void> => {
  const practice = await app.createPractice({ name: 'Praxis am See' });
  app.sql(
    null,
    "INSERT INTO domains (name, tenant_id, kind, created_at) VALUES (?, ?, 'custom', 0)",
    CUSTOM,
    practice.id,
  );
};

describe('in mode testing', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp({ config: { service: { public_origin: 'https://app.example.com' } } });
    await withDomains(app);
  });
  afterAll(() => app.remove());

  const served = [HOST, `in.${OWN}`, `bounce.${OWN}`, `in.${CUSTOM}`, `bounce.${CUSTOM}`].map(
    (name) => `mta-sts.${name}`,
  );
  const others = [
    HOST,
    OWN,
    CUSTOM,
    'app.example.com',
    `mta-sts.${OWN}`,
    `mta-sts.${CUSTOM}`,
    `mta-sts.www.${CUSTOM}`,
    'mta-sts.send.example.com',
    'mta-sts.in.example.org',
    `mta-sts.in.in.${OWN}`,
    `xmta-sts.${HOST}`,
    `_mta-sts.${HOST}`,
    '127.0.0.1',
    '[::1]:8080',
    `mta-sts.${HOST}/x`,
    `mta-sts.${HOST} x`,
    `mta-sts.${'a.'.repeat(130)}de`,
  ];

  test.each(served)('%s has the policy', async (host) => {
    expect(await policyAt(app, 'Host', host)).toEqual({ status: 200, type: 'text/plain', text: WANTED });
    expect((await tlsHost(app, host)).body).toEqual({ domain: host });
  });

  test.each([
    ['in another case', `MTA-STS.${HOST.toUpperCase()}`],
    ['with a port', `mta-sts.${HOST}:443`],
    ['with the trailing dot', `mta-sts.${HOST}.`],
    ['with both', `mta-sts.${HOST}.:8443`],
  ])('a name %s is the same', async (_sentence, host) => {
    expect((await policyAt(app, 'Host', host)).text).toBe(WANTED);
  });

  test.each(others)('%s has none', async (host) => {
    const { status, text } = await policyAt(app, 'Host', host);
    expect([status, JSON.parse(text).code]).toEqual([404, 'not_found']);
  });

  test('a forwarded host is nobody’s word', async () => {
    const forwarded = ['X-Forwarded-Host', `mta-sts.${HOST}`, 'Forwarded', `host=mta-sts.${HOST}`];
    expect((await policyAt(app, 'Host', HOST, ...forwarded)).status).toBe(404);
  });

  test('a request without one host, or with two, is refused', async () => {
    expect((await policyAt(app)).status).toBe(400);
    const twice = ['Host', `mta-sts.${HOST}`, 'Host', HOST];
    expect((await policyAt(app, ...twice)).status).not.toBe(200);
  });

  test.each([
    ['the host of the public origin', 'app.example.com', 200],
    ['in any case', 'App.Example.COM', 200],
    ['the service host serves no pages', HOST, 404],
    ['nor does a managed host', OWN, 404],
    ['a stranger', 'example.org', 404],
    ['no name', '*', 404],
    ['an empty name', '', 400],
    ['a name too long', 'a'.repeat(255), 400],
  ])('a TLS proxy asks for a certificate: %s', async (_sentence, domain, status) => {
    expect((await tlsHost(app, domain)).status).toBe(status);
  });

  test('a practice that comes later is served at once', async () => {
    const host = 'mta-sts.in.praxis-am-berg.send.example.com';
    expect((await policyAt(app, 'Host', host)).status).toBe(404);
    await app.createPractice({ name: 'Praxis am Berg' });
    expect((await policyAt(app, 'Host', host)).status).toBe(200);
  });
});

test.each([
  ['enforce', '30d', ['version: STSv1', 'mode: enforce', `mx: ${HOST}`, 'max_age: 2592000', '']],
  ['none', '1d', ['version: STSv1', 'mode: none', 'max_age: 86400', '']],
])('in mode %s', async (mode, maxAge, lines) => {
  const app = await startApp({ config: { dns: { mta_sts: { mode, max_age: maxAge } } } });
  onTestFinished(() => app.remove());
  expect((await policyAt(app, 'Host', `mta-sts.${HOST}`)).text).toBe(lines.join('\r\n'));
});

test('a sender finds the policy by the DNS, from any receiving host, and a new id with a new policy', async () => {
  const find = async (mode: string, home?: string) => {
    const dns = {
      authoritative: { listen: '127.0.0.1:0' },
      zones: { addresses: ['192.0.2.1'] },
      mta_sts: { mode },
    };
    const app = await startApp({ config: { dns }, ...(home === undefined ? {} : { home }) });
    onTestFinished(() => app.remove());
    if (home === undefined) await withDomains(app);
    const resolver = new Resolver();
    resolver.setServers([`127.0.0.1:${app.dnsPort}`]);
    const ids = await Promise.all(
      [HOST, `in.${OWN}`, `bounce.${OWN}`].map((name) =>
        resolver.resolveTxt(`_mta-sts.${name}`).then(
          (texts) => texts.map((strings) => strings.join('')),
          (error) => [error.code],
        ),
      ),
    );
    await app.stop();
    return { home: app.home, ids: [...new Set(ids.flat())] };
  };
  const { home, ids } = await find('testing');
  expect(ids).toEqual([expect.stringMatching(/^v=STSv1; id=[A-Za-z0-9]{1,32}$/)]);
  expect((await find('testing', home)).ids).toEqual(ids);
  const enforced = (await find('enforce', home)).ids;
  expect(enforced).toHaveLength(1);
  expect(enforced).not.toEqual(ids);
  const withdrawn = (await find('none', home)).ids;
  expect(withdrawn).toHaveLength(1);
  expect(withdrawn).not.toEqual(enforced);
});
