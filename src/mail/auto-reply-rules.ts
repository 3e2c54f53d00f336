// How automatic replies are recognized, one row for each sign: a field of RFC 3834 or of a program, or what a program writes
// into the subject and the opening. The first row whose patterns all match decides. Words that a person could also write
// count only together with a field that a person's mail does not have. Pure.
//
// The text after the opening and all quotations are ignored. That a person has left a company is no sign either, because
// people also write this about others; only a bounce shows that an address no longer exists.
export interface AutoReplyRule {
  readonly rule: string;
  /** Patterns of decoded field values, by the field's name in lower case. */
  readonly fields?: Readonly<Record<string, RegExp>>;
  /** A pattern of the text before any quotation. */
  readonly opening?: RegExp;
  /** The programs or documents that the sign comes from. */
  readonly source: string;
  /** A mail that this row recognizes and no earlier row does: fields, an empty line, the opening. */
  readonly example: string;
}

const ANYTHING = /./;

/** How subjects about an absence begin. They do not begin with `Re:`, which is a person's answer to such a mail. */
const absence =
  'automatic reply|automated reply|automatische antwort|automatische abwesenheitsnotiz|abwesenheits(?:notiz|assistent|nachricht|meldung|benachrichtigung)|abwesenheit|abwesend|autoreply|autoantwort|auto(?:mat(?:ic|ed))?[- ](?:re(?:ply|sponse)|antwort)|out of (?:the )?office(?: auto-?reply| reply)?|ooo|vacation(?: reply)?|r.ponse automatique|message d.absence|absence du bureau|risposta automatica|fuori ufficio|respuesta autom.tica|fuera de la oficina|resposta autom.tica|automatisch(?:e)? antwoord|afwezigheidsbericht|afwezig|odpowied. automatyczna|automatyczna odpowied.|autoodpowied.|poza biurem|autosvar|automatiskt svar|automatisk svar|(?:auto|away)(?=\\s*:)';

/** A person says that they are away. */
const isAway =
  /\b(?:(?:i am|i'm|i will be|i'll be) (?:currently |presently )?(?:away|out of (?:the |my )?office|on (?:annual |maternity |parental |sick )?(?:leave|vacation|holidays?))|ich bin (?:derzeit |zurzeit |zur zeit |momentan |vom |bis |ab |am |[\d.:,-]{1,12} |einschlie(?:ß|ss)lich |zum |und ){0,10}(?:nicht (?:im (?:b(?:ü|ue)ro|haus|dienst)|erreichbar|am platz)|abwesend|au(?:ß|ss)er haus|im urlaub|in elternzeit)|(?:unsere|die) praxis (?:ist|bleibt) .{0,60}geschlossen)/i;

/** Confirms that a mail has arrived. */
const isReceipt =
  /\b(?:your (?:request|inquiry|enquiry|message|e-?mail|ticket|case)\b.{0,60}\b(?:has been|was) (?:received|created|opened|registered)|we(?:'ve| have) received your (?:request|inquiry|enquiry|message|e-?mail|ticket)|thank you for contacting|(?:ihre|deine) (?:anfrage|nachricht|e-?mail|mitteilung)\b.{0,60}\b(?:ist (?:bei uns )?eingegangen|erhalten|haben wir erhalten)|wir haben (?:ihre|deine) (?:anfrage|nachricht|e-?mail) erhalten|eingangsbest(?:ä|ae)tigung)/i;

/** The text says that a program has written it. */
const saysItIsAutomatic =
  /\b(?:th(?:is|e following) (?:e-?mail |mail |message )?(?:is|was|has been) (?:an? )?(?:automatic(?:ally)?|automated|auto-generated)\b|(?:dies|dieses|dies hier) ist eine automatisch(?:e|er)? ?(?:erstellte |generierte |erzeugte |versandte )?(?:antwort|nachricht|e-?mail|mitteilung|eingangsbest(?:ä|ae)tigung|abwesenheit)|diese (?:nachricht|e-?mail|mail|antwort|mitteilung) (?:wurde|ist|wird) (?:vom system )?automatisch (?:erstellt|erzeugt|generiert|versandt|versendet|verschickt|beantwortet))/i;

/** Mail programs for people do not write these two. */
const BULK = { precedence: /^(?:bulk|junk)\b/i };
const FROM_NO_REPLY = {
  from: /\b(?:no-?reply|do-?not-?reply|auto-?reply|auto-?responder|autoantwort|nicht-?antworten)[\w.+-]{0,40}@/i,
};

export const autoReplyRules: readonly AutoReplyRule[] = [
  {
    rule: 'auto_submitted',
    fields: { 'auto-submitted': /^(?!no\b)[a-z]/i },
    source: 'RFC 3834 §5; Gmail, Sieve (RFC 5230 §4.6), Zimbra, Exchange since 2010, vacation(1) of the BSDs',
    example: 'Auto-Submitted: auto-replied (vacation)',
  },
  {
    rule: 'exchange_suppress',
    fields: { 'x-auto-response-suppress': ANYTHING },
    source: 'MS-OXCMAIL §2.1.3.2.18: an automatic message asks for no others; Exchange gives it to its own',
    example: 'X-Auto-Response-Suppress: All',
  },
  {
    rule: 'exchange_inbox_rule',
    fields: { 'x-ms-exchange-inbox-rules-loop': ANYTHING },
    source: 'Exchange, of replies by a rule of a mailbox',
    example: 'X-MS-Exchange-Inbox-Rules-Loop: erika@praxis.example',
  },
  {
    rule: 'exchange_rules_agent',
    fields: { 'x-ms-exchange-generated-message-source': /^mailbox rules agent/i },
    source: 'Exchange Online, of replies by a rule of a mailbox and of absence',
    example: 'X-MS-Exchange-Generated-Message-Source: Mailbox Rules Agent',
  },
  {
    rule: 'x_autoreply',
    fields: { 'x-autoreply': /^(?!no\b|false\b)./i },
    source: 'Gmail, cPanel, and programs before RFC 3834',
    example: 'X-Autoreply: yes',
  },
  {
    rule: 'x_autoreply_from',
    fields: { 'x-autoreply-from': ANYTHING },
    source: 'vacation programs of hosting panels',
    example: 'X-AutoReply-From: erika@praxis.example',
  },
  {
    rule: 'x_mail_autoreply',
    fields: { 'x-mail-autoreply': ANYTHING },
    source: 'Plesk',
    example: 'X-Mail-Autoreply: erika@praxis.example',
  },
  {
    rule: 'x_autorespond',
    fields: { 'x-autorespond': ANYTHING },
    source: 'cPanel (autorespond), where the value may be the subject',
    example: 'X-Autorespond: Ihr Termin',
  },
  {
    rule: 'x_autoresponder',
    fields: { 'x-autoresponder': ANYTHING },
    source: 'autoresponders of hosting panels',
    example: 'X-Autoresponder: 1',
  },
  {
    rule: 'x_autogenerated',
    fields: { 'x-autogenerated': /^(?:reply|letter)\b/i },
    source: 'CommuniGate Pro, rules of a mailbox',
    example: 'X-Autogenerated: Reply',
  },
  {
    rule: 'x_vacation',
    fields: { 'x-vacation': ANYTHING },
    source: 'vacation programs of Unix systems',
    example: 'X-Vacation: yes',
  },
  {
    rule: 'post_message_class',
    fields: { 'x-post-messageclass': /autoresponder/i },
    source: 'InterMail, of large providers',
    example: 'X-POST-MessageClass: 9; Autoresponder',
  },
  {
    rule: 'delivered_to_autoresponder',
    fields: { 'delivered-to': /^autoresponder\b/i },
    source: 'autoresponder of qmailadmin',
    example: 'Delivered-To: Autoresponder',
  },
  {
    rule: 'machine_generated',
    fields: { 'x-fc-machinegenerated': /^true\b/i },
    source: 'FirstClass',
    example: 'X-FC-MachineGenerated: true',
  },
  {
    rule: 'precedence_auto_reply',
    fields: { precedence: /^auto[_-]reply\b/i },
    source: 'qmail-autoresponder, Kerio, older vacation programs',
    example: 'Precedence: auto_reply',
  },
  {
    rule: 'x_precedence_auto_reply',
    fields: { 'x-precedence': /^auto[_-]reply\b/i },
    source: 'older vacation programs',
    example: 'X-Precedence: auto_reply',
  },
  {
    rule: 'challenge_tmda',
    fields: { 'x-delivery-agent': /^tmda\b/i },
    source: 'TMDA: asks unknown senders to confirm',
    example: 'X-Delivery-Agent: TMDA/1.1.12 (Macallan)',
  },
  {
    rule: 'challenge_boxtrapper',
    fields: { subject: /\bverify#[\w-]{4,60}/i },
    source: 'BoxTrapper of cPanel: the sender is to answer with this subject',
    example: 'Subject: Your email requires verification verify#x8Zq1-1700000000-1',
  },
  {
    rule: 'challenge_spamarrest',
    fields: { from: /@(?:[\w-]{1,63}\.)?spamarrest\.com>?$/i },
    source: 'Spam Arrest: asks unknown senders to confirm',
    example: 'From: Erika Muster <verify@spamarrest.com>',
  },
  {
    rule: 'challenge_subject',
    fields: {
      subject:
        /^(?:please confirm your (?:e-?mail|message)|(?:e-?mail )?sender verification|bitte best(?:ä|ae)tigen sie (?:ihre (?:e-?mail|nachricht)|den versand))\b/i,
    },
    source: 'challenge-response filters of providers',
    example: 'Subject: Bitte bestätigen Sie Ihre E-Mail an erika@praxis.example',
  },
  {
    rule: 'absence_subject',
    fields: {
      subject: new RegExp(`^(?:${absence})\\s*(?:[:!]|-\\s|$)`, 'i'),
    },
    source:
      'Outlook and Exchange, Sieve ("Auto:", RFC 5230 §4.3), Notes, GroupWise, Apple Mail and Thunderbird by rules, GMX, WEB.DE, T-Online, IONOS, in German and English',
    example: 'Subject: Automatische Antwort: Ihr Termin',
  },
  {
    rule: 'absence_until_subject',
    fields: {
      subject:
        /^(?:abwesend|abwesenheit(?:snotiz|smeldung|snachricht)?|nicht im (?:b(?:ü|ue)ro|haus)|urlaub|out of (?:the )?office|on (?:vacation|leave)|away)\s+(?:bis|vom|ab|wegen|until|till|from|through|returning)\b/i,
    },
    source: 'Outlook, IONOS, T-Online: what people write into the subject of their absence',
    example: 'Subject: Abwesend bis 12. Dezember',
  },
  {
    rule: 'absence_name_subject',
    fields: {
      subject:
        /^[^:]{1,80}\b(?:is|ist) (?:currently |derzeit |zurzeit )?(?:out of (?:the )?office|au(?:ß|ss)er haus|nicht im b(?:ü|ue)ro|abwesend|im urlaub)\b/i,
    },
    source: 'IBM Notes: "<name> is out of the office", "<name> ist außer Haus"',
    example: 'Subject: Erika Muster ist außer Haus. (Rückkehr am 12.12.2026)',
  },
  {
    rule: 'first_person_absence_subject',
    fields: { subject: isAway },
    source: 'GMX, WEB.DE and Apple Mail: a subject that people write themselves',
    example: 'Subject: Ich bin im Urlaub',
  },
  {
    rule: 'receipt_subject',
    fields: {
      subject: new RegExp(`^(?:\\[[^\\]]{1,60}\\]\\s?)?(?:${isReceipt.source})`, 'i'),
    },
    source: 'OTRS and Znuny, Zammad, Zendesk, Freshdesk, contact forms: the first answer to a new ticket',
    example: 'Subject: [Ticket#2026112110000017] Ihre Anfrage ist eingegangen',
  },
  {
    rule: 'receipt_from_no_reply',
    fields: FROM_NO_REPLY,
    opening: isReceipt,
    source: 'ticket systems that answer under the subject they got',
    example:
      'From: Support <noreply@praxis.example>\nSubject: Re: Ihr Termin\n\nWe have received your request.',
  },
  {
    rule: 'absence_in_bulk',
    fields: BULK,
    opening: isAway,
    source: 'vacation(1) and its like, before RFC 3834: Precedence, and the subject they got',
    example: 'Precedence: bulk\nSubject: Re: Ihr Termin\n\nIch bin bis zum 12.12. nicht im Büro.',
  },
  {
    rule: 'absence_from_no_reply',
    fields: FROM_NO_REPLY,
    opening: isAway,
    source: 'providers that send an absence from an address of their own',
    example: 'From: Erika <no-reply@provider.example>\nSubject: Re: Ihr Termin\n\nI am out of the office.',
  },
  {
    rule: 'says_so',
    opening: saysItIsAutomatic,
    source: 'T-Online, STRATO, practice software: no field at all, and a first sentence that says it',
    example: 'Subject: Re: Ihr Termin\n\nDies ist eine automatische Antwort. Die Praxis ist geschlossen.',
  },
];
