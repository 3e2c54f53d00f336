// Sessions, and the account that they belong to, as the API shows them; and how long they live.
import { z } from 'zod';
import type { AccountRow } from '#src/accounts/entry/account-store.ts';
import { languages } from '#src/kernel/language.ts';
import { DAY, HOUR, toIso, toIsoOrNull } from '#src/kernel/time.ts';
import { type SessionRow, signInMethods } from './sign-in-store.ts';

/** A session ends after so long without use. */
export const IDLE_MS = 12 * HOUR;
export const ABSOLUTE_MS = 30 * DAY;

export const accountSchema = z
  .strictObject({
    id: z.uuid(),
    email: z.string(),
    language: z.enum(languages).describe('of the mails that the service writes to the account'),
  })
  .meta({ id: 'Account' });

export const sessionAnswerSchema = z
  .strictObject({
    token: z.string().describe('the bearer; browsers have it as a cookie'),
    csrf_token: z
      .string()
      .describe('`X-CSRF-Token` of writes whose credential is the cookie; a bearer needs none'),
    expires_at: z.iso.datetime(),
    idle_timeout_seconds: z.int().describe('the session ends earlier when it is not used for so long'),
    account: accountSchema,
  })
  .meta({ id: 'Session' });

export const presentAccount = ({ id, email, language }: AccountRow): z.infer<typeof accountSchema> => ({
  id,
  email,
  language,
});

export const listedSessionSchema = z
  .strictObject({
    id: z.uuid().describe('names the session and opens nothing'),
    current: z.boolean().describe('the one of this request'),
    method: z.enum(signInMethods),
    user_agent: z
      .string()
      .describe('of the request that signed in: its first 256 characters; empty where it named none'),
    client_address: z
      .string()
      .nullable()
      .describe('of that request, its last octet zero (IPv6: its last 80 bits)'),
    created_at: z.iso.datetime(),
    proved_at: z.iso
      .datetime()
      .nullable()
      .describe('when a code or password was given; null where the link of an invitation signed in'),
    last_used_at: z.iso.datetime().describe('to the minute'),
    ends_at: z.iso.datetime().describe('unless it is used before; at the latest 30 days after it began'),
  })
  .meta({ id: 'ListedSession' });

/** When the person proved who they are; null by the link of an invitation, which may have been in a mailbox for days. */
export const provedAt = ({ method, created_at }: Pick<SessionRow, 'method' | 'created_at'>): number | null =>
  method === 'invitation' ? null : created_at;

/** `row` as `Sessions.ofAccount` gives it. */
export const presentSession = (row: SessionRow, currentId: string): z.infer<typeof listedSessionSchema> => ({
  id: row.id,
  current: row.id === currentId,
  method: row.method,
  user_agent: row.user_agent,
  client_address: row.client_address,
  created_at: toIso(row.created_at),
  proved_at: toIsoOrNull(provedAt(row)),
  last_used_at: toIso(row.last_used_at),
  ends_at: toIso(Math.min(row.last_used_at + IDLE_MS, row.created_at + ABSOLUTE_MS)),
});
