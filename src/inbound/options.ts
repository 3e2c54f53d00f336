// How a tenant receives mail: the options of its mailbox, as PATCH …/inbound takes them. The store keeps them as one value.
import { z } from 'zod';
import { DAY } from '#src/kernel/time.ts';
import { domainName } from '#src/mail/address.ts';
import { parseEmail } from '#src/mail/email.ts';

/**
 * `accept`: into the inbox. `hold`: kept until someone releases it. `reject`: refused as unwanted (550 5.7.1). `bounce`: refused
 * as unknown (550 5.1.1), so that the sender's own server returns the mail; this service returns none.
 */
export const mailboxModes = ['accept', 'hold', 'reject', 'bounce'] as const;
export type MailboxMode = (typeof mailboxModes)[number];

/** What becomes of mail that fails DMARC, and of spam. `reject`: at the end of DATA (550 5.7.1). */
export const mailActions = ['accept', 'quarantine', 'reject'] as const;
export type MailAction = (typeof mailActions)[number];

const MAX_ADDRESSES = 500;
const MAX_SENDERS = 1_000;

/** Lower case, without a plus-part: mail to `info+shop` is mail to `info`. */
const localPart = z
  .string()
  .trim()
  .normalize('NFC')
  .toLowerCase()
  .regex(/^[^\s@<>()[\]\\,;:"+\p{Cc}]{1,64}$/u, 'the part before the @, without a plus-part')
  .describe('the part before the @; mail to `info+anything` is mail to `info`');

const action = (what: string) => z.enum(mailActions).describe(what);
const actions = {
  dmarc_action: action('what becomes of mail that fails the DMARC policy of its sender’s domain'),
  spam_action: action('what becomes of mail that the scanners call spam, or that has a virus'),
};
const forwardTo = z
  .string()
  .trim()
  .max(254)
  .refine((text) => parseEmail(text) !== null, 'expected one e-mail address, such as name@example.org')
  .overwrite((text) => parseEmail(text)?.email ?? text)
  .nullable()
  .describe('where its mail is forwarded, once that address has confirmed it');

const mailbox = {
  mode: z
    .enum(mailboxModes)
    .describe('accept; hold until released; reject (550 5.7.1, unwanted); bounce (550 5.1.1, unknown)'),
  forward_to: forwardTo,
};

export const mailboxAddress = z
  .strictObject({
    local_part: localPart,
    mode: mailbox.mode.default('accept'),
    forward_to: forwardTo.default(null),
    dmarc_action: actions.dmarc_action.nullable().default(null).describe('null: as the mailbox'),
    spam_action: actions.spam_action.nullable().default(null).describe('null: as the mailbox'),
  })
  .meta({ id: 'InboundAddress' });

/** The form with which mail is compared: in lower case, its domain in A-labels. Null if it is neither address nor domain. */
const senderName = (text: string): string | null => {
  const at = text.lastIndexOf('@');
  const domain = domainName(text.slice(at + 1));
  if (domain === null || !/^(?:[^\s@]+@)?[^\s@]+$/.test(text)) return null;
  return (
    text
      .slice(0, at + 1)
      .normalize('NFC')
      .toLowerCase() + domain
  );
};

/** An address, or a domain with all below it (`example.org`). */
const sender = z
  .string()
  .trim()
  .max(254)
  .refine((text) => senderName(text) !== null, 'expected an address, or a domain such as example.org')
  .overwrite((text) => senderName(text) ?? text);

const senders = z.strictObject({
  allow: z
    .array(sender)
    .max(MAX_SENDERS)
    .describe('addresses and domains whose mail is no spam, where SPF or DKIM proves that it is theirs'),
  block: z.array(sender).max(MAX_SENDERS).describe('addresses and domains whose mail is refused'),
});

const catchAll = z.strictObject(mailbox);

export const inboundOptions = z
  .strictObject({
    addresses: z
      .array(mailboxAddress)
      .max(MAX_ADDRESSES)
      .refine(
        (addresses) => new Set(addresses.map(({ local_part }) => local_part)).size === addresses.length,
        'expected each `local_part` once',
      ),
    catch_all: catchAll.describe('all other addresses'),
    ...actions,
    senders: senders.describe('rules for senders'),
    max_bytes: z.int().min(1_024).nullable().describe('the largest mail; null: as the service takes'),
    retention_days: z.int().min(1).nullable().describe('null: as the service keeps it'),
    automatic_reply: z
      .strictObject({
        subject: z.string().trim().min(1).max(200),
        text: z.string().trim().min(1).max(10_000),
      })
      .nullable()
      .describe(
        'sent once in seven days to each person who writes, where SPF or DMARC proves that the person did; null: off',
      ),
  })
  .meta({ id: 'InboundOptions' });
export type InboundOptions = z.infer<typeof inboundOptions>;

/** What PATCH takes: a field that is absent stays as it is, and a list is replaced whole. */
export const optionsPatch = inboundOptions
  .extend({ catch_all: catchAll.partial(), senders: senders.partial() })
  .partial()
  .refine((body) => Object.keys(body).length > 0, 'expected at least one field')
  .meta({
    id: 'InboundOptionsPatch',
    examples: [{ addresses: [{ local_part: 'termine' }], catch_all: { mode: 'hold' }, retention_days: 30 }],
  });
export type OptionsPatch = z.infer<typeof optionsPatch>;

/** ms. The shorter period applies, because the operator may have lowered theirs since. */
export const keptFor = ({ retention_days }: InboundOptions, installation: number): number =>
  Math.min(installation, (retention_days ?? Number.POSITIVE_INFINITY) * DAY);

export const initialOptions: InboundOptions = {
  addresses: [],
  catch_all: { mode: 'accept', forward_to: null },
  dmarc_action: 'quarantine',
  spam_action: 'quarantine',
  senders: { allow: [], block: [] },
  max_bytes: null,
  retention_days: null,
  automatic_reply: null,
};
