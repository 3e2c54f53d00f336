// Mails that were handed over, as those read them who got them: whose they are, whom their return path names, and their links.
import type Database from 'better-sqlite3';
import type { Dice, HandedOver, Practice, Scene, Service } from '../scene.ts';
import { homeOf } from '../truths/homes.ts';
import { value } from '../truths/sql.ts';

export interface Letter {
  readonly mail: HandedOver;
  readonly practice: Practice;
  /** The number of its recipient in the practice's file, as its return path has it. */
  readonly recipientId: number;
  /** The recipient, in lower case. */
  readonly address: string;
  /** Its header, unfolded, by names in lower case. Of several fields with one name the last. */
  readonly head: ReadonlyMap<string, string>;
  /** Its body without quoted-printable, as far as links need it. */
  readonly body: string;
}

const FORM_CHARS = 1;
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
/** Version, then 4 bytes of the tenant, 6 of the recipient, and the HMAC. */
const RETURN_PATH = /^b[+=-]1([a-z2-7]{16})[a-z2-7]{16}@bounce\.(.+)$/;
const RECIPIENT_MASK = 2n ** 48n - 1n;
const TENANT_BYTES = 4;
const TARGET_BYTES = 10;
export const SIMULATOR = 'simulator.mail.example.com';

const recipientIn = (token: string): number => {
  let value = 0n;
  for (const character of token) value = (value << 5n) | BigInt(ALPHABET.indexOf(character));
  return Number(value & RECIPIENT_MASK);
};

const targetOf = (token: string): Buffer => Buffer.from(token.slice(FORM_CHARS), 'base64url');

/** The number that the token of a link names: a recipient, or an entry of the ledger. */
export const numberInToken = (token: string): number =>
  targetOf(token).readUIntBE(TENANT_BYTES, TARGET_BYTES - TENANT_BYTES);

const NUMBER = 'SELECT number FROM tenants WHERE id = ?';

/**
 * Where someone comes who follows a link: to the host that has the practice. Where it has moved, links from before lead to its former host,
 * which hands them on. `path`: of the link; its token begins with the number that the practice had where the mail was made.
 */
export const hostOfLink = (scene: Scene, dice: Dice, { id }: Practice, path: string): Service => {
  const { service } = scene;
  const home = homeOf(scene, id);
  if (home === null || home === service || !service.isUp()) return home ?? service;
  const numberAt = (host: Service): number | undefined =>
    host.look(null, (db) => value<number>(db, NUMBER, id));
  const token = /(?:[?&](?:t|token|l)=|\/t\/[oc]\/)([\w-]+)/.exec(path)?.[1] ?? '';
  const number = targetOf(token).readUIntBE(0, TENANT_BYTES);
  const isFromBefore = number === numberAt(service) && number !== numberAt(home);
  return isFromBefore && dice.chance(0.5) ? service : home;
};

const plain = (text: string): string => text.replace(/=\r\n/g, '').replaceAll('=3D', '=');

const headOf = (source: string): ReadonlyMap<string, string> => {
  const end = source.indexOf('\r\n\r\n');
  const fields = source.slice(0, end < 0 ? source.length : end).split(/\r\n(?![ \t])/);
  return new Map(
    fields.map((field): [string, string] => {
      const colon = field.indexOf(':');
      return [
        field.slice(0, colon).toLowerCase(),
        field
          .slice(colon + 1)
          .replace(/\r\n\s*/g, ' ')
          .trim(),
      ];
    }),
  );
};

const letters = new WeakMap<HandedOver, Letter | null>();

const read = (scene: Scene, mail: HandedOver): Letter | null => {
  const [, token = '', host = ''] = RETURN_PATH.exec(mail.returnPath.toLowerCase()) ?? [];
  const practice = scene.practices.find(
    ({ domain, slug }) => host === domain || host === `${slug}.send.example.com`,
  );
  if (practice === undefined) return null;
  const { source, recipient } = mail;
  return {
    mail,
    practice,
    recipientId: recipientIn(token),
    address: recipient.toLowerCase(),
    head: headOf(source),
    body: plain(source.slice(source.indexOf('\r\n\r\n'))),
  };
};

/** Null where it is the service's own, or a mail that was forwarded. */
export const letterOf = (scene: Scene, mail: HandedOver): Letter | null => {
  const known = letters.get(mail);
  if (known !== undefined) return known;
  const letter = read(scene, mail);
  letters.set(mail, letter);
  return letter;
};

const TRIES = 6;

/** One of those that were handed over, a recent one more often than an old one; null where chance finds none that is wanted. */
export const someLetter = (
  scene: Scene,
  dice: Dice,
  isWanted: (letter: Letter) => boolean = () => true,
): Letter | null => {
  const { handedOver } = scene.peers;
  for (let turn = 0; turn < TRIES; turn += 1) {
    const mail = handedOver[handedOver.length - 1 - Math.floor(dice.next() ** 2 * handedOver.length)];
    const letter = mail === undefined ? null : letterOf(scene, mail);
    if (letter !== null && !letter.address.endsWith(`@${SIMULATOR}`) && isWanted(letter)) return letter;
  }
  return null;
};

const NEWEST = 120;

/** The newest of those that are wanted, the newest first. */
export const newestLetters = (
  scene: Scene,
  isWanted: (letter: Letter) => boolean,
  most: number,
): readonly Letter[] => {
  const { handedOver } = scene.peers;
  const found: Letter[] = [];
  for (let index = handedOver.length - 1; index >= Math.max(0, handedOver.length - NEWEST); index -= 1) {
    const mail = handedOver[index];
    const letter = mail === undefined ? null : letterOf(scene, mail);
    if (letter !== null && isWanted(letter)) found.push(letter);
    if (found.length === most) break;
  }
  return found;
};

/** Path and query of a link. */
const pathIn = (text: string, pattern: RegExp): string | null => pattern.exec(text)?.[1] ?? null;

export const unsubscribePath = ({ head }: Letter): string | null =>
  pathIn(head.get('list-unsubscribe') ?? '', /<https?:\/\/[^/>]+(\/api\/public\/unsub\?t=[\w-]+)>/);
export const unsubscribeAddress = ({ head }: Letter): string | null =>
  pathIn(head.get('list-unsubscribe') ?? '', /<mailto:([^?>]+)/);
export const confirmPath = ({ body }: Letter): string | null =>
  pathIn(body, /https?:\/\/[^/\s]+(\/api\/public\/confirm\?token=[\w-]+)/);
export const openPath = ({ body }: Letter): string | null =>
  pathIn(body, /https?:\/\/[^/\s]+(\/t\/o\/[\w-]+)/);
export const clickPaths = ({ body }: Letter): readonly string[] => [
  ...new Set(
    [...body.matchAll(/https?:\/\/[^/\s]+(\/t\/c\/[\w-]+\/[\w-]+)/g)].flatMap(([, path]) => path ?? []),
  ),
];

/** The mail asks whether someone wants to be on a list. */
export const isQuestion = ({ head }: Letter): boolean => head.get('feedback-id')?.startsWith('doi:') === true;

/** Looks into the practice's file; undefined where it is nowhere to be had now, or nothing was found. */
export const inFile = <T>(
  scene: Scene,
  { id }: Practice,
  work: (db: Database.Database) => T | undefined,
): T | undefined => homeOf(scene, id)?.look(id, work);

/** Whether the file knows the letter's recipient, erased or not. */
export const isTheirs = (scene: Scene, { practice, recipientId, address }: Letter): boolean => {
  const known = inFile(scene, practice, (db) =>
    value<string>(db, 'SELECT address FROM recipients WHERE id = ?', recipientId),
  );
  return known !== undefined && (known.toLowerCase() === address || known.startsWith('#'));
};
