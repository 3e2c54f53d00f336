// Names of a tenant: the slug is also the label of its managed host, so it obeys the rules of both (RFC 1035 §2.3.1).

/** Leaves room in the label of 63 octets for a suffix that makes it unique. */
const MAX_SLUG_LENGTH = 40;

/** Labels that mean something in the operator's zones, or that would pass for the operator. */
const reserved: ReadonlySet<string> = new Set(
  (
    'abuse admin api app autoconfig autodiscover bounce dkim dmarc dns fbl ftp hostmaster imap in info localhost mail ' +
    'mta-sts mx news noreply ns ns1 ns2 ns3 pop postmaster root security simulator smtp spf status support webmail www'
  ).split(' '),
);

const transliterations: Readonly<Record<string, string>> = {
  ä: 'ae',
  ö: 'oe',
  ü: 'ue',
  ß: 'ss',
  æ: 'ae',
  ø: 'o',
  å: 'a',
};

/** A slug from a name: `Praxis Dr. Müller` → `praxis-dr-mueller`. Empty where the name holds nothing usable. */
export const slugify = (name: string): string =>
  name
    .normalize('NFC')
    .toLowerCase()
    .replace(/[äöüßæøå]/g, (char) => transliterations[char] ?? char)
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_SLUG_LENGTH)
    .replace(/^-+|-+$/g, '');

/**
 * The first free slug for a tenant of that name. `random` gives a short label for when the name yields none, is
 * reserved, or is taken often.
 */
export const chooseSlug = (
  name: string,
  isTaken: (slug: string) => boolean,
  random: () => string,
): string => {
  const base = slugify(name) || 'practice';
  const candidates = [base, ...[2, 3, 4, 5, 6, 7, 8, 9].map((number) => `${base}-${number}`)];
  const free = candidates.find((slug) => !reserved.has(slug) && !isTaken(slug));
  return free ?? `${base}-${random()}`;
};
