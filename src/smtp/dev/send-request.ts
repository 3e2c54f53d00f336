// `POST /api/v1/send` of mailpit's API: a mail described in JSON becomes the bytes that a program would have handed in by SMTP.
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import {
  encodeMailboxes,
  encodeParameter,
  encodeUnstructured,
  isHeaderName,
  isHeaderValueSafe,
} from '#src/mail/header-field.ts';
import type { Address } from '#src/mail/mailbox.ts';

const address = z.string().regex(/^[^\s<>]+@[^\s<>]+$/, 'expected an address');
const person = z.object({ Email: address, Name: z.string().default('') });
const people = z.array(person).default([]);
const line = z.string().refine(isHeaderValueSafe, 'expected one line');

export const sendRequest = z.object({
  From: person,
  To: people,
  Cc: people,
  Bcc: z.array(address).default([]),
  ReplyTo: people,
  Subject: line.default(''),
  Text: z.string().default(''),
  HTML: z.string().default(''),
  Headers: z.record(z.string().refine(isHeaderName, 'expected the name of a field'), line).default({}),
  Attachments: z
    .array(
      z.object({
        Filename: line.default('attachment'),
        Content: z.base64(),
        ContentType: z
          .string()
          .regex(/^(?:[\w.+-]+\/[\w.+-]+)?$/)
          .default(''),
        ContentID: line.default(''),
      }),
    )
    .default([]),
});
type SendRequest = z.output<typeof sendRequest>;
type Person = SendRequest['From'];

const base64Lines = (content: Buffer): string =>
  content.toString('base64').replace(/.{76}/g, '$&\r\n').replace(/\r\n$/, '');

const textPart = (type: string, text: string): string =>
  `Content-Type: ${type}; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n${base64Lines(Buffer.from(text))}`;

const filePart = ({
  Filename,
  Content,
  ContentType,
  ContentID,
}: SendRequest['Attachments'][number]): string =>
  [
    `Content-Type: ${ContentType || 'application/octet-stream'}`,
    `Content-Disposition: ${ContentID === '' ? 'attachment' : 'inline'};\r\n ${encodeParameter('filename', Filename)}`,
    ...(ContentID === '' ? [] : [`Content-ID: <${ContentID}>`]),
    'Content-Transfer-Encoding: base64',
    '',
    base64Lines(Buffer.from(Content, 'base64')),
  ].join('\r\n');

const multipart = (subtype: string, parts: readonly string[]): string => {
  if (parts.length === 1) return parts[0] ?? '';
  const boundary = randomUUID();
  const body = parts.map((part) => `--${boundary}\r\n${part}\r\n`).join('');
  return `Content-Type: multipart/${subtype}; boundary="${boundary}"\r\n\r\n${body}--${boundary}--\r\n`;
};

const mailboxes = (name: string, them: readonly Person[]): string =>
  them.length === 0
    ? ''
    : encodeMailboxes(
        name,
        them.map(({ Email, Name }) => ({ address: Email as Address, name: Name })),
      );

export const composed = (request: SendRequest, now: number) => {
  const { From, To, Cc, Bcc, ReplyTo, Subject, Text, HTML, Headers, Attachments } = request;
  const texts = [
    ...(Text === '' && HTML !== '' ? [] : [textPart('text/plain', Text)]),
    ...(HTML === '' ? [] : [textPart('text/html', HTML)]),
  ];
  const body = multipart('mixed', [multipart('alternative', texts), ...Attachments.map(filePart)]);
  const head = [
    mailboxes('From', [From]),
    mailboxes('To', To),
    mailboxes('Cc', Cc),
    mailboxes('Reply-To', ReplyTo),
    encodeUnstructured('Subject', Subject),
    `Date: ${new Date(now).toUTCString().replace('GMT', '+0000')}\r\n`,
    ...Object.entries(Headers).map(([name, value]) => encodeUnstructured(name, value)),
    'MIME-Version: 1.0\r\n',
  ];
  return {
    content: Buffer.from(`${head.join('')}${body}`, 'latin1'),
    envelope: {
      from: From.Email,
      recipients: [...To, ...Cc].map(({ Email }) => Email).concat(Bcc),
      username: '',
    },
  };
};
