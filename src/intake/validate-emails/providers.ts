// The large mailbox providers, and how their names are mistyped. Pure.
import { editDistance } from '#src/kernel/nearest.ts';

/** Private mailboxes in the German-speaking countries and their neighbours, the most usual ones first. */
const providers: readonly string[] = (
  'gmail.com web.de gmx.de t-online.de gmx.net outlook.de outlook.com hotmail.com hotmail.de icloud.com yahoo.de ' +
  'yahoo.com freenet.de posteo.de mailbox.org googlemail.com live.de live.com me.com aol.com aol.de arcor.de online.de ' +
  '1und1.de vodafone.de kabelmail.de unitybox.de magenta.de telekom.de email.de mail.de proton.me protonmail.com ' +
  'tutanota.com tuta.io gmx.at a1.net aon.at chello.at drei.at liwest.at gmx.ch bluewin.ch hispeed.ch sunrise.ch ' +
  'yahoo.fr orange.fr free.fr laposte.net wanadoo.fr sfr.fr libero.it virgilio.it tiscali.it hotmail.it yahoo.it ' +
  'hotmail.fr ziggo.nl kpnmail.nl xs4all.nl telenet.be skynet.be proximus.be wp.pl o2.pl onet.pl interia.pl seznam.cz ' +
  'centrum.cz yahoo.co.uk btinternet.com hotmail.co.uk mail.com email.com ymail.com rocketmail.com msn.com'
).split(' ');
const known: ReadonlySet<string> = new Set(providers);

/** Names near a provider's that others have registered, with a mail host that accepts the mistyped mail. */
const squatted: Readonly<Record<string, string>> = {
  'gmai.com': 'gmail.com',
  'gmal.com': 'gmail.com',
  'gmil.com': 'gmail.com',
  'gmial.com': 'gmail.com',
  'gamil.com': 'gmail.com',
  'gnail.com': 'gmail.com',
  'gmaill.com': 'gmail.com',
  'gmail.co': 'gmail.com',
  'gmail.cm': 'gmail.com',
  'gmail.om': 'gmail.com',
  'hotmial.com': 'hotmail.com',
  'hotmai.com': 'hotmail.com',
  'hotmal.com': 'hotmail.com',
  'homail.com': 'hotmail.com',
  'hotmail.co': 'hotmail.com',
  'outlok.com': 'outlook.com',
  'outloo.com': 'outlook.com',
  'yaho.com': 'yahoo.com',
  'yhoo.com': 'yahoo.com',
  'yahooo.com': 'yahoo.com',
  'icoud.com': 'icloud.com',
  'iclod.com': 'icloud.com',
  't-onlin.de': 't-online.de',
  't-onine.de': 't-online.de',
  'tonline.de': 't-online.de',
  'wed.de': 'web.de',
  'wbe.de': 'web.de',
};

/** Many names are near a short one. */
const LONG_NAME = 8;
const allowedDistance = (name: string): number => (name.length >= LONG_NAME ? 2 : 1);
const MAX_COMPARED = 40;

const nearestTo = (domain: string): string | null => {
  if (domain.length > MAX_COMPARED) return null;
  const label = domain.slice(0, domain.indexOf('.'));
  const ranked = providers
    .filter(({ length }) => Math.abs(length - domain.length) <= allowedDistance(domain) + 1)
    .map((name) => ({ name, distance: editDistance(domain, name) }))
    .filter(({ name, distance }) => distance <= allowedDistance(name))
    .sort((a, b) => a.distance - b.distance);
  return ranked[0]?.name ?? providers.find((name) => name.startsWith(`${label}.`)) ?? null;
};

/** The provider's domain that was probably meant; null where the domain is one, or may well be what was meant. */
export const meantProvider = (domain: string, hasMailHost: boolean): string | null => {
  if (known.has(domain)) return null;
  const squat = Object.hasOwn(squatted, domain) ? squatted[domain] : undefined;
  return squat ?? (hasMailHost ? null : nearestTo(domain));
};
