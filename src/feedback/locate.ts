// Finds the copy that a report is about when it did not come by its return path. What we signed decides first: a return
// path, then a feedback id, then the token of an unsubscribe link. Only those who have seen the copy know either, and each names one copy. A
// Message-ID is in every copy of a message, so it counts only where one copy is possible: see `copyAmong`.

import { tenantStore } from '#src/accounts/tenants/store.ts';
import type { PlatformDb, TenantDb } from '#src/kernel/db/sqlite.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import { domainName } from '#src/mail/address.ts';
import { decodeUnsubscribeToken } from '#src/mail/copy-links.ts';
import type { TokenKeys } from '#src/mail/token-keys.ts';
import { decodeFeedbackId, decodeReturnPath, type ReturnPathTarget } from '#src/mail/verp.ts';
import { type MessageRow, messageStore } from '#src/messages/store.ts';

export interface LocateDeps {
  readonly readPlatform: <T>(work: (db: PlatformDb) => T) => Promise<T>;
  readonly files: TenantFiles;
  /** The tenant that sends from that host. */
  readonly holderOf: (db: PlatformDb, host: string) => string | null;
  readonly returnPathKey: TokenKeys;
  readonly unsubscribeKey: TokenKeys;
}

/** What a report says about the mail, all of it written by strangers. The strongest clue is first in each list. */
export interface Clues {
  /** Addresses without angle brackets. */
  readonly returnPaths?: readonly string[];
  /** CFBL-Feedback-ID (RFC 9477). */
  readonly feedbackIds?: readonly string[];
  readonly unsubscribeTokens?: readonly string[];
  /** Angle brackets may be there or not. */
  readonly messageId?: string | null;
  /** Host of the mail's From: it leads to the tenant where a mail program made the Message-ID. */
  readonly fromHost?: string | null;
  /** Recipients as our own relay names them. Never from strangers: one recipient could name the others. */
  readonly recipients?: readonly string[];
}

interface Candidate {
  readonly id: number;
  readonly address: string;
}

const MESSAGE_ID = /^<([^<>@\s]{1,250})@([^<>@\s]{1,255})>$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The first result that is not null. */
const firstOf = <T, R>(list: readonly T[], look: (one: T) => R | null): R | null => {
  for (const one of list) {
    const found = look(one);
    if (found !== null) return found;
  }
  return null;
};

/**
 * The copy for the recipient that a relay names, or the only one there is. Otherwise null: each of several recipients knows
 * the Message-ID and the others' addresses, and could complain in their names. Of several copies to one address (a mail
 * program sent the message twice) the last one counts.
 */
const copyAmong = (candidates: readonly Candidate[], recipients: readonly string[]): number | null => {
  const addressOf = ({ address }: Candidate): string => address.toLowerCase();
  const named = new Set(recipients.map((address) => address.toLowerCase()));
  const meant = candidates.filter((one) => named.has(addressOf(one)));
  const left = meant.length > 0 ? meant : candidates;
  return new Set(left.map(addressOf)).size === 1 ? (left.at(-1)?.id ?? null) : null;
};

/** The messages with that Message-ID (in angle brackets), in the order they were accepted. Several only where mail programs made it. */
export const messagesNamed = (db: TenantDb, messageId: string): MessageRow[] => {
  const localPart = MESSAGE_ID.exec(messageId)?.[1]?.toLowerCase() ?? '';
  if (localPart === '') return [];
  const store = messageStore(db);
  const own = UUID.test(localPart) ? store.byId(localPart) : undefined;
  return own?.internet_message_id.toLowerCase() === messageId.toLowerCase()
    ? [own]
    : store.bySubmittedMessageId(messageId);
};

const byMessageId = async (deps: LocateDeps, clues: Clues): Promise<ReturnPathTarget | null> => {
  const given = clues.messageId?.trim() ?? '';
  const messageId = given.startsWith('<') ? given : `<${given}>`;
  const idHost = MESSAGE_ID.exec(messageId)?.[2];
  if (idHost === undefined) return null;
  const hosts = [idHost, clues.fromHost ?? ''].flatMap((host) => domainName(host) ?? []);
  const tenantId = await deps.readPlatform((db) => firstOf(hosts, (host) => deps.holderOf(db, host)));
  if (tenantId === null) return null;
  return deps.files.read(tenantId, (db) => {
    const copies = messagesNamed(db, messageId).flatMap(({ seq }) => messageStore(db).recipients(seq));
    const recipientId = copyAmong(copies, clues.recipients ?? []);
    return recipientId === null ? null : { tenantNumber: tenantStore(db).practice().number, recipientId };
  });
};

/** Null where no copy of ours is found, or several are possible. Rejects where a file cannot be read. */
export const locate = async (deps: LocateDeps, clues: Clues): Promise<ReturnPathTarget | null> =>
  firstOf(clues.returnPaths ?? [], (path) => decodeReturnPath(deps.returnPathKey, path)) ??
  firstOf(clues.feedbackIds ?? [], (id) => decodeFeedbackId(deps.returnPathKey, id)) ??
  firstOf(clues.unsubscribeTokens ?? [], (token) => decodeUnsubscribeToken(deps.unsubscribeKey, token)) ??
  (await byMessageId(deps, clues));
