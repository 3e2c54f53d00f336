// Finds the addresses of a practice that take what people answer: it is asked for each message that names no address for
// answers, and where one is chosen. Only a mailbox that is open counts, at a host whose mail comes here.
import type { Answering } from '#src/accounts/tenants/reply-address.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { hostsWithMail } from '#src/domains/custom/receiving.ts';
import { receivingHost } from '#src/domains/records/wanted-records.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { addressDomain } from '#src/mail/address.ts';
import type { Address } from '#src/mail/mailbox.ts';
import { answersName, takesMail } from './recipient-rules.ts';
import { inboundSettingsStore } from './settings-store.ts';

const localPartOf = (address: string): string => address.slice(0, address.lastIndexOf('@'));

/** Hosts of the practice at which all mail comes to this service. */
const ownHosts = (db: TenantDb): ReadonlySet<string> => {
  const { managed_host, custom_domain, pending_domain } = tenantStore(db).practice();
  const behind = [managed_host, custom_domain, pending_domain].flatMap((host) => host ?? []);
  return new Set([managed_host, ...behind.flatMap((host) => [receivingHost(host), `bounce.${host}`])]);
};

/** `listens`: whether the service takes mail from the world at all. */
export const createAnswering = (listens: () => boolean): Answering => {
  const mailboxes = (db: TenantDb) => {
    const { enabledAt, options } = inboundSettingsStore(db).current();
    return enabledAt !== null && listens() ? options : null;
  };
  return {
    takes: (db, address) => {
      const host = addressDomain(address);
      if (!ownHosts(db).has(host)) return null;
      const options = mailboxes(db);
      const comesHere = hostsWithMail(db).some((sending) => receivingHost(sending) === host);
      return options !== null && comesHere && takesMail(options, localPartOf(address));
    },
    usual: (db, sendingHost) => {
      const options = mailboxes(db);
      const name = options && answersName(options);
      if (name === null) return null;
      const hosts = hostsWithMail(db);
      const host = hosts.find((one) => one === sendingHost) ?? hosts.at(-1);
      return host === undefined ? null : (`${name}@${receivingHost(host)}` as Address);
    },
  };
};
