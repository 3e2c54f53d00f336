// @module-tag debian/chromium-headless-shell
// Who sets up a practice: its domain until the records are found in the DNS, and those that are published for it, its members, its legal notice and what the audit keeps of
// it; who may only look; and names with script in them.
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join as joinPath } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dkimRecord } from '#src/mail/dkim-key.ts';
import { type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { openBrowser, runsNothing } from '#test/support/browser.ts';
import { hostile, type TestPage } from '#test/support/chromium.ts';
import { type DnsZone, startDnsZone } from '#test/support/dns-zone.ts';
import { join, makeOwner, type Person, signIn, unlimitedSignIn } from '#test/support/people.ts';
import { type PlayedCloudflare, startPlayedCloudflare } from '#test/support/played-cloudflare.ts';
import { freePort } from '#test/support/process.ts';

const DOMAIN = 'praxis.test';
const OWNER = 'sommer@example.org';

const browser = openBrowser();
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
let folder: string;
let dns: DnsZone;
let cloudflare: PlayedCloudflare;
let app: TestApp;
let sender: Sender;
let owner: Person;
beforeAll(async () => {
  dns = await startDnsZone();
  cloudflare = await startPlayedCloudflare();
  folder = await mkdtemp(joinPath(tmpdir(), 'set-up-'));
  const keyFile = joinPath(folder, 'domain-connect.key');
  await writeFile(keyFile, pem, { mode: 0o600 });
  const listen = `127.0.0.1:${await freePort()}`;
  app = await startApp({
    config: {
      ...unlimitedSignIn,
      service: { public_origin: `http://${listen}` },
      http: { listen },
      dns: {
        resolvers: [dns.address],
        authoritative: { listen: '127.0.0.1:0' },
        zones: { addresses: ['127.0.0.1'] },
        provider: cloudflare.config,
      },
      domain_connect: { provider_id: 'example.com', service_id: 'mail', private_key_file: keyFile },
    },
  });
  dns.delegate('mail.example.com', app.dnsPort ?? 0);
  dns.delegate('send.example.com', app.dnsPort ?? 0);
  sender = await app.createSender({ name: 'Praxis Dr. Sommer', plan: 'praxis' });
  await makeOwner(app, sender.practice.id, OWNER);
  owner = await signIn(app, OWNER);
});
afterAll(async () => {
  await app?.remove();
  await Promise.all([cloudflare?.stop(), dns?.stop()]);
  await rm(folder, { recursive: true });
});

const open = async (path: string, { cookie }: Person = owner): Promise<TestPage> => {
  const page = await browser.newPage({ origin: app.origin, cookie });
  await page.goto(`/app/${sender.practice.id}/${path}`);
  return page;
};

interface Wanted {
  readonly records: Parameters<DnsZone['publish']>[0];
  readonly inbound: Wanted['records'];
}
const wanted = async ({ base, token } = sender): Promise<Wanted> =>
  (await app.request<Wanted>('GET', `${base}/dns-records`, undefined, token)).body;

test('a domain is attached, its records are shown as missing, published, checked, and it is in use', async () => {
  const page = await open('domain');
  await page.getByRole('button', { name: 'Eigene Domain anschließen' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Domain').fill('kein/name');
  await dialog.getByRole('button', { name: 'Anschließen' }).click();
  await dialog.getByRole('alert').waitFor();
  await dialog.getByLabel('Domain').fill(DOMAIN);
  await dialog.getByRole('button', { name: 'Anschließen' }).click();
  await page.getByRole('heading', { name: `Einträge für ${DOMAIN}` }).waitFor();
  const { records } = await wanted();
  const [first] = records;
  const state = page.getByRole('status').filter({ hasText: 'nötigen Einträgen' });
  await state.getByText(/^0 von \d+ nötigen Einträgen sind richtig/).waitFor();
  const missing = page.locator('.records details[open]', { hasText: 'Fehlt' });
  expect(await missing.first().textContent()).toContain(first?.name);
  expect(await missing.first().textContent()).toContain('Legen Sie diesen Eintrag');
  await missing.first().getByRole('button', { name: 'Kopieren Wert' }).waitFor();

  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Zonendatei laden' }).click();
  expect((await download).suggestedFilename()).toBe(`${DOMAIN}.zone`);

  dns.publish(records);
  dns.set(DOMAIN, 'TXT', `v=spf1 ${hostile('spf')} -all`);
  await page.getByRole('button', { name: 'Jetzt prüfen' }).click();
  await page.getByText(`${DOMAIN} ist jetzt in Gebrauch.`).waitFor();
  const spf = page.locator('.records details[open]', { hasText: 'Erlaubte Server (SPF)' });
  await spf.filter({ hasText: "__ran('spf')" }).waitFor();
  await runsNothing(page);

  dns.publish((await wanted()).records);
  await page.getByRole('button', { name: 'Jetzt prüfen' }).click();
  await page.getByText('Alle nötigen Einträge sind richtig.').waitFor();
  const { body } = await app.request<{ domain: string }>('GET', sender.base, undefined, sender.token);
  expect(body.domain).toBe(DOMAIN);
});

test('keys are rotated too early only where someone else may have them', async () => {
  const page = await open('domain');
  const keys = page.getByRole('table', { name: 'Schlüssel (DKIM)' });
  await keys.getByText('signiert', { exact: true }).first().waitFor();
  expect(await keys.getByText('zurückgezogen').count()).toBe(0);
  await page.getByRole('button', { name: 'Schlüssel wechseln' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Wechseln' }).click();
  await dialog.getByRole('alert').waitFor();
  await dialog.getByLabel('Jemand anderes könnte die Schlüssel haben').check();
  await dialog.getByRole('button', { name: 'Wechseln' }).click();
  await page.getByText('Die Schlüssel sind gewechselt.').waitFor();
  await keys.getByText('zurückgezogen').first().waitFor();
});

test('a key is brought along once its record is in the DNS', async () => {
  const page = await open('domain');
  await page.getByRole('button', { name: 'Schlüssel mitbringen' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Selektor').fill('praxis2019');
  await dialog.getByLabel('Privater Schlüssel').fill(pem);
  await dialog.getByRole('button', { name: 'Übernehmen' }).click();
  await dialog.getByRole('alert').waitFor();
  const name = `praxis2019._domainkey.${DOMAIN}`;
  dns.set(name, 'TXT', dkimRecord(createPublicKey(privateKey), 'rsa-sha256'));
  await dialog.getByRole('button', { name: 'Übernehmen' }).click();
  await page.getByText('Der Schlüssel ist übernommen.').waitFor();
  await page
    .getByRole('table', { name: 'Schlüssel (DKIM)' })
    .getByRole('row', { name: 'praxis2019 mitgebracht' })
    .getByText('signiert', { exact: true })
    .waitFor();
});

test('the logo is an address with https, and its record is among those of the domain', async () => {
  const page = await open('domain');
  const logo = page.getByLabel('Adresse des Logos');
  await logo.fill('http://praxis.test/logo.svg');
  await page.getByRole('button', { name: 'Speichern' }).click();
  await page.getByRole('alert').waitFor();
  await logo.fill('https://praxis.test/logo.svg');
  await page.getByRole('button', { name: 'Speichern' }).click();
  await page.getByText('Gespeichert.').waitFor();
  await page.locator('.records li', { hasText: 'Logo neben der Mail (BIMI)' }).waitFor();
  await expect.poll(() => logo.inputValue()).toBe('https://praxis.test/logo.svg');
});

test('the service adds the records for receiving at the provider where it has access', async () => {
  cloudflare.zones = [{ id: 'z1', name: DOMAIN, status: 'active' }];
  cloudflare.created = ({ type, name, content, priority }) => {
    const value = type === 'TXT' ? content.slice(1, -1) : content;
    dns.set(name, type as 'MX', priority === undefined ? value : `${priority} ${value}`);
  };
  const page = await open('domain');
  await page.getByRole('link', { name: 'Empfang einstellen' }).click();
  await page.getByRole('button', { name: 'Empfang einschalten' }).click();
  await page.getByText('Eingeschaltet, der DNS-Eintrag fehlt noch').waitFor();
  await page.getByRole('button', { name: 'Jetzt prüfen' }).click();
  const own = page.locator('section', { has: page.getByRole('heading', { name: `in.${DOMAIN}`, level: 3 }) });
  await own.locator('details[open]', { hasText: 'Mails empfangen (MX)' }).getByText('Fehlt').waitFor();
  await page.getByRole('button', { name: 'Bei Cloudflare eintragen lassen' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Anlegen' }).click();
  await dialog.getByRole('heading', { name: 'Das ist daraus geworden' }).waitFor();
  expect(await dialog.getByRole('listitem').allTextContents()).toEqual([
    'Mails empfangen (MX) angelegt',
    'Verschlüsselter Empfang (MTA-STS) angelegt',
    'Regeln für verschlüsselten Empfang (MTA-STS) angelegt',
    'Berichte über Verschlüsselung (TLS-RPT) angelegt',
  ]);
  await page.keyboard.press('Escape');
  await page.getByText('Eingeschaltet', { exact: true }).waitFor();
  expect(cloudflare.records.map(({ name }) => name)).toContain(`in.${DOMAIN}`);
});

test('a provider that adds the records after one click leads back to the page, which finds them', async () => {
  const domain = 'klick.test';
  const other = await app.createSender({ name: 'Praxis Klick', plan: 'praxis' });
  await makeOwner(app, other.practice.id, OWNER);
  await app.request('POST', `${other.base}/custom-domain`, { domain }, other.token);
  dns.set(`_domainconnect.${domain}`, 'TXT', 'api.cloudflare.com/client/v4/dns/domainconnect');
  const page = await browser.newPage({ origin: app.origin, cookie: owner.cookie });
  await page.goto(`/app/${other.practice.id}/domain`);
  await page.getByText('Ihr Domain-Anbieter kann die Einträge selbst anlegen.').waitFor();
  await page.route('https://dash.cloudflare.com/**', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<h1>Cloudflare</h1>' }),
  );
  await page.getByRole('link', { name: 'Bei Cloudflare eintragen' }).click();
  await page.getByRole('heading', { name: 'Cloudflare' }).waitFor();
  const asked = new URL(page.url());
  expect(asked.searchParams.get('domain')).toBe(domain);
  expect(await page.problems()).toEqual([`request to another origin: ${asked}`]);

  const { records, inbound } = await wanted(other);
  dns.publish([...records, ...inbound]);
  await page.goto(asked.searchParams.get('redirect_uri') ?? '');
  await page.getByText(`${domain} ist jetzt in Gebrauch.`).waitFor();
  await page.getByText('Alle nötigen Einträge sind richtig.').waitFor();
  expect(await page.getByRole('link', { name: 'Bei Cloudflare eintragen' }).count()).toBe(0);
});

test('where the service takes no payments, the page says how to get a plan', async () => {
  const page = await open('billing');
  await page.getByText('Dieser Dienst nimmt selbst keine Zahlungen an.').waitFor();
  await page.getByRole('row', { name: 'Supporter' }).getByText('Beim Betreiber anfragen').waitFor();
  expect(await page.getByRole('button', { name: 'Buchen' }).count()).toBe(0);
});

test('a member is invited, gets another role, and is removed', async () => {
  const email = 'empfang@example.org';
  const page = await open('members');
  await page.getByRole('button', { name: 'Jemanden einladen' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('E-Mail-Adresse').fill(email);
  await dialog.getByLabel('Rolle').selectOption('Redaktion');
  await dialog.getByRole('button', { name: 'Einladung senden' }).click();
  const row = page.getByRole('row', { name: email });
  await row.getByText('eingeladen').waitFor();
  await row.getByText('Redaktion').waitFor();

  await row.getByRole('button', { name: 'Ändern' }).click();
  await dialog.getByLabel('Rolle').selectOption('Nur ansehen');
  await dialog.getByRole('button', { name: 'Speichern' }).click();
  await row.getByText('Nur ansehen').waitFor();

  await row.getByRole('button', { name: 'Entfernen' }).click();
  await dialog.getByRole('button', { name: 'Entfernen' }).click();
  await row.waitFor({ state: 'detached' });
  // The only owner can neither leave nor be less than that: the refusal is shown where it was asked for.
  await page.getByRole('button', { name: 'Austreten' }).click();
  await dialog.getByRole('button', { name: 'Austreten' }).click();
  await dialog.getByRole('alert').waitFor();
});

test('a role of the practice has the permissions that were ticked', async () => {
  const page = await open('members');
  await page.getByRole('button', { name: 'Eigene Rolle anlegen' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name der Rolle').fill(hostile('role'));
  await dialog.getByLabel('Zahlen sehen').check();
  await dialog.getByRole('button', { name: 'Speichern' }).click();
  const role = page.getByRole('group').filter({ hasText: "__ran('role')" });
  await role.locator('summary').click();
  expect(await role.getByRole('listitem').allTextContents()).toEqual(['Zahlen sehen']);
  await runsNothing(page);
});

test('the legal notice is seen as it will look, saved, and in the audit with before and after', async () => {
  const page = await open('legal');
  await page.getByLabel('Straße und Hausnummer').fill(`Am Markt 2 ${hostile('street')}`.slice(0, 90));
  await page.getByLabel('Postleitzahl und Ort').fill('20095 Hamburg');
  await page.getByLabel('Adresse der Datenschutzerklärung').fill('https://praxis.test/datenschutz');
  await page.getByRole('figure').getByText('20095 Hamburg').waitFor();
  await page.getByRole('button', { name: 'Speichern' }).first().click();
  await page.getByText('Gespeichert.').waitFor();
  // With this note goes what was typed before: the page has loaded what is kept.
  await page.getByText('Solange etwas fehlt, wird keine Werbung gesendet.').waitFor({ state: 'detached' });
  await page.getByLabel('Straße und Hausnummer').fill('Hafenweg 3');
  const kept = page.waitForResponse((response) => response.request().method() === 'PATCH');
  await page.getByRole('button', { name: 'Speichern' }).first().click();
  await kept;
  await runsNothing(page);

  const audit = await open('audit');
  await audit.getByLabel('Worum es geht').selectOption('Praxis');
  await audit.waitForURL(/action=practice/);
  const entry = audit.locator('.records li', { hasText: 'Impressum geändert' }).first();
  await entry.locator('summary').click();
  const change = entry.getByRole('row', { name: 'legal.street' });
  await change.waitFor();
  const [, before, after] = await change.getByRole('cell').allTextContents();
  expect(before).toMatch(/^Am Markt 2 /);
  expect(after).toBe('Hafenweg 3');
  expect(await entry.getByRole('row').count()).toBe(2);
  await runsNothing(audit);
});

test('projects and routes are made and changed', async () => {
  const page = await open('projects');
  await page.getByRole('button', { name: 'Neues Projekt' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill(hostile('project'));
  await dialog.getByRole('button', { name: 'Anlegen' }).click();
  const project = page.getByRole('row', { name: "__ran('project')" });
  await project.getByRole('button', { name: 'Archivieren' }).click();
  await dialog.getByRole('button', { name: 'Archivieren' }).click();
  await project.getByText('Archiviert').waitFor();

  await page.getByRole('button', { name: 'Neuer Versandweg' }).click();
  await dialog.getByLabel('Name').fill('Rundbriefe');
  await dialog.getByLabel('Art').selectOption('Werbung');
  await dialog.getByLabel('Klicks messen').check();
  await dialog.getByRole('button', { name: 'Anlegen' }).click();
  const route = page.getByRole('row', { name: 'Rundbriefe' });
  await route.getByText('Anklicken').waitFor();
  await route.getByText('Werbung').waitFor();
  await runsNothing(page);
});

test('a period that is too long is refused at its field; a shorter one holds', async () => {
  const page = await open('retention');
  const field = page.getByLabel('Inhalt von Nachrichten');
  await field.fill('7');
  await page.getByRole('button', { name: 'Speichern' }).click();
  await page.getByText('Zurzeit 7 Tage, höchstens 30 Tage.').first().waitFor();
});

test('rates have their limits, and a day of mail is drawn', async () => {
  const id = await app.send(sender, { from: undefined });
  await app.message(sender, id);
  const page = await open('deliverability');
  await page.locator('.chart svg').waitFor();
  await page.getByText('Grenze 5 %').first().waitFor();
  await page.getByText('Grenze 0,1 %').first().waitFor();
  await page.getByText('Als Tabelle').click();
  await page.getByRole('table', { name: /abgewiesen oder als Spam gemeldet$/ }).waitFor();
});

describe('a viewer', () => {
  let viewer: Person;
  beforeAll(async () => {
    viewer = await join(app, sender.practice.id, 'steuer@example.org', { role_id: 'viewer' });
  });

  test('sees no page and no button for what is refused', async () => {
    const page = await open('projects', viewer);
    await page.getByRole('table', { name: 'Projekte' }).waitFor();
    expect(await page.getByRole('main').getByRole('button').count()).toBe(0);
    const navigation = page.getByRole('navigation').first();
    expect(await navigation.getByRole('link', { name: 'Zustellbarkeit' }).count()).toBe(1);
    for (const name of ['Domain', 'Mitglieder', 'Impressum', 'Protokoll'])
      expect(await navigation.getByRole('link', { name, exact: true }).count()).toBe(0);
    await page.goto(`/app/${sender.practice.id}/retention`);
    await page.getByRole('table', { name: 'Aufbewahrung' }).waitFor();
    expect(await page.getByRole('main').getByRole('textbox').count()).toBe(0);
    await page.goto(`/app/${sender.practice.id}/members`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await page.getByRole('main').getByRole('table').count()).toBe(0);
  });

  test.each([
    ['POST', '/custom-domain', { domain: 'andere.test' }],
    ['POST', '/members', { email: 'neu@example.org', role_id: 'viewer' }],
    ['PATCH', '/compliance', { street: 'Weg 1' }],
    ['PATCH', '/retention', { bodies: 1 }],
    ['POST', '/projects', { name: 'Neu' }],
    ['GET', '/audit', undefined],
  ])('is refused %s %s', async (method, path, body) => {
    const answer = await app.request(method, sender.base + path, body, viewer.token);
    expect(answer.status).toBe(403);
  });
});
