// What a refusal says about a recipient: does the address not exist (hard, suppress it) or is something else in the
// way (soft). Pure table: rows are tried in order, the first that matches in all it names decides. Enhanced status codes
// (RFC 3463, RFC 5248 registry) stand first, reply codes (RFC 5321 §4.2.3) next, bare text of well-known providers last.
// Whether to try again, and whose fault it is, is decided elsewhere (relay/outcome.ts, feedback/).
import type { Reply } from './reply.ts';

export interface Classification {
  /** Only `hard` suppresses at once and counts into the bounce rate. */
  readonly class: 'hard' | 'soft';
  readonly rule: string;
}

export interface BounceRule extends Classification {
  /** Enhanced status codes; `x` stands for any class. */
  readonly enhanced?: readonly string[];
  readonly code?: readonly number[];
  readonly text?: RegExp;
  /** Where the meaning comes from. */
  readonly source: string;
  /** A raw reply this row is for. */
  readonly example: string;
}

const unknownUser =
  /\b(user|recipient|mailbox|account|address|alias)( \S+)?( is| was)? (unknown|not found|invalid)|unknown (user|recipient|mailbox|account|address|local part)|no such (user|recipient|mailbox|account|address|person)|does(n't| not) (exist|have an? .{0,40}account)|no mailbox (here )?(by|with) that name|not a valid (mailbox|recipient|user)|invalid (recipient|mailbox)|user doesn.?t exist|recipientnotfound|unbekannter (empf(ä|ae)nger|benutzer)|(empf(ä|ae)nger|adresse|postfach|benutzer)( ist)? (unbekannt|existiert nicht|nicht gefunden|nicht bekannt)|existiert nicht/i;
const disabled =
  /\b(disabled|inactive|deactivated|suspended|discontinued|no longer (active|available|in use|accepts)|account (is |has been )?closed|mailbox (is )?closed)\b|gesperrt|deaktiviert|stillgelegt|nicht mehr (aktiv|g(ü|ue)ltig)/i;
const mailboxFull =
  /\b(over ?quota|quota (is )?(exceeded|full)|exceeded (its |their |the )?(storage|mailbox|disk)? ?quota|mailbox (is )?full|(out of|insufficient) (storage|disk) space|exceeds? .{0,20}quota)\b|postfach.{0,20} voll|speicherplatz|quota .{0,20}(ü|ue)berschritten/i;
const tooLarge =
  /\b(message|mail|size|attachment)\b.{0,30}\b(too (large|big)|exceeds?)\b|\btoo large\b|zu gro(ß|ss)/i;
const authentication =
  /\b(spf|dkim|dmarc|unauthenticated|not authenticated|authentication (results?|checks?|required by))\b/i;
const reputation =
  /\b(block ?list(ed)?|black ?list(ed)?|spamhaus|spamcop|barracuda|sorbs|dnsbl|rbl|poor reputation|low reputation|bad reputation|reputation|S3140|S3150|TSS0[49]|banned|tosa@rx\.t-online\.de)\b|\b(ip|host|client|server|sender|network)\b.{0,60}\b(blocked|rejected due to|refused)\b|sperrliste/i;
const content =
  /\b(spam|junk|unsolicited|virus|malware|phishing|infected|content (is )?(rejected|blocked|denied)|(attachment|file) .{0,40}(blocked|not allowed|rejected)|blocked attachment|banned (file|content))\b|als spam|schadsoftware|inhalt .{0,30}abgelehnt/i;
const restricted =
  /\b(not (authori[sz]ed|allowed|permitted) to (send|post|deliver)|only (internal|authenticated) (senders|users)|restricted|members only|sender not (allowed|permitted|authori[sz]ed))\b|nur interne|nicht berechtigt/i;
const greylisted =
  /\b(gr[ea]y ?-?list(ed|ing)?|postgrey|try again (later|in)|temporarily deferred.*retry)\b|sp(ä|ae)ter (noch ?einmal|erneut)/i;
const throttled =
  /\b(too many (connections|messages|mails|emails|recipients)|rate (limit|exceeded)|(sending|receiving) .{0,20}rate|reduce .{0,20}(rate|sending)|throttl(ed|ing)|temporarily rate limited|nemesis)\b|zu viele/i;
const noDomain =
  /\b((host|domain)( name)?( \S+)? (not found|unknown|does not exist|has no mail exchangers)|unknown (host|domain)|no such (host|domain)|null ?mx|nxdomain|does not accept (e-?)?mail|unrouteable (mail )?domain)\b|dom(ä|ae|a)ne? .{0,30}(existiert nicht|unbekannt|nicht gefunden)/i;
const network =
  /\b(timed? ?out|connection (refused|reset|lost|dropped)|network (is )?unreachable|no route to host|(retry|delivery) (time(out)?|period) (exceeded|expired)|message expired|could not connect)\b|zeit(ü|ue)berschreitung|nicht erreichbar/i;
const senderAddress =
  /\b(sender|mail from|return.?path|envelope from)\b.{0,60}\b(domain|address|rejected|invalid|unknown|not found|does not exist|not exist|verif)/i;

const registry = 'RFC 5248 registry of enhanced status codes';

/** Order is meaning: a code that is clear by itself, then codes that providers use for several things, told apart by
 * text, then those codes alone. */
export const bounceRules: readonly BounceRule[] = [
  // A clear enhanced code.
  {
    rule: 'sender_address',
    class: 'soft',
    enhanced: ['x.1.7', 'x.1.8'],
    source: registry,
    example: '553 5.1.8 <a@b.example>: Sender address rejected: Domain not found',
  },
  {
    rule: 'unknown_address',
    class: 'hard',
    enhanced: ['x.1.1', 'x.1.3', 'x.1.6'],
    source: registry,
    example: '550-5.1.1 The email account that you tried to reach does not exist.',
  },
  {
    rule: 'unknown_domain',
    class: 'hard',
    enhanced: ['x.1.10'],
    text: noDomain,
    source: 'RFC 7505 §4.2: null MX',
    example: '556 5.1.10 Recipient address has null MX',
  },
  {
    rule: 'unknown_address',
    class: 'hard',
    enhanced: ['x.1.10'],
    source: 'Exchange Online',
    example: '550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup',
  },
  {
    rule: 'unknown_domain',
    class: 'hard',
    enhanced: ['x.1.2', 'x.7.18'],
    source: `${registry}; x.7.18: domain owner has changed (RFC 7293)`,
    example: '550 5.1.2 <a@nowhere.example>: Recipient address rejected: Domain not found',
  },
  {
    rule: 'unknown_domain',
    class: 'hard',
    enhanced: ['x.4.4'],
    text: noDomain,
    source: 'Postfix: Host or domain name not found',
    example:
      '550 5.4.4 Host or domain name not found. Name service error for name=nowhere.example type=A: Host not found',
  },
  {
    rule: 'unknown_address',
    class: 'hard',
    enhanced: ['x.4.1'],
    text: /access denied|recipient address rejected/i,
    source: 'Exchange Online: directory-based edge blocking',
    example:
      '550 5.4.1 Recipient address rejected: Access denied. [AM0EUR02FT003.eop-EUR02.prod.protection.outlook.com]',
  },
  {
    rule: 'mailbox_full',
    class: 'soft',
    enhanced: ['x.2.2'],
    source: registry,
    example: '552-5.2.2 The email account that you tried to reach is over quota.',
  },
  {
    rule: 'too_large',
    class: 'soft',
    enhanced: ['x.2.3', 'x.3.4'],
    source: registry,
    example: '552 5.3.4 Message size exceeds fixed limit',
  },
  {
    rule: 'throttled',
    class: 'soft',
    enhanced: ['4.2.1', 'x.5.3', 'x.7.28', 'x.7.650'],
    source: 'Gmail 4.2.1 and x.7.28, Outlook 4.7.650',
    example:
      '450 4.2.1 The user you are trying to contact is receiving mail at a rate that prevents additional messages from being delivered.',
  },
  {
    rule: 'mailbox_full',
    class: 'soft',
    enhanced: ['5.2.1'],
    text: mailboxFull,
    source: 'providers that give x.2.1 for any unusable mailbox',
    example: '550 5.2.1 Mailbox full',
  },
  {
    rule: 'throttled',
    class: 'soft',
    enhanced: ['5.2.1'],
    text: throttled,
    source: 'Gmail',
    example:
      '550-5.2.1 The user you are trying to contact is receiving mail at a rate that prevents additional messages from being delivered.',
  },
  {
    rule: 'unknown_address',
    class: 'hard',
    enhanced: ['5.2.1'],
    text: unknownUser,
    source: 'providers that give x.2.1 for an unknown mailbox',
    example: '550 5.2.1 No such user here',
  },
  {
    rule: 'disabled',
    class: 'hard',
    enhanced: ['5.2.1'],
    text: disabled,
    source: 'Gmail',
    example: '550 5.2.1 The email account that you tried to reach is inactive.',
  },
  {
    rule: 'disabled_unexplained',
    class: 'soft',
    enhanced: ['5.2.1'],
    source: `${registry}: may be a passing state, so that without words it is not believed at once`,
    example: '550 5.2.1 Requested action not taken',
  },
  {
    rule: 'disabled',
    class: 'hard',
    enhanced: ['5.7.13'],
    source: registry,
    example: '525 5.7.13 User account disabled',
  },
  {
    rule: 'unknown_address',
    class: 'hard',
    enhanced: ['5.7.17'],
    source: `${registry}: mailbox owner has changed (RFC 7293)`,
    example: '550 5.7.17 Mailbox owner has changed',
  },
  {
    rule: 'auth_policy',
    class: 'soft',
    enhanced: ['x.7.0', 'x.7.1', 'x.7.9', 'x.7.15', 'x.7.27', 'x.7.30', 'x.7.40', 'x.7.509', 'x.7.515'],
    text: authentication,
    source: 'Gmail 5.7.26 to 5.7.40, Outlook 5.7.515',
    example: '550-5.7.30 This mail has been blocked because DKIM does not pass.',
  },
  {
    rule: 'sender_address',
    class: 'soft',
    enhanced: ['x.7.27'],
    source: 'RFC 7505 §4.2: sender domain has a null MX',
    example: '550 5.7.27 Sender address has null MX',
  },
  {
    rule: 'auth_policy',
    class: 'soft',
    enhanced: [
      'x.7.20',
      'x.7.21',
      'x.7.22',
      'x.7.23',
      'x.7.24',
      'x.7.26',
      'x.7.29',
      'x.7.31',
      'x.7.32',
      'x.7.40',
      'x.7.509',
      'x.7.515',
    ],
    source: 'RFC 7372, RFC 8617; Gmail, Outlook',
    example: '550-5.7.26 This mail has been blocked because the sender is unauthenticated.',
  },
  {
    rule: 'block',
    class: 'soft',
    enhanced: ['x.7.25', 'x.7.606', 'x.7.607', 'x.7.608', 'x.7.609', 'x.7.511', 'x.7.649'],
    source: 'RFC 7372 (reverse DNS); Outlook',
    example: '550 5.7.606 Access denied, banned sending IP [192.0.2.1]',
  },
  {
    rule: 'content',
    class: 'soft',
    enhanced: ['x.7.0', 'x.7.1'],
    text: /\bvirus|malware|infected|phishing|attachment|because its content/i,
    source: 'Gmail: blocked content',
    example: '552-5.7.0 This message was blocked because its content presents a potential security issue.',
  },
  {
    rule: 'greylisted',
    class: 'soft',
    enhanced: ['4.7.1', '4.7.0', '4.2.0', '4.3.0', '4.5.1'],
    text: greylisted,
    source: 'RFC 6647; Postgrey',
    example:
      '450 4.2.0 <a@b.example>: Recipient address rejected: Greylisted, see http://postgrey.schweikert.ch/help/b.example.html',
  },
  {
    rule: 'throttled',
    class: 'soft',
    enhanced: ['x.7.0', 'x.7.1', 'x.3.2', 'x.4.5'],
    text: throttled,
    source: 'Gmail, Yahoo, GMX',
    example:
      '421-4.7.0 Our system has detected an unusual rate limit violation: too many messages from your IP address.',
  },
  {
    rule: 'block',
    class: 'soft',
    enhanced: ['x.7.0', 'x.7.1', 'x.7.2'],
    text: reputation,
    source: 'Outlook, T-Online, users of block lists',
    example:
      "550 5.7.1 Unfortunately, messages from [192.0.2.1] weren't sent. Please contact your Internet service provider since part of their network is on our block list (S3140).",
  },
  {
    rule: 'content',
    class: 'soft',
    enhanced: ['x.7.0', 'x.7.1', 'x.7.2', 'x.7.7'],
    text: content,
    source: 'Gmail, rspamd, SpamAssassin',
    example: '554 5.7.1 Spam message rejected',
  },
  {
    rule: 'unknown_address',
    class: 'hard',
    enhanced: ['5.7.1', '5.1.0', '5.0.0', '5.5.0', '5.5.1', '5.3.0', '5.5.2', '5.2.0'],
    text: unknownUser,
    source: 'providers without a code of their own for it (Hotmail: 5.5.0)',
    example: '550 5.1.0 <a@b.example>: User unknown',
  },
  {
    rule: 'unknown_address',
    class: 'hard',
    enhanced: ['5.5.0'],
    text: /mailbox unavailable/i,
    source: 'Outlook.com',
    example: '550 5.5.0 Requested action not taken: mailbox unavailable (S2017062302).',
  },
  {
    rule: 'recipient_policy',
    class: 'soft',
    enhanced: ['x.7.1', 'x.7.2', 'x.7.133', 'x.7.134', 'x.7.135', 'x.7.136', 'x.7.124'],
    text: restricted,
    source: 'Exchange: delivery restrictions',
    example:
      '550 5.7.133 RESOLVER.RST.SenderNotAuthenticatedForGroup; authentication required; only authenticated users or members only',
  },
  {
    rule: 'recipient_policy',
    class: 'soft',
    enhanced: ['x.7.2', 'x.7.133', 'x.7.134', 'x.7.135', 'x.7.136', 'x.7.124'],
    source: 'Exchange: delivery restrictions',
    example: '550 5.7.134 RESOLVER.RST.SenderNotAuthenticatedForMailbox',
  },
  {
    rule: 'smtputf8',
    class: 'soft',
    enhanced: ['x.6.7', 'x.6.8', 'x.6.9'],
    source: 'RFC 6531 §3.7.4',
    example: '553 5.6.7 Non-ASCII addresses not permitted for that sender/recipient',
  },
  {
    rule: 'content',
    class: 'soft',
    enhanced: ['x.6.0', 'x.6.1', 'x.6.2', 'x.6.3', 'x.6.4', 'x.6.5', 'x.6.6', 'x.7.7'],
    source: registry,
    example: '554 5.6.0 Message contains invalid header',
  },
  {
    rule: 'tls',
    class: 'soft',
    enhanced: ['x.7.4', 'x.7.5', 'x.7.10', 'x.7.30'],
    source: 'RFC 5248 registry; RFC 8689',
    example: '550 5.7.10 Encryption needed',
  },
  {
    rule: 'loop',
    class: 'soft',
    enhanced: ['x.4.6'],
    source: registry,
    example: '554 5.4.6 Too many hops 51 (50 max)',
  },
  {
    rule: 'unknown_domain',
    class: 'hard',
    enhanced: ['5.4.0', '5.4.3', '5.0.0', '5.3.0'],
    text: noDomain,
    source: 'relays that give a general code for an unknown host',
    example: '550 5.4.0 Domain nowhere.example does not exist',
  },
  {
    rule: 'network',
    class: 'soft',
    enhanced: [
      'x.4.0',
      'x.4.1',
      'x.4.2',
      'x.4.3',
      'x.4.4',
      'x.4.5',
      'x.4.7',
      '4.3.0',
      '4.3.1',
      '4.3.2',
      '4.3.5',
    ],
    source: `${registry}: network, routing and the other side's system`,
    example: '450 4.4.1 connect to mx.b.example[192.0.2.25]:25: Connection timed out',
  },
  {
    rule: 'greylisted',
    class: 'soft',
    enhanced: ['4.7.1', '4.2.0'],
    source: 'RFC 6647: what a first attempt is answered with',
    example: '451 4.7.1 Please come back in 300 seconds',
  },
  {
    rule: 'disabled',
    class: 'hard',
    enhanced: ['5.7.1', '5.1.0', '5.5.0', '5.2.0', '5.0.0', '5.3.0'],
    text: /\b(mailbox|account|user|recipient|address)\b.{0,60}\b(disabled|inactive|deactivated|discontinued|closed|no longer)\b|gesperrt|deaktiviert/i,
    source: 'providers without a code of their own for it',
    example: '550 5.1.0 Mailbox of this user has been deactivated',
  },
  {
    rule: 'mailbox_full',
    class: 'soft',
    enhanced: ['x.1.0', 'x.0.0', 'x.5.0', 'x.2.0', 'x.3.0', 'x.7.1'],
    text: mailboxFull,
    source: 'providers without a code of their own for it',
    example: '552 5.0.0 Postfach ist voll',
  },
  {
    rule: 'policy',
    class: 'soft',
    enhanced: ['x.7.0', 'x.7.1'],
    source: registry,
    example: '550 5.7.1 Message rejected due to local policy',
  },

  // The reply code, where no enhanced code decided: most words tell more than 550 does.
  {
    rule: 'unknown_domain',
    class: 'hard',
    code: [556],
    source: 'RFC 7504 §5: domain does not accept mail',
    example: '556 Domain does not accept mail',
  },
  {
    rule: 'throttled',
    class: 'soft',
    code: [421, 432],
    source: 'RFC 5321 §3.8; T-Online and GMX on too many connections',
    example: '421 gmx.net Nemesis ESMTP Service not available',
  },
  {
    rule: 'greylisted',
    class: 'soft',
    code: [450, 451],
    text: greylisted,
    source: 'RFC 6647',
    example: '451 Greylisting in action, please come back later, try again in 300 seconds',
  },
  {
    rule: 'mailbox_full',
    class: 'soft',
    code: [452, 552, 550, 554],
    text: mailboxFull,
    source: 'Yahoo, GMX, web.de',
    example: '552 Requested mail action aborted: exceeded storage allocation, mailbox full',
  },
  {
    rule: 'too_large',
    class: 'soft',
    code: [552, 550, 554, 523],
    text: tooLarge,
    source: 'RFC 1870 §6',
    example: '552 Message size exceeds maximum permitted',
  },
  {
    rule: 'content',
    class: 'soft',
    code: [552, 554, 550],
    text: /\bvirus|malware|infected|phishing/i,
    source: 'scanners',
    example: '554 Message refused: contains a virus',
  },
  {
    rule: 'auth_policy',
    class: 'soft',
    code: [550, 551, 553, 554],
    text: authentication,
    source: 'GMX, web.de, Yahoo',
    example: '550 Message rejected: DMARC policy of the domain in From',
  },
  {
    rule: 'block',
    class: 'soft',
    code: [550, 553, 554],
    text: reputation,
    source: 'GMX, T-Online, users of block lists',
    example:
      '554 IP=192.0.2.1 - A problem occurred. Ask your postmaster for help or contact tosa@rx.t-online.de to clarify.',
  },
  {
    rule: 'sender_address',
    class: 'soft',
    code: [550, 553, 554],
    text: senderAddress,
    source: 'checks of the envelope sender',
    example: '550 Sender verify failed: sender address does not exist',
  },
  {
    rule: 'unknown_domain',
    class: 'hard',
    code: [550, 551, 553, 554],
    text: noDomain,
    source: 'relays',
    example: '550 Unrouteable mail domain "nowhere.example": domain not found',
  },
  {
    rule: 'disabled',
    class: 'hard',
    code: [550, 551, 553, 554],
    text: disabled,
    source: 'Yahoo, AOL, GMX',
    example:
      '554 delivery error: Sorry your message to a@yahoo.example cannot be delivered. This mailbox is disabled (554.30).',
  },
  {
    rule: 'unknown_address',
    class: 'hard',
    code: [550, 551, 553, 554],
    text: unknownUser,
    source: 'GMX, web.de, Yahoo, Exim',
    example: '550 Requested action not taken: Empfänger unbekannt',
  },
  {
    rule: 'unknown_address',
    class: 'hard',
    code: [550],
    text: /mailbox unavailable/i,
    source: 'RFC 5321 §4.2.3; GMX, web.de',
    example: '550 Requested action not taken: mailbox unavailable',
  },
  {
    rule: 'recipient_policy',
    class: 'soft',
    code: [550, 554],
    text: restricted,
    source: 'Exchange',
    example: '550 This address accepts mail from only internal senders',
  },
  {
    rule: 'content',
    class: 'soft',
    code: [550, 552, 554],
    text: content,
    source: 'scanners',
    example: '554 Message rejected as spam',
  },
  {
    rule: 'mailbox_full',
    class: 'soft',
    code: [452, 552],
    source: 'RFC 5321 §4.2.3: storage',
    example: '552 Requested mail action aborted',
  },

  // Bare text: notices without a code, and codes that say nothing.
  {
    rule: 'auth_policy',
    class: 'soft',
    text: authentication,
    source: 'notices in plain text',
    example: 'Message failed DMARC and was rejected',
  },
  {
    rule: 'mailbox_full',
    class: 'soft',
    text: mailboxFull,
    source: 'notices in plain text',
    example: 'Das Postfach des Empfängers ist voll.',
  },
  {
    rule: 'too_large',
    class: 'soft',
    text: tooLarge,
    source: 'notices in plain text',
    example: 'Die Nachricht ist zu groß.',
  },
  {
    rule: 'block',
    class: 'soft',
    text: reputation,
    source: 'notices in plain text',
    example: 'Your server 192.0.2.1 is listed at Spamhaus',
  },
  {
    rule: 'sender_address',
    class: 'soft',
    text: senderAddress,
    source: 'notices in plain text',
    example: 'sender address could not be verified',
  },
  {
    rule: 'unknown_domain',
    class: 'hard',
    text: noDomain,
    source: 'qmail',
    example: "Sorry, I couldn't find any host named nowhere.example: unknown host",
  },
  {
    rule: 'unknown_address',
    class: 'hard',
    text: unknownUser,
    source: 'qmail, Exim',
    example: 'Sorry, no mailbox here by that name. (#5.1.1)',
  },
  {
    rule: 'disabled',
    class: 'hard',
    text: disabled,
    source: 'notices in plain text',
    example: 'Dieses Konto wurde gesperrt.',
  },
  {
    rule: 'content',
    class: 'soft',
    text: content,
    source: 'notices in plain text',
    example: 'Ihre Nachricht wurde als Spam eingestuft.',
  },
  {
    rule: 'throttled',
    class: 'soft',
    text: throttled,
    source: 'notices in plain text',
    example: 'Too many connections, slow down',
  },
  {
    rule: 'greylisted',
    class: 'soft',
    text: greylisted,
    source: 'notices in plain text',
    example: 'Bitte versuchen Sie es später erneut.',
  },
  {
    rule: 'network',
    class: 'soft',
    text: network,
    source: 'notices in plain text',
    example: 'retry timeout exceeded',
  },
];

const matchesEnhanced = (patterns: readonly string[], enhanced: string): boolean => {
  const anyClass = `x${enhanced.slice(1)}`;
  return patterns.includes(enhanced) || patterns.includes(anyClass);
};

const matches = (rule: BounceRule, reply: Reply): boolean => {
  if (
    rule.enhanced !== undefined &&
    (reply.enhanced === null || !matchesEnhanced(rule.enhanced, reply.enhanced))
  ) {
    return false;
  }
  if (rule.code !== undefined && !rule.code.includes(reply.code)) return false;
  return rule.text === undefined || rule.text.test(reply.text);
};

/** The reply code decides whether a refusal is final; without one the class of the enhanced code; without both (a notice
 * in plain text) it is final. */
const isFinal = (reply: Reply): boolean => {
  if (reply.code >= 400) return reply.code >= 500;
  return reply.enhanced === null || !reply.enhanced.startsWith('4');
};

/** The row that decides; undefined where none matches. */
export const findBounceRule = (reply: Reply): BounceRule | undefined =>
  bounceRules.find((row) => matches(row, reply));

/** Classifies a 4yz or 5yz, from our own connection or from a report; `code` 0 where a report gave none. What is not
 * final is never hard: a passing "user unknown" of a broken directory must not suppress anybody. */
export const classifyBounce = (reply: Reply): Classification => {
  const rule = findBounceRule(reply);
  if (rule === undefined) return { class: 'soft', rule: 'unknown' };
  return { class: isFinal(reply) ? rule.class : 'soft', rule: rule.rule };
};
