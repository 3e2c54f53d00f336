// The backend for Postmark of Debian's django-anymail, unmodified, against the daemon: another program than Postmark's own client,
// which reads the recipients' fates out of answers and their texts.
// @module-tag debian/python3-django-anymail
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openScene, type Scene } from './scene.ts';

/** Settings of Django, then the case's own lines; prints what they leave in `result`. */
const PROLOGUE = `
import json, sys
import django
from django.conf import settings
url, token, sender = sys.argv[1:4]
settings.configure(
    EMAIL_BACKEND="anymail.backends.postmark.EmailBackend",
    DEFAULT_FROM_EMAIL=sender,
    ANYMAIL={"POSTMARK_SERVER_TOKEN": token, "POSTMARK_API_URL": url},
)
django.setup()
from django.core.mail import EmailMultiAlternatives
from anymail.exceptions import AnymailRecipientsRefused, AnymailRequestsAPIError
from anymail.message import AnymailMessage

def statuses(mail):
    return {address: [one.status, one.message_id] for address, one in mail.anymail_status.recipients.items()}
`;

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene?.close());

const run = async (lines: string, token = scene.sender.token) => {
  const from = `Praxis <praxis@${scene.sender.practice.managed_host}>`;
  const url = `${scene.app.origin}/api/compat/postmark/`;
  const program = `${PROLOGUE}\n${lines}\nprint(json.dumps(result))`;
  const { stdout } = await promisify(execFile)('/usr/bin/python3', ['-c', program, url, token, from]);
  return JSON.parse(stdout);
};

test('a mail with all that Django and the backend know arrives as it was asked for', async () => {
  const result = await run(`
mail = AnymailMessage("Grüße", "Schöne Grüße", to=["Erika Muster <erika@example.org>"], cc=["c@example.org"],
                      reply_to=["Empfang <a@example.org>"], headers={"X-Vorgang": "4711"})
cid = mail.attach_inline_image(b"\\x89PNG\\r\\n\\x1a\\n", "logo.png")
mail.attach_alternative('<p>Schöne Grüße <img src="cid:%s"></p>' % cid, "text/html")
mail.attach("Befund.pdf", b"%PDF-1.4 Befund", "application/pdf")
mail.tags = ["Erinnerung"]
mail.metadata = {"patient": "4711"}
mail.send()
result = statuses(mail)
`);
  const id = result['erika@example.org'][1];
  expect(result).toEqual({ 'erika@example.org': ['sent', id], 'c@example.org': ['sent', id] });
  expect(await scene.app.message(scene.sender, id)).toMatchObject({
    tags: ['Erinnerung'],
    metadata: { patient: '4711' },
  });
  const mail = await scene.arrived(id, 'erika@example.org');
  expect(mail.subject).toBe('Grüße');
  expect(mail.text).toContain('Schöne Grüße');
  expect(mail.headers.get('x-vorgang')).toBe('4711');
  expect(mail.replyTo?.value).toEqual([{ name: 'Empfang', address: 'a@example.org' }]);
  expect(
    mail.attachments.map(({ filename, contentType, related }) => [filename, contentType, related ?? false]),
  ).toEqual(
    expect.arrayContaining([
      ['logo.png', 'image/png', true],
      ['Befund.pdf', 'application/pdf', false],
    ]),
  );
  const pdf = mail.attachments.find(({ filename }) => filename === 'Befund.pdf');
  expect(pdf?.content.toString()).toBe('%PDF-1.4 Befund');
});

test('a template is filled in for each recipient of a batch', async () => {
  const { base, token } = scene.sender;
  const template = { name: 'termin', subject: 'Termin {{name}}', text: 'Bis {{tag}}, {{name}}!' };
  expect((await scene.app.request('POST', `${base}/templates`, template, token)).status).toBe(201);
  const result = await run(`
mail = AnymailMessage(to=["erika@example.org", "b@example.org"])
mail.template_id = "termin"
mail.merge_global_data = {"tag": "Montag"}
mail.merge_data = {"erika@example.org": {"name": "Erika"}, "b@example.org": {"name": "Bernd"}}
mail.send()
result = statuses(mail)
`);
  for (const [address, name] of [
    ['erika@example.org', 'Erika'],
    ['b@example.org', 'Bernd'],
  ]) {
    const mail = await scene.arrived(result[String(address)][1], String(address));
    expect(mail.subject).toBe(`Termin ${name}`);
    expect(mail.text).toContain(`Bis Montag, ${name}!`);
  }
});

test('suppressed recipients are rejected, and others are sent to', async () => {
  const { base } = scene.sender;
  await scene.app.request(
    'POST',
    `${base}/suppression`,
    { address: 'gone@example.org' },
    scene.app.adminToken,
  );
  const result = await run(`
mail = AnymailMessage("Termin", "Text", to=["gone@example.org", "erika@example.org"])
mail.send()
result = {address: one.status for address, one in mail.anymail_status.recipients.items()}
try:
    AnymailMessage("Termin", "Text", to=["gone@example.org"]).send()
except AnymailRecipientsRefused:
    result["refused"] = True
`);
  expect(result).toEqual({ 'gone@example.org': 'rejected', 'erika@example.org': 'sent', refused: true });
});

test('refusals are errors of the API with their status and text', async () => {
  const send = `
try:
    AnymailMessage("Termin", "Text", to=["erika@example.org"], from_email=FROM).send()
except AnymailRequestsAPIError as error:
    result = [error.status_code, error.response.json()["ErrorCode"]]
`;
  expect(await run(send.replace('FROM', '"a@elsewhere.example"'))).toEqual([422, 400]);
  expect(await run(send.replace('FROM', 'None'), 'POSTMARK_API_TEST')).toEqual([401, 10]);
});
