import type { Code } from '#src/intake/content-check/rules.ts';

interface Sentences {
  readonly why: string;
  readonly advice: string;
}
type Says = (values: Readonly<Record<string, string>>) => Sentences;

export const words: Readonly<Record<Code, Says>> = {
  html_clipped: ({ kib }) => ({
    why: `Das HTML hat ${kib} KB. Gmail zeigt davon höchstens 102 KB und schneidet den Rest ab, auch den Abmeldelink am Ende.`,
    advice: 'Kürzen Sie die E-Mail, oder verlinken Sie einen Teil davon.',
  }),
  html_nearly_clipped: ({ kib }) => ({
    why: `Das HTML hat ${kib} KB; mit der Fußzeile können es mehr als 102 KB werden, und Gmail schneidet ab, was darüber ist.`,
    advice: 'Kürzen Sie die E-Mail ein wenig.',
  }),
  contrast_low: ({ ratio }) => ({
    why: `Dieser Text hebt sich kaum von seinem Hintergrund ab: Der Kontrast ist ${ratio} zu 1, gut lesbar ist Text ab 4,5 zu 1.`,
    advice: 'Nehmen Sie eine dunklere Schrift oder einen helleren Hintergrund.',
  }),
  image_without_alt: () => ({
    why: 'Dieses Bild hat keinen Alternativtext: Wer keine Bilder lädt oder sich vorlesen lässt, erfährt nichts davon.',
    advice: 'Beschreiben Sie das Bild in wenigen Worten, oder kennzeichnen Sie es als Schmuck.',
  }),
  linked_image_without_alt: () => ({
    why: 'Dieses Bild führt zu einer Seite und hat keinen Alternativtext: Ohne Bilder ist der Link nicht zu erkennen.',
    advice: 'Schreiben Sie als Alternativtext, wohin der Link führt.',
  }),
  image_missing: () => ({
    why: 'Dieses Bild gibt es nicht mehr; in der E-Mail bliebe eine leere Stelle.',
    advice: 'Laden Sie das Bild neu hoch, oder entfernen Sie es.',
  }),
  images_heavy: ({ mb }) => ({
    why: `Die Bilder haben zusammen ${mb} MB; unterwegs dauert es, bis sie erscheinen.`,
    advice: 'Nehmen Sie weniger oder kleinere Bilder.',
  }),
  link_malformed: () => ({
    why: 'Dieser Link ist keine vollständige Adresse und führt nirgendwohin.',
    advice: 'Schreiben Sie die ganze Adresse, mit https:// am Anfang.',
  }),
  link_insecure: () => ({
    why: 'Dieser Link beginnt mit http://: Der Weg dorthin ist nicht verschlüsselt, und Browser warnen davor.',
    advice: 'Nehmen Sie die Adresse mit https://, wenn es sie gibt.',
  }),
  link_broken: ({ status }) => ({
    why: `Unter diesem Link gibt es keine Seite (Antwort ${status}).`,
    advice: 'Öffnen Sie den Link selbst, und berichtigen Sie ihn.',
  }),
  link_failing: ({ status }) => ({
    why: `Die Seite hinter diesem Link meldet gerade einen Fehler (Antwort ${status}).`,
    advice: 'Öffnen Sie den Link vor dem Senden noch einmal selbst.',
  }),
  link_unreachable: () => ({
    why: 'Der Server hinter diesem Link ist nicht zu erreichen.',
    advice: 'Prüfen Sie, ob die Adresse richtig geschrieben ist.',
  }),
  lost_content: ({ title, share }) => ({
    why: `Etwa ${share} von 100 Personen sehen diesen Inhalt nicht: Ihr Mailprogramm zeigt „${title}“ nicht.`,
    advice: 'Sagen Sie dasselbe auch mit Text oder einem Bild.',
  }),
  lost_layout: ({ title, share }) => ({
    why: `Bei etwa ${share} von 100 Personen steht es anders: Ihr Mailprogramm beachtet „${title}“ nicht.`,
    advice: 'Sehen Sie nach, ob die E-Mail auch ohne das lesbar bleibt.',
  }),
};

export type Words = typeof words;
