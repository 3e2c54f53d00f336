// What the API refuses, in the words of who reads it on a page. What the API itself says follows below it.
import { words } from '#dashboard/words.ts';

/** What happened, and what to do. */
type Sentences = readonly [what: string, todo: string];

export const refusalWords = words<Readonly<Record<string, Sentences>>>({
  de: {
    invalid_request: [
      'Eine Angabe fehlt oder passt nicht.',
      'Ändern Sie, was unten oder neben dem Feld genannt ist.',
    ],
    unauthorized: ['Sie sind nicht angemeldet.', 'Melden Sie sich an.'],
    sign_in_again: [
      'Dafür müssen Sie sich noch einmal ausweisen.',
      'Melden Sie sich mit einem neuen Code an.',
    ],
    forbidden: ['Dazu haben Sie hier nicht das Recht.', 'Ein Inhaber der Praxis kann es Ihnen geben.'],
    not_found: ['Das gibt es nicht, oder nicht mehr.', 'Gehen Sie zurück zur Liste und laden Sie sie neu.'],
    conflict: [
      'Das geht im jetzigen Zustand nicht.',
      'Der Grund steht darunter. Hat vielleicht jemand anders etwas geändert, laden Sie die Seite neu.',
    ],
    gone: ['Das ist nicht mehr da.', 'Laden Sie die Seite neu.'],
    plan_cap_reached: [
      'Der Tarif ist für diesen Monat ausgeschöpft.',
      'Warten Sie auf den nächsten Monat, oder wählen Sie einen größeren Tarif.',
    ],
    tenant_paused: ['Die Praxis ist angehalten.', 'Ein Inhaber kann sie auf der Übersicht fortsetzen.'],
    billing_not_configured: ['Hier kann nicht bezahlt werden.', 'Fragen Sie, wer diesen Dienst betreibt.'],
    body_too_large: ['Das ist zu groß.', 'Nehmen Sie kleinere oder weniger Dateien.'],
    content_blocked: [
      'Der Inhalt wurde nicht angenommen.',
      'Sehen Sie in der Prüfung nach, welche Regel es war.',
    ],
    kind_not_allowed_on_route: [
      'Diese Art von Mail geht nicht über diesen Versandweg.',
      'Wählen Sie einen anderen Versandweg.',
    ],
    impressum_incomplete: ['Das Impressum ist nicht vollständig.', 'Ergänzen Sie es unter „Impressum“.'],
    dkim_not_verified: [
      'Die Domain des Absenders ist noch nicht bestätigt.',
      'Sehen Sie unter „Domain“ nach, was fehlt.',
    ],
    warmup_not_ready: ['Dafür ist es noch zu früh.', 'Versuchen Sie es später noch einmal.'],
    warmup_cap_reached: ['Die Grenze für heute ist erreicht.', 'Morgen sind es mehr.'],
    consent_required: [
      'Ohne nachgewiesene Einwilligung wird das nicht gesandt.',
      'Bitten Sie die Person, sich anzumelden.',
    ],
    no_recipients: ['So bekäme es niemand.', 'Der Grund steht darunter und bei „Prüfen und senden“.'],
    promotional_on_transactional: [
      'Das ist Werbung, und dieser Versandweg ist nicht dafür.',
      'Senden Sie es als Rundschreiben.',
    ],
    attachment_rejected: [
      'Ein Anhang wurde nicht angenommen.',
      'Entfernen Sie ihn, oder senden Sie ihn in einem anderen Format.',
    ],
    too_many_recipients: [
      'Das sind zu viele Empfänger auf einmal.',
      'Senden Sie es als Rundschreiben, oder in Teilen.',
    ],
    safe_mode_recipient: [
      'Die Praxis ist noch im Testbetrieb.',
      'Bis sie live ist, gehen Mails nur an freigegebene Adressen.',
    ],
    from_not_allowed: [
      'Diese Absender-Adresse gehört nicht zu dieser Praxis.',
      'Nehmen Sie eine Adresse der eigenen Domain.',
    ],
    invalid_recipient: ['Eine Empfänger-Adresse ist keine.', 'Prüfen Sie die Adresse.'],
    rate_limited: ['Das war zu oft in kurzer Zeit.', 'Warten Sie einen Augenblick.'],
    internal_error: [
      'Der Fehler liegt bei uns.',
      'Versuchen Sie es noch einmal. Bleibt es so, nennen Sie die Kennung unten.',
    ],
    unavailable: ['Der Dienst hat gerade keinen Platz dafür.', 'Versuchen Sie es gleich noch einmal.'],
  },
  en: {
    invalid_request: [
      'A value is missing or does not fit.',
      'Change what is named below or beside the field.',
    ],
    unauthorized: ['You are not signed in.', 'Sign in.'],
    sign_in_again: ['This needs a new proof that it is you.', 'Sign in with a new code.'],
    forbidden: [
      'You do not have the permission for this here.',
      'An owner of the practice can give it to you.',
    ],
    not_found: ['There is no such thing, or not any more.', 'Go back to the list and load it again.'],
    conflict: [
      'This cannot be done in the present state.',
      'The reason is below. If someone else may have changed something, load the page again.',
    ],
    gone: ['This is no longer there.', 'Load the page again.'],
    plan_cap_reached: [
      'The plan is used up for this month.',
      'Wait for the next month, or choose a larger plan.',
    ],
    tenant_paused: ['The practice is paused.', 'An owner can resume it on the overview.'],
    billing_not_configured: ['Paying is not possible here.', 'Ask who runs this service.'],
    body_too_large: ['This is too large.', 'Take smaller or fewer files.'],
    content_blocked: ['The content was not accepted.', 'The check shows which rule it was.'],
    kind_not_allowed_on_route: ['This kind of mail does not go by this route.', 'Choose another route.'],
    impressum_incomplete: ['The legal notice is not complete.', 'Complete it under “Legal notice”.'],
    dkim_not_verified: ['The sender’s domain is not verified yet.', 'See under “Domain” what is missing.'],
    warmup_not_ready: ['It is too early for this.', 'Try again later.'],
    warmup_cap_reached: ['The limit of today is reached.', 'Tomorrow there is more.'],
    no_recipients: ['No one would get it like this.', 'The reason is below and at “Check and send”.'],
    consent_required: ['Without proven consent this is not sent.', 'Ask the person to subscribe.'],
    promotional_on_transactional: [
      'This is marketing, which this route is not for.',
      'Send it as a campaign.',
    ],
    attachment_rejected: ['An attachment was not accepted.', 'Remove it, or send it in another format.'],
    too_many_recipients: ['These are too many recipients at once.', 'Send it as a campaign, or in parts.'],
    safe_mode_recipient: [
      'The practice is still in test operation.',
      'Until it is live, mail goes to approved addresses only.',
    ],
    from_not_allowed: [
      'This sender address does not belong to the practice.',
      'Take an address of your own domain.',
    ],
    invalid_recipient: ['An address of a recipient is none.', 'Check the address.'],
    rate_limited: ['That was too often in a short time.', 'Wait a moment.'],
    internal_error: ['The fault is ours.', 'Try again. If it stays so, give us the id below.'],
    unavailable: ['The service has no room for this at the moment.', 'Try again in a moment.'],
  },
});
