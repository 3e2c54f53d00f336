// Terms that German texts may not have, each with the better one. People at a reception read them: one word for one thing, and no
// word of the API or of its makers.
export interface Term {
  readonly found: RegExp;
  readonly better: string;
}

const word = (pattern: string): RegExp => new RegExp(`(?<![\\p{L}\\d])(?:${pattern})(?![\\p{L}\\d])`, 'iu');
/** A part of a word, which others begin or end with. */
const part = (pattern: string): RegExp => new RegExp(pattern, 'iu');

export const terms: readonly Term[] = [
  { found: word('(?:geht|gehen|ging|sind|ist) live|live (?:geht|gehen|ging)'), better: 'Versand freigeben' },
  { found: word('owners?'), better: 'Inhaber' },
  { found: word('admins?'), better: 'Verwaltung' },
  { found: part('kopff(?:eld|ühr)'), better: 'Kopfzeile' },
  { found: word('schlagworte'), better: 'Schlagwörter' },
  { found: word('(?:ver)?sandt|gesandt'), better: 'gesendet' },
  { found: part('versandart'), better: 'Versandweg' },
  { found: part('zustimm|zugestimm'), better: 'Einwilligung, oder bestätigen' },
  { found: part('abonnent(?:en|in|innen)?(?!\\p{L})'), better: 'Person' },
  { found: part('beiseite ?gelegt|beiseite ?legen'), better: 'vorübergehend außer Betrieb' },
  { found: part('(?:ab)?gesicherte[rnms]? modus|sichere[rnms]? modus|safe mode'), better: 'Testbetrieb' },
  { found: part('testpost|abgefangene (?:nachricht|post)'), better: 'Abgefangene Mails' },
  { found: part('einzelpost|einzelne nachricht|persönliche mails?|transaktion'), better: 'Persönliche Post' },
  { found: word('broadcasts?|marketing'), better: 'Werbung' },
  { found: word('outgoing'), better: 'Persönliche Post' },
  { found: word('defaults?'), better: 'Standard, oder Allgemein' },
  { found: word('muss sein'), better: 'Erforderlich' },
  { found: part('hineindarf'), better: 'Zugang hat' },
  { found: part('von hand bleiben'), better: 'Noch von Hand einzutragen' },
  { found: word('eine empfänger-?adresse ist keine'), better: 'Eine der Adressen ist unvollständig.' },
  { found: word('opt-?in|double-opt-in'), better: 'Bestätigung der Anmeldung' },
  { found: word('subscribers?|recipients?|campaigns?|templates?'), better: 'das deutsche Wort' },
  { found: word('bounces?|gebounced?'), better: 'abgewiesen' },
  { found: word('suppress(?:ed|ions?)'), better: 'gesperrt, Sperre' },
  { found: word('user|users|account|accounts|login|logout'), better: 'Person, Konto, anmelden, abmelden' },
  { found: word('workspaces?|tenants?'), better: 'Praxis' },
];

/** Function words of English, which no German sentence has. */
export const english =
  /(?<![\p{L}\d_-])(?:the|and|your|you|are|not|of|with|please|this|that|from|for|has|have|to|be|by|or|it|its)(?![\p{L}\d_-])/iu;

/** A name as the API and the configuration have them: snake_case. */
export const apiName = /(?<![\p{L}\d_])[a-z]+(?:_[a-z\d]+)+(?![\p{L}\d_])/u;

/** What is not read as German: names in quotes, addresses, placeholders, what stands in a command or a record. */
export const quoted =
  /„[^“]*“|`[^`]*`|\{\{[^}]*\}\}|https?:\/\/\S+|<[^>]*>|\S+@\S+|\S+\.(?:ya?ml|db|csv|com|org|de)\b|(?:GET|POST|PUT|PATCH|DELETE) \S+|\w+\/(?=[\s:.,])/gu;

/** Names that stay: of the configuration, which operators read, and of the API in what is said of a mail to those who program it. */
export const kept =
  /\bdelivered_on\b|\bservice\.public_origin\b|\ballowed_routes\b|\btrack_(?:opens|clicks)\b|Admin-Token/g;

/** In refusals the API's own names stand as they are written there. */
export const ofTheApi =
  /(?<![\p{L}\d_])(?:to|broadcast|templates?|bounce|auth\.password_login)(?![\p{L}\d_])|From und Reply-To/gu;

export const englishTerms: readonly Term[] = [
  { found: word('single (?:messages?|mails?)|transactional'), better: 'personal mail' },
  { found: word('broadcasts?|outgoing'), better: 'marketing, personal mail' },
  { found: word('set aside'), better: 'out of use' },
  { found: word('upstreams?'), better: 'sending server' },
];
