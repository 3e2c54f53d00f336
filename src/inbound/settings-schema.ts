// Whether and how a practice receives mail, as the API shows it.
import { z } from 'zod';
import { type Answering, replyAddressOf } from '#src/accounts/tenants/reply-address.ts';
import { sendingHost } from '#src/accounts/tenants/schema.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { checkedRecordSchema } from '#src/domains/custom/domain-schema.ts';
import type { ReceivingHost } from '#src/domains/custom/receiving.ts';
import { withAdvice } from '#src/domains/records/host-check.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { Speak } from '#src/kernel/say.ts';
import { DAY, toIso, toIsoOrNull } from '#src/kernel/time.ts';
import { setAsideQuota } from './admit.ts';
import { forwardTargets } from './forwarding/targets.ts';
import { inboundOptions, keptFor, optionsPatch } from './options.ts';
import { inboundSettingsStore } from './settings-store.ts';
import { inboundStore } from './store.ts';

const stateSchema = z.enum(['active', 'pending_dns']);

const recordSchema = checkedRecordSchema
  .extend({
    status: checkedRecordSchema.shape.status.nullable().describe('null: never checked'),
    required: z.boolean().describe('for receiving mail'),
  })
  .meta({ id: 'InboundRecord' });

export const inboundSchema = z
  .strictObject({
    state: z
      .enum(['disabled', ...stateSchema.options])
      .describe('`pending_dns`: enabled, but the MX of `host` was not found at the last check'),
    enabled_at: z.iso.datetime().nullable(),
    host: z.string().describe('that of the domain in use: mail to `anything@host` is received'),
    reply_address: z
      .string()
      .nullable()
      .describe(
        'in Reply-To of mail without `reply_to` from the domain in use, where neither its route nor its project says another; null: it has none',
      ),
    hosts: z
      .array(
        z.strictObject({
          host: z.string(),
          kind: z.enum(['managed', 'custom']),
          pending: z
            .boolean()
            .describe('of a custom domain whose DKIM is not verified: nothing is received there yet'),
          state: stateSchema.describe('whether its MX is right'),
          checked_at: z.iso.datetime().nullable(),
        }),
      )
      .describe('all of them, also when receiving is disabled'),
    records: z.array(recordSchema).describe('of all hosts, with what the last check found'),
    dns_provider: z.string().nullable().describe('at which `apply-dns` publishes'),
    options: inboundOptions,
    forward_targets: z
      .array(
        z.strictObject({
          address: z.string(),
          status: z.enum(['unconfirmed', 'confirmed', 'failed']),
          reason: z
            .string()
            .nullable()
            .describe(
              'why it failed: `declined` by the address, or its server’s reply, also to the mail that asked (`bounced` where it gave no reason); or why it is not asked: `paused`, `safe_mode`, `suppressed`, `asked_enough`',
            ),
          asked_at: z.iso.datetime().nullable().describe('by mail, last; null: not yet'),
          since: z.iso.datetime().describe('of the status'),
        }),
      )
      .describe('each address in `forward_to`: mail goes there only while it is `confirmed`'),
    kept_days: z
      .number()
      .describe('for so many mail is kept: `retention_days`, and no longer than the service keeps it'),
    counts: z.strictObject({
      total: z.int().describe('mails that are kept'),
      unread: z.int().describe('in the inbox'),
      held: z.int(),
      quarantined: z.int(),
      bytes: z.int().describe('of all mail that is kept, each counted as 4 KiB at least'),
      quota_bytes: z.int().describe('when this many are kept, further mail is asked to come later'),
      set_aside_bytes: z.int().describe('of mail held and quarantined, which is in `bytes` too'),
      set_aside_quota_bytes: z
        .int()
        .describe(
          'when this many are set aside, mail that would be held or quarantined is asked to come later',
        ),
    }),
  })
  .meta({ id: 'Inbound' });

export const patchInboundBody = optionsPatch;

const presentHost = (host: ReceivingHost) => ({
  host: host.host,
  kind: host.kind,
  pending: host.pending,
  state: host.hasMx ? ('active' as const) : ('pending_dns' as const),
  checked_at: toIsoOrNull(host.checkedAt),
});

const presentRecord = (
  record: ReceivingHost['records'][number],
  speak: Speak,
): z.infer<typeof recordSchema> => ({
  ...withAdvice(speak, record),
  required: record.purpose === 'inbound_mx',
  ...('status' in record ? { status: record.status, found: [...record.found] } : { status: null, found: [] }),
});

/** `retention`: ms for which the installation keeps mail. `dnsProvider`: its name; null: the service has access to none. */
export const presentInbound = (
  db: TenantDb,
  hosts: readonly ReceivingHost[],
  {
    quotaBytes,
    retention,
    dnsProvider,
    answering,
    speak,
  }: {
    readonly quotaBytes: number;
    readonly retention: number;
    readonly dnsProvider: string | null;
    readonly answering: Answering;
    readonly speak: Speak;
  },
): z.infer<typeof inboundSchema> => {
  const { enabledAt, options } = inboundSettingsStore(db).current();
  const inUse = hosts.findLast(({ pending }) => !pending);
  if (!inUse) throw new Error('a practice has a managed host');
  const store = inboundStore(db);
  return {
    state: enabledAt === null ? 'disabled' : presentHost(inUse).state,
    enabled_at: enabledAt === null ? null : toIso(enabledAt),
    host: inUse.host,
    reply_address: replyAddressOf(db, answering, null, null, sendingHost(tenantStore(db).practice())),
    hosts: hosts.map(presentHost),
    records: hosts.flatMap(({ records }) => records.map((record) => presentRecord(record, speak))),
    dns_provider: dnsProvider,
    options,
    forward_targets: [...forwardTargets(db)],
    kept_days: keptFor(options, retention) / DAY,
    counts: {
      ...store.counts(),
      bytes: store.storedBytes(),
      quota_bytes: quotaBytes,
      set_aside_bytes: store.setAsideBytes(),
      set_aside_quota_bytes: setAsideQuota(quotaBytes),
    },
  };
};
