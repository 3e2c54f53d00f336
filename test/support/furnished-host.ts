// What a machine of operated-host.ts has beside what setup makes.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { generateIdentity, identityToRecipient } from 'age-encryption';
import type { Sender } from './app.ts';
import type { Machine } from './operated-host.ts';

/** A certificate for the service, and that of the authority that issued it. */
const issue = (directory: string): string => {
  const openssl = (...words: readonly string[]) =>
    execFileSync(
      '/usr/bin/openssl',
      ['req', '-x509', '-nodes', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', ...words],
      { cwd: directory, stdio: 'pipe' },
    );
  openssl('-subj', '/CN=Authority', '-keyout', 'ca.key', '-out', 'ca.crt');
  openssl(
    ...['-subj', '/CN=mail.example.org', '-addext', 'subjectAltName=DNS:mail.example.org'],
    ...['-CA', 'ca.crt', '-CAkey', 'ca.key', '-keyout', 'mail.key', '-out', 'mail.crt'],
  );
  return readFileSync(path.join(directory, 'ca.crt'), 'utf8');
};

/** What a server has beside what setup makes: secrets and certificates that pages name. This process trusts the certificates then. */
export const furnish = async ({ at, other }: Machine): Promise<void> => {
  const etc = at('etc/sendwerk');
  const certificate = issue(etc);
  setDefaultCACertificates([...getCACertificates('default'), certificate]);
  const identity = await generateIdentity();
  await mkdir(path.join(etc, 'fleet'));
  const secrets = {
    'etc/sendwerk/relay.password': 'a password of the relay',
    'etc/sendwerk/metrics.token': '0123456789abcdef',
    'etc/sendwerk/stripe.key': 'rk_test_0123456789abcdef',
    'etc/sendwerk/stripe-webhook.secret': 'whsec_0123456789abcdef',
    'etc/sendwerk/litestream.env': 'LITESTREAM_ACCESS_KEY_ID=one\nLITESTREAM_SECRET_ACCESS_KEY=two',
    'etc/sendwerk/new-admin.token': other.adminToken,
    'etc/prometheus/sendwerk.token': 'a token of the metrics',
    'etc/sendwerk/passphrase': 'nine words that nobody else would think of today',
    'etc/sendwerk/age.secret': identity,
    'etc/sendwerk/age.public': await identityToRecipient(identity),
    'etc/sendwerk/fleet/one.token': readFileSync(path.join(etc, 'admin.token'), 'utf8').trim(),
    'etc/sendwerk/fleet/two.token': other.adminToken,
  };
  for (const [name, text] of Object.entries(secrets)) await writeFile(at(name), `${text}\n`, { mode: 0o600 });
  await cp('config/prometheus/alerts.yaml', at('etc/prometheus/sendwerk-alerts.yaml'));
};

/** The two practices that pages name. */
export const openPractices = async (machine: Machine): Promise<Sender> => {
  const app = machine.app();
  const market = await app.createSender({ name: 'Praxis am Markt' });
  await app.createPractice({ name: 'Praxis Sonnenhof' });
  return market;
};
