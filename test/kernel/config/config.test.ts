import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { type Config, liveChanges, loadConfig } from '#src/kernel/config/config.ts';
import { Secret } from '#src/kernel/secret.ts';
import { DAY, HOUR, MINUTE } from '#src/kernel/time.ts';
import { ConfigError } from '#src/kernel/yaml-file.ts';
import { createCertificate } from '#test/support/certificate.ts';

const directory = mkdtempSync(join(tmpdir(), 'sendwerk-config-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const KEY = randomBytes(32).toString('base64');
const TOKEN = 'operator-token-of-this-test';
const PASSWORD = 'relay password ß';
const STRIPE_KEY = 'sk_test_of_this_test';
const STRIPE_WEBHOOK = 'whsec_of_this_test';
const environment = {
  KEY,
  TOKEN,
  PASSWORD,
  STRIPE_KEY,
  STRIPE_WEBHOOK,
  SHORT: 'short',
  NOT_BASE64: '!'.repeat(44),
  LINES: 'a\nb',
  EMPTY: '',
};

const fileWith = (name: string, content: string | Buffer, mode = 0o600): string => {
  const path = join(directory, name);
  writeFileSync(path, content);
  chmodSync(path, mode);
  return path;
};
const pkcs8 = { type: 'pkcs8', format: 'pem' } as const;
const rsaPem = (bits: number): string =>
  generateKeyPairSync('rsa', { modulusLength: bits }).privateKey.export(pkcs8).toString();
const RSA = rsaPem(2_048);
const AUTHORITY = createCertificate(['hooks.example.com']).certificate;
const files = {
  key: fileWith('master.key', `${KEY}\n`),
  token: fileWith('admin.token', `${TOKEN}\r\n`),
  password: fileWith('relay.password', PASSWORD),
  open: fileWith('open.password', PASSWORD, 0o644),
  big: fileWith('big.password', Buffer.alloc(5_000, 'x')),
  text: fileWith('some.txt', 'x', 0o644),
  authorities: fileWith('two-authorities.crt', `# of the practice\n${AUTHORITY}${AUTHORITY}`),
  halfAuthority: fileWith('half-authority.crt', AUTHORITY + AUTHORITY.slice(0, 200)),
  directory: join(directory, 'a-directory'),
  rsa: fileWith('rsa.key', RSA),
  shortRsa: fileWith('short-rsa.key', rsaPem(1_024)),
  ed25519: fileWith('ed25519.key', generateKeyPairSync('ed25519').privateKey.export(pkcs8)),
  publicRsa: fileWith(
    'public-rsa.key',
    generateKeyPairSync('rsa', { modulusLength: 2_048 }).publicKey.export({ type: 'spki', format: 'pem' }),
  ),
  encryptedRsa: fileWith(
    'encrypted-rsa.key',
    generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey.export({
      ...pkcs8,
      cipher: 'aes-256-cbc',
      passphrase: 'geheim',
    }),
  ),
};
mkdirSync(files.directory);

const FILE = join(directory, 'service.yaml');

const load = (text: string) => {
  writeFileSync(FILE, text);
  return loadConfig(FILE, environment);
};

/** Lines without the name of the file; none where it is good. */
const problemsOf = (text: string): string[] => {
  try {
    load(text);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.message.replaceAll(`${FILE}:`, '').split('\n');
  }
};

const allWarningsOf = (text: string) => load(text).warnings.map((line) => line.replace(`${FILE}:`, ''));
const NO_LISTENER =
  'smtp.inbound: none: bounces, complaints and replies to what is sent have no listener, and no one learns of them';
/** Without those of the capture upstream and of no listener for mail, which are the defaults. */
const warningsOf = (text: string) =>
  allWarningsOf(text).filter(
    (line) => !line.includes('although service.public_origin is https') && !line.includes(NO_LISTENER),
  );

/** Five lines that every file needs; what a case adds begins in line 6. */
const MINIMAL = `service:
  public_origin: https://mail.sample.test
  host: mail.sample.test
  managed_suffix: send.sample.test
secrets: { master_key_env: KEY }
`;
const withService = (name: string, value: string): string =>
  MINIMAL.replace(new RegExp(`  ${name}: .*`), `  ${name}: ${value}`);
const domainConnect = (file: string, rest = ''): string =>
  `${MINIMAL}domain_connect: { provider_id: mail.sample.test, private_key_file: ${file}${rest} }\n`;
const stripe = (rest: string): string => `${MINIMAL}billing: { provider: stripe, stripe: { ${rest} } }\n`;
const PRICE = 'price: { supporter: price_1 }';
const NO_RSA_KEY =
  '6:50: domain_connect.private_key_file: expected an RSA private key of at least 2048 bits, PEM without a passphrase, got something else in it';
const relay = (rest: string): string =>
  `${MINIMAL}upstreams:\n  - { kind: smtp, name: relay, host: relay.sample.test, ${rest} }\ndns: { zones: { spf_includes: [_spf.sample.test] } }\n`;

describe('a minimal file', () => {
  const { config } = load(MINIMAL);

  test('has every default, and a warning that mail is only kept', () => {
    expect(allWarningsOf(MINIMAL)).toEqual([
      '1:1: upstreams[0]: capture keeps mail on this machine and delivers none, although service.public_origin is https: set an smtp upstream instead',
    ]);
    expect(config).toMatchObject({
      service: { name: 'Sendwerk', host: 'mail.sample.test' },
      data_dir: 'data',
      storage: { max_open_tenants: 256, checkpoint_pages: 4_000 },
      http: { listen: { host: '127.0.0.1', port: 8080 }, trust_proxy: false },
      admin: { token: null },
      upstreams: [{ name: 'capture', kind: 'capture', keep: 1_000 }],
      queue: {
        retry: [MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 4 * HOUR],
        then_every: 4 * HOUR,
        jitter: 0.2,
        give_up: { transactional: 72 * HOUR, marketing: 48 * HOUR },
      },
      dkim: { ed25519: true, rotate_every: 180 * DAY, keep_old: 14 * DAY },
      dns: {
        resolvers: [],
        zones: {
          addresses: [],
          spf_includes: [],
          nameservers: ['ns1.mail.sample.test'],
          hostmaster: 'hostmaster@mail.sample.test',
        },
        authoritative: null,
        provider: null,
        mta_sts: { mode: 'testing', max_age: 7 * DAY },
      },
      safe_mode: { default: true, allowlist: [], placement_testers: [] },
      security: { outbound_allow: [], outbound_allow_http: false },
      auth: { password_login: false },
      billing: { provider: 'none', grace: 14 * DAY, stripe: null },
      limits: {
        api_rate: { per_second: 100, burst: 500 },
        sign_in_rate: { per_address: { per_minute: 10 }, per_email: { per_minute: 5 } },
        body_bytes: 50_331_648,
      },
      retention: {
        bodies: 30 * DAY,
        attachments: 30 * DAY,
        events: 400 * DAY,
        audit: 1_095 * DAY,
        inbound: 90 * DAY,
        abuse_tickets: 365 * DAY,
        webhook_deliveries: 30 * DAY,
      },
      shutdown: { drain: 20_000 },
      log: { level: 'info' },
      domain_connect: null,
    });
    expect(config.smtp.inbound).toBeUndefined();
    expect(config.secrets.masterKey.reveal()).toBe(KEY);
  });
});

describe('values are understood', () => {
  test.each<[string, string, (config: Config) => unknown, unknown]>([
    ['port 0', 'http: { listen: "127.0.0.1:0" }', ({ http }) => http.listen, { host: '127.0.0.1', port: 0 }],
    [
      'an IPv6 listener',
      'http: { listen: "[::1]:8080" }',
      ({ http }) => http.listen,
      { host: '::1', port: 8080 },
    ],
    [
      'localhost',
      'http: { listen: localhost:80 }',
      ({ http }) => http.listen,
      { host: 'localhost', port: 80 },
    ],
    ['hops', 'http: { trust_proxy: 2 }', ({ http }) => http.trust_proxy, 2],
    [
      'networks of proxies',
      'http: { trust_proxy: [10.0.0.0/8, "::1"] }',
      ({ http }) => http.trust_proxy,
      ['10.0.0.0/8', '::1'],
    ],
    [
      'name server defaults',
      'dns: { authoritative: { listen: "0.0.0.0:53" }, zones: { addresses: [10.10.2.1] } }',
      ({ dns }) => ({ ...dns.authoritative, ...dns.zones }),
      {
        listen: { host: '0.0.0.0', port: 53 },
        addresses: ['10.10.2.1'],
        spf_addresses: [],
        spf_includes: [],
        nameservers: ['ns1.mail.sample.test'],
        hostmaster: 'hostmaster@mail.sample.test',
      },
    ],
    [
      'resolvers',
      'dns: { resolvers: ["127.0.0.1:5353", "::1", "[::1]:53"] }',
      ({ dns }) => dns.resolvers,
      ['127.0.0.1:5353', '::1', '[::1]:53'],
    ],
    [
      'Domain Connect',
      domainConnect(files.rsa).slice(MINIMAL.length),
      ({ domain_connect }) => ({ ...domain_connect, privateKey: typeof domain_connect?.privateKey }),
      { provider_id: 'mail.sample.test', service_id: 'email', key_host: '_dck1', privateKey: 'object' },
    ],
    [
      'safe mode entries',
      'safe_mode: { allowlist: [a@example.com, "@example.org"] }',
      ({ safe_mode }) => safe_mode.allowlist,
      ['a@example.com', '@example.org'],
    ],
    [
      'scanners',
      'scanners: { rspamd: { url: "http://127.0.0.1:11333" }, clamd: { address: "127.0.0.1:3310", timeout: 1m } }',
      ({ scanners }) => scanners,
      {
        rspamd: { url: 'http://127.0.0.1:11333', timeout: 5_000, concurrency: 8 },
        clamd: { address: '127.0.0.1:3310', timeout: 60_000, concurrency: 8 },
        dnsbl: [],
        dnsbl_timeout: 2_000,
        on_failure: 'pass',
      },
    ],
    [
      'a scanner on a unix socket',
      'scanners: { clamd: { address: /run/clamav/clamd.ctl } }',
      ({ scanners }) => scanners.clamd?.address,
      '/run/clamav/clamd.ctl',
    ],
    [
      'a relay',
      'upstreams: [{ kind: smtp, name: a, host: 10.10.2.1 }]',
      ({ upstreams }) => upstreams[0],
      {
        kind: 'smtp',
        name: 'a',
        host: '10.10.2.1',
        port: 587,
        tls: 'required',
        pool: 8,
        control_headers: [],
        delivered_on: 'dsn',
        password: null,
        events: null,
      },
    ],
  ])('%s', (_name, text, part, value) => expect(part(load(MINIMAL + text).config)).toEqual(value));
});

describe('a bad file says where and what', () => {
  test.each<[string, string, string[]]>([
    ['an unknown section', `${MINIMAL}htpt: {}`, ['6:1: htpt: expected a known key, the nearest is http']],
    [
      'an unknown key',
      `${MINIMAL}http:\n  listne: x`,
      ['7:3: http.listne: expected a known key, the nearest is listen'],
    ],
    [
      'a secret in the file itself',
      relay('password: geheim'),
      ['7:57: upstreams[0].password: expected a known key, the nearest is password_env'],
    ],
    [
      'a missing required key',
      MINIMAL.replace(/ {2}host.*\n/, ''),
      ['1:1: service.host: expected a lower-case host name, got nothing'],
    ],
    [
      'an origin with a path',
      withService('public_origin', 'https://example.com/mail'),
      [
        '2:3: service.public_origin: expected an origin such as https://mail.example.com, without a path, got "https://example.com/mail"',
      ],
    ],
    [
      'an origin with a slash',
      withService('public_origin', 'https://example.com/'),
      [
        '2:3: service.public_origin: expected an origin such as https://mail.example.com, without a path, got "https://example.com/"',
      ],
    ],
    [
      'an origin without a scheme',
      withService('public_origin', 'example.com'),
      [
        '2:3: service.public_origin: expected an origin such as https://mail.example.com, without a path, got "example.com"',
      ],
    ],
    [
      'an origin of another kind',
      withService('public_origin', 'ftp://example.com'),
      [
        '2:3: service.public_origin: expected an origin such as https://mail.example.com, without a path, got "ftp://example.com"',
      ],
    ],
    [
      'an address as host',
      withService('host', '10.10.2.1'),
      ['3:3: service.host: expected a lower-case host name, got "10.10.2.1"'],
    ],
    [
      'capitals in a host',
      withService('host', 'Mail.example.com'),
      ['3:3: service.host: expected a lower-case host name, got "Mail.example.com"'],
    ],
    [
      'a host too long to have tenants’ names below it',
      withService('host', `${'a'.repeat(60)}.${'b'.repeat(50)}.example.com`),
      ['3:3: service.host: expected at most 114 characters, because names of tenants are below it, got 123'],
    ],
    [
      'the host among managed hosts',
      withService('host', 'mail.send.sample.test'),
      [
        '3:3: service.host: expected a host outside service.managed_suffix (send.sample.test), whose names belong to tenants, got "mail.send.sample.test"',
      ],
    ],
    [
      'managed hosts where the MTA-STS policy is served',
      withService('managed_suffix', 'mta-sts.mail.sample.test'),
      [
        '4:3: service.managed_suffix: expected a zone other than mta-sts.mail.sample.test, which the service itself uses, got "mta-sts.mail.sample.test"',
      ],
    ],
    [
      'managed hosts among DKIM targets',
      withService('managed_suffix', 'dkim.mail.sample.test'),
      [
        '4:3: service.managed_suffix: expected a zone other than dkim.mail.sample.test, which the service itself uses, got "dkim.mail.sample.test"',
      ],
    ],
    [
      'a port alone',
      `${MINIMAL}http:\n  listen: "8080"`,
      ['7:3: http.listen: expected host:port, got "8080"'],
    ],
    [
      'a number as listener',
      `${MINIMAL}http:\n  listen: 8080`,
      ['7:3: http.listen: expected host:port, got 8080'],
    ],
    [
      'a port too high',
      `${MINIMAL}http: { listen: "127.0.0.1:65536" }`,
      ['6:9: http.listen: expected host:port, got "127.0.0.1:65536"'],
    ],
    [
      'IPv6 without brackets',
      `${MINIMAL}http: { listen: "::1:8080" }`,
      ['6:9: http.listen: expected host:port, got "::1:8080"'],
    ],
    [
      'brackets around IPv4',
      `${MINIMAL}http: { listen: "[127.0.0.1]:80" }`,
      ['6:9: http.listen: expected host:port, got "[127.0.0.1]:80"'],
    ],
    [
      'true as proxies',
      `${MINIMAL}http: { trust_proxy: true }`,
      [
        '6:9: http.trust_proxy: expected false, a number of proxies from 1 to 16, or a list of their networks, got true',
      ],
    ],
    [
      'a network too narrow',
      `${MINIMAL}http: { trust_proxy: [10.0.0.0/33] }`,
      [
        '6:23: http.trust_proxy[0]: expected a network such as 10.0.0.0/8 or an IP address, got "10.0.0.0/33"',
      ],
    ],
    [
      'a duration without unit',
      `${MINIMAL}shutdown: { drain: 20 }`,
      ['6:13: shutdown.drain: expected a duration (ms, s, m, h, d) from 0s to 10m, got 20'],
    ],
    [
      'a duration out of bounds',
      `${MINIMAL}retention: { bodies: 12h }`,
      ['6:14: retention.bodies: expected a duration (ms, s, m, h, d) from 1d to 3650d, got "12h"'],
    ],
    [
      'no retry times',
      `${MINIMAL}queue: { retry: [] }`,
      [
        '6:10: queue.retry: expected a list of 1 to 50 entries, each a duration (ms, s, m, h, d) from 1s to 7d, got a list',
      ],
    ],
    [
      'one bad retry time',
      `${MINIMAL}queue:\n  retry:\n    - 1m\n    - soon`,
      ['9:7: queue.retry[1]: expected a duration (ms, s, m, h, d) from 1s to 7d, got "soon"'],
    ],
    [
      'too much jitter',
      `${MINIMAL}queue: { jitter: 1 }`,
      ['6:10: queue.jitter: expected a number from 0 to 0.9, got 1'],
    ],
    [
      'a number in words',
      `${MINIMAL}storage: { max_open_tenants: many }`,
      ['6:12: storage.max_open_tenants: expected a whole number from 2 to 10000, got "many"'],
    ],
    [
      'half a page',
      `${MINIMAL}storage: { checkpoint_pages: 400.5 }`,
      ['6:12: storage.checkpoint_pages: expected a whole number from 100 to 100000, got 400.5'],
    ],
    [
      'yes instead of true',
      `${MINIMAL}dkim: { ed25519: yes }`,
      ['6:9: dkim.ed25519: expected true or false, got "yes"'],
    ],
    [
      'an unknown level',
      `${MINIMAL}log: { level: loud }`,
      ['6:8: log.level: expected fatal, error, warn, info, debug, trace or silent, got "loud"'],
    ],
    [
      'a payment provider',
      `${MINIMAL}billing: { provider: bank }`,
      ['6:12: billing.provider: expected none or stripe, got "bank"'],
    ],
    [
      'a deep limit',
      `${MINIMAL}limits: { sign_in_rate: { per_email: { per_minute: 0 } } }`,
      ['6:40: limits.sign_in_rate.per_email.per_minute: expected a whole number from 1 to 1000000, got 0'],
    ],
    [
      'a body limit with unit',
      `${MINIMAL}limits: { body_bytes: 48 MiB }`,
      ['6:11: limits.body_bytes: expected a whole number from 65536 to 50331648, got "48 MiB"'],
    ],
    [
      'no upstream',
      `${MINIMAL}upstreams: []`,
      ['6:1: upstreams: expected a list of 1 to 32 entries, each a mapping, got a list'],
    ],
    [
      'an unknown kind',
      `${MINIMAL}upstreams: [{ kind: pigeon }]`,
      ['6:15: upstreams[0].kind: expected smtp or capture, got "pigeon"'],
    ],
    [
      'no kind',
      `${MINIMAL}upstreams: [{ name: a }]`,
      ['6:13: upstreams[0].kind: expected smtp or capture, got nothing'],
    ],
    [
      'a key of another kind',
      `${MINIMAL}upstreams: [{ kind: capture, name: a, port: 25 }]`,
      ['6:39: upstreams[0].port: expected a known key: kind, name, for or keep'],
    ],
    [
      'an unknown TLS mode',
      relay('tls: starttls'),
      ['7:57: upstreams[0].tls: expected none, opportunistic, required or implicit, got "starttls"'],
    ],
    [
      'port 0 of a relay',
      relay('port: 0'),
      ['7:57: upstreams[0].port: expected a whole number from 1 to 65535, got 0'],
    ],
    [
      'the same name twice',
      `${MINIMAL}upstreams:\n  - { kind: capture, name: a }\n  - { kind: capture, name: a }`,
      ['8:22: upstreams[1].name: expected a name of its own, got "a", which is upstreams[0]'],
    ],
    [
      'an upstream with the name of the simulator',
      `${MINIMAL}upstreams: [{ kind: capture, name: simulator }]`,
      ['6:30: upstreams[0].name: expected a name other than that of the mailbox simulator, got "simulator"'],
    ],
    [
      'no upstream left for what none names',
      `${MINIMAL}upstreams: [{ kind: capture, name: a, for: { streams: [transactional] } }]`,
      [
        '6:1: upstreams: expected an upstream without `for`, because none is left for marketing mail that no upstream names, got none',
      ],
    ],
    [
      'an upstream for nothing',
      `${MINIMAL}upstreams: [{ kind: capture, name: a, for: {} }]`,
      ['6:39: upstreams[0].for: expected streams or practices, or both, got a mapping'],
    ],
    [
      'a user without password',
      relay('user: u'),
      ['7:57: upstreams[0].user: expected password_file or password_env beside it, got neither'],
    ],
    [
      'a password without user',
      relay('password_env: PASSWORD'),
      ['7:5: upstreams[0]: expected user beside the password, got none'],
    ],
    [
      'events without a secret',
      relay('events: { format: sns }'),
      ['7:57: upstreams[0].events: expected secret_file or secret_env, got neither'],
    ],
    [
      'events in a form that is unknown',
      relay('events: { format: xml, secret_env: TOKEN }'),
      ['7:67: upstreams[0].events.format: expected sns or json, got "xml"'],
    ],
    [
      'a missing CA file',
      relay('ca_file: /nonexistent/ca.crt'),
      [
        '7:57: upstreams[0].ca_file: expected a readable file (relative paths start at the working directory), got "/nonexistent/ca.crt": no such file',
      ],
    ],
    [
      'a CA file without a certificate',
      `${MINIMAL}security: { outbound_ca_file: ${files.text} }`,
      [
        '6:13: security.outbound_ca_file: expected certificates in PEM, and nothing else, got something else in it',
      ],
    ],
    [
      'a CA file with half a certificate',
      `${MINIMAL}security: { outbound_ca_file: ${files.halfAuthority} }`,
      [
        '6:13: security.outbound_ca_file: expected certificates in PEM, and nothing else, got something else in it',
      ],
    ],
    [
      'a key as CA file',
      relay(`ca_file: ${files.rsa}`),
      [
        '7:57: upstreams[0].ca_file: expected certificates in PEM, and nothing else, got something else in it',
      ],
    ],
    [
      'a missing certificate',
      `${MINIMAL}smtp:\n  inbound:\n    listen: 0.0.0.0:25\n    tls: { cert: ${files.text}, key: /nonexistent/k }`,
      [
        `9:${20 + files.text.length}: smtp.inbound.tls.key: expected a readable file (relative paths start at the working directory), got no such file`,
      ],
    ],
    ...['mail.sample.test', 'simulator.mail.sample.test', 'praxis.send.sample.test'].map(
      (host): [string, string, string[]] => [
        `a postmaster whose mail comes back here: ${host}`,
        `${MINIMAL}smtp: { inbound: { listen: "0.0.0.0:25", postmaster: "me@${host}" } }`,
        [
          `6:42: smtp.inbound.postmaster: expected an address outside ${host.endsWith('send.sample.test') ? 'send' : 'mail'}.sample.test: what is sent there would come back here, got "me@${host}"`,
        ],
      ],
    ),
    [
      'a key for evidence of another kind',
      MINIMAL.replace('{ master_key_env: KEY }', `{ master_key_env: KEY, evidence_key_file: ${files.rsa} }`),
      [
        '5:33: secrets.evidence_key_file: expected an Ed25519 private key, PEM without a passphrase, got something else in it',
      ],
    ],
    [
      'a directory as block list',
      `${MINIMAL}scanners: { link_blocklist_file: ${files.directory} }`,
      [
        '6:13: scanners.link_blocklist_file: expected a readable file (relative paths start at the working directory), got a directory',
      ],
    ],
    [
      'a resolver by name',
      `${MINIMAL}dns: { resolvers: [dns.example.com] }`,
      [
        '6:20: dns.resolvers[0]: expected an IP address, or with a port 127.0.0.1:5353 or [::1]:5353, got "dns.example.com"',
      ],
    ],
    [
      'a name server without listener',
      `${MINIMAL}dns: { authoritative: {} }`,
      ['6:8: dns.authoritative.listen: expected host:port, got nothing'],
    ],
    [
      'a domain without @ in safe mode',
      `${MINIMAL}safe_mode: { allowlist: [example.com] }`,
      [
        '6:26: safe_mode.allowlist[0]: expected an e-mail address, or @example.com for a whole domain, got "example.com"',
      ],
    ],
    [
      'a scanner without scheme',
      `${MINIMAL}scanners: { rspamd: { url: "127.0.0.1:11333" } }`,
      ['6:23: scanners.rspamd.url: expected an http:// or https:// address, got "127.0.0.1:11333"'],
    ],
    [
      'a virus scanner without a port',
      `${MINIMAL}scanners: { clamd: { address: run/clamd.ctl } }`,
      ['6:22: scanners.clamd.address: expected host:port or an absolute path, got "run/clamd.ctl"'],
    ],
    [
      'a block list twice',
      `${MINIMAL}scanners: { dnsbl: [dbl.spamhaus.org, multi.surbl.org, dbl.spamhaus.org] }`,
      ['6:56: scanners.dnsbl[2]: expected each list once, got "dbl.spamhaus.org"'],
    ],
    [
      'a block list of clients named twice',
      `${MINIMAL}smtp: { inbound: { listen: "0.0.0.0:25", dnsbl: [a.example, a.example] } }`,
      ['6:61: smtp.inbound.dnsbl[1]: expected each list once, got "a.example"'],
    ],
    [
      'a label of the key that means something else',
      domainConnect(files.rsa, ', key_host: _dmarc'),
      [
        `6:${70 + files.rsa.length}: domain_connect.key_host: expected a lower-case label that begins with an underscore, none that mail uses, got "_dmarc"`,
      ],
    ],
    [
      'a label of the key that a practice could have',
      domainConnect(files.rsa, ', key_host: dck1'),
      [
        `6:${70 + files.rsa.length}: domain_connect.key_host: expected a lower-case label that begins with an underscore, none that mail uses, got "dck1"`,
      ],
    ],
    [
      'a template that no file can be named after',
      domainConnect(files.rsa, ', service_id: a/b'),
      [
        `6:${70 + files.rsa.length}: domain_connect.service_id: expected 1 to 64 lower-case letters, digits, dots, hyphens and underscores, got "a/b"`,
      ],
    ],
    [
      'Domain Connect without a key',
      `${MINIMAL}domain_connect: { provider_id: mail.sample.test }`,
      ['6:1: domain_connect.private_key_file: expected the path of a file with the secret'],
    ],
    [
      'a DNS provider without a token',
      `${MINIMAL}dns: { provider: { kind: cloudflare } }`,
      ['6:8: dns.provider: expected token_file or token_env, got neither'],
    ],
    [
      'a DNS provider whose token would travel in clear',
      `${MINIMAL}dns: { provider: { kind: cloudflare, token_env: TOKEN, api: "http://api.sample.test" } }`,
      [
        '6:56: dns.provider.api: expected an https address, because the token goes there, got "http://api.sample.test"',
      ],
    ],
    [
      'a payment provider without its account',
      `${MINIMAL}billing: { provider: stripe }`,
      ['6:12: billing.provider: expected billing.stripe beside it, got none'],
    ],
    [
      'an account without secrets',
      stripe(PRICE),
      [
        '6:30: billing.stripe: expected secret_key_file or secret_key_env, got neither',
        '6:30: billing.stripe: expected webhook_secret_file or webhook_secret_env, got neither',
      ],
    ],
    [
      'an account whose secrets are exchanged',
      stripe(`secret_key_env: STRIPE_WEBHOOK, webhook_secret_env: STRIPE_KEY, ${PRICE}`),
      [
        '6:40: billing.stripe.secret_key_env: expected a secret or restricted key, sk_… or rk_…, got something else in it',
        '6:72: billing.stripe.webhook_secret_env: expected the signing secret of a webhook, whsec_…, got something else in it',
      ],
    ],
    [
      'an account with the id of a product',
      stripe('price: { supporter: prod_1 }'),
      ['6:49: billing.stripe.price.supporter: expected the id of a price, price_…, got "prod_1"'],
    ],
    [
      'an account whose key would travel in clear',
      stripe(
        `secret_key_env: STRIPE_KEY, webhook_secret_env: STRIPE_WEBHOOK, ${PRICE}, api_base: "http://api.sample.test"`,
      ),
      [
        '6:135: billing.stripe.api_base: expected an https address, because the token goes there, got "http://api.sample.test"',
      ],
    ],
    ['a key twice', `${MINIMAL}http: {}\nhttp: {}`, ['7:1: expected each key once, got http again']],
  ])('%s', (_name, text, expected) => expect(problemsOf(text)).toEqual(expected));

  test('no problem in a file of several authorities', () => {
    const { config } = load(`${MINIMAL}security: { outbound_ca_file: ${files.authorities} }`);
    expect(config.security.outbound_ca_file).toBe(files.authorities);
  });

  test('all problems at once, in the order of the file, those of files and variables among them', () => {
    const text = `http: { listen: x }\nadmin: { token_env: UNSET_TOKEN }\n${withService('host', 'a.send.sample.test')}log: { level: 1 }`;
    expect(problemsOf(text).map((line) => line.split(': expected')[0])).toEqual([
      '1:9: http.listen',
      '2:10: admin.token_env',
      '5:3: service.host',
      '8:8: log.level',
    ]);
  });

  test('a file that is not there', () => {
    expect(() => loadConfig('/nonexistent/service.yaml', {})).toThrow(
      '/nonexistent/service.yaml:1:1: expected a readable file, got ENOENT',
    );
  });
});

describe('secrets', () => {
  const secretsLine = (text: string) => MINIMAL.replace('{ master_key_env: KEY }', text);

  test.each<[string, string, (config: Config) => Secret | null | undefined, string]>([
    [
      'the master key from a file',
      secretsLine(`{ master_key_file: ${files.key} }`),
      ({ secrets }) => secrets.masterKey,
      KEY,
    ],
    [
      'the key for evidence from a file',
      secretsLine(`{ master_key_env: KEY, evidence_key_file: ${files.ed25519} }`),
      ({ secrets }) => secrets.evidenceKey,
      readFileSync(files.ed25519, 'utf8').trim(),
    ],
    ['the master key from the environment', MINIMAL, ({ secrets }) => secrets.masterKey, KEY],
    [
      'the token from a file',
      `${MINIMAL}admin: { token_file: ${files.token} }`,
      ({ admin }) => admin.token,
      TOKEN,
    ],
    [
      'the token from the environment',
      `${MINIMAL}admin: { token_env: TOKEN }`,
      ({ admin }) => admin.token,
      TOKEN,
    ],
    [
      "the DNS provider's token from the environment",
      `${MINIMAL}dns: { provider: { kind: cloudflare, token_env: TOKEN } }`,
      ({ dns }) => dns.provider?.token,
      TOKEN,
    ],
    [
      "the payment provider's key from the environment",
      stripe(`secret_key_env: STRIPE_KEY, webhook_secret_env: STRIPE_WEBHOOK, ${PRICE}`),
      ({ billing }) => billing.stripe?.secretKey,
      STRIPE_KEY,
    ],
    [
      'a password from a file',
      relay(`user: u, password_file: ${files.password}`),
      ({ upstreams: [first] }) => (first?.kind === 'smtp' ? first.password : null),
      PASSWORD,
    ],
    [
      'a password from the environment',
      relay('user: u, password_env: PASSWORD'),
      ({ upstreams: [first] }) => (first?.kind === 'smtp' ? first.password : null),
      PASSWORD,
    ],
    [
      'the key that signs apply URLs',
      domainConnect(files.rsa),
      ({ domain_connect }) => domain_connect?.privateKey,
      RSA.trimEnd(),
    ],
  ])('%s', (_name, text, part, value) => {
    const { config } = load(text);
    expect(part(config)?.reveal()).toBe(value);
    expect(warningsOf(text)).toEqual([]);
    const printed = [
      inspect(config, { depth: 9, showHidden: true }),
      JSON.stringify(config),
      String(config),
    ].join();
    expect(printed).not.toContain(value);
    expect(printed).toContain('[secret]');
  });

  test.each<[string, string, string]>([
    [
      'no master key',
      secretsLine('{}'),
      '5:1: secrets: expected master_key_file or master_key_env, got neither',
    ],
    [
      'no section for it',
      MINIMAL.replace(/secrets.*\n/, ''),
      '1:1: secrets: expected master_key_file or master_key_env, got neither',
    ],
    [
      'both sources',
      secretsLine(`{ master_key_env: KEY, master_key_file: ${files.key} }`),
      '5:12: secrets.master_key_env: expected only one of master_key_file and master_key_env, got both',
    ],
    [
      'a missing file',
      secretsLine('{ master_key_file: /nonexistent/key }'),
      '5:12: secrets.master_key_file: expected a readable file (relative paths start at the working directory), got no such file',
    ],
    [
      'an unset variable',
      secretsLine('{ master_key_env: UNSET }'),
      '5:12: secrets.master_key_env: expected the environment variable UNSET to be set, got an unset or empty one',
    ],
    [
      'an empty variable',
      secretsLine('{ master_key_env: EMPTY }'),
      '5:12: secrets.master_key_env: expected the environment variable EMPTY to be set, got an unset or empty one',
    ],
    [
      'a master key too short',
      secretsLine('{ master_key_env: SHORT }'),
      '5:12: secrets.master_key_env: expected base64 of 32 bytes, as `openssl rand -base64 32` makes it, got something else in it',
    ],
    [
      'a master key that is no base64',
      secretsLine('{ master_key_env: NOT_BASE64 }'),
      '5:12: secrets.master_key_env: expected base64 of 32 bytes, as `openssl rand -base64 32` makes it, got something else in it',
    ],
    [
      'a token too short',
      `${MINIMAL}admin: { token_env: SHORT }`,
      '6:10: admin.token_env: expected 16 to 512 visible ASCII characters without spaces, got something else in it',
    ],
    [
      'a password of two lines',
      relay('user: u, password_env: LINES'),
      '7:66: upstreams[0].password_env: expected one line with a password, got something else in it',
    ],
    [
      'a file too large',
      relay(`user: u, password_file: ${files.big}`),
      '7:66: upstreams[0].password_file: expected a file of at most 4096 bytes, got a larger one',
    ],
    [
      'a device',
      relay('user: u, password_file: /dev/zero'),
      '7:66: upstreams[0].password_file: expected a readable file (relative paths start at the working directory), got something that is no file',
    ],
    ['a key that is too short', domainConnect(files.shortRsa), NO_RSA_KEY],
    ['a key of another kind', domainConnect(files.ed25519), NO_RSA_KEY],
    ['a public key', domainConnect(files.publicRsa), NO_RSA_KEY],
    ['a key under a passphrase', domainConnect(files.encryptedRsa), NO_RSA_KEY],
    ['a file that is no key', domainConnect(files.text), NO_RSA_KEY],
    [
      'a key that is not there',
      domainConnect('/nonexistent/key'),
      '6:50: domain_connect.private_key_file: expected a readable file (relative paths start at the working directory), got no such file',
    ],
    [
      'the secret itself as variable',
      `${MINIMAL}admin: { token_env: "geheim=1" }`,
      '6:10: admin.token_env: expected the name of an environment variable, such as RELAY_PASSWORD',
    ],
  ])('%s is a problem that does not show it', (_name, text, expected) =>
    expect(problemsOf(text)).toEqual([expected]),
  );
});

describe('warnings', () => {
  test.each<[string, string, string[]]>([
    [
      'a file others can read',
      relay(`user: u, password_file: ${files.open}`),
      [
        '7:66: upstreams[0].password_file: others on this machine can read or write the file; chmod o-rw would do',
      ],
    ],
    [
      'no TLS',
      relay('tls: none'),
      ['7:57: upstreams[0].tls: none: everything sent to relay.sample.test travels in clear'],
    ],
    [
      'no TLS and a password',
      relay('tls: none, user: u, password_env: PASSWORD'),
      [
        '7:57: upstreams[0].tls: none: everything sent to relay.sample.test travels in clear, except the password, which is not sent at all: signing in will fail',
      ],
    ],
    [
      'a password over opportunistic TLS',
      relay('tls: opportunistic, user: u, password_env: PASSWORD'),
      [
        '7:57: upstreams[0].tls: opportunistic: an attacker between here and relay.sample.test can read the password',
      ],
    ],
    [
      'scanners on another machine',
      `${MINIMAL}scanners: { rspamd: { url: "http://10.10.2.1:11333" }, clamd: { address: "10.10.2.1:3310" } }`,
      [
        '6:23: scanners.rspamd.url: content travels to it in clear; use one on this machine',
        '6:65: scanners.clamd.address: content travels to it in clear; use one on this machine',
      ],
    ],
    [
      'scanners on this machine, or over TLS',
      `${MINIMAL}scanners: { rspamd: { url: "https://10.10.2.1" }, clamd: { address: "[::1]:3310" } }`,
      [],
    ],
    ['no TLS to this machine', relay('tls: none').replace('relay.sample.test', '127.0.0.1'), []],
    [
      'no HTTPS',
      withService('public_origin', 'http://mail.sample.test'),
      [
        '2:3: service.public_origin: not https: messages get no unsubscribe link, and sign-in travels in clear',
      ],
    ],
    ['no HTTPS on this machine', withService('public_origin', 'http://localhost:8080'), []],
    [
      'a name server without addresses',
      `${MINIMAL}dns: { authoritative: { listen: "0.0.0.0:53" } }`,
      ['6:1: dns.zones.addresses: none given: service.host and its name server get no A or AAAA record'],
    ],
    [
      'exceptions for development',
      `${MINIMAL}security: { outbound_allow: [127.0.0.0/8], outbound_allow_http: true }`,
      [
        '6:13: security.outbound_allow: webhooks and alerts may reach 127.0.0.0/8',
        '6:44: security.outbound_allow_http: webhooks and alerts may use http, unencrypted',
      ],
    ],
    ...[
      ['a relay that SPF does not name', 'host: smtp.elsewhere.test', '', true],
      ['a relay by a public address that is not listed', 'host: 8.8.8.8', 'addresses: [9.9.9.9]', true],
      ['a relay by an address of service.host', 'host: 9.9.9.9', 'addresses: [9.9.9.9]', false],
      ['a relay by an address in a listed network', 'host: 8.8.8.8', 'spf_addresses: [8.8.8.0/24]', false],
      [
        'a relay whose include is named',
        'host: smtp.elsewhere.test',
        'spf_includes: [_spf.a-b_c.test]',
        false,
      ],
      ['a relay on this machine, whose address is not known', 'host: 127.0.0.1', '', true],
      ['a relay on this machine', 'host: 127.0.0.1', 'addresses: [9.9.9.9]', false],
      ['a relay in the own network', 'host: 10.0.0.9', 'addresses: [9.9.9.9]', false],
    ].map(([name, host, zones, warns]): [string, string, string[]] => [
      `${name}`,
      `${MINIMAL}upstreams: [{ kind: smtp, name: a, ${host} }]\ndns: { zones: { ${zones} } }`,
      warns
        ? [
            '6:13: upstreams[0]: the SPF record of this service names no machine of it, so that receivers see its mail as forged: set dns.zones.spf_includes to the SPF domain that its provider names, or dns.zones.spf_addresses to its addresses',
          ]
        : [],
    ]),
    [
      'names of the example file',
      `service: { public_origin: "https://mail.example.com", host: mail.example.com, managed_suffix: send.example.com }
secrets: { master_key_env: KEY }
upstreams: [{ kind: smtp, name: a, host: relay.example.net }]
dns: { zones: { addresses: [203.0.113.10, 9.9.9.9], spf_includes: [_spf.relay.example] } }`,
      [
        '1:12: service.public_origin: mail.example.com is from the example: set your own',
        '1:55: service.host: mail.example.com is from the example: set your own',
        '1:79: service.managed_suffix: send.example.com is from the example: set your own',
        '3:36: upstreams[0].host: relay.example.net is from the example: set your own',
        '4:17: dns.zones.addresses: 203.0.113.10 is from the example: set your own',
        '4:53: dns.zones.spf_includes: _spf.relay.example is from the example: set your own',
      ],
    ],
  ])('%s', (_name, text, expected) => expect(warningsOf(text)).toEqual(expected));

  const NEVER = '; no mail is ever `delivered`, because delivery notices would come in there';
  test.each<[string, string, string[]]>([
    ['a relay, and no listener for what comes back', relay(''), [`1:1: ${NO_LISTENER}${NEVER}`]],
    ['the same where the relay’s 2xx counts', relay('delivered_on: accept'), [`1:1: ${NO_LISTENER}`]],
    [
      'the same beside another listener',
      `${relay('')}smtp: { submission: { listen: "127.0.0.1:587" } }\n`,
      [`9:1: ${NO_LISTENER}${NEVER}`],
    ],
    ['a relay and a listener', `${relay('')}smtp: { inbound: { listen: "[::]:25" } }\n`, []],
    ['a capture mailbox alone', MINIMAL, []],
  ])('of bounces that come back to no one: %s', (_name, text, expected) =>
    expect(allWarningsOf(text).filter((line) => line.includes(NO_LISTENER))).toEqual(expected),
  );

  test.each([
    ['the only upstream', '{ kind: capture, name: a }', 'https', ['upstreams[0]']],
    [
      'behind a relay',
      '{ kind: smtp, name: r, host: 127.0.0.1 }, { kind: capture, name: a }',
      'https',
      ['upstreams[1]'],
    ],
    [
      'for a practice that is named',
      '{ kind: smtp, name: r, host: 127.0.0.1 }, { kind: capture, name: a, for: { practices: [x] } }',
      'https',
      [],
    ],
    ['without https', '{ kind: capture, name: a }', 'http', []],
  ])('capture, %s', (_name, upstreams, scheme, keys) => {
    const text = `${withService('public_origin', `${scheme}://mail.sample.test`)}upstreams: [${upstreams}]\ndns: { zones: { addresses: [9.9.9.9] } }`;
    const found = allWarningsOf(text).filter((line) => line.includes('delivers none'));
    expect(found.map((line) => line.split(': ')[1])).toEqual(keys);
  });
});

describe('what a reload can change', () => {
  const before = load(MINIMAL).config;

  test.each<[string, string, { live: string[]; restart: string[] }]>([
    ['nothing', MINIMAL, { live: [], restart: [] }],
    ['the level', `${MINIMAL}log: { level: debug }`, { live: ['log.level'], restart: [] }],
    [
      'limits',
      `${MINIMAL}limits: { api_rate: { burst: 1 }, body_bytes: 65536 }`,
      { live: ['limits.api_rate.burst', 'limits.body_bytes'], restart: [] },
    ],
    [
      'lists',
      `${MINIMAL}queue: { retry: [2m] }\nsecurity: { outbound_allow: [127.0.0.1] }`,
      { live: ['queue.retry', 'security.outbound_allow'], restart: [] },
    ],
    [
      'safe mode and retention',
      `${MINIMAL}safe_mode: { default: false }\nretention: { events: 1d }`,
      { live: ['retention.events', 'safe_mode.default'], restart: [] },
    ],
    [
      'whether passwords may be used',
      `${MINIMAL}auth: { password_login: true }`,
      { live: ['auth.password_login'], restart: [] },
    ],
    [
      'what becomes of mail that no scanner has seen',
      `${MINIMAL}scanners: { on_failure: refuse, link_blocklist_file: ${files.text} }`,
      { live: ['scanners.link_blocklist_file', 'scanners.on_failure'], restart: [] },
    ],
    [
      'a scanner',
      `${MINIMAL}scanners: { dnsbl: [dbl.spamhaus.org], clamd: { address: "127.0.0.1:3310" } }`,
      { live: [], restart: ['scanners.clamd', 'scanners.dnsbl'] },
    ],
    [
      'the listener',
      `${MINIMAL}http: { listen: "127.0.0.1:1" }`,
      { live: [], restart: ['http.listen.port'] },
    ],
    [
      'a new section',
      `${MINIMAL}smtp: { inbound: { listen: "0.0.0.0:25" } }`,
      { live: [], restart: ['smtp.inbound'] },
    ],
    ['upstreams', relay('pool: 1'), { live: [], restart: ['dns.zones.spf_includes', 'upstreams'] }],
    ['a secret', `${MINIMAL}admin: { token_env: TOKEN }`, { live: [], restart: ['admin.token'] }],
    ['Domain Connect', domainConnect(files.rsa), { live: [], restart: ['domain_connect'] }],
  ])('%s', (_name, text, expected) => expect(liveChanges(before, load(text).config)).toEqual(expected));

  test('a secret with another value, without showing it', () => {
    const first = load(relay('user: u, password_env: PASSWORD')).config;
    const second = load(relay('user: u, password_env: SHORT')).config;
    expect(liveChanges(first, second)).toEqual({ live: [], restart: ['upstreams'] });
    expect(liveChanges(first, load(relay('user: u, password_env: PASSWORD')).config).restart).toEqual([]);
    expect(
      liveChanges(
        { ...before, admin: { mail: null, token: new Secret('a') } },
        { ...before, admin: { mail: null, token: new Secret('b') } },
      ).restart,
    ).toEqual(['admin.token']);
  });
});
