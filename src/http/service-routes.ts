// What the service says of itself: its health, and what clients can count on.
import { z } from 'zod';
import { attachmentPolicy } from '#src/intake/content/attachment-policy.ts';
import { faultStates, fileStates } from '#src/kernel/db/file-states.ts';
import type { Limits } from '#src/kernel/limits.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';

export interface Health {
  /** False while it shuts down or cannot store: then nothing is accepted. */
  readonly ok: boolean;
  readonly status: 'ok' | 'degraded' | 'draining' | 'failing';
  readonly version: string;
  readonly uptime_seconds: number;
  readonly upstreams: readonly Readonly<Record<string, unknown>>[];
  readonly scanners: readonly { readonly name: string; readonly state: string }[];
  readonly [part: string]: unknown;
}

interface SubmissionFacts {
  readonly host: string;
  readonly port: number | null;
  readonly implicit_port: number | null;
}

export interface ServiceFacts {
  readonly name: string;
  readonly version: string;
  /** Of that practice; with null, whether new ones start in it. */
  readonly safeMode: (tenantId: string | null) => Promise<boolean>;
  readonly limits: () => Limits;
  readonly passwordLogin: () => boolean;
  /** Whether any is configured. */
  readonly scanners: () => boolean;
  /** Where messages are taken over SMTP; null where they are not. */
  readonly submission: SubmissionFacts | null;
  readonly simulatorHost: string;
  /** Whether a payment provider is configured. */
  readonly billing: boolean;
  /** Whether mail from the world is. */
  readonly inbound: boolean;
  readonly health: () => Health;
}

const upstreamSchema = z.strictObject({
  name: z.string(),
  kind: z.string(),
  state: z.enum(['closed', 'open', 'half_open']).describe('of its breaker: open while it is set aside'),
  retry_at: z.iso.datetime().nullable().describe('when it is tried again'),
  delivered_on: z.enum(['dsn', 'accept']).nullable(),
  dsn: z.boolean().nullable().describe('whether it offers delivery notices; without, mail stays `processed`'),
  never_delivered: z
    .enum(['no_listener', 'no_dsn'])
    .nullable()
    .describe('why no mail that it takes becomes `delivered`; null where one may'),
});

const scannerSchema = z.strictObject({
  name: z.string(),
  state: z
    .enum(['off', 'ok', 'failing'])
    .describe(
      'failing: it does not answer, and is left out until it does; or the list of hosts is not usable',
    ),
});

const healthSchema = z
  .strictObject({
    status: z
      .enum(['ok', 'degraded', 'draining', 'failing'])
      .describe(
        'degraded: an upstream is set aside, and mail waits; a scanner fails, or the DNS by which mail that comes in is checked; the data of a practice cannot be read or written; or the disk is nearly full. failing: no one can be served',
      ),
    version: z.string(),
    uptime_seconds: z.number(),
    upstreams: z.array(upstreamSchema),
    scanners: z.array(scannerSchema),
  })
  .meta({ id: 'Health' });

const wholeHealthSchema = z
  .strictObject({
    ...healthSchema.shape,
    registry: z.enum(fileStates).describe('of the file that holds what belongs to no practice'),
    databases: z.looseObject({
      open: z.int(),
      limit: z.int(),
      broken: z.int().describe('practices whose data cannot be read or written'),
      states: z.record(z.enum(faultStates), z.int()).describe('these by what is wrong'),
      strays: z
        .strictObject({ count: z.int(), named: z.array(z.string()).describe('the first 20') })
        .describe('directories below `data_dir/tenants` that belong to no practice and are not used'),
    }),
    disk: z.strictObject({
      free_bytes: z.int(),
      total_bytes: z.int(),
      state: z
        .enum(['ok', 'low', 'full', 'failing'])
        .describe('low: less is free than `storage.min_free_*`; failing: it cannot be asked'),
    }),
    queue: z.looseObject({
      waiting_tenants: z.int(),
      in_flight: z.int(),
      next_due_at: z.iso.datetime().nullable(),
    }),
    upstreams: z.array(
      z.strictObject({
        ...upstreamSchema.shape,
        failures: z.int().describe('in a row, of the upstream itself'),
      }),
    ),
    scanners: z.array(
      z.strictObject({
        ...scannerSchema.shape,
        failures: z.int().describe('in a row'),
        last_failure_at: z.iso.datetime().nullable().describe('since the start'),
      }),
    ),
    dns: z
      .strictObject({
        listening: z.boolean(),
        queries: z.int().describe('since the start, as the two that follow'),
        limited: z.int().describe('sent to TCP, because their network asked too often'),
        failed: z.int().describe('answered SERVFAIL: the registry could not be read'),
      })
      .nullable()
      .describe('the built-in name server; null where it is off'),
    inbound: z
      .strictObject({
        listening: z.boolean(),
        connections: z.int(),
        reports: z
          .strictObject({
            changed: z.int(),
            unchanged: z.int().describe('known already, or of no meaning'),
            unknown: z
              .int()
              .describe('about messages that are kept no more, or complaints about none of ours'),
          })
          .describe('since the start, as those that follow; at return paths, and complaints at `fbl@`'),
        received: z.int().describe('mails for mailboxes'),
        domain_reports: z
          .strictObject({ taken: z.int(), not_taken: z.int() })
          .describe('at `dmarc@` and `tls-rpt@`'),
        simulated: z.int().describe('mails that the simulator took'),
        to_operator: z.int().describe('written to postmaster and abuse'),
        refused: z
          .strictObject({
            relaying: z.int().describe('for hosts that mail is not received for'),
            no_mailbox: z.int(),
            stranger: z.int().describe('mail of others to the simulator'),
            forged: z.int().describe('return paths that were not made here, as those that follow'),
            unknown: z.int().describe('genuine, of messages that are kept no more'),
            replayed: z.int().describe('genuine, of mail that never left'),
            expired: z.int().describe('genuine, of mail that left more than 60 days ago'),
            listed: z.int().describe('by clients on a block list'),
            greylisted: z.int(),
            sending_host: z.int().describe('at hosts that only send, such as `noreply@`'),
            too_many: z.int().describe('by one client in a short time'),
            disabled: z.int().describe('at hosts that receive no mail'),
            unwanted: z.int().describe('at addresses whose mode is `reject`'),
            blocked: z.int().describe('by senders that the practice blocks'),
            too_large: z.int().describe('of mail that is larger than the practice takes'),
            no_disk: z.int().describe('while less of the disk is free than `storage.min_free_*`'),
            full: z.int().describe('of practices whose mail takes all its room'),
            busy: z.int().describe('of practices that get too much in a short time'),
          })
          .describe('recipients'),
        refused_content: z
          .strictObject({
            blocked_sender: z.int(),
            virus: z.int(),
            dmarc: z.int().describe('by the policy of its author’s domain'),
            dns: z.int().describe('asked to come again: the DNS did not say whose it is'),
            spam: z.int(),
            scanner_unavailable: z.int().describe('asked to come again'),
            too_large: z.int(),
            full: z.int().describe('of practices whose mail takes all its room'),
            loop: z.int().describe('that has been through more than 100 servers'),
            too_many: z.int().describe('reports, or mail to the operator, of one client in a short time'),
            failed: z.int().describe('could not be stored, or its answer not be sent'),
          })
          .describe('mails that were refused behind their content'),
        resolver: z
          .strictObject({
            state: z.enum(['ok', 'failing']),
            failing_since: z.iso.datetime().nullable(),
          })
          .describe(
            'the DNS that checks of authors ask. failing: it answers nothing, and mail whose author has to be checked is asked to come later',
          ),
      })
      .nullable()
      .describe('the listener for mail from the world; null where it is off'),
    submission: z
      .strictObject({ listening: z.boolean(), connections: z.int() })
      .nullable()
      .describe('the listeners for message submission; null where they are off'),
    webhooks: z.strictObject({
      in_flight: z.int().describe('requests in flight'),
      waiting: z.int().describe('deliveries about to be sent; the others wait in the files'),
      unsettled: z.int().describe('sent, but what came of them could not be stored yet'),
    }),
    alerts: z.strictObject({
      in_flight: z.int().describe('messages to chat tools in flight'),
      waiting_tenants: z.int().describe('practices whose next message waits for a place'),
    }),
  })
  .meta({ id: 'OperatorHealth' });

const metaSchema = z
  .strictObject({
    service: z.string(),
    version: z.string(),
    attachment_policy: z.strictObject({
      max_count: z.int(),
      max_bytes_each: z.int(),
      max_bytes_total: z.int(),
      allowed_types: z.array(z.string()),
      allowed_extensions: z.array(z.string()),
      rejected_extensions: z.array(z.string()),
    }),
    safe_mode: z
      .boolean()
      .describe(
        'whether the practice of the token is in safe mode; for others, whether new ones start in it',
      ),
    limits: z.strictObject({ recipients: z.int(), batch: z.int(), body_bytes: z.int() }),
    simulator_host: z
      .string()
      .describe('of the mailbox simulator: what is sent to `success@` it is accepted, to `bounce@` refused'),
    submission: z
      .strictObject({
        host: z.string(),
        port: z.int().nullable().describe('where clients change to TLS by STARTTLS'),
        implicit_port: z.int().nullable().describe('where TLS begins with the first byte'),
      })
      .nullable()
      .describe('where messages are taken over SMTP'),
    features: z.strictObject({
      inbound: z.boolean(),
      submission: z.boolean(),
      billing: z.boolean(),
      password_login: z.boolean(),
      tracking: z.boolean(),
      scanners: z.boolean(),
    }),
  })
  .meta({ id: 'Meta' });

export const serviceRoutes = (facts: ServiceFacts): Route[] => [
  defineRoute({
    method: 'get',
    path: '/healthz',
    tag: 'Service',
    id: 'getHealth',
    summary: 'Health',
    access: 'public',
    stability: 'stable',
    responses: {
      200: { description: 'It accepts and sends, or accepts and keeps what waits.', body: healthSchema },
      503: { description: 'It accepts nothing: shutting down, or its storage fails.', body: healthSchema },
    },
    handle: () => {
      // Strangers see nothing that changes with a single mail: it would show them which address gets a code.
      const { ok, status, version, uptime_seconds, upstreams, scanners } = facts.health();
      const body = {
        status,
        version,
        uptime_seconds,
        upstreams: upstreams.map(({ failures: _, ...upstream }) => upstream),
        scanners: scanners.map(({ name, state }) => ({ name, state })),
      };
      return { status: ok ? 200 : 503, body };
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/admin/health',
    tag: 'Platform administration',
    id: 'getOperatorHealth',
    summary: 'Health with databases and queue',
    access: 'operator',
    stability: 'stable',
    responses: { 200: { description: 'At this moment.', body: wholeHealthSchema } },
    handle: () => {
      const { ok: _, ...body } = facts.health();
      return { status: 200, body };
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/meta',
    tag: 'Service',
    id: 'getMeta',
    summary: 'Limits, policies and features of this installation',
    access: 'authenticated',
    stability: 'stable',
    responses: { 200: { description: 'What clients can count on.', body: metaSchema } },
    handle: async (_, { caller }) => {
      const { recipients, batch, body_bytes } = facts.limits();
      const body = {
        service: facts.name,
        version: facts.version,
        attachment_policy: attachmentPolicy,
        safe_mode: await facts.safeMode(caller.tenantId),
        limits: { recipients, batch, body_bytes },
        simulator_host: facts.simulatorHost,
        submission: facts.submission,
        features: {
          inbound: facts.inbound,
          submission: facts.submission !== null,
          billing: facts.billing,
          password_login: facts.passwordLogin(),
          tracking: true,
          scanners: facts.scanners(),
        },
      };
      return { status: 200, body };
    },
  }),
];
