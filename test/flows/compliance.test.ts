// The legal block of a practice and the operator's approval, over HTTP.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { legalFields } from '#src/accounts/tenants/legal.ts';
import { type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { asking, ISO, refused } from '#test/support/asking.ts';
import { systemTenant } from '#test/support/people.ts';

interface Practice {
  readonly legal: Readonly<Record<string, string | null>>;
  readonly approved_at: string | null;
  readonly safe_mode: boolean;
}

let app: TestApp;
let sender: Sender;
const { call, list } = asking(() => ({ app, token: sender.token }));
const patch = (body: unknown) => call('PATCH', `${sender.base}/compliance`, body);
const legal = async () => (await call<Practice>('GET', sender.base)).body.legal;
const actions = async () =>
  (await list<{ action: string }>(`${sender.base}/audit?limit=200`)).map(({ action }) => action);

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app?.remove());
beforeEach(async () => {
  sender = await app.createSender();
});

const none = Object.fromEntries(legalFields.map((field) => [field, null]));
const needed = {
  street: 'Ring 1',
  city: '10115 Berlin',
  privacy_url: 'https://praxis.example.org/datenschutz',
};
const whole = { ...none, ...needed };

describe('the legal block', () => {
  test('is set field by field, and null clears one', async () => {
    const { status, body } = await patch({ street: '  Ring 1 ' });
    expect({ status, legal: body.legal }).toEqual({
      status: 200,
      legal: { ...none, street: 'Ring 1' },
    });
    await patch({ city: whole.city, privacy_url: whole.privacy_url });
    expect(await legal()).toEqual(whole);
    await patch({ street: null });
    expect(await legal()).toEqual({ ...whole, street: null });
    expect((await actions()).filter((action) => action === 'practice.compliance')).toHaveLength(3);
  });

  test('the same once more is no change that the audit tells', async () => {
    await patch(needed);
    expect((await patch(needed)).status).toBe(200);
    expect((await actions()).filter((action) => action === 'practice.compliance')).toHaveLength(1);
  });

  const addresses: readonly (readonly [typed: string, kept: string])[] = [
    ['HTTPS://Praxis.Example.org', 'https://praxis.example.org/'],
    ['https://praxis-müller.de/datenschutz', 'https://xn--praxis-mller-klb.de/datenschutz'],
    ['https://praxis.example.org:8443/a b?x=ü#y', 'https://praxis.example.org:8443/a%20b?x=%C3%BC#y'],
  ];
  test.each(addresses)('the privacy URL %s is kept as %s', async (typed, kept) => {
    expect((await patch({ privacy_url: typed })).status).toBe(200);
    expect((await legal()).privacy_url).toBe(kept);
  });

  const further: readonly (readonly [field: string, typed: string, kept: string])[] = [
    ['email', ' Praxis@praxis-müller.de', 'Praxis@xn--praxis-mller-klb.de'],
    ['phone', '+49 (0)40 / 123-456', '+49 (0)40 / 123-456'],
    ['represented_by', 'Dr. Anna Weber und Dr. Ö. Şahin', 'Dr. Anna Weber und Dr. Ö. Şahin'],
    ['register', 'AG Köln, HRB 12345', 'AG Köln, HRB 12345'],
    ['vat_id', 'de 123 456 789', 'DE123456789'],
    ['vat_id', 'ATU12345678', 'ATU12345678'],
    ['vat_id', 'NL001234567B01', 'NL001234567B01'],
    ['vat_id', 'FR XX 999999999', 'FRXX999999999'],
    ['vat_id', 'CHE-123.456.789 MWST', 'CHE123456789MWST'],
    ['authority', 'Ärztekammer Hamburg', 'Ärztekammer Hamburg'],
    ['imprint_url', 'https://praxis.example.org/impressum', 'https://praxis.example.org/impressum'],
  ];
  test.each(further)('%s %s is kept as %s, beside what is needed', async (field, typed, kept) => {
    await patch(needed);
    expect((await patch({ [field]: typed })).status).toBe(200);
    expect(await legal()).toEqual({ ...whole, [field]: kept });
    expect((await patch({ [field]: null })).body.legal).toEqual(whole);
  });

  test('is known to templates by the names of its fields', async () => {
    await patch({
      ...needed,
      email: 'praxis@praxis.example',
      vat_id: 'DE123456789',
      authority: 'Kammer <Nord>',
    });
    const preview = await call<{ subject: string }>('POST', `${sender.base}/templates`, {
      name: 'anschrift',
      subject: '{{practice.vat_id}}',
      text: '{{practice.authority}}',
    });
    expect(preview.status).toBe(201);
    const sent = await app.send(sender, { template: 'anschrift', subject: undefined, text: undefined });
    expect((await app.message(sender, sent)).subject).toBe('DE123456789');
  });

  const wrong: readonly (readonly [field: string, value: unknown])[] = [
    ['street', ''],
    ['street', '   '],
    ['street', 'Ring 1\nBerlin'],
    ['street', 'Ring\u202e 1'],
    ['street', 'x'.repeat(201)],
    ['city', 7],
    ['privacy_url', ''],
    ['privacy_url', 'http://praxis.example.org'],
    ['privacy_url', 'praxis.example.org'],
    ['privacy_url', 'javascript:alert(1)'],
    ['privacy_url', 'https://localhost/a'],
    ['privacy_url', 'https://192.0.2.1/a'],
    ['privacy_url', 'https://[2001:db8::1]/a'],
    ['privacy_url', 'https://user:secret@praxis.example.org/'],
    ['privacy_url', 'https://praxis.example.org/\u0000'],
    ['privacy_url', `https://praxis.example.org/${'a'.repeat(2_000)}`],
    ['privacy_url', `https://praxis.example.org/${'ü'.repeat(400)}`],
    ['email', 'praxis'],
    ['email', 'Praxis <praxis@praxis.example>'],
    ['email', ''],
    ['phone', 'täglich'],
    ['phone', '110'],
    ['phone', `+49 ${'1'.repeat(50)}`],
    ['represented_by', 'Dr. Weber\nDr. Şahin'],
    ['register', ''],
    ['vat_id', '123456789'],
    ['vat_id', 'XX123456789'],
    ['vat_id', 'DE'],
    ['vat_id', 'DE1234567890123'],
    ['authority', 'x'.repeat(301)],
    ['imprint_url', 'http://praxis.example.org/impressum'],
    ['imprint_url', 'javascript:alert(1)'],
  ];
  test.each(wrong)('%s is refused as %j, and nothing changes', async (field, value) => {
    await patch(needed);
    const { status, body } = await patch({
      ...needed,
      city: field === 'city' ? value : 'Hamburg',
      [field]: value,
    });
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'invalid_request' });
    expect(JSON.stringify(body.fields)).toContain(`body.${field}`);
    expect(await legal()).toEqual(whole);
  });

  test('nothing, and what is unknown, is refused', async () => {
    await refused('invalid_request', patch({}));
    await refused('invalid_request', patch({ streat: 'Ring 1' }));
  });

  test('is not for who may not manage the practice', async () => {
    const { body } = await call('POST', `${sender.base}/projects`, { name: 'Recall' });
    const token = await app.createToken(sender.practice.id, { scope: 'project', project_id: body.id });
    await refused('forbidden', call('PATCH', `${sender.base}/compliance`, needed, token));
  });
});

describe('approval', () => {
  const approve = (approved: unknown, token = app.adminToken, base = sender.base) =>
    call<Practice & Record<string, unknown> & { code: string; error: string; hint: string }>(
      'POST',
      `${base}/approval`,
      { approved },
      token,
    );

  test('is given once, kept when given again, and withdrawn', async () => {
    expect(sender.practice.approved_at).toBeNull();
    const first = await approve(true);
    expect(first).toMatchObject({ status: 200, body: { approved_at: ISO } });
    expect((await approve(true)).body.approved_at).toBe(first.body.approved_at);
    expect((await approve(false)).body.approved_at).toBeNull();
    expect((await approve(false)).body.approved_at).toBeNull();
    expect((await actions()).filter((action) => action === 'practice.approval')).toHaveLength(2);
  });

  test('is the operator’s alone, of a practice alone', async () => {
    await refused('forbidden', approve(true, sender.token));
    await refused('invalid_request', approve('yes'));
    await refused('conflict', approve(true, app.adminToken, `/api/practices/${systemTenant(app)}`));
    await refused('not_found', approve(true, app.adminToken, `/api/practices/${crypto.randomUUID()}`));
  });
});
