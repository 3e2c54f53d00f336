// Why a server refused a mail, in words for an office, and what can be done about it: by the rule that classified the reply, or by
// its enhanced status code (RFC 3463) where none is known. Pure.
export type Language = 'de' | 'en';

/** The last one of a server. */
export interface Reply {
  readonly smtp_code: number | null;
  readonly enhanced_code: string | null;
  readonly diagnostic: string | null;
}

export interface Why {
  /** Goes on the sentence that the mail was refused: `: …`. */
  readonly why: string;
  /** What the office can do now. */
  readonly advice: string;
}

type Texts = Readonly<Record<Language, Why>>;

const pair = (de: readonly [why: string, advice: string], en: readonly [string, string]): Texts => ({
  de: { why: de[0], advice: de[1] },
  en: { why: en[0], advice: en[1] },
});

const wait: readonly [string, string] = [
  'Sie müssen nichts tun; wenn es dabei bleibt, senden Sie sie später noch einmal.',
  'You need not do anything; if it stays so, send it again later.',
];
const byTelephone: readonly [string, string] = [
  'Fragen Sie am Telefon nach einer anderen Adresse.',
  'Ask for another address on the telephone.',
];
const technical: readonly [string, string] = [
  'Geben Sie die Antwort des Servers (unter „Technik“) an Ihre technische Betreuung.',
  'Pass the server’s reply (below “Technical”) on to those who look after your technology.',
];
const filtered: readonly [string, string] = [
  'Schreiben Sie den Text ohne Links und Werbung neu, oder rufen Sie an.',
  'Write the text again without links and advertising, or call.',
];

const unknownAddress = pair(
  [
    'Die Adresse gibt es dort nicht',
    'Prüfen Sie die Schreibweise, oder fragen Sie am Telefon nach der richtigen Adresse.',
  ],
  ['The address does not exist there', 'Check the spelling, or ask for the right address on the telephone.'],
);
const mailboxFull = pair(
  ['Das Postfach ist voll', 'Rufen Sie an, und senden Sie die Nachricht noch einmal, wenn wieder Platz ist.'],
  ['The mailbox is full', 'Call, and send the message again once there is room.'],
);
const disabled = pair(
  ['Das Postfach ist abgeschaltet', byTelephone[0]],
  ['The mailbox is switched off', byTelephone[1]],
);
const tooLarge = pair(
  ['Die Nachricht ist dem Server zu groß', 'Senden Sie sie mit kleineren oder weniger Anhängen.'],
  ['The message is too large for the server', 'Send it with smaller or fewer attachments.'],
);
const throttled = pair(
  ['Der Server nimmt gerade nicht mehr Post an', wait[0]],
  ['The server takes no more mail at the moment', wait[1]],
);
const policy = pair(
  ['Die Regeln des Empfängers lassen sie nicht zu', technical[0]],
  ['The rules of the recipient’s server do not allow it', technical[1]],
);
const network = pair(
  ['Der Server des Empfängers war nicht zu erreichen', wait[0]],
  ['The recipient’s server could not be reached', wait[1]],
);

const byRule: Readonly<Record<string, Texts>> = {
  unknown_address: unknownAddress,
  unknown_domain: pair(
    [
      'Was hinter dem @ steht, gibt es nicht oder nimmt keine Post an',
      'Prüfen Sie die Schreibweise der Adresse.',
    ],
    ['What is behind the @ does not exist or takes no mail', 'Check the spelling of the address.'],
  ),
  mailbox_full: mailboxFull,
  disabled,
  disabled_unexplained: disabled,
  too_large: tooLarge,
  content: pair(
    ['Der Server hält sie für Spam oder für gefährlich', filtered[0]],
    ['The server takes it for spam or for dangerous', filtered[1]],
  ),
  block: pair(
    ['Der Server nimmt von unserem Versandserver gerade keine Post', technical[0]],
    ['The server takes no mail from our sending server at the moment', technical[1]],
  ),
  auth_policy: pair(
    [
      'Der Server erkennt Ihre Absenderadresse nicht als echt an',
      'Prüfen Sie die Einträge Ihrer Domain auf der Seite „Domain“.',
    ],
    [
      'The server does not accept your sender address as genuine',
      'Check the records of your domain on the page “Domain”.',
    ],
  ),
  sender_address: pair(
    [
      'Der Server nimmt Ihre Absenderadresse nicht an',
      'Prüfen Sie die Einträge Ihrer Domain auf der Seite „Domain“.',
    ],
    [
      'The server does not take your sender address',
      'Check the records of your domain on the page “Domain”.',
    ],
  ),
  policy,
  recipient_policy: pair(
    ['Dieses Postfach nimmt von Ihnen keine Post an', byTelephone[0]],
    ['This mailbox takes no mail from you', byTelephone[1]],
  ),
  relay_suppression: pair(
    ['Unser Versanddienst hat die Adresse gesperrt, weil frühere Post nicht ankam', byTelephone[0]],
    ['Our sending service has blocked the address, because earlier mail did not arrive', byTelephone[1]],
  ),
  greylisted: pair(
    ['Der Server lässt neue Absender erst warten', wait[0]],
    ['The server makes new senders wait first', wait[1]],
  ),
  throttled,
  expired: network,
  network,
  loop: pair(
    ['Die Post des Empfängers wird im Kreis weitergeleitet', byTelephone[0]],
    ['The recipient’s mail is forwarded in a circle', byTelephone[1]],
  ),
  tls: pair(
    ['Mit dem Server war keine verschlüsselte Verbindung möglich', technical[0]],
    ['No encrypted connection with the server was possible', technical[1]],
  ),
  relaying_denied: policy,
};

/** Each is tried in turn. */
const byCode: readonly (readonly [RegExp, Texts])[] = [
  [/^\d\.1\.[1346]$|^5\.1\.10$/, unknownAddress],
  [/^\d\.1\.2$/, byRule.unknown_domain as Texts],
  [/^\d\.2\.2$/, mailboxFull],
  [/^\d\.2\.1$/, disabled],
  [/^\d\.(?:2\.3|3\.4)$/, tooLarge],
  [/^\d\.4\.\d+$/, network],
  [/^\d\.7\.2[0-9]$/, byRule.auth_policy as Texts],
  [/^\d\.7\.\d+$/, policy],
];

const words: readonly (readonly [RegExp, Texts])[] = [
  [/greylist/i, byRule.greylisted as Texts],
  [/\b(?:spam|virus|malware)\b/i, byRule.content as Texts],
  [/\b(?:rate|throttl\w*|too many|try again later)\b/i, throttled],
];

const unexplained = pair(
  ['Er nennt keinen Grund, den wir einordnen können', technical[0]],
  ['It gives no reason that we can classify', technical[1]],
);

/** `rule`: of the event, where there was one. */
export const whyOf = (
  language: Language,
  { enhanced_code, diagnostic }: Reply,
  rule: string | null | undefined,
): Why => {
  const found =
    byRule[rule ?? ''] ??
    words.find(([pattern]) => pattern.test(diagnostic ?? ''))?.[1] ??
    byCode.find(([pattern]) => pattern.test(enhanced_code ?? ''))?.[1] ??
    unexplained;
  return found[language];
};
