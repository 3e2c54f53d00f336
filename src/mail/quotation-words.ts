// The words by which mail programs introduce what they quote or forward, name themselves and repeat header fields, in the languages
// in which the large providers offer their pages. Pure data and patterns, each of which reads a short line.

const one = (...words: readonly string[]): string => words.join('|');
const ANY_MESSAGE = 'message|e-?mail|mail|nachricht';

/** Someone wrote: in the introduction of a quotation. */
export const WROTE = new RegExp(
  `(?<!\\p{L})(?:${one(
    'schrieb(?:en)?|geschrieben|wrote|writes',
    'écrit|escribió|(?:ha )?scritto|scrive|escreveu|schreef|geschreven',
    'skrev|skrifaði|kirjoitti|írta|a scris|έγραψε|yazdı',
    'pisze|napisał(?:\\(a\\)|a)?|napsal(?:\\(a\\)|a)?|napísal(?:\\(a\\)|a)?|(?:je )?napisa[ol](?:\\(la\\)|la|a)?',
    '(?:на)?писал(?:\\(а\\)|а)?|пишет|написав(?:\\(ла\\))?|написала|пише|написа',
    'kirjutas|rakstīja|rašė',
  )})(?!\\p{L})|写道|寫道|写了|のメール|のメッセージ|書きました|作成|작성|썼습니다`,
  'iu',
);

/** How the introduction of a quotation begins: with a preposition, a day of the week, a number, or a name in quotes. */
export const BEGINS_INTRODUCTION =
  /^\s*(?:["'„“«]|\d|(?:am|on|le|el|il(?: giorno)?|op|em|den|dne|dňa|dnia|w dniu|in data|på|în|la|a|στις|на|в)\s|\p{L}{1,12}[.,]{0,2}\s\d|在)/iu;

/** Horde and its like write no date. */
export const QUOTES_NAMED =
  /^\s*(?:zitat von|quoting|citando|citat(?:ion)? (?:de|von|fra|från)?|cytowanie)\s.{3,150}:$/i;

/** These words are between dashes, above a quotation without marks. */
export const ORIGINAL = new RegExp(
  `(?:${one(
    `original[- ]?(?:${ANY_MESSAGE})|urspr(?:ü|ue)ngliche (?:${ANY_MESSAGE})`,
    "message d['’]origine|(?:message|mensaje|mesaj(?:ul)?) original|messaggio originale|mensagem original",
    '(?:reply|antwort)[- ](?:message|nachricht)|oorspronkelijk bericht|origineel bericht|oprindelig (?:besked|meddelelse)|opprinnelig melding',
    'ursprungligt meddelande|originalmeddelande|alkuperäinen viesti|eredeti üzenet|orijinal (?:mesaj|ileti)',
    '(?:wiadomość oryginalna|oryginalna wiadomość)|původní (?:zpráva|e-?mail)|pôvodná správa|izvorna poruka',
    '(?:исходное|оригинальное) сообщение|(?:вихідне|оригінальне) повідомлення|αρχικό μήνυμα',
    '元のメッセージ|原始邮件|原始郵件|原邮件|원본 (?:메일|메시지)',
  )})`,
  'iu',
);

export const FORWARDED = new RegExp(
  `(?:${one(
    `weitergeleiteten? (?:${ANY_MESSAGE})|forwarded (?:${ANY_MESSAGE})`,
    'message (?:transféré|réexpédié)|mensaje reenviado|messaggio inoltrato|mensagem (?:re)?encaminhada',
    'doorgestuurd bericht|(?:videresendt|videresendte) (?:besked|meddelelse|melding|brev)',
    'vidarebefordrat (?:meddelande|brev)|(?:edelleen)?(?:lähetetty|välitetty) viesti|továbbított (?:üzenet|levél)',
    'przekaz(?:ana|ywana|ywanej) wiadomoś(?:ć|ci)|wiadomość przekazana|přeposlan(?:á|é) (?:zpráva|zprávy)|preposlaná správa',
    'mesaj redirecționat|i?letilen (?:mesaj|ileti)|yönlendirilen (?:mesaj|ileti)|προωθημένο μήνυμα',
    '(?:пересылаемое|пересланное) сообщение|переслане повідомлення|転送(?:された)?メッセージ|转发的?邮件|轉寄的?郵件|전달된 메[시일]지?',
  )})`,
  'iu',
);

/** These words are at the beginning of a subject. */
export const SUBJECT_OF_FORWARDED =
  /^\s*(?:fwd?|wg|tr|rv|i|enc|doorst|pd|fs|př|vb|vl|továbbítás|redir|ynt ilt|ilt|iletilen|πρθ|转发|轉寄|전달)\s?[:：]/iu;

/** The end of an unmarked quotation, of T-Online. */
export const END_OF_ORIGINAL = /^-{3,}\s?(?:ende|end of|fin)\b.{0,60}-{3,}$/i;

export type HeaderKind = 'from' | 'sent' | 'to' | 'subject';
/** The words are in lower case. */
const HEADER_WORDS: Readonly<Record<HeaderKind, string>> = {
  from: 'von|from|de|da|van|od|från|fra|lähettäjä|feladó|de la|от|від|kimden|gönderen|από|expéditeur|remitente|mittente|remetente|afzender|avsender|avsändare|odesílatel|odosielateľ|отправитель|відправник|差出人|发件人|寄件者|寄件人|보낸사람|보낸 사람',
  sent: 'gesendet|gesendet am|sent|envoyé|envoyé le|enviado|enviado el|enviado em|enviada em|inviato|verzonden|wysłano|wysłana|wysłane|data wysłania|odesláno|odoslané|skickat|sendt|lähetetty|elküldve|küldve|trimis|отправлено|дата отправки|надіслано|gönderildi|gönderme tarihi|gönderilme tarihi|στάλθηκε|ημερομηνία αποστολής|date|datum|data|fecha|dato|päiväys|päivämäärä|dátum|tarih|дата|ημερομηνία|送信日時|日時|日付|发送时间|发送日期|寄件日期|傳送日期|日期|보낸날짜|보낸 날짜|날짜',
  to: 'an|to|à|a|para|aan|do|komu|til|till|vastaanottaja|címzett|către|кому|kime|προς|destinataire|destinatario|destinatário|cc|kopie|copie|kopia|dw|kopio|másolat|копия|копія|bilgi|κοιν|宛先|收件人|받는사람|받는 사람|抄送|副本|참조',
  subject:
    'betreff|subject|objet|asunto|oggetto|assunto|onderwerp|temat|předmět|predmet|ämne|emne|aihe|tárgy|subiect|тема|konu|θέμα|件名|主题|主旨|제목',
};
const KINDS = new Map(
  (Object.keys(HEADER_WORDS) as HeaderKind[]).flatMap((kind) =>
    HEADER_WORDS[kind].split('|').map((word) => [word, kind] as const),
  ),
);
/** The field may be in bold of Markdown. */
const FIELD = /^\s{0,4}\*{0,2}(\p{L}[\p{L}\p{M} ]{0,24}?)\s?\*{0,2}\s?[:：]/u;

/** What a line repeats of a mail's header; null where it is another line. */
export const headerKindOf = (line: string): HeaderKind | null =>
  KINDS.get(FIELD.exec(line)?.[1]?.toLowerCase().replace(/\s+/g, ' ') ?? '') ?? null;

/** What programs write below a mail says that it was sent, and by what. */
const SENT_BY =
  /^\W{0,4}(?:sent (?:from|with|via|using)|diese (?:nachricht|e-?mail) wurde|gesendet|verschickt|envoyé|enviad[oa]|inviat[oa]|verstuurd|verzonden|wysłan[oeya]|odesl[aá]no|odoslan[éeo]|poslano|skickat|sendt|lähetetty|trimis|στάλθηκε|εστάλη|отправлено|надіслано|відправлено|provenance|发自|發自|从我的|從我的|get (?:bluemail|outlook))|(?:gesendet|versendet|gönderildi|küldve|発信|送信|发送|傳送|보냄)\W{0,4}$/iu;
const DEVICE =
  /i-?phone|i-?pad|i-?pod|android|galaxy|samsung|huawei|xiaomi|redmi|xperia|pixel|fairphone|motorola|nokia|blackberry|bluemail|windows|outlook|yahoo|gmx|web\.de|\baol\b|proton|telekom|freenet|thunderbird|k-9|\bspark\b|\bmail\b|libero|orange|\bapp\b|mobil|mobiel|handy|phone|telefon|téléphone|teléfono|tablet|ger(?:ä|ae)t|device|appareil|dispositiv|móvil|celular|cellulare|telemóvel|toestel|komór|cihaz|eszköz|puhelim|συσκευή|κινητό|устройств|телефон|айфон|手机|手機|スマートフォン|휴대폰|스마트폰|unterwegs|\btuta|posteo|zoho|<https?:/iu;
/** The line may be in any language, as a link or not. */
const OUTLOOK = /\boutlook\b.{0,30}\b(?:ios|android|mac)/i;
const MAX_PROGRAM_LINE = 160;

/** Whether a program wrote the line below the mail. */
export const isOfProgram = (line: string): boolean =>
  line.length <= MAX_PROGRAM_LINE && (OUTLOOK.test(line) || (SENT_BY.test(line) && DEVICE.test(line)));
