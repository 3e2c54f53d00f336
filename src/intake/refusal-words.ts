// What to do about a refusal of a gate, in German, for answers that are in German throughout. The refusals themselves are in
// English, with their details.
import type { ErrorCode } from '#src/kernel/errors.ts';

export const germanHints: Readonly<Partial<Record<ErrorCode, string>>> = {
  attachment_rejected: 'Lassen Sie den Anhang weg oder senden Sie ihn in einem erlaubten Format.',
  consent_required: 'Senden Sie Werbung nur an Empfänger, deren Einwilligung nachgewiesen ist.',
  content_blocked: 'Ändern Sie, was unter den Gründen steht.',
  dkim_not_verified: 'Veröffentlichen Sie die DKIM-Einträge der Domain und prüfen Sie das DNS.',
  from_not_allowed: 'Nehmen Sie einen Absender unter Ihrer Versanddomain, oder lassen Sie ihn weg.',
  header_not_allowed: 'Lassen Sie das Kopffeld weg.',
  impressum_incomplete: 'Tragen Sie Straße, Ort und Datenschutzerklärung der Praxis ein.',
  invalid_recipient: 'Berichtigen Sie die Adresse.',
  invalid_request: 'Berichtigen Sie die Angaben.',
  kind_not_allowed_on_route: 'Nehmen Sie einen Versandweg, der zur Art der Nachricht passt.',
  plan_cap_reached:
    'Das Kontingent des Monats ist verbraucht: Wechseln Sie den Tarif oder warten Sie bis zum nächsten Monat.',
  promotional_on_transactional: 'Senden Sie Werbung über einen Weg für Marketing.',
  safe_mode_recipient:
    'Die Praxis ist im abgesicherten Modus: Senden Sie an den Simulator oder an eine freigegebene Adresse.',
  tenant_paused: 'Der Versand der Praxis ist angehalten: Beheben Sie die Ursache und setzen Sie ihn fort.',
  too_many_recipients: 'Teilen Sie die Nachricht auf mehrere Sendungen auf.',
  unsupported_media_type: 'Senden Sie den Inhalt in einem Format, das angenommen wird.',
  warmup_cap_reached:
    'Die Tagesgrenze der Aufwärmphase ist erreicht: Senden Sie den Rest an einem späteren Tag.',
  warmup_not_ready:
    'Die Domain ist in der Aufwärmphase: Senden Sie Werbung bis dahin vom bereitgestellten Host.',
};
