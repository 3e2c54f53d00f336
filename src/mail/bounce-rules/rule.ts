// The shape of a row in the bounce tables, and the patterns of words that the rows share. bounce-class.ts orders and reads
// the tables.
import type { Reason } from './phrases.ts';
import { wordsOf } from './words.ts';

export interface BounceRule {
  /** Only `hard` suppresses the address at once and counts in the bounce rate. */
  readonly class: 'hard' | 'soft';
  readonly rule: string;
  /** Enhanced status codes; `x` stands for any class. */
  readonly enhanced?: readonly string[];
  readonly code?: readonly number[];
  /** Matched against the reply's text, in which each address is replaced by `@`. */
  readonly text?: RegExp;
  /** Matched against the name of the replying host, for codes that providers use for different things. */
  readonly speaker?: RegExp;
  /** Where the meaning comes from. */
  readonly source: string;
  /** A raw reply that this row decides. */
  readonly example: string;
  /** The host that gave the example, if `speaker` is set. */
  readonly exampleSpeaker?: string;
}

/** Codes that say no more than the reply code, or that servers give for anything. */
export const general: readonly string[] = [
  'x.0.0',
  'x.1.0',
  'x.2.0',
  'x.3.0',
  'x.3.5',
  'x.4.0',
  'x.4.1',
  'x.4.3',
  'x.4.4',
  'x.5.0',
  'x.5.1',
  'x.5.2',
  'x.5.4',
  'x.7.0',
  'x.7.1',
];

export const registry = 'RFC 5248 registry of enhanced status codes';

/** What the pattern or a phrase of phrases.ts matches. */
const orPhrases = (own: RegExp, reason: Reason): RegExp =>
  new RegExp(`${own.source}|${wordsOf(reason)}`, 'iu');

// The patterns cover English and German, with ä and ae. Their repetitions are bounded, so that each needs linear time.
export const unknownUser = orPhrases(
  /(?<!\bip[ -])\b(user|recipient|mailbox|account|address|alias|addressee)( \S+)?( is| was)? (unknown|not found|invalid)|unknown (user|recipient|mailbox|account|address|alias|local part)(?![ -](?:error|status))|(unknown|invalid) (e-?mail|to) address|no such (user|recipient|mailbox|account|address|person|local user|mail ?drop)|(?<!\b(helo|host|ptr|dns|reverse) ?(name|record|entry|dns) )does(n['’]?t| not) (exist|have an? .{0,40}account)|no (mailbox|account|user|recipient) (found|(here )?(by|with) that name)|\b(user|recipient|mailbox|account|address|person) no longer exists|bad destination mailbox|\bnot our (user|customer)|unknown or illegal alias|not a (valid|known|local) (mailbox|recipient|user|address)|invalid (recipient|mailbox)|user doesn.?t exist|recip(ient)?notf(ou)?nd|\bnot listed in (the )?(public |domino |address |name )|unrouteable address|\b(address|recipient|user|mailbox)\b.{0,40}\b(couldn.t|could not|cannot|can.t) be found|unbekannte[rsn]? (empf(ä|ae)nger|benutzer|e-?mail-?adresse|mailadresse|adresse|postfach)|(empf(ä|ae)nger(adresse)?|e-?mail-?adresse|adresse|postfach|mailbox|benutzer|nutzer|teilnehmer)( \S+)?( ist| wurde)?( hier)? (unbekannt|existiert nicht|nicht gefunden|nicht bekannt|nicht vorhanden|ung(ü|ue)ltig|nicht g(ü|ue)ltig)|\b(empf(ä|ae)nger|adresse|postfach)\b.{0,60}(konnte nicht gefunden werden|existiert nicht)|existiert nicht|(adresse|postfach)( \S+)? gibt es nicht|kein(en)? (solche[nrs]? )?(empf(ä|ae)nger|benutzer|postfach) (mit diesem namen|gefunden)/i,
  'unknown_user',
);

/** Between the name of a mailbox and the word that it is unusable. These words show that something else is meant: the
 * sender's account, a connection, a server or a certificate, or something that the recipient has switched off. */
const ofMailbox =
  '(?:(?!\\b(?:temporar|send(?:er|ing)|server|host|domain|connection|certificate|polic|attachment|macro|deliver|message|absender|verbindung|zertifikat|vor(?:ü|ue)bergehend|zeitweilig|hat\\b)).){0,60}';
const unusable =
  '(?:(?<!\\b(?:has|have) )(?:disabled|inactive|deactivated|suspended|discontinued|terminated|deleted)|closed(?! (?:to|for|the)\\b))';
const notSenders = "(?<!\\b(?:your|sender(?:'s)?|sending|ihre?|temporarily) )";
export const disabled = new RegExp(
  [
    wordsOf('disabled'),
    `${notSenders}\\b(?:mailbox|account|user|recipient|address)\\b${ofMailbox}\\b${unusable}\\b`,
    `${notSenders}\\b(?:mailbox|account|user|address)\\b${ofMailbox}\\bexpired\\b`,
    `${notSenders}\\b(?:mailbox|account|user|recipient|address|e-?mail)\\b${ofMailbox}\\bno longer (?:active|available|in use|valid|accepts (?:e-?)?mail)\\b`,
    `${notSenders}\\b(?:disabled|inactive|deactivated|suspended|discontinued|terminated|closed|expired) (?:e-?mail )?(?:mailbox|account|user|recipient|address)\\b`,
    `${notSenders}\\b(?:(?:benutzer)?konto|postfach|adresse|benutzer|empf(?:ä|ae)nger|mailbox)\\b${ofMailbox}(?:gesperrt|deaktiviert|stillgelegt|geschlossen|gek(?:ü|ue)ndigt|nicht mehr (?:aktiv|g(?:ü|ue)ltig|in gebrauch|verf(?:ü|ue)gbar))`,
  ].join('|'),
  'iu',
);

export const mailboxFull = orPhrases(
  /\b(over ?quota|(over|above) (the |its |their |his )?(\w+ )?quota|quota (is |was |has been )?(exceeded|full)|exceeded (its |their |the )?((storage|mailbox|disk) )?quota|(mailbox|mail box|inbox|account|maildrop) (is |was |has become )?(full|over|exceeded|size exceeded)|(out of|insufficient|no|not enough) (storage|disk) space|exceed(s|ed)? .{0,20}(quota|storage limit|storage allocation|allowed size|storage space)|storage (limit|quota|allocation) .{0,20}(exceeded|reached)|disk (space )?(limit|quota) .{0,20}exceeded|mailbox disk quota|mailfolder is full)\b|(postfach|mailbox|posteingang|briefkasten|konto).{0,40}(\bvoll\b|(ü|ue)berf(ü|ue)llt)|speicherplatz|speicherkontingent|(quota|kontingent|speichergrenze|postfachgr(ö|oe)(ß|ss)e) .{0,30}((ü|ue)berschritten|ersch(ö|oe)pft|erreicht)/i,
  'mailbox_full',
);

export const tooLarge =
  /\b(message|mail|size|attachment)\b.{0,30}\b(too (large|big)|exceed(s|ed)?)\b|\btoo large\b|\b(message|size) (size )?limit\b.{0,20}\bexceeded|zu gro(ß|ss)|(nachrichten)?gr(ö|oe)(ß|ss)e .{0,60}(ü|ue)berschr(eit|itt)|gr(ö|oe)(ß|ss)enbeschr(ä|ae)nkung/i;

export const authentication =
  /\b(spf|dkim|dmarc|arc validation|unauthenticated|not authenticated|anti-?spoofing|authentication (results?|checks?|required by|information))\b/i;

export const reputation = orPhrases(
  /\b(block[ -]?list(ed)?|black[ -]?list(ed)?|deny ?list(ed)?|spamhaus|spamcop|barracuda ?(?:central|blocklist)|sorbs|uceprotect|dnsbl|rbl|poor reputation|low reputation|bad reputation|(ip|sender|domain) reputation|S3140|S3150|TSS0[49]|banned|blocked - see|policy restrictions|reverse dns|ptr[ -](record|eintrag)|no ptr|rdns)\b|\bip=[\d.:a-f]{3,45} - |\b(ip|ips|client|sender|network)\b.{0,60}\b(blocked|rejected due to|refused)\b|\b(host|server)\b.{0,60}\b(blocked|rejected due to)\b|sperrliste|\b(ip|ip-adresse|absender|server|netz)\b.{0,60}(gesperrt|blockiert|schwarzen liste)/i,
  'block',
);

export const content = orPhrases(
  /\b(spam|junk|unsolicited|virus|malware|phishing|infected|uce|gtube|content (is |was )?(rejected|blocked|denied|not accepted)|(attachment|file) .{0,40}(blocked|not allowed|rejected)|blocked attachment|banned (file|content)|content filter|message content)\b|als spam|schadsoftware|viren|inhalt .{0,30}(abgelehnt|blockiert)|anhang .{0,40}(nicht erlaubt|nicht zul(ä|ae)ssig|blockiert|abgelehnt)/i,
  'content',
);

/** A rule that every receiver may have; "access denied" is not among these words, because Exchange Online refuses unknown recipients with it. */
export const policy = /\b(administrative prohibition|polic(y|ies)|prohibited|blocked)\b|richtlinie/iu;

/** Words of filters that are clear under codes that are used for every policy. */
export const harmful =
  /\bvirus|malware|infected|phishing|attachment|because its content|\banhang|schadsoftware/i;

export const restricted = orPhrases(
  /RESOLVER\.RST\.(?!recipsizelimit|sendsizelimit)|\b(not (authori[sz]ed|allowed|permitted) to (send|post|deliver)|(may|do) not have permission|only (internal|authenticated|known) (senders|users|contacts)|only accepts? (e-?mail|mail|messages) from|delivery restriction|restricted|members only|sender (is )?not (allowed|permitted|authori[sz]ed)|isn.t (allowed|authori[sz]ed|permitted)|not accept(ing)? (e-?mail|mail|messages) from (external|outside|unknown))\b|nur interne|nur (e-?mails|nachrichten) von|nicht berechtigt|(keine|nicht (ü|ue)ber die) berechtigung|eingeschr(ä|ae)nkt/i,
  'restricted',
);

export const relaying =
  /\brelay(ing)?\b.{0,20}\b(denied|disallowed|not permitted|not allowed|prohibited|forbidden|verboten|abgelehnt)|\bunable to relay|\bdo(es)? not relay|\bnot permitted to relay|\ballowed rcpthosts|\bnot a local (domain|host)|\bdomain\b.{0,40}\bnot (hosted|handled|local)\b/i;

export const greylisted =
  /\b(gr[ea]y ?-?list(ed|ing)?|postgrey|try again (later|in)|come back later|temporarily deferred.{0,200}retry)\b|sp(ä|ae)ter (noch ?einmal|erneut|wieder)/i;

export const throttled = orPhrases(
  /\b(too many ((invalid|unknown|bad) )?(connections|messages|mails|emails|recipients|errors|users)|rate ?-?(limit(ed|s)?|exceeded)|(sending|receiving) .{0,20}rate|reduce .{0,20}(rate|sending)|throttl(ed|ing)|(send|message|recipient|connection) limit (exceeded|reached)|exceeded .{0,30}limit for messages|server busy|nemesis)\b|zu viele/i,
  'throttled',
);

export const noDomain = orPhrases(
  /(?<!\bclient )\b((host|domain)( name)?( \S+)? (not found|unknown|does(n't| not) exist|has no mail exchangers)|(host|domain)\b.{0,30}couldn't be found|unknown (host|domain)(?! in (?:helo|ehlo)\b)|no such (host|domain)|couldn't find any host|null ?mx|nxdomain|does not accept (e-?)?mail|unrouteable (mail )?domain|mx records point to non-existent hosts)\b|dom(ä|ae|a)ne? .{0,30}(existiert nicht|unbekannt|nicht gefunden|konnte nicht gefunden)/i,
  'unknown_domain',
);

export const loop =
  /\b(mail(ing)?( forwarding)? loop|routing loop|too many hops|hop ?count|loops? (back|detected)|looping|too many received)\b|mailschleife|\bschleife\b/i;

export const expired =
  /\b((retry|delivery)( \w+)? (time(out)?|period|attempts?) (was |has been )?(exceeded|expired)|(message|delivery) (has )?expired|message (is )?too old|(in|on) the queue too long|exceeded maximum time in queue|(unable|not able|not been able|undeliverable|delivered) .{0,40}for \d{1,3} (days|hours)|warning limit expired)\b|zustellfrist|zeitlimit .{0,30}(abgelaufen|(ü|ue)berschritten)|(nachricht|zustellung) .{0,20}abgelaufen/i;

export const network =
  /\b(timed? ?out|connection (refused|reset|lost|dropped)|network (is )?unreachable|no route to host|could not connect|couldn't connect|wasn't able to establish|unable to connect|name server: .{0,40}host name lookup|dns (query|lookup) failed|temporarily unavailable)\b|zeit(ü|ue)berschreitung|nicht erreichbar|keine verbindung/i;

/** Something of ours, in any language. A server at the end of a line signs a letter, and `your IP:` is a note. */
const ours =
  /\b(?:your|ihr(?:e[nrs]?)?|votre|vostro|[ts]uo|[st]u|seu|uw|twoja|tw\S{1,2}j|wasza?) (?:\S{1,20} )?(?:(?:d')?h\S{1,2}te|(?:mail|dns|host)?-?(?:domain|host|dns|mta)(?:s\b|name|naam|\b)|ip\b(?!:)|(?:mail-?)?(?:servers|server|serveur|servidor|serwer)\b(?! {0,3}(?:\n|$))|dom\S{1,2}nio|domaine|domein|domena)/;

const ofSender =
  /\b(?:helo|ehlo|ptr|rdns|reverse)\b|\bdns[ -](?:entry|record)|\bfrom:?(?: header)? domain\b|\byou(?:'re| are)? (?:claim|send from|sending from)\b|\b(?:domain|host|dns|lookup)\b.{0,30}(?<!\b(?:to|to the) )\bsender\b|\b(?:in|of) your (?:e-?mail )?address\b|\b(?:sendende|einliefernde)|(?<!\b(?:to|to the) )\b(sender|helo|ehlo|mail from|return.?path|envelope from)\b.{0,60}\b(domain|address|rejected|denied|invalid|unknown|not found|does not exist|not exist|verif\w*)|\babsende\S{0,12}\b.{0,60}(existiert nicht|unbekannt|abgelehnt|ung(ü|ue)ltig|nicht gefunden|verif)/;

/** Phrases about the sender, or the host that hands over: its names and its entries in the DNS. */
export const senderAddress = orPhrases(new RegExp(`${ours.source}|${ofSender.source}`), 'sender');

/** The passing states in which a server cannot say more. A person who is to check an address is also asked to try again. */
export const temporary = orPhrases(
  /(?<!\b(?:check|verify|correct|confirm|double|ensure|make sure)[^.]{0,80})\b(?:try again|retry(?:ing)?\b(?! timeout))|(?<!\bnot (?:a )?)\btemporar(?:y|ily)\b/,
  'temporary',
);
