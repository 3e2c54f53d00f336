// What setup proposes and refuses, and what its configuration and delegation say, without a machine.
import { describe, expect, test } from 'vitest';
import { type Key, keys } from '#src/app/setup/asked.ts';
import { collectAnswers } from '#src/app/setup/collect.ts';
import { configurationText } from '#src/app/setup/configuration.ts';
import { delegationFile } from '#src/app/setup/left-to-do.ts';
import { planOf, stepText } from '#src/app/setup/plan.ts';
import { type Answers, faultOf, type Machine, tidy } from '#src/app/setup/questions.ts';
import { checkSections } from '#src/kernel/config/checks.ts';
import { configSchema } from '#src/kernel/config/schema.ts';
import { readYaml } from '#src/kernel/yaml-file.ts';

const machine: Machine = { hostName: 'srv1', publicAddresses: ['93.184.216.10'], takenPorts: [] };
const given = {
  domain: 'praxis.test',
  relay_host: 'relay.post.test',
  operator: 'me@home.test',
  proxy: 'caddy',
  agree_to_terms: 'yes',
};

const answersOf = (options: Partial<Answers>, on: Partial<Machine> = {}): Promise<Answers> =>
  collectAnswers({
    options: { ...given, ...options },
    file: {},
    before: {},
    machine: { ...machine, ...on },
    prompter: null,
    print: () => undefined,
  });

test('all names are proposed from one domain, all else from the machine and the relay', async () => {
  expect(await answersOf({})).toMatchObject({
    host: 'mail.praxis.test',
    managed_suffix: 'send.praxis.test',
    nameserver: 'ns1.mail.praxis.test',
    addresses: '93.184.216.10',
    relay_port: '587',
    relay_tls: 'required',
    smtp_listen: '0.0.0.0:25',
    dns_listen: '0.0.0.0:53',
  });
});

test('the service has HTTPS itself, unless another program has its ports; whether one agrees is never proposed', async () => {
  const { proxy: _, agree_to_terms: __, ...bare } = given;
  const collect = (options: Partial<Answers>, takenPorts: readonly number[]) =>
    collectAnswers({
      options: { ...bare, ...options },
      file: {},
      before: {},
      machine: { ...machine, takenPorts },
      prompter: null,
      print: () => undefined,
    });
  await expect(collect({}, [])).rejects.toThrow(/^setup: --agree-to-terms is missing: .*\nGive them/s);
  await expect(collect({ agree_to_terms: 'yes' }, [443])).rejects.toThrow(/^setup: --proxy is missing: /);
  const own = await collect({ agree_to_terms: 'yes' }, []);
  const text = configurationText(own);
  expect(text).toContain('tls: { listen: "0.0.0.0:443", redirect: "0.0.0.0:80" }');
  expect(text).toContain('acme: { agree_to_terms: true, email: me@home.test }');
  expect(text).not.toContain('trust_proxy');
  // Behind a proxy, without a name server of its own, no authority could check a name.
  const behind = configurationText(await collect({ proxy: 'nginx', dns: 'own', agree_to_terms: 'yes' }, []));
  expect(behind).not.toContain('acme');
  expect(configurationText(await collect({ agree_to_terms: 'no' }, []))).not.toContain('tls: {');
});

test.each<[what: string, options: Partial<Answers>, on: Partial<Machine>, expected: Partial<Answers>]>([
  ['a relay with TLS from the first byte', { relay_port: '465' }, {}, { relay_tls: 'implicit' }],
  [
    'a relay on this machine has port 25 of the loopback alone',
    { relay_host: '127.0.0.1' },
    {},
    { relay_port: '25', relay_tls: 'opportunistic', smtp_listen: '93.184.216.10:25' },
  ],
  ['another resolver has port 53', {}, { takenPorts: [53] }, { dns_listen: '93.184.216.10:53' }],
  [
    'a machine behind address translation',
    { addresses: '93.184.216.11' },
    { takenPorts: [53] },
    { dns_listen: '0.0.0.0:53' },
  ],
  [
    'a machine with IPv6',
    { addresses: '93.184.216.10, 2a00:1::1' },
    {},
    { smtp_listen: '[::]:25', dns_listen: '[::]:53' },
  ],
  [
    'a known provider',
    { relay_host: 'email-smtp.eu-west-1.amazonaws.com' },
    {},
    { relay_spf: 'amazonses.com' },
  ],
])('%s', async (_what, options, on, expected) => {
  expect(await answersOf(options, on)).toMatchObject(expected);
});

test.each<[key: Key, typed: string, says: RegExp | null]>([
  ['domain', 'Praxis.Test.', null],
  ['domain', 'https://praxis.test/', /not a lower-case host name; leave out the part up to \/\//],
  ['domain', 'localhost', /with a dot in it/],
  ['domain', 'präxis.test', null],
  ['host', '93.184.216.10', /not a lower-case host name/],
  ['host', 'praxis.test', /its website and mail would be lost: take a name below it, as mail\.praxis\.test/],
  ['managed_suffix', 'mail.praxis.test', /mail\.praxis\.test lies in it/],
  ['addresses', '93.184.216.10 2a00:1::1', null],
  ['addresses', '93.184.216', /"93\.184\.216" is not an IP address/],
  ['relay_port', '70000', /not a whole number from 1 to 65535/],
  ['relay_spf', 'spf.relay.test, 198.51.100.0/24', null],
  ['relay_spf', 'two words!', /not an SPF domain or an IP address/],
  ['operator', 'me', /"me" is not an e-mail address/],
  ['operator', 'me@mail.praxis.test', /reaches no mailbox of a person/],
  ['operator', '', /an answer is needed/],
  ['proxy', 'apache', /not none, caddy or nginx/],
])('to %s the answer %j', (key, typed, says) => {
  const known = { domain: 'praxis.test', host: 'mail.praxis.test' };
  const fault = faultOf(key, tidy(key, typed), known);
  if (says === null) expect(fault).toBe(null);
  else expect(fault).toMatch(says);
});

test('all that is wrong or missing is said at once, by the names of the options', async () => {
  const refused = answersOf({ operator: 'me', relay_host: 'a_b', proxy: 'x' }, { publicAddresses: [] });
  await expect(refused).rejects.toThrow(
    /--addresses is missing: .*\nsetup: --relay-host: .*\nsetup: --operator: .*\nsetup: --proxy: .*\nGive them as options/s,
  );
});

describe('the configuration', () => {
  const all: Partial<Answers>[] = [
    {},
    { dns: 'own' },
    { relay_host: '127.0.0.1', proxy: 'none' },
    { proxy: 'none', addresses: '93.184.216.10, 2a00:1::1' },
    { proxy: 'none', agree_to_terms: 'no' },
    { relay_user: "o'brien: #1", relay_spf: 'spf.relay.test, 198.51.100.0/24', proxy: 'nginx' },
    { addresses: '93.184.216.10, 2a00:1::1', delivered_on: 'accept' },
  ];
  test.each(all)('of %j is one that the daemon takes, in the same words each time', async (options) => {
    const answers = await answersOf(options);
    const text = configurationText(answers);
    const { value, problems, problemAt } = readYaml('service.yaml', text, configSchema);
    const found = [...problems];
    checkSections(value, { problem: (...at) => found.push(problemAt(...at)), warning: () => undefined });
    expect(found).toEqual([]);
    expect(configurationText(await answersOf(options))).toBe(text);
    const [relay] = value.upstreams ?? [];
    expect(relay).toMatchObject({ kind: 'smtp', host: answers.relay_host });
    if (options.relay_user !== undefined) expect(relay).toMatchObject({ user: options.relay_user });
  });
});

test('what is delegated: both zones, with the addresses of a name server within them', async () => {
  const lines = delegationFile(await answersOf({ addresses: '93.184.216.10, 2a00:1::1' })).split('\n');
  expect(lines.slice(1)).toEqual([
    'mail.praxis.test. 3600 IN NS ns1.mail.praxis.test.',
    'send.praxis.test. 3600 IN NS ns1.mail.praxis.test.',
    'ns1.mail.praxis.test. 3600 IN A 93.184.216.10',
    'ns1.mail.praxis.test. 3600 IN AAAA 2a00:1::1',
    '',
  ]);
  const elsewhere = delegationFile(await answersOf({ nameserver: 'ns.other.test' }));
  expect(elsewhere).not.toContain('IN A');
});

test('the plan names each file with owner and mode, and each command, but no secret', async () => {
  const answers = await answersOf({ relay_user: 'me' });
  const installation = {
    runsSystemd: true,
    brought: { '/etc/systemd/system/sendwerk.service': '' },
    program: '/x',
  };
  const lines = planOf(answers, 'hunter2hunter2', installation).map(stepText);
  expect(lines).toEqual([
    expect.stringMatching(/^useradd --system .* sendwerk$/),
    '0750 root:sendwerk /etc/sendwerk/',
    '0700 sendwerk:sendwerk /var/lib/sendwerk/',
    '0700 sendwerk:sendwerk /var/backups/sendwerk/',
    '0640 root:sendwerk /etc/sendwerk/master.key',
    '0640 root:sendwerk /etc/sendwerk/admin.token',
    '0640 root:sendwerk /etc/sendwerk/relay.password',
    '0640 root:sendwerk /etc/sendwerk/service.yaml',
    '0644 root:root /etc/systemd/system/sendwerk.service',
    '0644 root:root /etc/caddy/Caddyfile',
    '/usr/local/bin/sendwerk -> /x',
    'systemctl daemon-reload',
    'systemctl enable --now sendwerk.service sendwerk-backup.timer',
    'systemctl restart sendwerk.service',
    'systemctl start --no-block sendwerk-backup.service',
    'systemctl reload-or-restart caddy.service',
  ]);
  expect(keys.every((key) => !lines.join().includes(`${key}: `))).toBe(true);
});
