// The pages of `sendwerk dev`: the captured mails, and one of them. They need no script; the HTML of a mail is in a frame that may
// do nothing.
import { escapeHtml, page } from '#src/kernel/page.ts';
import type { CapturedMail } from './mailbox.ts';
import type { Captured } from './read-captured.ts';

const SERVICE = 'Sendwerk dev';
const MAX_LISTED = 100;

const shownPage = (title: string, body: string, status = 200) => {
  const shown = page({ status, language: 'en', title, serviceName: SERVICE, body });
  const { 'Content-Security-Policy': policy } = shown.headers as { 'Content-Security-Policy': string };
  return {
    status: shown.status,
    type: 'text/html; charset=utf-8',
    headers: { ...shown.headers, 'Content-Security-Policy': `${policy}; frame-src 'self'; img-src 'self'` },
    body: String(shown.body),
  };
};

const peopleIn = (people: readonly { readonly Name: string; readonly Address: string }[]): string =>
  people.map(({ Name, Address }) => (Name === '' ? Address : `${Name} <${Address}>`)).join(', ');
const timeOf = (created: number): string =>
  `${new Date(created).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

const row = (mail: CapturedMail): string => {
  const { id, Subject, From, To, Cc, Bcc, created, isRead } = mail;
  const subject = escapeHtml(Subject.trim() || 'No subject');
  return `<dt><a href="/view/${id}">${subject}</a>${isRead ? '' : ' (new)'}</dt>
<dd>${escapeHtml(peopleIn([From]))} to ${escapeHtml(peopleIn([...To, ...Cc, ...Bcc]))}<br>${timeOf(created)}</dd>`;
};

export const listPage = (mails: readonly CapturedMail[], total: number, query: string) =>
  shownPage(
    query === '' ? 'Captured mail' : `Captured mail: ${query}`,
    `<form><label for="query">Search, such as to:you@example.org or words of the mail</label>
<input id="query" name="query" value="${escapeHtml(query)}"><button>Search</button></form>
<p>${mails.length} of ${total} ${total === 1 ? 'mail' : 'mails'}${mails.length > MAX_LISTED ? `, the newest ${MAX_LISTED} below` : ''}. <a href="/">Show all, and look again</a></p>
<dl>${mails.slice(0, MAX_LISTED).map(row).join('\n')}</dl>
${total === 0 ? '' : '<form method="post" action="/delete-all"><button class="other">Delete all</button></form>'}`,
  );

const bytes = (size: number): string => (size < 10_240 ? `${size} bytes` : `${Math.round(size / 1_024)} KiB`);

export const mailPage = (mail: CapturedMail, { text, html, files, fields }: Captured) => {
  const at = `/api/v1/message/${mail.id}`;
  const people = (['From', 'To', 'Cc', 'Bcc', 'ReplyTo'] as const).flatMap((name) => {
    const them = peopleIn([mail[name]].flat());
    return them === ''
      ? []
      : `<dt>${name === 'ReplyTo' ? 'Reply-To' : name}</dt><dd>${escapeHtml(them)}</dd>`;
  });
  const file = files.map(
    ({ partId, filename, type, content }) =>
      `<li><a href="${at}/part/${partId}">${escapeHtml(filename || `part ${partId}`)}</a>, ${escapeHtml(type)}, ${bytes(content.length)}</li>`,
  );
  const header = fields.map(({ name, value }) => `${name}: ${value}`).join('\n');
  return shownPage(
    mail.Subject.trim() || 'No subject',
    `<dl>${people.join('')}<dt>Received</dt><dd>${timeOf(mail.created)}</dd></dl>
<p><a href="/">All mails</a>, <a href="${at}/raw">source</a>, ${bytes(mail.Size)}</p>
${file.length === 0 ? '' : `<h2>Files</h2><ul>${file.join('')}</ul>`}
${html === '' ? '' : `<h2>HTML</h2><iframe title="The HTML of the mail" src="/view/${mail.id}.html" sandbox="allow-popups" width="100%" height="600"></iframe>`}
<h2>Text</h2><pre>${escapeHtml(text)}</pre>
<h2>Header</h2><pre>${escapeHtml(header)}</pre>`,
  );
};
