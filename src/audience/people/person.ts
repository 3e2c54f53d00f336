// How a person is recognised in what is stored: by the keyed hash of their address, and by the address wherever it is quoted, as
// it is or as JSON, links and HTML write it. An address that merely contains it is another person's.

import { domainToUnicode } from 'node:url';
import type { TenantKey } from '#src/kernel/keys.ts';
import { escapeHtml } from '#src/kernel/page.ts';
import type { Person } from '#src/kernel/personal-data.ts';
import { addressDomain, addressKey } from '#src/mail/address.ts';
import type { Address } from '#src/mail/mailbox.ts';
import { addressHash, addressPseudonym } from '#src/messages/pseudonym.ts';

export interface SearchedPerson extends Person {
  readonly address: Address;
  /** Patterns of LIKE (escaped by a backslash): a text that quotes the address fits at least one of them. */
  readonly patterns: readonly string[];
}

/** What an address before or after the match would consist of; an escape of JSON or of a link may come before it. */
const BEFORE = String.raw`(?:(?<=%[0-9a-f]{2}|\\[bfnrt]|\\u[0-9a-f]{4})|(?<![\p{L}\p{N}._+%-]))`;
/** A file may be named after a person; none of its endings is a top-level domain. */
const AFTER = String.raw`(?![\p{L}\p{N}-]|\.(?!(?:csv|txt|xlsx?|pdf)\b)[\p{L}\p{N}])`;

const IS_ASCII = /^[\x20-\x7e]*$/;

const spellingsOf = (address: Address): string[] => {
  const domain = addressDomain(address);
  const shown = address.slice(0, -domain.length) + domainToUnicode(domain);
  const plain = [address, shown];
  return [
    ...new Set(
      plain.flatMap((one) => [
        one,
        JSON.stringify(one).slice(1, -1),
        encodeURIComponent(one),
        escapeHtml(one),
      ]),
    ),
  ];
};

/** LIKE ignores the case of ASCII letters only, so of other spellings it looks for what comes behind the local part. */
const patternOf = (spelling: string): string => {
  const part = IS_ASCII.test(spelling) ? spelling : spelling.slice(spelling.search(/@|%40/));
  return `%${part.replace(/[\\%_]/g, String.raw`\$&`)}%`;
};

export const personOf = (key: TenantKey, tenantId: string, address: Address): SearchedPerson => {
  const spellings = spellingsOf(address);
  const pseudonym = addressPseudonym(key, tenantId, address);
  const spelled = `(?:${spellings.map((one) => RegExp.escape(one)).join('|')})`;
  const [anywhere, whole] = [new RegExp(spelled, 'giu'), new RegExp(BEFORE + spelled + AFTER, 'giu')];
  const own = addressKey(address);
  return {
    address,
    key: own,
    hash: addressHash(key, tenantId, address),
    pseudonym,
    patterns: [...new Set(spellings.map(patternOf))],
    is: (other) => other === pseudonym || addressKey(other as Address) === own,
    removedFrom: (text, isOpaque = false) => text.replace(isOpaque ? anywhere : whole, pseudonym),
  };
};
