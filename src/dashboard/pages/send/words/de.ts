import type { Score } from '#api';

export const words = {
  intro: 'Die Prüfung folgt, während Sie schreiben. Gesendet wird erst, wenn Sie es sagen.',
  fromHint: (address: string) => `Leer: ${address}`,
  toHint: 'Mehrere durch Kommas. Adressen des Simulators antworten wie echte Server.',
  html: 'HTML',
  kindByRoute: 'Wie der Versandweg',
  fresh: 'Neue Nachricht',
  accepted: 'Die Nachricht ist angenommen und wird versendet.',
  suppressed: (addresses: string) => `Gesperrt, bekommen nichts: ${addresses}`,
  waiting: 'Sobald Empfänger, Betreff und Text da sind, steht hier, wie die Nachricht ankäme.',
  grade: 'Note',
  score: (score: number) => `${score} von 100 Risikopunkten; ab 70 wird nicht versendet`,
  risk: 'Spam-Ordner',
  sends: 'Sie würde versendet.',
  blocks: 'Sie würde nicht versendet: Der Inhalt ist blockiert.',
  refuses: (code: string) => `Sie würde abgelehnt (${code}).`,
  reasons: 'Was dagegen spricht',
  warnings: 'Was Sie wissen sollten',
  gates: 'Prüfschritte',
  risks: { low: 'unwahrscheinlich', medium: 'möglich', high: 'wahrscheinlich' } satisfies Record<
    Score['inbox_risk'],
    string
  >,
};
