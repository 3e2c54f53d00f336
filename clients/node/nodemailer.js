// A transport of nodemailer that sends by the API: `createTransport(sendwerkTransport({ url, token, practice }))`. What the API
// cannot send is refused, never left out.
import { Sendwerk, SendwerkError, VERSION } from './index.js';

/** Fields by which mail programs tell the service more over SMTP, and where the API has them. */
const CONTROLS = {
  'x-service-tag': (body, value) => {
    body.tags = [...(body.tags ?? []), ...value.split(',').map((tag) => tag.trim())].filter(
      (tag) => tag !== '',
    );
  },
  'x-service-kind': (body, value) => Object.assign(body, { message_kind: value }),
  'x-service-route': (body, value) => Object.assign(body, { route: value }),
  'x-service-project': (body, value) => Object.assign(body, { project_id: value }),
  'x-service-track-opens': (body, value) => {
    body.settings = { ...body.settings, track_opens: value === 'true' };
  },
  'x-service-track-clicks': (body, value) => {
    body.settings = { ...body.settings, track_clicks: value === 'true' };
  },
};
const METADATA = 'x-service-metadata-';
const PRIORITIES = {
  high: [
    ['X-Priority', '1 (Highest)'],
    ['Importance', 'High'],
  ],
  low: [
    ['X-Priority', '5 (Lowest)'],
    ['Importance', 'Low'],
  ],
};

const refuse = (what) => {
  throw new SendwerkError(`The API does not send ${what}.`, { code: 'not_supported' });
};

const isGiven = (value) => value !== undefined && value !== null && value !== false && value !== '';

/** Groups are sent as their members. */
const mailboxes = (value) =>
  [value ?? []].flat().flatMap(({ address, name, group }) => {
    if (group) return mailboxes(group);
    return [name ? `"${name.replace(/["\\]/g, '\\$&')}" <${address}>` : address];
  });

/** Without its parameters: the service writes them itself. */
const mediaType = (type) => (typeof type === 'string' ? type.split(';')[0].trim().toLowerCase() : undefined);

const base64 = (content, encoding) => {
  if (typeof content !== 'string') return Buffer.from(content ?? '').toString('base64');
  return Buffer.from(content, encoding ?? 'utf8').toString('base64');
};

const attachment = ({ filename, content, encoding, contentType, cid, raw }) => {
  if (raw !== undefined) refuse('an attachment with headers of its own (raw)');
  const type = mediaType(contentType);
  return {
    filename,
    content: base64(content, encoding),
    ...(type === undefined ? {} : { content_type: type }),
    ...(isGiven(cid) ? { content_id: cid } : {}),
  };
};

/** The service repeats the METHOD of a calendar file in its media type, by which it is an invitation. */
const calendar = ({ content, encoding, filename }) => ({
  filename: filename || 'invite.ics',
  content: base64(content, encoding),
  content_type: 'text/calendar',
});

const alternative = (part) =>
  mediaType(part.contentType) === 'text/calendar'
    ? calendar(part)
    : refuse(`an alternative of the type ${part.contentType}; attach it`);

const textOf = (value) => {
  const one = Array.isArray(value) ? value.join(', ') : value;
  return String(one?.value ?? one);
};

/** Names as they were written; nodemailer takes an object of values, or a list of `{ key, value }`. */
const headerList = ({ headers = {}, normalizedHeaders = {}, priority, xMailer }) => {
  const own = Array.isArray(headers)
    ? headers.map(({ key, value }) => [key, textOf(value)])
    : Object.entries(headers).map(([name, value]) => [name, textOf(value)]);
  const names = new Set(own.map(([name]) => name.toLowerCase()));
  const derived = Object.entries(normalizedHeaders).filter(
    ([name]) => /^(list-.*|references|in-reply-to)$/.test(name) && !names.has(name),
  );
  return [
    ...own,
    ...derived.map(([name, value]) => [name, textOf(value)]),
    ...(PRIORITIES[String(priority).toLowerCase()] ?? []),
    ...(isGiven(xMailer) ? [['X-Mailer', xMailer]] : []),
  ];
};

const setHeaders = (body, given) => {
  for (const [name, value] of headerList(given)) {
    const lower = name.toLowerCase();
    if (lower === 'message-id') continue;
    if (Object.hasOwn(CONTROLS, lower)) CONTROLS[lower](body, value);
    else if (lower.startsWith(METADATA))
      body.metadata = { ...body.metadata, [name.slice(METADATA.length)]: value };
    else body.headers = [...(body.headers ?? []), { name, value }];
  }
};

/** Who gets it is who is named in To, Cc and Bcc. */
const checkEnvelope = ({ envelope, to, cc, bcc }, isOwn) => {
  if (!isOwn) return;
  const bare = (value) => mailboxes(value).map((one) => one.replace(/^.*<|>$/g, '').toLowerCase());
  const named = new Set([to, cc, bcc].flatMap(bare));
  const meant = new Set(envelope.to.map((one) => one.toLowerCase()));
  if (named.size !== meant.size || [...named].some((one) => !meant.has(one)))
    refuse('to an envelope other than To, Cc and Bcc');
};

const bodyOf = (data) => {
  for (const name of ['raw', 'amp', 'watchHtml', 'sender', 'dkim'])
    if (isGiven(data[name])) refuse(`a mail with the field ${name}`);
  const {
    from,
    to,
    cc,
    bcc,
    replyTo,
    subject,
    text,
    html,
    attachments = [],
    alternatives = [],
    icalEvent,
  } = data;
  const files = [
    ...attachments.map(attachment),
    ...(isGiven(icalEvent) ? [calendar(icalEvent)] : []),
    ...alternatives.map(alternative),
  ];
  const body = {
    ...(isGiven(from) ? { from: mailboxes(from)[0] } : {}),
    to: mailboxes(to),
    ...(isGiven(cc) ? { cc: mailboxes(cc) } : {}),
    ...(isGiven(bcc) ? { bcc: mailboxes(bcc) } : {}),
    ...(isGiven(replyTo) ? { reply_to: mailboxes(replyTo) } : {}),
    ...(isGiven(subject) ? { subject } : {}),
    ...(isGiven(text) ? { text } : {}),
    ...(isGiven(html) ? { html } : {}),
    ...(files.length > 0 ? { attachments: files } : {}),
  };
  setHeaders(body, data);
  return { ...body, ...data.sendwerk };
};

const normalized = (mail) =>
  new Promise((resolve, reject) => {
    mail.normalize((error, data) => (error ? reject(error) : resolve(data)));
  });

/** A mail is sent once for each `messageId`, however often it is given to the transport within a day. */
const send = async (sendwerk, mail) => {
  const isOwnEnvelope = isGiven(mail.data.envelope);
  const { signal } = mail.data;
  const data = await normalized(mail);
  checkEnvelope(data, isOwnEnvelope);
  const body = bodyOf(data);
  const idempotencyKey = data.messageId.replace(/^<|>$/g, '');
  const answer = await sendwerk.sendMessage({ body, idempotencyKey, ...(signal ? { signal } : {}) });
  const rejected = answer.suppressed ?? [];
  return {
    ...answer,
    envelope: data.envelope,
    messageId: answer.message_id,
    accepted: data.envelope.to.filter((one) => !rejected.includes(one.toLowerCase())),
    rejected,
    response: `202 ${answer.status}`,
  };
};

/** `options`: those of the client, or a client. */
export const sendwerkTransport = (options) => {
  const sendwerk = options instanceof Sendwerk ? options : new Sendwerk(options);
  return {
    name: 'sendwerk',
    version: VERSION,
    supportsAbortSignal: true,
    send(mail, callback) {
      send(sendwerk, mail).then((info) => callback(null, info), callback);
    },
    /** Whether the token is right for the practice. */
    verify(callback) {
      const verified = sendwerk.getPractice().then(() => true);
      if (callback === undefined) return verified;
      verified.then((answer) => callback(null, answer), callback);
      return undefined;
    },
  };
};
