// How products write failure notices that have no standard form. The rows are tried in order, and the first row whose patterns
// all match decides. Each row needs a sender or a field that only a mail server has. Pure table.

export interface NoticeForm {
  readonly product: string;
  /** Matches the decoded From field: a mail server's name or address. */
  readonly from?: RegExp;
  /** Matches the decoded Subject. */
  readonly subject?: RegExp;
  /** A header field that must be present, in lower case. */
  readonly field?: string;
  /** Words that only this product writes. */
  readonly text?: RegExp;
  /** The words before the failed address and the reason. */
  readonly after?: RegExp;
  readonly source: string;
}

/** A program that speaks for a mail server. */
export const mailServer =
  /\b(?:mailer[-_ ]?daemon|post[-_]?master|mail delivery (?:sub)?system|mail administrator|mailadmin|mail router|mdaemon|mailsystem|mail-?daemon|double-?bounce|delivery-?notification|system ?administrator)\b/i;

export const noticeForms: readonly NoticeForm[] = [
  {
    product: 'qmail',
    from: mailServer,
    text: /this is (?:the|a) (?:qmail-send|deliver|qmail\S{0,20}) program at|dies ist das (?:qmail-send|mail)-?\s?programm/i,
    after:
      /i've given up\. sorry it didn't work out\.|ich habe aufgegeben\.|following address(?:es)?\.|folgenden? adressen?/i,
    source: 'qmail-send.c; its bounce format (QSBMF)',
  },
  {
    product: 'james',
    from: mailServer,
    text: /this is the james mail server at/i,
    after: /failed recipient\(s\):/i,
    source: 'Apache James: the mailet that bounces',
  },
  {
    product: 'opensmtpd',
    from: mailServer,
    text: /this is the mailer-daemon, please do not reply/i,
    after: /following (?:list of recipients|recipients?):/i,
    source: 'OpenSMTPD before its notices had a report part',
  },
  {
    product: 'xmail',
    text: /\[<\d+>\] xmail bounce: rcpt=/i,
    from: mailServer,
    after: /xmail bounce: rcpt=\[/i,
    source: 'XMail: bounce format',
  },
  {
    product: 'ionos',
    from: /mailer ?-?daemon|mail delivery system/i,
    text: /smtp error from remote server (?:for|after|in) .{1,40}command|the following address failed:\s{1,10}["<]/i,
    after: /the following address(?:es)?\s+failed:/i,
    source: 'GMX, WEB.DE, IONOS: a bounce of their Nemesis platform',
  },
  {
    product: 'exim',
    from: mailServer,
    text: /this message was created automatically by (?:the )?mail delivery (?:software|system)/i,
    after:
      /the following address(?:\(es\)|es)? failed:|(?:not yet been delivered|failed) (?:to|are|is):|(?:yet been delivered is|addresses to which .{1,80}are):/i,
    source: 'Exim specification: messages that are bounced, warning messages',
  },
  {
    product: 'smail',
    from: mailServer,
    text: /\|-{5,80} ?(?:message log|failed addresses) follows?/i,
    after: /failed addresses follow: ?-*\|/i,
    source: 'smail 3, for long in front of T-Online',
  },
  {
    product: 'gmail',
    from: /mailer-daemon@google(?:mail)?\.com/i,
    subject: /^delivery status notification \((?:failure|delay)\)/i,
    after:
      /following recipients? (?:failed permanently|has been delayed)[^:]{0,40}:|following recipients? (?:has )?(?:failed|delayed)[^:]{0,20}:/i,
    source: 'Gmail, before its notices had a report part; groups',
  },
  {
    product: 'yahoo',
    from: /mailer-daemon@(?:\S{1,100}\.)?yahoo/i,
    subject: /^(?:failure notice|delivery failure)/i,
    after: /unable to deliver your message to the following address(?:es)?\./i,
    source: 'Yahoo',
  },
  {
    product: 'sendmail',
    from: mailServer,
    text: /(?<!-)-{3,80} ?(?:the following addresses had (?:permanent|transient|delivery)|transcript of session follows)/i,
    after: /the following addresses had [^\n]{0,60}-{3,}|transcript of session follows ?-{3,}/i,
    source: 'Sendmail with SendMimeErrors off',
  },
  {
    product: 'postfix',
    from: mailServer,
    text: /this is the (?:postfix program|mail system|rzmta(?: program)?) at host/i,
    after: /the (?:postfix program|mail system)\s+(?=<)/i,
    source: 'Postfix: bounce(5), as gateways pass it on without its report part',
  },
  {
    product: 'domino',
    subject: /^(?:delivery failure|zustell(?:ungs)?fehler):/i,
    text: /\bwas not delivered to:|wurde nicht zugestellt an:/i,
    after: /was not delivered to:|wurde nicht zugestellt an:/i,
    from: mailServer,
    source: 'HCL Notes and Domino',
  },
  {
    product: 'groupwise',
    from: mailServer,
    text: /the message that you sent was undeliverable to the following/i,
    after: /undeliverable to the following:/i,
    source: 'GroupWise Internet Agent',
  },
  {
    product: 'mdaemon',
    from: /mdaemon|postmaster/i,
    text: /the attached message had (?:permanent fatal|transient|non-fatal)?\s?(?:delivery )?errors|permanent fatal delivery errors/i,
    after: /failed address(?:es)?:/i,
    source: 'MDaemon',
  },
  {
    product: 'hmailserver',
    from: mailServer,
    text: /hmailserver sent:|^hmailserver$/im,
    after: /recipient\(s\) could not be reached:/i,
    source: 'hMailServer',
  },
  {
    product: 'mailenable',
    from: mailServer,
    text: /\bmailenable\b|reason: \[?me-e\d/i,
    after: /recipient\(s\) could not be reached:/i,
    source: 'MailEnable',
  },
  {
    product: 'oracle',
    from: mailServer,
    text: /this report relates to a message you sent with the following header fields|your message cannot be delivered to the following recipients/i,
    after: /cannot be delivered to the following recipients:/i,
    source: 'Oracle Communications Messaging Server (once iPlanet)',
  },
  {
    product: 'exchange',
    from: /\b(?:system ?administrator|systemadministrator|postmaster|microsoft exchange|microsoft outlook|mailer-daemon)\b|microsoftexchange[0-9a-f]{32}@/i,
    subject:
      /^(?:undeliverable|undelivered|unzustellbar|nicht zustellbar|nicht zugestellt|delivery delayed|zustellung verz(?:ö|oe)gert|verz(?:ö|oe)gert|delayed):/i,
    after:
      /did not reach the following recipient\(s\):|delivery has failed to these recipients or [a-z ]{1,30}:|fehler bei der nachrichtenzustellung an folgende empf(?:ä|ae)nger[^:\n]{0,60}:|folgende[rn]? empf(?:ä|ae)nger (?:konnten?|kann) nicht erreicht werden:|(?:message|nachricht) (?:to|an) \S{1,254} (?:couldn't be delivered|konnte nicht zugestellt werden)/i,
    source: 'Exchange, on premises and online, where the report part was lost or is HTML',
  },
  {
    product: 'exim',
    field: 'x-failed-recipients',
    from: mailServer,
    source: 'Exim specification: bounce_message_text; the words may be customized',
  },
  {
    product: 'other',
    from: mailServer,
    subject:
      /^(?:undeliver(?:able|ed)\b|unzustellbar|nicht zugestellt|nicht zustellbar|(?:mail|message|delivery) (?:delivery )?(?:failed|failure|error|status notification)|mail(?: system)? error|returned (?:mail|to sender)|failure notice|(?:permanent )?delivery failure|could ?n.t deliver|message (?:undeliverable|delivery failure|could not be delivered)|mail could not be delivered|warning: (?:message|could not send)|delayed mail|delivery (?:delayed|notification|problem|report)|zustell(?:ung|ungs|fehler)|fehler bei der zustellung|(?:ihre )?(?:e-?mail|nachricht) (?:konnte nicht|nicht) zugestellt|unzustellbare|rejected mail|mail nicht zustellbar|e-?mail-zustellung)/i,
    source: 'subjects that mail servers of all kinds write',
  },
];
