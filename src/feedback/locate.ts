// Whose copy a report is about that came by no return path. What was signed by us decides first: a return path, then the
// token of an unsubscribe link, each of which only those have who have seen the copy, and which name it alone. A Message-ID
// is in every copy of a message, so it does only where nothing is left to guess: see `copyAmong`.
import type { KeyObject } from 'node:crypto';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { domainRegistryStore } from '#src/domains/registry-store.ts';
import type { PlatformDb, TenantDb } from '#src/kernel/db/sqlite.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import { domainName } from '#src/mail/address.ts';
import { decodeUnsubscribeToken } from '#src/mail/copy-links.ts';
import { decodeReturnPath, type ReturnPathTarget } from '#src/mail/verp.ts';
import { messageStore } from '#src/messages/store.ts';

export interface LocateDeps {
  readonly readPlatform: <T>(work: (db: PlatformDb) => T) => Promise<T>;
  readonly files: TenantFiles;
  readonly returnPathKey: KeyObject;
  readonly unsubscribeKey: KeyObject;
}

/** What a report tells of the mail it is about; all of it as strangers wrote it. The most telling first in each list. */
export interface Clues {
  /** Addresses without angle brackets. */
  readonly returnPaths?: readonly string[];
  readonly unsubscribeTokens?: readonly string[];
  /** With or without angle brackets. */
  readonly messageId?: string | null;
  /** Host of the mail's From: whose mail it may be, where a mail program has made the Message-ID. */
  readonly fromHost?: string | null;
  /** Addresses that the mail went to, as a relay of ours tells: a stranger who got it could name the others who did. */
  readonly recipients?: readonly string[];
}

interface Candidate {
  readonly id: number;
  readonly address: string;
}

const MESSAGE_ID = /^<([^<>@\s]{1,250})@([^<>@\s]{1,255})>$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The first that gives something. */
const firstOf = <T, R>(list: readonly T[], look: (one: T) => R | null): R | null => {
  for (const one of list) {
    const found = look(one);
    if (found !== null) return found;
  }
  return null;
};

/**
 * The copy that went to the one whom a relay names, or to the only one there was. Nothing else will do: whoever got a message
 * as one of several knows its Message-ID and the others, and with them could complain in their names. Of copies to one address
 * (a mail program has sent the message twice) the last.
 */
const copyAmong = (candidates: readonly Candidate[], recipients: readonly string[]): number | null => {
  const addressOf = ({ address }: Candidate): string => address.toLowerCase();
  const named = new Set(recipients.map((address) => address.toLowerCase()));
  const meant = candidates.filter((one) => named.has(addressOf(one)));
  const left = meant.length > 0 ? meant : candidates;
  return new Set(left.map(addressOf)).size === 1 ? (left.at(-1)?.id ?? null) : null;
};

/** Copies of the messages with that Message-ID, in the order they were accepted. */
const copiesOf = (db: TenantDb, localPart: string, messageId: string): Candidate[] => {
  const store = messageStore(db);
  const own = UUID.test(localPart) ? store.byId(localPart) : undefined;
  const messages =
    own?.internet_message_id.toLowerCase() === messageId.toLowerCase()
      ? [own]
      : store.bySubmittedMessageId(messageId);
  return messages.flatMap(({ seq }) => store.recipients(seq));
};

const byMessageId = async (deps: LocateDeps, clues: Clues): Promise<ReturnPathTarget | null> => {
  const given = clues.messageId?.trim() ?? '';
  const messageId = given.startsWith('<') ? given : `<${given}>`;
  const [, localPart = '', idHost = ''] = MESSAGE_ID.exec(messageId) ?? [];
  if (localPart === '') return null;
  const hosts = [idHost, clues.fromHost ?? ''].flatMap((host) => domainName(host) ?? []);
  const tenantId = await deps.readPlatform((db) =>
    firstOf(hosts, (host) => domainRegistryStore(db).holderOf(host)),
  );
  if (tenantId === null) return null;
  return deps.files.read(tenantId, (db) => {
    const recipientId = copyAmong(copiesOf(db, localPart.toLowerCase(), messageId), clues.recipients ?? []);
    return recipientId === null ? null : { tenantNumber: tenantStore(db).practice().number, recipientId };
  });
};

/** Null where it is nobody's of ours, or could be several people's. Rejects where a file cannot be read. */
export const locate = async (deps: LocateDeps, clues: Clues): Promise<ReturnPathTarget | null> =>
  firstOf(clues.returnPaths ?? [], (path) => decodeReturnPath(deps.returnPathKey, path)) ??
  firstOf(clues.unsubscribeTokens ?? [], (token) => decodeUnsubscribeToken(deps.unsubscribeKey, token)) ??
  (await byMessageId(deps, clues));
