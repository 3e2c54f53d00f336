// Gates that ask who sends, to whom, under which header fields, with which attachments and when. First: whether this practice may
// send such a message at all, by kind and route, From and its state.

import { findRefusedAttachment } from '#src/content/attachment-policy.ts';
import type { Gate } from '#src/intake/gate.ts';
import { defineGate, recipientsOf } from '#src/intake/gate.ts';
import { AppError } from '#src/kernel/errors.ts';
import { inEnglish, say, type Text } from '#src/kernel/say.ts';
import { DAY, MINUTE, toIso } from '#src/kernel/time.ts';
import { addressDomain, needsSmtpUtf8 } from '#src/mail/address.ts';
import { isHeaderName, isHeaderValueSafe } from '#src/mail/header-field.ts';
import type { Mailbox } from '#src/mail/mailbox.ts';
import { kinds } from '#src/messages/kinds.ts';

/** The hint names a few: mail programs show nothing else of the error. */
const MAX_NAMED_HOSTS = 3;

export const kindAndRoute = defineGate({
  name: 'kind_and_route',
  title: say`Kind and route`,
  kind: 'sender',
  errors: ['kind_not_allowed_on_route'],
  check: ({ kind, route: { slug, type } }) => {
    const used = { message_kind: kind, route: slug, stream: type, channel: kinds[kind].channel };
    if (kinds[kind].stream === type) return { facts: used };
    return {
      facts: used,
      refusal: new AppError(
        'kind_not_allowed_on_route',
        say`A message of kind ${kind} may not go over the route ${slug}.`,
        { hint: say`Use a ${kinds[kind].stream} route for it.` },
      ),
    };
  },
});

export const senderDomain = defineGate({
  name: 'sender_domain',
  title: say`Domain of the sender`,
  kind: 'sender',
  errors: ['dkim_not_verified', 'from_not_allowed'],
  check: ({ from, sendingHosts, pendingDomain }) => {
    const domain = addressDomain(from.address);
    const facts = { domain, allowed: sendingHosts };
    if (sendingHosts.includes(domain)) return { facts };
    if (domain === pendingDomain) {
      return {
        facts,
        refusal: new AppError(
          'dkim_not_verified',
          say`The DKIM records of ${domain} have not been verified.`,
          {
            extra: { missing: ['dkim'] },
          },
        ),
      };
    }
    return {
      facts,
      refusal: new AppError('from_not_allowed', say`This practice may not send from ${domain}.`, {
        hint: say`Use an address on ${sendingHosts.slice(0, MAX_NAMED_HOSTS)}, or leave the From address out.`,
        extra: { allowed: [...sendingHosts] },
      }),
    };
  },
});

export const tenantState = defineGate({
  name: 'tenant_state',
  title: say`Sending is not paused`,
  kind: 'sender',
  errors: ['tenant_paused'],
  check: ({ pause, isAskedFor, now }) => {
    if (pause === null) return { facts: { paused: false } };
    const facts = { paused: true, ...pause };
    // The queue of a paused practice is not touched.
    if (isAskedFor) return { facts, holdsUntil: now };
    return {
      facts,
      refusal: new AppError('tenant_paused', say`The practice is paused and does not send.`, {
        extra: { reason: pause.reason, paused_at: toIso(pause.at) },
      }),
    };
  },
});

export const recipientCount = defineGate({
  name: 'recipient_count',
  title: say`Number of recipients`,
  kind: 'recipients',
  errors: ['invalid_recipient', 'too_many_recipients'],
  check: ({ limits }, draft) => {
    const count = recipientsOf(draft).length;
    const facts = { count, limit: limits.recipients };
    if (count === 0) {
      return {
        facts,
        refusal: new AppError('invalid_recipient', say`The message has no recipient.`, {
          hint: say`Name at least one recipient in to, cc or bcc.`,
          extra: { recipients: [] },
        }),
      };
    }
    if (count <= limits.recipients) return { facts };
    return {
      facts,
      refusal: new AppError('too_many_recipients', say`The message has ${count} recipients.`, {
        extra: facts,
      }),
    };
  },
});

export const internationalisedAddresses = defineGate({
  name: 'internationalised_addresses',
  title: say`Letters of the addresses`,
  kind: 'recipients',
  errors: ['invalid_recipient'],
  check: ({ from, takesUtf8 }, draft) => {
    const beyond = (mailboxes: readonly Mailbox[]) =>
      mailboxes.map(({ address }) => address).filter(needsSmtpUtf8);
    // These addresses are in the mail to everyone, also to those whose servers do not take it then.
    const senders = beyond([from, ...draft.replyTo]);
    const wide = [...senders, ...(takesUtf8 ? [] : beyond(recipientsOf(draft)))];
    if (wide.length === 0) return { facts: { smtp_utf8: takesUtf8 } };
    return {
      facts: { smtp_utf8: takesUtf8, addresses: wide },
      refusal: new AppError('invalid_recipient', say`An address has letters beyond ASCII before its @.`, {
        hint:
          senders.length > 0
            ? say`From and Reply-To need an address with ASCII before the @, because many servers take no mail with another.`
            : say`Such addresses need SMTPUTF8 (RFC 6531), which the operator's upstream does not offer; use an address with ASCII before the @.`,
        extra: { recipients: wide },
      }),
    };
  },
});

// The gate of the header fields that a request sets. Everything that steers delivery, identity, structure or automatic
// processing is the service's own.

const allowedNames: ReadonlySet<string> = new Set([
  'in-reply-to',
  'references',
  'importance',
  'x-priority',
  'list-id',
  'organization',
]);

/** `X-` fields that mean something to this service or to answering machines. */
const reservedPrefixes: readonly string[] = ['x-service-', 'x-sendwerk-', 'x-auto-response-suppress'];

/** Many lines of 998 octets: enough for References, small enough for every receiver. */
const MAX_VALUE_BYTES = 4_096;

/** Why the field is not allowed, in words for its sender; null where it is allowed. `controls`: see `controlsOf`. */
export const headerProblem = (name: string, value: string, controls: readonly string[]): Text | null => {
  const lower = name.toLowerCase();
  if (!isHeaderName(name)) return say`is not a header name`;
  if (!isHeaderValueSafe(value)) return say`has a value with a line break or control character`;
  if (Buffer.byteLength(value) > MAX_VALUE_BYTES)
    return say`has a value of more than ${MAX_VALUE_BYTES} bytes`;
  if (reservedPrefixes.some((prefix) => lower.startsWith(prefix))) return say`is reserved for the service`;
  if (isControl(name, controls)) return say`is one by which relays take orders`;
  return lower.startsWith('x-') || allowedNames.has(lower) ? null : say`may not be set by senders`;
};

export const headers = defineGate({
  name: 'headers',
  title: say`Header fields`,
  kind: 'request',
  errors: ['header_not_allowed'],
  check: ({ controls }, { headers: given }) => {
    const seen = new Set<string>();
    for (const [name, value] of given) {
      const key = name.toLowerCase();
      const problem = seen.has(key) ? say`is given twice` : headerProblem(name, value, controls);
      seen.add(key);
      if (problem === null) continue;
      const header = name.slice(0, 76);
      return {
        facts: { header },
        refusal: new AppError('header_not_allowed', say`The header ${JSON.stringify(header)} ${problem}.`, {
          extra: { header },
        }),
      };
    }
    return { facts: { count: given.length } };
  },
});

export const attachments = defineGate({
  name: 'attachments',
  title: say`Attachments`,
  kind: 'content',
  errors: ['attachment_rejected'],
  check: (_, { attachments: given }) => {
    const refused = given.length === 0 ? null : findRefusedAttachment(given);
    if (refused === null) return { facts: { count: given.length } };
    return {
      facts: { ...refused, reason: inEnglish(refused.reason) },
      refusal: new AppError(
        'attachment_rejected',
        say`The attachment ${JSON.stringify(refused.attachment)} is rejected: ${refused.reason}.`,
        { extra: refused },
      ),
    };
  },
});

/** Clocks differ, and a request may have waited: such a message leaves at once. An older time is a mistake. */
const PAST_ALLOWANCE_MS = 5 * MINUTE;

export const schedule = defineGate({
  name: 'schedule',
  title: say`Time of sending`,
  kind: 'time',
  errors: ['invalid_request'],
  check: ({ scheduledAt, now, limits }) => {
    if (scheduledAt === null) return { facts: { scheduled_at: null } };
    const latest = now + limits.days_ahead * DAY;
    const facts = { scheduled_at: toIso(scheduledAt), latest: toIso(latest) };
    const earliest = now - PAST_ALLOWANCE_MS;
    if (scheduledAt >= earliest && scheduledAt <= latest) return { facts };
    const message =
      scheduledAt > latest
        ? say`must be at most ${limits.days_ahead} days ahead`
        : say`is in the past: ${toIso(scheduledAt)}; leave it out to send at once`;
    return {
      facts,
      refusal: new AppError('invalid_request', say`\`scheduled_at\` ${message}.`, {
        extra: { fields: [{ path: 'body.scheduled_at', message }] },
      }),
    };
  },
});

/** The gates in the order in which they run. */
export const envelopeGates: readonly Gate[] = [
  kindAndRoute,
  senderDomain,
  tenantState,
  recipientCount,
  internationalisedAddresses,
  headers,
  attachments,
  schedule,
];

// The header fields by which relays take orders: recipients, lists, tracking, sender, time, queue. A sender who set one would pass
// by the gates, so none leaves. A name that ends in `*` is the beginning of names. Pure.

const orders: Readonly<Record<string, string>> = {
  'Azure Communication Services': 'X-MS-ACSEmail-*',
  Brevo: 'X-Mailin-* X-Sib-* X-Brevo-*',
  'Campaign Monitor': 'X-CMail-*',
  'Elastic Email': 'X-ElasticEmail-*',
  // X-Failed-Recipients is what Exim writes into bounces, and what other programs read in them.
  Exim: 'X-Failed-Recipients',
  Exchange: 'X-MS-Exchange-*',
  GreenArrow: 'X-GreenArrow-*',
  Haraka: 'X-VMTA',
  KumoMTA: 'X-Tenant X-Schedule X-KumoRef',
  Lettermint: 'X-LM-* X-Lettermint-*',
  Mailgun: 'X-Mailgun-*',
  Mailjet: 'X-MJ-* X-Mailjet-*',
  MailerSend: 'X-MailerSend-*',
  Mailtrap: 'X-MT-*',
  Mandrill: 'X-MC-*',
  Netcore: 'X-APIHeader',
  Postal: 'X-Postal-*',
  Postmark: 'X-PM-*',
  PowerMTA: 'X-Virtual-MTA X-Job X-Envid X-DKIM-Options',
  SendGrid: 'X-SMTPAPI X-SG-*',
  SES: 'X-SES-*',
  SMTP2GO: 'X-SMTP2GO-* X-SMTPCorp-*',
  SMTPeter: 'X-SMTPeter-*',
  SocketLabs: 'X-xsMailingId X-xsMessageId',
  SparkPost: 'X-MSYS-*',
  Tipimail: 'X-TM-*',
  ZoneMTA: 'X-Sending-Zone',
};

/** The control fields of relays that are known, in lower case. */
export const KNOWN_CONTROLS: readonly string[] = Object.values(orders).flatMap((names) =>
  names.toLowerCase().split(' '),
);

type Upstreams = readonly { readonly kind: string; readonly control_headers?: readonly string[] }[];

const controlsByUpstreams = new WeakMap<Upstreams, readonly string[]>();

/** With those that the configuration names for the relays in use. */
export const controlsOf = (upstreams: Upstreams): readonly string[] => {
  const known = controlsByUpstreams.get(upstreams);
  if (known) return known;
  const named = upstreams.flatMap(({ control_headers = [] }) => control_headers);
  const controls = [...KNOWN_CONTROLS, ...named.map((name) => name.toLowerCase())];
  controlsByUpstreams.set(upstreams, controls);
  return controls;
};

export const isControl = (name: string, controls: readonly string[]): boolean => {
  const lower = name.toLowerCase();
  return controls.some((control) =>
    control.endsWith('*') ? lower.startsWith(control.slice(0, -1)) : lower === control,
  );
};
