// Chat alerts as the API and the audit show them.
import type { z } from 'zod';
import { seal, unseal } from '#src/kernel/seal.ts';
import { maskUrl, urlFingerprint } from '#src/kernel/secret.ts';
import { toIso, toIsoOrNull } from '#src/kernel/time.ts';
import type { alertSchema } from './schema.ts';
import type { AlertRow } from './store.ts';

export const presentAlert = (row: AlertRow, key: Buffer): z.infer<typeof alertSchema> => ({
  id: row.id,
  name: row.name,
  kind: row.kind,
  url: maskUrl(openUrl(key, row)),
  events: JSON.parse(row.events_json),
  language: row.language,
  status: row.status,
  disabled_reason: row.disabled_reason,
  last_sent_at: toIsoOrNull(row.last_sent_at),
  last_error: row.last_error,
  created_at: toIso(row.created_at),
});

/** Another address that begins alike is a change too. */
export const auditedAlert = (row: AlertRow, key: Buffer) => {
  const { last_sent_at: _, last_error: __, ...record } = presentAlert(row, key);
  return { ...record, url_fingerprint: urlFingerprint(key, openUrl(key, row)) };
};

/** `key` is 32 bytes, derived for alerts alone. Bound to the alert of that id. */
export const sealUrl = (key: Buffer, id: string, url: string): Buffer => seal(key, Buffer.from(url), id);

/** Throws where it was sealed under another key or for another alert. */
export const openUrl = (key: Buffer, { id, sealed_url }: { id: string; sealed_url: Buffer }): string =>
  unseal(key, sealed_url, id).toString();
