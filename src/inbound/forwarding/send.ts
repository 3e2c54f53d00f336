// One attempt: a copy goes to the relay as it was received, an automatic reply the one way in.

import { tenantStore } from '#src/accounts/tenants/store.ts';
import { sourcePieces } from '#src/inbound/mailbox/download.ts';
import { inboundSettingsStore } from '#src/inbound/settings-store.ts';
import { type InboundRow, inboundStore } from '#src/inbound/store.ts';
import { draftWith } from '#src/intake/draft.ts';
import type { Intake } from '#src/intake/open.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Clock } from '#src/kernel/time.ts';
import type { Address } from '#src/mail/mailbox.ts';
import { encodeForwardPath } from '#src/mail/srs.ts';
import type { TokenKeys } from '#src/mail/token-keys.ts';
import type { Relay } from '#src/relay/open.ts';
import { forwardedSource, needsOf, type Result, resultOf } from './rules.ts';
import type { ForwardRow } from './store.ts';

export interface SendDeps {
  readonly files: Pick<TenantFiles, 'read'>;
  readonly clock: Clock;
  /** Derived for the purpose `forwarding`. */
  readonly key: TokenKeys;
  readonly sendSource: Relay['sendSource'];
  readonly accept: Intake['accept'];
}

const GONE: Result = { kind: 'failed', diagnostic: 'The mail has been removed.' };

const forward = async (deps: SendDeps, tenantId: string, row: ForwardRow): Promise<Result> => {
  const { files, clock, key, sendSource } = deps;
  const found = await files.read(tenantId, (db) => {
    const mail = inboundStore(db).bySeq(row.message_seq);
    return mail && { mail, practice: tenantStore(db).practice() };
  });
  if (!found) return GONE;
  const { mail, practice } = found;
  const pieces = await Array.fromAsync(sourcePieces(files, tenantId, mail));
  const source = forwardedSource(Buffer.concat(pieces), row.recipient);
  const copy = { tenantNumber: practice.number, forwardSeq: row.seq };
  const host = practice.custom_domain ?? practice.managed_host;
  const envelope = {
    // What came with the null sender is a report, and a report about it would be one too many.
    returnPath: mail.mail_from === '' ? '' : encodeForwardPath(key, copy, host, clock.now()),
    recipient: row.target,
    envelopeId: mail.id,
    needs: needsOf(source),
  };
  return resultOf(await sendSource({ tenantId, messageId: mail.id, envelope, source }));
};

/** Newest last; enough for any thread, and short enough for one field. */
const MAX_REFERENCES = 20;

const threadFields = ({ internet_message_id: id, references_json }: InboundRow): [string, string][] => {
  if (id === null) return [];
  const references = [...(JSON.parse(references_json) as string[]).slice(-MAX_REFERENCES), id];
  return [
    ['In-Reply-To', id],
    ['References', references.join(' ')],
  ];
};

const reply = async ({ files, accept }: SendDeps, tenantId: string, row: ForwardRow): Promise<Result> => {
  const { mail, options } = await files.read(tenantId, (db) => ({
    mail: inboundStore(db).bySeq(row.message_seq),
    options: inboundSettingsStore(db).current().options,
  }));
  if (!mail) return GONE;
  if (options.automatic_reply === null)
    return { kind: 'failed', diagnostic: 'The automatic reply has been switched off.' };
  const draft = draftWith({
    to: [{ address: row.target as Address }],
    replyTo: [{ address: row.recipient as Address }],
    ...options.automatic_reply,
    headers: threadFields(mail),
    // Not the default route, which may be one for newsletters.
    route: 'outgoing',
    kind: 'transactional',
    tags: ['automatic_reply'],
    settings: { track_opens: false, track_clicks: false },
  });
  const accepted = await accept({
    source: 'automatic_reply',
    tenantId,
    projects: null,
    projectId: null,
    draft,
    idempotency: { key: `automatic-reply-${mail.id}`, request: mail.id },
  });
  return accepted.kind === 'accepted'
    ? { kind: 'sent', diagnostic: `message ${accepted.answer.id}` }
    : { kind: 'failed', diagnostic: accepted.error.message };
};

export const send = async (deps: SendDeps, tenantId: string, row: ForwardRow): Promise<Result> => {
  try {
    return await (row.kind === 'forward' ? forward : reply)(deps, tenantId, row);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code === 'unavailable') return { kind: 'later', diagnostic: error.message, isOwn: false };
    return { kind: 'failed', diagnostic: error.message };
  }
};
