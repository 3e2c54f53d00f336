// The larger sections of the configuration file: upstreams, SMTP listeners, scanners, and what follows events.

import { z } from 'zod';
import { durationBetween } from '#src/kernel/expected.ts';
import { streams } from '#src/kernel/stream.ts';
import { DAY, MINUTE, SECOND } from '#src/kernel/time.ts';
import * as v from './values.ts';

const events = z
  .strictObject({
    format: z
      .enum(['sns', 'json'])
      .meta({ example: 'sns' })
      .describe('sns: Amazon SNS with events of Amazon SES; json: the form described in /reference.'),
    secret_file: v.secretFile
      .meta({ example: 'config/relay-events.secret' })
      .optional()
      .describe('File with the secret that the relay sends: 16 or more visible ASCII characters.'),
    secret_env: v.secretVariable
      .meta({ example: 'RELAY_EVENTS_SECRET' })
      .optional()
      .describe('Environment variable with the secret, instead of secret_file.'),
  })
  .describe(
    'Reports by HTTP, to <public_origin>/api/upstreams/<name>/events, from a relay that reports this way what became of mail; off where absent. The secret goes as a bearer token or as the password of HTTP Basic.',
  );

const named = z
  .strictObject({
    streams: z
      .array(z.enum(streams))
      .min(1)
      .max(streams.length)
      .meta({ example: 'marketing' })
      .optional()
      .describe('Streams of mail; both where absent.'),
    practices: v
      .listOf(v.practiceName)
      .min(1)
      .meta({ example: 'praxis-am-markt' })
      .optional()
      .describe('Slugs or ids of practices; all where absent.'),
  })
  .refine(({ streams, practices }) => streams !== undefined || practices !== undefined, {
    error: 'streams or practices, or both',
  })
  .describe(
    'The mail it is for: what matches goes to it and, while it fails, to the next one that names it, then to those without `for`. Where absent, it carries all mail that no upstream names.',
  );

const smtpUpstream = z
  .strictObject({
    kind: z.literal('smtp').describe('Relays to a smarthost.'),
    name: v.upstreamName.meta({ example: 'relay' }).describe('Name in logs and message details; unique.'),
    host: v.hostOrAddress
      .meta({ example: 'relay.example.net' })
      .describe('Host name or IP address of the smarthost.'),
    port: v.port.prefault(587).describe('Its port.'),
    tls: z
      .enum(['none', 'opportunistic', 'required', 'implicit'])
      .prefault('required')
      .describe(
        'none: never; opportunistic: STARTTLS where offered, unverified; required: STARTTLS with a verified certificate; implicit: TLS from the first byte, verified. A password is never sent without TLS, except to this machine.',
      ),
    user: v
      .text(200)
      .meta({ example: 'sendwerk' })
      .optional()
      .describe('User name for AUTH; no AUTH where absent.'),
    password_file: v.secretFile
      .meta({ example: 'config/relay.password' })
      .optional()
      .describe("File with the user's password."),
    password_env: v.secretVariable
      .meta({ example: 'RELAY_PASSWORD' })
      .optional()
      .describe('Environment variable with the password, instead of password_file.'),
    ca_file: v.filePath
      .meta({ example: 'certs/relay-ca.crt' })
      .optional()
      .describe("Certificate authorities to verify the relay against, PEM; the system's where absent."),
    pool: v.whole(1, 100).prefault(8).describe('Connections at a time.'),
    rate: z
      .number()
      .min(0.01)
      .max(10_000)
      .meta({ example: 50 })
      .optional()
      .describe('Messages per second at most; unlimited where absent.'),
    for: named.optional(),
    events: events.optional(),
    control_headers: v
      .listOf(v.headerNames)
      .prefault([])
      .meta({ example: ['X-Pool', 'X-Relay-*'] })
      .describe(
        'Header fields by which this relay takes orders, beside those of the usual relays; a name that ends in * is the beginning of names. Senders may not set them.',
      ),
    delivered_on: z
      .enum(['dsn', 'accept'])
      .prefault('dsn')
      .describe(
        'dsn: a recipient counts as delivered when a success notice says so; accept: when the relay has taken the message.',
      ),
  })
  .describe(
    'A smarthost. The first healthy upstream takes a message; the next one takes over when it fails. Mail to the mailbox simulator leaves by none: the service hands it to itself.',
  );

const captureUpstream = z
  .strictObject({
    kind: z.literal('capture').describe('Keeps messages in a local mailbox and delivers nothing.'),
    name: v.upstreamName.meta({ example: 'capture' }).describe('Name in logs and message details; unique.'),
    for: named.optional(),
    keep: v.whole(1, 100_000).prefault(1_000).describe('Messages kept per tenant; the oldest go first.'),
  })
  .describe('A local mailbox for trying things out: the default of a fresh install.');

export const upstream = z.discriminatedUnion('kind', [captureUpstream, smtpUpstream], {
  error: ({ code }) => (code === 'invalid_union' ? 'smtp or capture' : undefined),
});

const tls = (meta: { readonly live?: 'yes' } = {}) =>
  z.strictObject({
    cert: v.filePath
      .meta({ example: 'certs/mail.crt', ...meta })
      .describe('Certificate with its chain, PEM.'),
    key: v.filePath
      .meta({ example: 'certs/mail.key', ...meta })
      .describe('Private key of the certificate, PEM.'),
  });

export const smtp = z.strictObject({
  inbound: z
    .strictObject({
      listen: v.listen
        .meta({ example: '0.0.0.0:25' })
        .describe('Where mail, bounces and reports come in; the MX records point here.'),
      tls: tls({ live: 'yes' })
        .optional()
        .describe(
          'Certificate for STARTTLS; read again when its files change. Where absent, that of tls.acme, or a self-signed one that is made in data_dir.',
        ),
      postmaster: v.mailAddress
        .meta({ example: 'operator@example.net', live: 'yes' })
        .optional()
        .describe(
          "Who gets what is written to postmaster and abuse of the service's hosts. Kept in the local mailbox of the service's own practice where absent.",
        ),
      max_message_mib: v
        .whole(1, 100)
        .prefault(36)
        .describe(
          'Largest mail, in MiB: a file of 25 MB needs 35. What is being received takes at most 96 MiB in all, or twice this where that is more, and some four times as much while it is read.',
        ),
      dnsbl: z
        .array(v.hostName)
        .max(8)
        .meta({ example: 'zen.spamhaus.org' })
        .prefault([])
        .describe(
          'DNS block lists (zones) of client addresses: a client that one of them has may not write to mailboxes. One that does not answer within scanners.dnsbl_timeout refuses no one. They learn the addresses, refuse public resolvers, and have licences.',
        ),
      greylist: durationBetween(SECOND, 60 * MINUTE)
        .meta({ example: '5m' })
        .optional()
        .describe(
          'Greylisting: mail to mailboxes from a network that is unknown is taken when it comes again after this time, and then at once for 36 days. Off where absent.',
        ),
    })
    .optional()
    .describe(
      'Listener for mail from the world: mail to practices, reports on what was sent, and the mailbox simulator; off where absent.',
    ),
  submission: z
    .strictObject({
      listen: v.listen
        .meta({ example: '0.0.0.0:587' })
        .optional()
        .describe('Where clients begin in clear and change to TLS by STARTTLS; off where absent.'),
      implicit_listen: v.listen
        .meta({ example: '0.0.0.0:465' })
        .optional()
        .describe('Where TLS begins with the first byte; off where absent.'),
      tls: tls()
        .optional()
        .describe(
          'Certificate of both, that of smtp.inbound or of tls.acme where absent; read again when its files change. Without one, signing in is possible from this machine only.',
        ),
    })
    .optional()
    .describe('Listeners for message submission with an API token as password; off where absent.'),
});

/** The complaint feedback loops at which operators of mail servers register, and Amazon SNS, by which Amazon SES reports. */
const FEEDBACK_SOURCES = [
  ...['amazonaws.com', 'aol.com', 'comcast.net', 'fastmail.com', 'hotmail.com', 'laposte.net', 'mail.ru'],
  ...['outlook.com', 'returnpath.net', 'senderscore.net', 'seznam.cz', 'signal-spam.fr', 'validity.com'],
  ...['yahoo.com', 'yandex.ru'],
];

export const complaints = z.strictObject({
  feedback_sources: z
    .array(v.hostName)
    .max(100)
    .prefault(FEEDBACK_SOURCES)
    .describe(
      'Domains of complaint feedback loops. A complaint that comes by mail counts for the pause of a practice only where SPF or DKIM proves that it is of one of them, or of the provider of the recipient’s mailbox (the owner of its domain, or of the hosts in its MX records). Any other suppresses the address, and counts in no rate. Leave out who signs the mail of customers, as amazonses.com does.',
    ),
});

const answerTime = durationBetween(100, MINUTE);
const atOnce = v.whole(1, 100);

export const scanners = z.strictObject({
  rspamd: z
    .strictObject({
      url: v.httpUrl
        .meta({ example: 'http://127.0.0.1:11333' })
        .describe(
          'Address of its normal worker. Messages that are sent come with the settings id `outbound`: in its settings, disable there what only makes sense for mail that comes in (SPF, DKIM, DMARC, lists of addresses, greylisting, rate limits). Mail that comes in for mailboxes has no settings id.',
        ),
      timeout: answerTime.prefault('5s').describe('How long it may take for a message.'),
      concurrency: atOnce.prefault(8).describe('Messages it gets at a time.'),
    })
    .optional()
    .describe('Spam scanner; off where absent.'),
  clamd: z
    .strictObject({
      address: v.socketAddress
        .meta({ example: '127.0.0.1:3310' })
        .describe(
          'Its TCP socket as host:port, or the absolute path of its unix socket. Its StreamMaxLength must not be less than 10M, the largest attachment, and than the largest mail that comes in.',
        ),
      timeout: answerTime.prefault('10s').describe('How long it may take for an attachment.'),
      concurrency: atOnce.prefault(8).describe('Attachments it gets at a time.'),
    })
    .optional()
    .describe('Virus scanner; off where absent.'),
  link_blocklist_file: v.filePath
    .meta({ example: 'config/link-blocklist.txt', live: 'yes' })
    .optional()
    .describe(
      'Hosts that no link may point to, one a line, each with all below it; `#` begins a comment. At most 10 MB; read again when it has changed.',
    ),
  dnsbl: z
    .array(v.hostName)
    .max(8)
    .meta({ example: 'dbl.spamhaus.org' })
    .prefault([])
    .describe(
      'DNS block lists (zones) that hosts of links are looked up in. dbl.spamhaus.org, multi.surbl.org and multi.uribl.com are understood by their codes; of any other list every answer blocks. They learn the names, refuse public resolvers, and have licences.',
    ),
  dnsbl_timeout: answerTime.prefault('2s').describe('How long a list may take for a message.'),
  on_failure: z
    .enum(['pass', 'refuse'])
    .meta({ live: 'yes' })
    .prefault('pass')
    .describe(
      'What becomes of a message that a scanner has not looked at because it does not answer: it passes with a warning, or is refused for now (503, mail that comes in 451).',
    ),
});

const wait = durationBetween(SECOND, 7 * DAY);

export const webhooks = z.strictObject({
  retry: z
    .array(wait)
    .min(1)
    .max(50)
    .prefault(['5s', '5m', '30m', '2h', '5h', '10h', '10h'])
    .describe('Waits before the second, third, ... attempt at a delivery; after the last one it has failed.'),
  jitter: z
    .number()
    .min(0)
    .max(0.9)
    .prefault(0.2)
    .describe('Each wait is spread by this share up and down; 0.2 is ±20 %.'),
  timeout: durationBetween(SECOND, MINUTE)
    .prefault('10s')
    .describe('How long one attempt may take, from looking up the name to the end of the answer.'),
  disable_after: durationBetween(MINUTE, 90 * DAY)
    .prefault('5d')
    .describe('A webhook or alert that has failed for so long without a success in between is disabled.'),
});

export const alerts = z.strictObject({
  gather: durationBetween(SECOND, 60 * MINUTE)
    .prefault('1m')
    .describe('How long events are gathered, from the first one on, before one message reports all of them.'),
});

export const campaigns = z.strictObject({
  stop_at: z
    .strictObject({
      bounce_percent: z
        .number()
        .min(0.1)
        .max(5)
        .prefault(3)
        .describe(
          'Hard bounces, of the mails of the campaign that were tried, or of 100 where that is more.',
        ),
      complaint_percent: z
        .number()
        .min(0.01)
        .max(0.1)
        .prefault(0.08)
        .describe('Complaints, of the mails that were tried, or of 2,500 where that is more.'),
    })
    .prefault({})
    .describe(
      'A campaign pauses itself at such a share, and before one more would pause its whole practice (5 % and 0.1 %).',
    ),
  stall_after: durationBetween(MINUTE, DAY)
    .prefault('30m')
    .describe('Owners get a mail when a campaign has not gone on for so long without a known reason.'),
});

const aliases = (shape: string, paths: readonly string[], tokenHeaders: readonly string[]) =>
  z
    .strictObject({
      paths: v
        .listOf(v.pathPrefix)
        .prefault([...paths])
        .describe(
          'Prefixes under which its paths are served as well; / serves them without a prefix, where nothing else has that path.',
        ),
      token_headers: v
        .listOf(v.headerName)
        .prefault([...tokenHeaders])
        .describe('Header fields that may carry the token; Authorization wins where both are sent.'),
    })
    .prefault({})
    .describe(`For ${shape}.`);

export const compat = z.strictObject({
  aliases: z
    .strictObject({
      vendor_a: aliases('the vendor A shape', ['/api/compat/resend', '/'], []),
      vendor_b: aliases('the vendor B shape', ['/api/compat/postmark', '/'], ['X-Postmark-Server-Token']),
      vendor_c: aliases('the vendor C shape', ['/api/compat/sendgrid/v3', '/v3'], []),
      eu: aliases('the EU shape', ['/api/compat/lettermint', '/v1', '/'], ['x-lettermint-token']),
    })
    .prefault({})
    .describe(
      'What lets a client of such a service work here with only its base address and its key changed. An empty list leaves what is below /api/compat.',
    ),
});

const stripe = z
  .strictObject({
    secret_key_file: v.secretFile
      .meta({ example: 'config/stripe.key' })
      .optional()
      .describe(
        'File with the secret or restricted key (sk_… or rk_…). A restricted key needs to write customers, checkout sessions and customer portal, and to read subscriptions.',
      ),
    secret_key_env: v.secretVariable
      .meta({ example: 'STRIPE_SECRET_KEY' })
      .optional()
      .describe('Environment variable with the key, instead of secret_key_file.'),
    webhook_secret_file: v.secretFile
      .meta({ example: 'config/stripe-webhook.secret' })
      .optional()
      .describe(
        'File with the signing secret (whsec_…) of the webhook endpoint <public_origin>/api/public/billing/stripe, which gets customer.subscription.created, .updated and .deleted.',
      ),
    webhook_secret_env: v.secretVariable
      .meta({ example: 'STRIPE_WEBHOOK_SECRET' })
      .optional()
      .describe('Environment variable with the signing secret, instead of webhook_secret_file.'),
    api_base: v.origin
      .prefault('https://api.stripe.com')
      .describe('Origin of its API; https, unless it is on this machine.'),
    price: z
      .strictObject({
        supporter: v.priceId
          .meta({ example: 'price_1AbCdEfGhIjKlMnOp' })
          .describe('Of the plan Supporter: 5 EUR a month.'),
      })
      .describe('Ids of prices.'),
  })
  .describe('The account at Stripe.');

export const billing = z.strictObject({
  provider: z
    .enum(['none', 'stripe'])
    .prefault('none')
    .describe('Payment provider; with none, paid plans are given by the operator alone.'),
  grace: durationBetween(0, 60 * DAY)
    .prefault('14d')
    .describe('How long the plan is kept after a failed payment.'),
  stripe: stripe.optional(),
});
