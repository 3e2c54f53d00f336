// The upstream of a fresh installation: it keeps in a local mailbox what would be sent, and delivers nothing. What it keeps is
// sealed, because the service's own mails contain links and codes for signing in.

import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import { newId } from '#src/kernel/id.ts';
import type { SealingKey } from '#src/kernel/seal.ts';
import { seal } from '#src/kernel/seal.ts';
import type { SealedPlace } from '#src/kernel/sealed-place.ts';
import type { Clock } from '#src/kernel/time.ts';
import type { Reply } from '#src/mail/reply.ts';
import type { Upstream } from '../upstream.ts';
import { captureStore } from './store.ts';

export interface CaptureOptions {
  readonly name: string;
  /** How many messages a tenant's mailbox keeps. */
  readonly keep: number;
  readonly files: TenantFiles;
  readonly clock: Clock;
  /** Seals what is kept. */
  readonly key: SealingKey;
}

export const sealedCaptures: SealedPlace = {
  table: 'captures',
  keys: ['seq'],
  column: 'source',
  purpose: 'captured mail',
  with: ['id'],
  boundTo: ({ id }) => String(id),
};

/** So many share one transaction of a tenant's file well. */
const CONCURRENCY = 32;

const reply: Reply = { code: 250, enhanced: '2.0.0', text: 'captured: kept locally, not delivered' };

export const createCaptureUpstream = ({ name, keep, files, clock, key }: CaptureOptions): Upstream => {
  let captured = 0;
  return {
    name,
    kind: 'capture',
    smtpUtf8: true,
    learn: async () => undefined,
    concurrency: CONCURRENCY,
    address: null,
    probe: async () => ({ ok: true, failedAt: null, error: null, dsn: null, transcript: [], tls: null }),
    transmit: async ({ recipient, returnPath }, source, { tenantId, messageId }) => {
      const id = newId();
      const capture = {
        id,
        message_id: messageId,
        recipient,
        return_path: returnPath,
        captured_at: clock.now(),
        size_bytes: source.length,
        source: seal(key, source, id),
      };
      try {
        await files.write(tenantId, (db) => captureStore(db).insert(capture, keep));
      } catch (error) {
        // The failure is one of this tenant's file, not of the upstream that all share: only this message is tried again.
        return {
          result: 'broken',
          phase: 'dot',
          error: error instanceof Error ? error.message : String(error),
        };
      }
      captured += 1;
      return { result: 'accepted', reply, dsnRequested: false };
    },
    describe: () => ({ captured }),
    stop: async () => {},
  };
};
