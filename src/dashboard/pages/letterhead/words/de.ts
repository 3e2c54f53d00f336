export const words = {
  intro:
    'So sehen Ihre Mails aus: oben das Logo, unten Gruß und Unterschrift, dazwischen, was Sie schreiben. Was Sie hier ändern, gilt auch für alle Vorlagen und Entwürfe.',
  saved: 'Der Briefkopf ist gespeichert.',
  logo: 'Logo',
  logoHint: 'Es steht über dem Text. Ohne Logo steht dort der Name der Praxis.',
  logoAlt: 'Was steht auf dem Logo?',
  logoAltHint: 'Das liest, wer das Bild nicht sieht.',
  removeLogo: 'Logo entfernen',
  colour: 'Farbe',
  colourHint: 'Für Schaltflächen und Links.',
  usualColour: 'Übliche Farbe nehmen',
  signature: 'Gruß und Unterschrift',
  signatureHint:
    'Mehrere Zeilen sind möglich, auch Platzhalter wie {{practice.phone}}. Bleibt das Feld leer, stehen dort „Mit freundlichen Grüßen“ und der Name der Praxis.',
  preview: 'So sieht es aus',
  usualClosing: 'Mit freundlichen Grüßen',
  sampleGreeting: 'Guten Tag Frau Muster,',
  sampleText: 'hier steht, was Sie schreiben. Das Impressum der Praxis kommt von selbst darunter.',
  sampleButton: 'Termin vereinbaren',
};
