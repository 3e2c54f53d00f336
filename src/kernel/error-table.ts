// The one table of error codes: a new code is a row here, with its English and German words and its names in foreign shapes.
import { z } from 'zod';
import { say, type Text } from './say.ts';
import { scannerReport } from './scanner-report.ts';

export type VendorA = readonly [name: string, status: number];
export type VendorB = readonly [code: number, status: number];
export type VendorC = readonly [status: number, field?: string];

export interface CodeDeclaration {
  readonly status: number;
  /** The reply over SMTP: reply and enhanced status code (RFC 5321 §4.2.1, RFC 3463); 4xx where it is temporary. */
  readonly smtp: `${4 | 5}${string} ${4 | 5}.${string}`;
  /** How the forms of vendors A, B and C name it, each with its own status. */
  readonly foreign: { readonly a: VendorA; readonly b: VendorB; readonly c: VendorC };
  /** What it is, where a campaign waits or leaves people out for it. */
  readonly brief?: Text;
  /** Why it is answered, for who looks the code up; an answer says in `error` what it was this time. */
  readonly cause: Text;
  /** What to do, for the caller; a thrower may give a better one. */
  readonly hint: Text;
  /** The same in German; another language has them in `refusals/<language>.ts`, by the English texts. */
  readonly de: { readonly brief?: string; readonly cause: string; readonly hint: string };
  /** Whether the same request may succeed later without being changed. */
  readonly temporary?: true;
  /** Fields beside `code`, `error` and `hint` in the JSON form. */
  readonly extra?: z.ZodRawShape;
}

const fieldProblem = z
  .strictObject({
    path: z.string().describe('where in the request: `body.to[0]`, `query.limit`'),
    message: z.string(),
  })
  .meta({ id: 'FieldProblem' });

/** A problem as it is on the wire. */
export type SaidProblem = z.infer<typeof fieldProblem>;

/** What is wrong with a field, and where; on the wire its message is in the language of the answer. */
export interface FieldProblem {
  readonly path: string;
  readonly message: Text;
}

/** A placeholder of content, and how many people have no value for it. */
export const placeholderLack = z
  .strictObject({ name: z.string(), people: z.int() })
  .meta({ id: 'PlaceholderLack' });

export const errorTable = {
  invalid_json: {
    status: 400,
    smtp: '554 5.6.0',
    foreign: { a: ['validation_error', 400], b: [402, 422], c: [400] },
    cause: say`The body is not one JSON document in UTF-8.`,
    hint: say`Send one JSON document in UTF-8 with Content-Type: application/json.`,
    de: {
      cause: 'Der Inhalt der Anfrage ist kein JSON-Dokument in UTF-8.',
      hint: 'Senden Sie ein JSON-Dokument in UTF-8 mit Content-Type: application/json.',
    },
  },
  invalid_request: {
    status: 400,
    smtp: '554 5.6.0',
    foreign: { a: ['validation_error', 422], b: [300, 422], c: [400] },
    cause: say`Fields are missing, unknown, of the wrong type, or contradict each other.`,
    hint: say`Correct the fields named in \`fields\`; /reference describes each.`,
    de: {
      cause: 'Felder fehlen, sind unbekannt, haben die falsche Art oder widersprechen einander.',
      hint: 'Berichtigen Sie die Felder, die `fields` nennt; /reference beschreibt jedes.',
    },
    extra: { fields: z.array(fieldProblem) },
  },
  unauthorized: {
    status: 401,
    smtp: '535 5.7.8',
    foreign: { a: ['invalid_api_key', 403], b: [10, 401], c: [401] },
    cause: say`The request has no credential, or one that is wrong, expired or revoked.`,
    hint: say`Send \`Authorization: Bearer <token>\` with an API token or a session.`,
    de: {
      cause: 'Die Anfrage hat keine Zugangsdaten, oder sie sind falsch, abgelaufen oder widerrufen.',
      hint: 'Senden Sie `Authorization: Bearer <token>` mit einem API-Token oder einer Sitzung.',
    },
  },
  plan_cap_reached: {
    status: 402,
    smtp: '550 5.7.1',
    foreign: { a: ['monthly_quota_exceeded', 429], b: [405, 422], c: [401] },
    brief: say`the mails of this month are used up`,
    cause: say`The mails that the plan has for this month are used up.`,
    hint: say`Wait for the next month or choose a larger plan.`,
    de: {
      cause: 'Die E-Mails, die der Tarif in diesem Monat enthält, sind verbraucht.',
      brief: 'das Kontingent des Monats ist verbraucht',
      hint: 'Warten Sie bis zum nächsten Monat oder wählen Sie einen größeren Tarif.',
    },
    extra: { used: z.int(), cap: z.int(), resets_at: z.iso.datetime() },
  },
  forbidden: {
    status: 403,
    smtp: '550 5.7.1',
    foreign: { a: ['restricted_api_key', 401], b: [10, 401], c: [403] },
    cause: say`The credential is right, but may not do this.`,
    hint: say`Use a credential that has the permission named in \`permission\`: who may manage members gives it to a member by a role, and who may manage tokens makes a token that has it.`,
    de: {
      cause: 'Die Zugangsdaten stimmen, erlauben dies aber nicht.',
      hint: 'Nutzen Sie Zugangsdaten mit der Berechtigung, die `permission` nennt: Wer Mitglieder verwalten darf, gibt sie einem Mitglied durch eine Rolle, und wer Token verwalten darf, legt ein Token an, das sie hat.',
    },
    extra: { permission: z.string().optional().describe('absent where the credential lacks none') },
  },
  sign_in_again: {
    status: 403,
    smtp: '550 5.7.1',
    foreign: { a: ['restricted_api_key', 401], b: [10, 401], c: [403] },
    cause: say`The session is older than this step allows.`,
    hint: say`Sign in again, with a code by POST /api/auth/request-otp or with the password, and send the request again with the new session.`,
    de: {
      cause: 'Die Sitzung ist älter, als dieser Schritt erlaubt.',
      hint: 'Melden Sie sich neu an, mit einem Code von POST /api/auth/request-otp oder mit dem Passwort, und senden Sie die Anfrage mit der neuen Sitzung noch einmal.',
    },
  },
  not_found: {
    status: 404,
    smtp: '554 5.6.0',
    foreign: { a: ['not_found', 404], b: [300, 404], c: [404] },
    cause: say`Nothing is at this path, or the credential may not see it.`,
    hint: say`Check the path and the ids in it; GET /reference lists all paths.`,
    de: {
      cause: 'Unter diesem Pfad ist nichts, oder die Zugangsdaten erlauben nicht, es zu sehen.',
      hint: 'Prüfen Sie den Pfad und die Kennungen darin; GET /reference nennt alle Pfade.',
    },
  },
  tenant_paused: {
    status: 409,
    smtp: '550 5.7.1',
    foreign: { a: ['validation_error', 403], b: [413, 422], c: [403] },
    brief: say`the practice is paused`,
    cause: say`Sending of the practice is paused: by a member, the operator, or because too much came back.`,
    hint: say`Resolve the reason, then resume the practice.`,
    de: {
      cause:
        'Der Versand der Praxis ist angehalten: von einem Mitglied, vom Betreiber, oder weil zu viel zurückkam.',
      brief: 'der Versand der Praxis ist angehalten',
      hint: 'Beheben Sie die Ursache und setzen Sie dann den Versand der Praxis fort.',
    },
    extra: { reason: z.string(), paused_at: z.iso.datetime() },
  },
  idempotency_conflict: {
    status: 409,
    smtp: '554 5.6.0',
    foreign: { a: ['invalid_idempotent_request', 409], b: [300, 422], c: [400] },
    cause: say`The same idempotency key came with another request before.`,
    hint: say`Use a new idempotency key for another message.`,
    de: {
      cause: 'Derselbe Idempotenzschlüssel kam vorher mit einer anderen Anfrage.',
      hint: 'Nehmen Sie für eine andere Nachricht einen neuen Idempotenzschlüssel.',
    },
  },
  idempotency_in_progress: {
    status: 409,
    smtp: '451 4.3.0',
    foreign: { a: ['concurrent_idempotent_requests', 409], b: [300, 422], c: [400] },
    temporary: true,
    cause: say`Another request with the same idempotency key has not ended.`,
    hint: say`The first call with this key is still running; ask again in a moment.`,
    de: {
      cause: 'Eine andere Anfrage mit demselben Idempotenzschlüssel ist noch nicht zu Ende.',
      hint: 'Der erste Aufruf mit diesem Schlüssel läuft noch; fragen Sie gleich noch einmal.',
    },
  },
  version_conflict: {
    status: 409,
    smtp: '550 5.7.1',
    foreign: { a: ['validation_error', 422], b: [300, 422], c: [400] },
    cause: say`The record was changed after the version that If-Match names was read.`,
    hint: say`Compare \`current\` with what you wanted, and send what is still right with \`etag\` in If-Match.`,
    de: {
      cause: 'Der Eintrag wurde geändert, nachdem die Fassung gelesen wurde, die If-Match nennt.',
      hint: 'Vergleichen Sie `current` mit dem, was Sie wollten, und senden Sie mit `etag` in If-Match, was noch richtig ist.',
    },
    extra: {
      current: z.record(z.string(), z.unknown()).describe('the record as it is now'),
      etag: z.string().describe('of `current`'),
      saved_by: z.string().nullable().describe('who saved it last; null where that is not known'),
      saved_at: z.iso.datetime().nullable(),
    },
  },
  conflict: {
    status: 409,
    smtp: '550 5.7.1',
    foreign: { a: ['validation_error', 422], b: [300, 422], c: [400] },
    cause: say`The name is taken, or the state of the record does not allow this.`,
    hint: say`Choose another name, or bring the record into a state that allows this.`,
    de: {
      cause: 'Der Name ist vergeben, oder der Zustand des Eintrags lässt das nicht zu.',
      hint: 'Wählen Sie einen anderen Namen oder bringen Sie den Eintrag in einen Zustand, der das erlaubt.',
    },
  },
  form_closed: {
    status: 409,
    smtp: '550 5.7.1',
    foreign: { a: ['validation_error', 422], b: [300, 422], c: [400] },
    cause: say`The practice has closed the form, or archived its list.`,
    hint: say`Nothing was stored. The practice can open the form again, unless the list is archived.`,
    de: {
      cause: 'Die Praxis hat das Formular geschlossen oder dessen Liste archiviert.',
      hint: 'Nichts wurde gespeichert. Die Praxis kann das Formular wieder öffnen, wenn die Liste nicht archiviert ist.',
    },
    extra: { reason: z.string() },
  },
  billing_not_configured: {
    status: 409,
    smtp: '550 5.7.1',
    foreign: { a: ['validation_error', 422], b: [300, 422], c: [400] },
    cause: say`The service takes no payments.`,
    hint: say`The operator has configured no payment provider.`,
    de: {
      cause: 'Der Dienst nimmt keine Zahlungen an.',
      hint: 'Der Betreiber hat keinen Zahlungsdienst eingerichtet.',
    },
  },
  gone: {
    status: 410,
    smtp: '550 5.7.1',
    foreign: { a: ['not_found', 404], b: [300, 404], c: [404] },
    cause: say`The route was retired.`,
    hint: say`This route was retired; /reference lists those that exist.`,
    de: {
      cause: 'Der Pfad wurde abgeschafft.',
      hint: 'Diesen Pfad gibt es nicht mehr; /reference nennt die vorhandenen.',
    },
  },
  body_too_large: {
    status: 413,
    smtp: '552 5.3.4',
    foreign: { a: ['validation_error', 413], b: [300, 413], c: [413] },
    cause: say`The body has more bytes than this route takes.`,
    hint: say`Send fewer or smaller attachments.`,
    de: {
      cause: 'Der Inhalt der Anfrage hat mehr Bytes, als dieser Pfad annimmt.',
      hint: 'Senden Sie weniger oder kleinere Anhänge.',
    },
    extra: { limit_bytes: z.int() },
  },
  unsupported_media_type: {
    status: 415,
    smtp: '554 5.6.1',
    foreign: { a: ['invalid_parameter', 422], b: [409, 422], c: [415] },
    brief: say`an attachment has a format that is not accepted`,
    cause: say`The body, or an attachment, has a format that is not taken.`,
    hint: say`Send Content-Type: application/json without Content-Encoding.`,
    de: {
      cause: 'Der Inhalt der Anfrage oder ein Anhang hat ein Format, das nicht angenommen wird.',
      brief: 'ein Anhang hat ein Format, das nicht angenommen wird',
      hint: 'Senden Sie Content-Type: application/json ohne Content-Encoding.',
    },
  },
  content_blocked: {
    status: 422,
    smtp: '550 5.7.1',
    foreign: { a: ['validation_error', 422], b: [300, 422], c: [400] },
    brief: say`the check of the content refused it`,
    cause: say`The rules for content, or a scanner, found something that is not sent.`,
    hint: say`Change the content named in \`content_reasons\`.`,
    de: {
      cause: 'Die Regeln für Inhalte oder ein Scanner haben etwas gefunden, das nicht gesendet wird.',
      brief: 'der Inhalt wurde von der Prüfung abgelehnt',
      hint: 'Ändern Sie, was `content_reasons` nennt.',
    },
    extra: {
      content_reasons: z.array(z.string()),
      scanner: scannerReport.nullable().describe('null where none is configured'),
      message_id: z.string(),
    },
  },
  kind_not_allowed_on_route: {
    status: 422,
    smtp: '550 5.7.1',
    foreign: { a: ['validation_error', 422], b: [1236, 422], c: [400] },
    brief: say`the route does not fit the kind of message`,
    cause: say`The route carries the other stream: transactional mail or marketing.`,
    hint: say`Send marketing kinds over \`broadcast\`, all others over \`outgoing\`.`,
    de: {
      cause: 'Der Versandweg ist für das andere bestimmt: für Geschäftspost oder für Werbung.',
      brief: 'der Versandweg passt nicht zur Art der Nachricht',
      hint: 'Senden Sie Werbung über `broadcast` und alles andere über `outgoing`.',
    },
  },
  impressum_incomplete: {
    status: 422,
    smtp: '550 5.7.1',
    foreign: { a: ['validation_error', 422], b: [413, 422], c: [400] },
    brief: say`the imprint of the practice is incomplete`,
    cause: say`Marketing needs the legal block of the practice, and parts of it are missing.`,
    hint: say`Complete the legal block of the practice.`,
    de: {
      cause: 'Werbung braucht das Impressum der Praxis, und Teile davon fehlen.',
      brief: 'das Impressum der Praxis ist unvollständig',
      hint: 'Ergänzen Sie das Impressum der Praxis.',
    },
    extra: { missing: z.array(z.string()) },
  },
  dkim_not_verified: {
    status: 422,
    smtp: '550 5.7.1',
    foreign: { a: ['validation_error', 403], b: [401, 422], c: [403, 'from'] },
    brief: say`the DKIM records of the sender’s domain are not verified`,
    cause: say`The DNS does not show the DKIM records of the sender's domain.`,
    hint: say`Publish the DKIM records of the domain, then check DNS.`,
    de: {
      cause: 'Das DNS zeigt die DKIM-Einträge der Absenderdomain nicht.',
      brief: 'die DKIM-Einträge der Absenderdomain sind nicht bestätigt',
      hint: 'Veröffentlichen Sie die DKIM-Einträge der Domain und prüfen Sie dann das DNS.',
    },
    extra: { missing: z.array(z.string()) },
  },
  warmup_not_ready: {
    status: 422,
    smtp: '451 4.7.1',
    foreign: { a: ['validation_error', 422], b: [413, 422], c: [400] },
    temporary: true,
    brief: say`the warm-up of the domain does not take marketing yet`,
    cause: say`The domain is new, and marketing waits until its first days are over.`,
    hint: say`Broadcast opens on warm-up day 3; until then a From address on the managed host needs none.`,
    de: {
      cause: 'Die Domain ist neu, und Werbung wartet, bis ihre ersten Tage vorbei sind.',
      brief: 'die Aufwärmphase der Domain lässt noch keine Werbung zu',
      hint: 'Werbung geht ab dem dritten Tag der Aufwärmphase; bis dahin braucht ein Absender auf dem bereitgestellten Host keine.',
    },
    extra: { day: z.int() },
  },
  warmup_cap_reached: {
    status: 422,
    smtp: '451 4.7.1',
    foreign: { a: ['daily_quota_exceeded', 429], b: [413, 422], c: [429] },
    temporary: true,
    brief: say`the warm-up of the domain takes no more today`,
    cause: say`The domain is new, and has sent what its warm-up allows today.`,
    hint: say`Wait for the next day; the warm-up's cap grows daily.`,
    de: {
      cause: 'Die Domain ist neu und hat gesendet, was die Aufwärmphase heute zulässt.',
      brief: 'die Aufwärmphase der Domain lässt heute nicht mehr zu',
      hint: 'Warten Sie bis morgen; die Grenze der Aufwärmphase wächst täglich.',
    },
    extra: { cap: z.int() },
  },
  consent_required: {
    status: 422,
    smtp: '550 5.7.1',
    foreign: { a: ['validation_error', 422], b: [413, 422], c: [400] },
    brief: say`evidence of consent is missing`,
    cause: say`Recipients of marketing have given no consent that is recorded.`,
    hint: say`List sends need active newsletter consent.`,
    de: {
      cause: 'Von Empfängern der Werbung ist keine Einwilligung nachgewiesen.',
      brief: 'eine nachgewiesene Einwilligung fehlt',
      hint: 'Für den Versand an Listen braucht es eine gültige Einwilligung in den Newsletter.',
    },
    extra: { missing: z.array(z.string()) },
  },
  no_recipients: {
    status: 422,
    smtp: '550 5.7.1',
    foreign: { a: ['validation_error', 422], b: [413, 422], c: [400] },
    cause: say`No person is left to whom the campaign may go.`,
    hint: say`GET /api/practices/{id}/campaigns/{campaignID}/audience says who is left out and why.`,
    de: {
      cause: 'Es bleibt niemand, an den die Kampagne gehen darf.',
      hint: 'GET /api/practices/{id}/campaigns/{campaignID}/audience sagt, wer ausgelassen wird und warum.',
    },
    extra: {
      people: z.int().describe('on its lists, each once'),
      left_out: z.record(z.string(), z.int()).describe('people by reason'),
      placeholders: z.array(placeholderLack).describe('that people lack a value for'),
    },
  },
  promotional_on_transactional: {
    status: 422,
    smtp: '550 5.7.1',
    foreign: { a: ['validation_error', 422], b: [300, 422], c: [400] },
    brief: say`promotional mail may not be sent over this route`,
    cause: say`The content advertises, and the route is for transactional mail.`,
    hint: say`Send promotional content over a marketing route.`,
    de: {
      cause: 'Der Inhalt wirbt, und der Versandweg ist für Geschäftspost.',
      brief: 'Werbung darf über diesen Versandweg nicht gesendet werden',
      hint: 'Senden Sie Werbung über einen Versandweg für Werbung.',
    },
    extra: { content_reasons: z.array(z.string()) },
  },
  attachment_rejected: {
    status: 422,
    smtp: '550 5.7.1',
    foreign: { a: ['invalid_attachment', 422], b: [411, 422], c: [400, 'attachments'] },
    brief: say`an attachment is not allowed`,
    cause: say`An attachment has a type, a size or a name that is not allowed.`,
    hint: say`\`attachment_policy\` of GET /api/meta lists what is allowed.`,
    de: {
      cause: 'Ein Anhang hat eine Art, eine Größe oder einen Namen, der nicht erlaubt ist.',
      brief: 'ein Anhang ist nicht erlaubt',
      hint: '`attachment_policy` von GET /api/meta nennt, was erlaubt ist.',
    },
    extra: { attachment: z.string(), reason: z.string() },
  },
  too_many_recipients: {
    status: 422,
    smtp: '550 5.5.3',
    foreign: { a: ['validation_error', 422], b: [300, 422], c: [400, 'personalizations'] },
    brief: say`a message has too many recipients`,
    cause: say`To, Cc and Bcc name more addresses than one message may have.`,
    hint: say`Split the message; to, cc and bcc count together.`,
    de: {
      cause: 'An, Cc und Bcc nennen mehr Adressen, als eine Nachricht haben darf.',
      brief: 'eine Nachricht hat zu viele Empfänger',
      hint: 'Teilen Sie die Nachricht auf; to, cc und bcc zählen zusammen.',
    },
    extra: { count: z.int(), limit: z.int() },
  },
  safe_mode_recipient: {
    status: 422,
    smtp: '550 5.7.1',
    foreign: { a: ['validation_error', 403], b: [412, 422], c: [403, 'personalizations'] },
    brief: say`the practice is in safe mode`,
    cause: say`The practice is in safe mode, where mail goes only to the simulator and to allowed addresses.`,
    hint: say`Safe mode is on: send to the simulator or to an address on the operator's allowlist.`,
    de: {
      cause:
        'Die Praxis ist im Testbetrieb, in dem E-Mails nur an den Simulator und an freigegebene Adressen gehen.',
      brief: 'die Praxis ist im Testbetrieb',
      hint: 'Der Testbetrieb ist an: Senden Sie an den Simulator oder an eine Adresse, die der Betreiber freigegeben hat.',
    },
    extra: { recipients: z.array(z.string()) },
  },
  from_not_allowed: {
    status: 422,
    smtp: '550 5.7.1',
    foreign: { a: ['validation_error', 403], b: [400, 422], c: [403, 'from'] },
    brief: say`the sender belongs to no domain of the practice`,
    cause: say`The domain of the From address is none of the practice, or is not verified.`,
    hint: say`Use an address on one of the domains in \`allowed\`, or omit \`from\`.`,
    de: {
      cause: 'Die Domain der Absenderadresse gehört nicht zur Praxis oder ist nicht bestätigt.',
      brief: 'der Absender gehört zu keiner Domain der Praxis',
      hint: 'Nehmen Sie eine Adresse auf einer der Domains in `allowed` oder lassen Sie `from` weg.',
    },
    extra: { allowed: z.array(z.string()) },
  },
  header_not_allowed: {
    status: 422,
    smtp: '554 5.6.0',
    foreign: { a: ['validation_error', 422], b: [300, 422], c: [400, 'headers'] },
    brief: say`a header field is not allowed`,
    cause: say`A header field is one that the service sets itself, or has a line break.`,
    hint: say`Only X-* and a few standard headers may be set, without line breaks in their values.`,
    de: {
      cause: 'Eine Kopfzeile setzt der Dienst selbst, oder sie hat einen Zeilenumbruch.',
      brief: 'eine Kopfzeile ist nicht erlaubt',
      hint: 'Nur X-* und wenige übliche Kopfzeilen sind möglich, ohne Zeilenumbruch im Wert.',
    },
    extra: { header: z.string() },
  },
  invalid_recipient: {
    status: 422,
    smtp: '550 5.1.3',
    foreign: { a: ['validation_error', 422], b: [300, 422], c: [400, 'personalizations'] },
    brief: say`the address cannot be sent to`,
    cause: say`A text in To, Cc or Bcc is no address to which mail can go.`,
    hint: say`Correct or remove the addresses in \`recipients\`.`,
    de: {
      cause: 'Ein Text in An, Cc oder Bcc ist keine Adresse, an die E-Mails gehen können.',
      brief: 'an die Adresse kann nicht gesendet werden',
      hint: 'Berichtigen oder entfernen Sie die Adressen in `recipients`.',
    },
    extra: { recipients: z.array(z.string()) },
  },
  invalid_entry: {
    status: 422,
    smtp: '554 5.6.0',
    foreign: { a: ['validation_error', 422], b: [300, 422], c: [400] },
    cause: say`Fields of one entry of a batch are wrong.`,
    hint: say`Correct the fields of this entry named in \`fields\`; the other entries are not affected.`,
    de: {
      cause: 'Felder eines Eintrags eines Stapels stimmen nicht.',
      hint: 'Berichtigen Sie die Felder dieses Eintrags, die `fields` nennt; die anderen Einträge betrifft das nicht.',
    },
    extra: { fields: z.array(fieldProblem) },
  },
  rate_limited: {
    status: 429,
    smtp: '451 4.7.0',
    foreign: { a: ['rate_limit_exceeded', 429], b: [429, 429], c: [429] },
    temporary: true,
    cause: say`The credential, the address or the mailbox has asked too often in a short time.`,
    hint: say`Slow down; \`retry_after\` is in seconds.`,
    de: {
      cause: 'Die Zugangsdaten, die Adresse oder das Postfach haben in kurzer Zeit zu oft gefragt.',
      hint: 'Fragen Sie langsamer; `retry_after` zählt in Sekunden.',
    },
    extra: { retry_after: z.int() },
  },
  token_slowed: {
    status: 429,
    smtp: '451 4.7.1',
    foreign: { a: ['rate_limit_exceeded', 429], b: [429, 429], c: [429] },
    temporary: true,
    cause: say`What the token sends is far more than usual, so it is slowed in case it was stolen.`,
    hint: say`Whoever manages the practice's tokens can say that this mail is right, or revoke the token; until then try again after \`retry_after\` seconds.`,
    de: {
      cause: 'Das Token sendet weit mehr als üblich und wird gebremst, falls es gestohlen wurde.',
      hint: 'Wer die Token der Praxis verwaltet, kann sagen, dass diese Mail richtig ist, oder das Token widerrufen; versuchen Sie es sonst nach `retry_after` Sekunden wieder.',
    },
    extra: { retry_after: z.int() },
  },
  internal_error: {
    status: 500,
    smtp: '451 4.3.0',
    foreign: { a: ['internal_server_error', 500], b: [101, 500], c: [500] },
    temporary: true,
    cause: say`A defect of the service. Its log has the details under the id of the request.`,
    hint: say`Report the X-Request-Id of this answer to the operator.`,
    de: {
      cause: 'Ein Fehler des Dienstes. Sein Protokoll hat die Einzelheiten unter der Kennung der Anfrage.',
      hint: 'Melden Sie dem Betreiber die X-Request-Id dieser Antwort.',
    },
  },
  unavailable: {
    status: 503,
    smtp: '451 4.3.2',
    foreign: { a: ['application_error', 503], b: [100, 503], c: [503] },
    temporary: true,
    brief: say`the service has no room for it at the moment`,
    cause: say`The service is stopping, full, or cannot reach its data at the moment.`,
    hint: say`Nothing was accepted; send the same request again after \`retry_after\` seconds.`,
    de: {
      cause: 'Der Dienst hält an, ist voll oder erreicht seine Daten gerade nicht.',
      brief: 'der Dienst hat dafür zurzeit keinen Platz',
      hint: 'Nichts wurde angenommen; senden Sie dieselbe Anfrage nach `retry_after` Sekunden noch einmal.',
    },
    extra: { retry_after: z.int() },
  },
} as const satisfies Record<string, CodeDeclaration>;
