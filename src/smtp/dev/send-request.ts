// `POST /api/v1/send` of mailpit's API: a mail described in JSON becomes the bytes that a program would have handed in by SMTP.
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { isHeaderName, isHeaderValueSafe } from '#src/mail/header-field.ts';
import type { Address, Mailbox } from '#src/mail/mailbox.ts';
import type { Envelope } from './mailbox.ts';

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

/** What is asked for, as the service's own composer takes it. */
export interface Described {
  readonly internetMessageId: string;
  /** Unix time, ms. */
  readonly date: number;
  readonly from: Mailbox;
  readonly to: readonly Mailbox[];
  readonly cc: readonly Mailbox[];
  readonly replyTo: readonly Mailbox[];
  readonly subject: string;
  readonly text: string | null;
  readonly html: string | null;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly attachments: readonly {
    readonly filename: string;
    readonly contentType: string;
    readonly contentId?: string;
    readonly content: Buffer;
  }[];
}

const mailbox = ({ Email, Name }: SendRequest['From']): Mailbox => ({
  address: Email as Address,
  name: Name,
});

export const described = (request: SendRequest, now: number): Described => {
  const { From, To, Cc, ReplyTo, Subject, Text, HTML, Headers, Attachments } = request;
  return {
    internetMessageId: `<${randomUUID()}@sendwerk.dev>`,
    date: now,
    from: mailbox(From),
    to: To.map(mailbox),
    cc: Cc.map(mailbox),
    replyTo: ReplyTo.map(mailbox),
    subject: Subject,
    text: Text === '' && HTML !== '' ? null : Text,
    html: HTML === '' ? null : HTML,
    headers: Object.entries(Headers),
    attachments: Attachments.map(({ Filename, ContentType, ContentID, Content }) => ({
      filename: Filename,
      contentType: ContentType || 'application/octet-stream',
      ...(ContentID === '' ? {} : { contentId: ContentID }),
      content: Buffer.from(Content, 'base64'),
    })),
  };
};

export const envelopeOf = ({ From, To, Cc, Bcc }: SendRequest): Envelope => ({
  from: From.Email,
  recipients: [...To, ...Cc].map(({ Email }) => Email).concat(Bcc),
  username: '',
});
