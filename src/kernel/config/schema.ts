// The configuration file, key by key. Each key is declared once: type, bounds, default and description; checking,
// config/service.example.yaml and the problems' texts come from here. checks.ts checks keys that depend on
// each other, files and environment variables.
//
// Metadata: `example` is shown if there is no default; `active` writes such a key into the example file as set; `live`
// marks what a reload applies to a running daemon. Everything else needs a restart.
import { z } from 'zod';
import { durationBetween } from '#src/kernel/expected.ts';
import { limitsSection } from '#src/kernel/limits.ts';
import { logLevels } from '#src/kernel/log.ts';
import { DAY, HOUR, MINUTE, SECOND } from '#src/kernel/time.ts';
import {
  alerts,
  billing,
  campaigns,
  compat,
  complaints,
  scanners,
  smtp,
  upstream,
  webhooks,
} from './sections.ts';
import { httpTls, tls } from './tls-section.ts';
import * as v from './values.ts';

const retryTime = durationBetween(SECOND, 7 * DAY);
const giveUp = durationBetween(MINUTE, 30 * DAY);
const kept = durationBetween(DAY, 3_650 * DAY);
const keptOrNot = durationBetween(0, 3_650 * DAY);

const service = z.strictObject({
  name: v.text(100).prefault('Sendwerk').describe('Name shown in footers, service mails and pages.'),
  public_origin: v.origin
    .meta({ example: 'https://mail.example.com' })
    .describe(
      'Origin under which browsers and API clients reach the service. Links in messages begin with it. Only where it is https are unsubscribe links added and cookies kept off unencrypted connections.',
    ),
  host: v.hostName
    .meta({ example: 'mail.example.com' })
    .describe(
      'Host name of the service in mail: EHLO name, MX target, parent of the DKIM and SPF targets, fallback Message-ID host.',
    ),
  managed_suffix: v.hostName
    .meta({ example: 'send.example.com' })
    .describe(
      'Zone of the managed hosts: each tenant gets <slug>.<managed_suffix>. service.host must not lie in it.',
    ),
  operated_by: v
    .text(200)
    .meta({ example: 'Example Mail GmbH, Berlin' })
    .optional()
    .describe('Who operates the service, for the page at its origin.'),
  legal_notice: v.httpUrl
    .meta({ example: 'https://example.com/imprint' })
    .optional()
    .describe("Address of the operator's legal notice, for the same page."),
  waiting_list: z
    .boolean()
    .prefault(true)
    .describe(
      'Whether people may enter themselves on the waiting list for paid plans, by the form on that page or by POST /api/public/waitlist.',
    ),
});

const http = z.strictObject({
  listen: v.listen
    .prefault('127.0.0.1:8080')
    .describe(
      'Where HTTP is served in clear: an IP address or localhost, IPv6 as [::1]:8080; port 0 takes any free one. For a proxy in front, and for commands on this machine.',
    ),
  tls: httpTls
    .optional()
    .describe('HTTPS by the service itself, without a proxy in front; off where absent.'),
  trust_proxy: z
    .union([z.literal(false), v.whole(1, 16), v.listOf(v.network)])
    .meta({ expected: 'false, a number of proxies from 1 to 16, or a list of their networks' })
    .prefault(false)
    .describe(
      'Whose X-Forwarded-For is believed: no one (false), the given number of proxies in front, or proxies in these networks. At http.tls only networks are believed, because clients come there themselves.',
    ),
});

const admin = z.strictObject({
  token_file: v.secretFile
    .meta({ example: 'config/admin.token', active: 'yes' })
    .optional()
    .describe(
      "File with the operator's token: 16 or more visible ASCII characters. Without a token no one can administer, neither over HTTP nor by `sendwerk admin`.",
    ),
  token_env: v.secretVariable
    .meta({ example: 'SENDWERK_ADMIN_TOKEN' })
    .optional()
    .describe('Environment variable with the token, instead of token_file.'),
  mail: v.mailAddress
    .meta({ example: 'operator@example.net', live: 'yes' })
    .optional()
    .describe(
      'Who gets a mail when database files fail or the disk fills up; smtp.inbound.postmaster where absent.',
    ),
});

const secrets = z.strictObject({
  master_key_file: v.secretFile
    .meta({ example: 'config/master.key', active: 'yes' })
    .optional()
    .describe(
      "File with the key that seals private keys and the service's own mails in the databases and protects one-time codes: base64 of 32 random bytes. Whoever loses it loses every DKIM key.",
    ),
  master_key_env: v.secretVariable
    .meta({ example: 'SENDWERK_MASTER_KEY' })
    .optional()
    .describe('Environment variable with the master key, instead of master_key_file.'),
  former_master_key_file: v.secretFile
    .meta({ example: 'config/master.key.former' })
    .optional()
    .describe(
      'File with the master key before a change of it, until `sendwerk secrets rotate` says that it can be removed.',
    ),
  former_master_key_env: v.secretVariable
    .meta({ example: 'SENDWERK_FORMER_MASTER_KEY' })
    .optional()
    .describe('Environment variable with that key, instead of former_master_key_file.'),
  evidence_key_file: v.secretFile
    .meta({ example: 'config/evidence.key' })
    .optional()
    .describe(
      'Ed25519 private key, PEM, that signs evidence of consent; made of the master key where absent. After a change the former one stays published, so that what it signed can be checked.',
    ),
});

const backup = z.strictObject({
  dir: v.filePath
    .meta({ example: '/var/backups/sendwerk', live: 'yes' })
    .optional()
    .describe('Directory of the backups, on another disk than data_dir; the command names one where absent.'),
  keep: v.keep
    .meta({ example: '7d4w12m', live: 'yes' })
    .optional()
    .describe(
      'In backup.dir all backups of the last 48 hours and, of the last days, weeks and months, the newest each are kept, and the others are removed; all are kept where absent.',
    ),
  max_age: durationBetween(HOUR, 365 * DAY)
    .meta({ live: 'yes' })
    .prefault('36h')
    .describe('Where backup.dir is set and the last backup is older, health is degraded.'),
});

const replica = z.strictObject({
  to: v.replicaAddress
    .meta({ example: 's3://backups/sendwerk' })
    .describe('Where Litestream writes to: s3://bucket/path, sftp://user@host/path or file:///mnt/path.'),
  endpoint: v.httpUrl
    .meta({ example: 'https://s3.example.net' })
    .optional()
    .describe("Of S3 at another provider than Amazon. Keys are in the environment of Litestream's unit."),
  region: v.text(100).meta({ example: 'eu-central-1' }).optional().describe('Of S3.'),
  key_file: v.filePath
    .meta({ example: '/etc/sendwerk/replica.key' })
    .optional()
    .describe('Private key for SFTP.'),
  keep: durationBetween(DAY, 365 * DAY)
    .prefault('3d')
    .describe('How long states of before can be restored. What people had erased is in the replica as long.'),
  metrics: v.listen
    .prefault('127.0.0.1:9464')
    .describe(
      'Where Litestream says how far it is, for Prometheus: `litestream_replica_wal_offset` and others.',
    ),
});

const metrics = z.strictObject({
  listen: v.listen
    .meta({ example: '127.0.0.1:9465' })
    .optional()
    .describe(
      'Where a listener of its own serves GET /metrics and nothing else; who reaches it may read, unless there is a token too.',
    ),
  token_file: v.secretFile
    .meta({ example: 'config/metrics.token' })
    .optional()
    .describe(
      "File with a token, 16 or more visible ASCII characters: with it /metrics is served at http.listen as well, to who sends it as a bearer token or as HTTP Basic's password.",
    ),
  token_env: v.secretVariable
    .meta({ example: 'SENDWERK_METRICS_TOKEN' })
    .optional()
    .describe('Environment variable with the token, instead of token_file.'),
});

const dns = z.strictObject({
  resolvers: z
    .array(v.resolver)
    .max(3)
    .prefault([])
    .describe(
      "DNS servers to ask, as IP addresses with or without port, in this order until one knows; the system's where empty.",
    ),
  zones: z
    .strictObject({
      addresses: v
        .listOf(v.ipAddress)
        .meta({ example: '203.0.113.10' })
        .prefault([])
        .describe(
          'Public IP addresses of service.host: its A and AAAA records, and senders in the SPF record.',
        ),
      spf_includes: v
        .listOf(v.dnsName)
        .meta({ example: '_spf.relay.example' })
        .prefault([])
        .describe(
          'SPF domains of the relays that mail leaves by, as their providers name them, for the SPF record that all hosts include.',
        ),
      spf_addresses: v
        .listOf(v.network)
        .meta({ example: '198.51.100.7' })
        .prefault([])
        .describe(
          'Public IP addresses or networks of relays without an SPF domain, for the same record; those of service.host are in it already.',
        ),
      nameservers: z
        .array(v.hostName)
        .min(1)
        .max(13)
        .meta({ example: 'ns1.mail.example.com' })
        .optional()
        .describe('Names of the name servers, for NS records; ns1.<service.host> where absent.'),
      hostmaster: v.mailAddress
        .meta({ example: 'hostmaster@mail.example.com' })
        .optional()
        .describe('Mail address in the SOA record; hostmaster@<service.host> where absent.'),
    })
    .prefault({})
    .describe(
      'What is in the zones service.host and service.managed_suffix, served here or by another server (`sendwerk dns zone`).',
    ),
  authoritative: z
    .strictObject({
      listen: v.listen.meta({ example: '0.0.0.0:53' }).describe('Where it listens, UDP and TCP.'),
    })
    .optional()
    .describe('Name server for both zones, to which they are delegated; off where absent.'),
  provider: z
    .strictObject({
      kind: z.enum(['cloudflare']).meta({ example: 'cloudflare' }).describe('Whose API it has.'),
      token_file: v.secretFile
        .meta({ example: 'config/dns-provider.token' })
        .optional()
        .describe(
          'File with an API token that may read zones and edit their DNS (Zone Read, DNS Edit), limited to the zones of practices.',
        ),
      token_env: v.secretVariable
        .meta({ example: 'DNS_PROVIDER_TOKEN' })
        .optional()
        .describe('Environment variable with the token, instead of token_file.'),
      api: v.httpUrl
        .prefault('https://api.cloudflare.com/client/v4')
        .describe('Address of its API; https, unless it is on this machine.'),
    })
    .optional()
    .describe(
      'DNS provider where the operator holds zones of practices. The records for receiving mail at a verified domain are published there on request (inbound/apply-dns); off where absent.',
    ),
  mta_sts: z
    .strictObject({
      mode: z
        .enum(['none', 'testing', 'enforce'])
        .prefault('testing')
        .describe(
          'enforce makes others refuse to deliver to service.host unless its certificate is valid for that name; none withdraws the policy, which others still heed until they ask again.',
        ),
      max_age: durationBetween(DAY, 365 * DAY)
        .prefault('7d')
        .describe('How long others may keep the policy.'),
      also: v
        .listOf(v.hostName)
        .prefault([])
        .describe(
          'service.host of the other hosts of a fleet: MX records may name one of them, since practices move from host to host.',
        ),
    })
    .prefault({})
    .describe('MTA-STS policy (RFC 8461) of the hosts that receive mail here.'),
});

const domainConnect = z.strictObject({
  provider_id: v.hostName
    .meta({ example: 'mail.example.com' })
    .describe('providerId of the published template.'),
  service_id: v.templateId.prefault('email').describe('serviceId of the published template.'),
  key_host: v.keyLabel.prefault('_dck1').describe('Label of the TXT record with the public key.'),
  private_key_file: v.secretFile
    .meta({ example: 'config/domain-connect.key' })
    .describe('RSA private key, PEM, that signs the apply URLs.'),
});

const safeMode = z.strictObject({
  default: z
    .boolean()
    .prefault(true)
    .describe(
      'Whether new tenants start in safe mode, where only the simulator and the addresses below can be sent to.',
    ),
  allowlist: v.listOf(v.allowed).prefault([]).describe('Recipients allowed in safe mode.'),
  placement_testers: v
    .listOf(v.allowed)
    .prefault([])
    .describe('Seed addresses of inbox placement tests, also allowed in safe mode.'),
});

const doctor = z.strictObject({
  round_trip: z
    .boolean()
    .prefault(true)
    .describe(
      'Whether the daemon once a day sends two messages to itself through each relay, and looks at what comes back; `sendwerk doctor --round-trip` does it at any time.',
    ),
  time_server: v.hostOrAddress
    .prefault('pool.ntp.org')
    .describe(
      'Asked once an hour how far off the clock is (SNTP); where it does not answer, nothing is said.',
    ),
});

const security = z.strictObject({
  outbound_allow: v
    .listOf(v.network)
    .prefault([])
    .describe('Internal networks that webhooks and alerts may reach all the same; for development.'),
  outbound_allow_http: z
    .boolean()
    .prefault(false)
    .describe('Lets webhooks and alerts use http besides https; for development.'),
  outbound_ca_file: v.filePath
    .meta({ example: 'certs/internal-ca.crt' })
    .optional()
    .describe(
      "Certificate authorities, PEM, that webhooks and alerts trust besides the public ones: for receivers in one's own network.",
    ),
});

const queue = z.strictObject({
  retry: z
    .array(retryTime)
    .min(1)
    .max(50)
    .prefault(['1m', '5m', '15m', '30m', '1h', '2h', '4h'])
    .describe('Waits before the second, third, ... attempt.'),
  then_every: retryTime.prefault('4h').describe('Wait between the attempts after those.'),
  jitter: z
    .number()
    .min(0)
    .max(0.9)
    .prefault(0.2)
    .describe('Each wait is spread by this share up and down; 0.2 is ±20 %.'),
  give_up: z
    .strictObject({
      transactional: giveUp.prefault('72h').describe('Transactional messages.'),
      marketing: giveUp.prefault('48h').describe('Marketing messages.'),
    })
    .prefault({})
    .describe('How long after it was accepted a message is tried.'),
});

const retention = z.strictObject({
  bodies: kept
    .prefault('30d')
    .describe(
      'Text, HTML and headers of messages, and captured mails, from when they were to leave; never while any copy is still to be sent.',
    ),
  attachments: kept.prefault('30d').describe('Attachments of messages, as bodies.'),
  events: kept.prefault('400d').describe('Delivery events, and what receivers report about domains.'),
  messages: kept
    .prefault('400d')
    .describe(
      'Subject, addresses, tags and metadata of messages, as bodies; then keyed hashes take their place. Nothing else of a message is kept longer.',
    ),
  audit: kept.prefault('1095d').describe('Audit entries.'),
  inbound: kept.prefault('90d').describe('Incoming messages.'),
  abuse_tickets: kept
    .prefault('365d')
    .describe('Abuse reports, with the addresses of their reporters, after they were closed.'),
  waiting_list: kept
    .prefault('730d')
    .describe('Entries of the waiting list, since the person last entered the address.'),
  consent_ip: keptOrNot
    .prefault('1096d')
    .describe(
      'Client addresses in the consent ledger, as long as the consent lasts and for this time after its end; 0s: not written. Of a request that no one confirms 90 days at most.',
    ),
  consent_user_agent: keptOrNot
    .prefault('1096d')
    .describe("Names of people's browsers in the consent ledger, as consent_ip."),
  webhook_deliveries: kept.prefault('30d').describe('Webhook deliveries with their answers.'),
});

export const configSchema = z.strictObject({
  service: service.describe('What the service is called and where it lives.'),
  data_dir: v.filePath.prefault('data').describe('Directory of the databases; made if missing.'),
  storage: z
    .strictObject({
      max_open_tenants: v
        .whole(2, 10_000)
        .prefault(256)
        .describe('Tenant databases held open at a time; one of them may be the nightly look.'),
      checkpoint_pages: v
        .whole(100, 100_000)
        .prefault(4_000)
        .describe('Pages of 4 KiB the write-ahead log gathers before it is written back.'),
      min_free_percent: v
        .whole(0, 99)
        .prefault(5)
        .describe(
          'With less of the disk free, health is degraded, the operator gets a mail, and mail for mailboxes is asked to come later.',
        ),
      min_free_mib: v.whole(0, 1_000_000_000).prefault(1_024).describe('The same in MiB.'),
    })
    .prefault({})
    .describe('The databases.'),
  backup: backup
    .prefault({})
    .describe('Copies of the data that `sendwerk backup` makes; docs/operate/backup.md has the whole.'),
  replica: replica
    .optional()
    .describe(
      'A copy that Litestream keeps within seconds of the data; docs/operate/replica.md has the whole.',
    ),
  metrics: metrics
    .prefault({})
    .describe(
      'Numbers about the service for Prometheus, off where nothing is set; docs/operate/monitoring.md has the whole.',
    ),
  http: http.prefault({}).describe('API, dashboard and public pages.'),
  smtp: smtp.prefault({}).describe('SMTP listeners.'),
  tls: tls.prefault({}).describe('Certificates; docs/operate/tls.md has the whole.'),
  admin: admin.prefault({}).describe("The operator's access: token_file or token_env."),
  operators: v
    .listOf(v.mailAddress)
    .meta({ example: ['operator@example.net'], live: 'yes' })
    .prefault([])
    .describe(
      'Addresses of people who sign in as operators, by code or password: they may do what the admin token may.',
    ),
  secrets: secrets
    .prefault({})
    .describe('The master key: exactly one of master_key_file and master_key_env.'),
  upstreams: z
    .array(upstream)
    .min(1)
    .max(32)
    .prefault([{ name: 'capture', kind: 'capture' }])
    .describe('Ways out, in order of preference: a capture mailbox where absent.'),
  queue: queue
    .meta({ live: 'yes' })
    .prefault({})
    .describe('When a message is tried again, and for how long.'),
  dkim: z
    .strictObject({
      ed25519: z
        .boolean()
        .prefault(true)
        .describe('Adds a second signature with Ed25519 (RFC 8463) to the RSA one.'),
      rotate_every: durationBetween(30 * DAY, 3_650 * DAY)
        .prefault('180d')
        .describe('How long a key signs before the next one takes its place.'),
      keep_old: durationBetween(3 * DAY, 90 * DAY)
        .prefault('14d')
        .describe(
          'How long a replaced key stays published for mail that is still under way; never less than queue.give_up.',
        ),
    })
    .prefault({})
    .describe('Signing.'),
  dns: dns.prefault({}).describe('DNS: which servers to ask, and what to answer.'),
  domain_connect: domainConnect
    .optional()
    .describe(
      'One-click set-up of records where the template has been published with the DNS provider; off where absent.',
    ),
  suppressions: z
    .strictObject({
      soft_bounces: z
        .strictObject({
          count: v
            .whole(0, 100)
            .prefault(5)
            .describe(
              'Messages that came back, with none delivered in between; with 0 no address is suppressed.',
            ),
          days: v.whole(1, 365).prefault(30).describe('Within so many days.'),
        })
        .prefault({})
        .describe(
          'Bounces that do not say that the address does not exist, as of a full mailbox. Those for reasons of the sender or the content do not count.',
        ),
    })
    .meta({ live: 'yes' })
    .prefault({})
    .describe('Addresses that are suppressed by themselves.'),
  complaints: complaints
    .meta({ live: 'yes' })
    .prefault({})
    .describe('Reports of recipients that a message is spam.'),
  safe_mode: safeMode
    .meta({ live: 'yes' })
    .prefault({})
    .describe('Protection against sending to strangers before go-live.'),
  scanners: scanners.prefault({}).describe('What looks at content besides the built-in rules.'),
  doctor: doctor
    .meta({ live: 'yes' })
    .prefault({})
    .describe(
      'What `sendwerk doctor` and the hourly look of the daemon check; docs/operate/troubleshooting.md has the whole.',
    ),
  security: security
    .meta({ live: 'yes' })
    .prefault({})
    .describe('Exceptions to the guard against requests to internal networks.'),
  webhooks: webhooks.prefault({}).describe('Deliveries of events to the systems of practices.'),
  alerts: alerts.prefault({}).describe('Messages about events to chat tools.'),
  campaigns: campaigns
    .meta({ live: 'yes' })
    .prefault({})
    .describe('When a campaign stops by itself, and when it is reported that it does not go on.'),
  compat: compat
    .meta({ live: 'yes' })
    .prefault({})
    .describe("Requests in the forms of other services' APIs, below /api/compat."),
  auth: z
    .strictObject({
      password_login: z
        .boolean()
        .prefault(false)
        .describe(
          'Lets members set a password and sign in by it, besides the one-time codes that are mailed.',
        ),
    })
    .meta({ live: 'yes' })
    .prefault({})
    .describe('Signing in.'),
  billing: billing.prefault({}).describe('Paid plans.'),
  limits: limitsSection.meta({ live: 'yes' }).prefault({}).describe('Request limits.'),
  retention: retention
    .meta({ live: 'yes' })
    .prefault({})
    .describe('How long data is kept; tenants may choose less. The consent ledger is kept until erased.'),
  shutdown: z
    .strictObject({
      drain: durationBetween(0, 10 * MINUTE)
        .prefault('20s')
        .describe(
          'How long requests and transactions under way may take to end. A service manager must wait longer than this.',
        ),
    })
    .prefault({})
    .describe('Stopping.'),
  log: z
    .strictObject({
      level: z
        .enum(logLevels)
        .meta({ live: 'yes' })
        .prefault('info')
        .describe('Least severe level that is written.'),
    })
    .prefault({})
    .describe('The log: JSON lines on standard output.'),
});

export type ConfigFile = z.output<typeof configSchema>;
