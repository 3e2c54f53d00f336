// Mails of practices, clubs and small firms, and mails that no one should send: the score that each may have and how much it may look
// like advertising. Names and addresses are made up.

export interface Mail {
  readonly name: string;
  readonly subject: string;
  readonly text?: string;
  readonly html?: string;
}

const simplePage = (body: string): string =>
  `<!doctype html><html lang="de"><head><meta charset="utf-8"><style>p{margin:0 0 1em}</style></head><body style="font-family:Arial,sans-serif;background:#f4f4f4"><div style="display:none;max-height:0;overflow:hidden">Vorschau auf diese Nachricht&nbsp;&zwnj;&nbsp;&zwnj;</div><table role="presentation" width="100%" bgcolor="#ffffff"><tr><td style="padding:24px;font-size:0"><div style="font-size:16px;color:#222222">${body}</div></td></tr></table></body></html>`;
const button = (url: string, text: string): string =>
  `<p><a href="${url}" style="background:#0a5;color:#ffffff;padding:12px 20px;border-radius:4px">${text}</a></p>`;

/** They must score below 10 and be no advertising. */
export const ordinaryMails: readonly Mail[] = [
  {
    name: 'a reminder of an appointment',
    subject: 'Ihr Termin am 03.12.2026 um 9:30 Uhr',
    text: 'Guten Tag Frau Adler,\n\nwir erinnern Sie an Ihren Termin am Donnerstag, den 3. Dezember um 9:30 Uhr. Bitte bringen Sie Ihre Versichertenkarte mit. Sie können den Termin bis 24 Stunden vorher online verschieben: https://termine.praxis-adler.example/t/4711\n\nIhre Praxis Dr. Adler',
  },
  {
    name: 'the same as a page',
    subject: 'Ihr Termin am 03.12.2026',
    html: simplePage(
      `<p>Guten Tag Frau Adler,</p><p>wir erinnern Sie an Ihren Termin.</p>${button('https://termine.praxis-adler.example/t/4711', 'Termin verschieben')}`,
    ),
  },
  {
    name: 'a film of a club’s feast',
    subject: 'Fotos vom Vereinsfest',
    text: 'Hallo, wir haben dich gefilmt! Das Video von dir steht hier: https://verein.example/v. Leite es gern an alle deine Freunde weiter.',
  },
  {
    name: 'data to be checked',
    subject: 'Ihre Mitgliedsdaten',
    text: 'Liebes Mitglied, bitte bestätigen Sie jetzt Ihre Angaben im Portal: https://verein.example/daten. Vielen Dank.',
  },
  {
    name: 'a confirmation of an appointment',
    subject: 'Terminbestätigung',
    text: 'Vielen Dank für Ihre Buchung. Ihr Termin zur professionellen Zahnreinigung am 4. Mai um 11 Uhr ist bestätigt. Die Kosten betragen 95 €. Sie können kostenlos stornieren bis 24 Stunden vorher.',
  },
  {
    name: 'a cancellation',
    subject: 'Termin abgesagt',
    text: 'Guten Tag,\n\nleider müssen wir Ihren Termin am Montag absagen, weil die Praxis geschlossen bleibt. Bitte buchen Sie einen neuen: https://termine.praxis-adler.example/neu',
  },
  {
    name: 'a recall',
    subject: 'Zeit für Ihre Vorsorge',
    text: 'Liebe Frau Weber, Ihre letzte Kontrolle liegt ein Jahr zurück. Bitte vereinbaren Sie einen Termin, telefonisch oder online. Die Untersuchung ist für Sie kostenlos, Ihre Krankenkasse übernimmt die Kosten.',
  },
  {
    name: 'an English reminder',
    subject: 'Your appointment on 3 December',
    text: 'Dear Ms Adler, this is a reminder of your appointment with Dr Weber on Thursday at 9:30. You can reschedule it free of charge up to 24 hours before: https://book.clinic.example/r/12',
  },
  {
    name: 'an invoice',
    subject: 'Rechnung 2026-0417',
    text: 'Sehr geehrter Herr Kaya,\n\nanbei erhalten Sie unsere Rechnung Nr. 2026-0417 über 249,90 € (inkl. 19 % MwSt.). Bitte überweisen Sie den Betrag innerhalb von 14 Tagen auf das unten genannte Konto. Bei Zahlung binnen 7 Tagen gewähren wir 2 % Skonto.',
  },
  {
    name: 'an invoice with a discount',
    subject: 'Rechnung 88',
    text: 'Rechnungsnummer: 88\nZwischensumme 100,00 €\nTreuerabatt 10 %: -10,00 €\nGutschein: -5,00 €\nGesamtbetrag 85,00 € inkl. MwSt.',
  },
  {
    name: 'an English invoice',
    subject: 'Invoice INV-204',
    text: 'Dear Mr Hughes, please find attached invoice INV-204 for £420.00 including VAT. Payment is due within 30 days. Our bank details are on the invoice. Thank you for your business.',
  },
  {
    name: 'a reminder of a payment',
    subject: 'Zahlungserinnerung zu Rechnung 77',
    text: 'Guten Tag, sicher haben Sie es übersehen: Die Rechnung 77 über 120,00 € ist seit dem 3. April fällig. Bitte überweisen Sie den Betrag bis zum 20. April. Falls sich Ihre Zahlung mit dieser Nachricht überschnitten hat, betrachten Sie sie als gegenstandslos.',
  },
  {
    name: 'a confirmation of an order',
    subject: 'Ihre Bestellung 10045',
    text: 'Vielen Dank für Ihre Bestellung!\n\n2 × Bio-Müsli, 100 % vegan, je 4,99 €\n1 × Tee 3,49 €\nRabatt 5 %: −0,67 €\nVersand 3,90 €\nGesamtsumme 16,70 €\n\nSie erhalten eine Nachricht, sobald das Paket unterwegs ist.',
  },
  {
    name: 'an order with a code',
    subject: 'Bestellbestätigung 5531',
    text: 'Bestellnummer 5531. Artikel 49,00 €. Gutscheincode HERBST: -4,90 €. Zwischensumme 44,10 €. Inkl. 19 % MwSt. Lieferadresse: Lindenweg 3.',
  },
  {
    name: 'an English order',
    subject: 'Order 5531 confirmed',
    text: 'Thank you for your order! Order number 5531. Subtotal $49.00. Discount code FALL: -$4.90. Shipping $5.00. Total $49.10. We will email you when it ships.',
  },
  {
    name: 'a parcel on its way',
    subject: 'Ihr Paket ist unterwegs',
    text: 'Ihre Sendung 00340434161094 wird voraussichtlich am Freitag zugestellt. Sendungsverfolgung: https://versand.example/track/00340434161094',
  },
  {
    name: 'a receipt',
    subject: 'Your receipt',
    text: 'Receipt for your payment of €29.00 on 12 March 2026. Plan: Praxis, monthly. VAT 19 %: €4.63. You can download all receipts in your account: https://app.example/billing',
  },
  {
    name: 'a new password',
    subject: 'Passwort zurücksetzen',
    text: 'Guten Tag,\n\nSie haben ein neues Passwort angefordert. Über diesen Link können Sie es festlegen: https://portal.example/reset/8f3a. Der Link ist 60 Minuten gültig. Wenn Sie das nicht waren, können Sie diese Nachricht ignorieren.',
  },
  {
    name: 'a code',
    subject: 'Ihr Anmeldecode',
    text: 'Ihr Code lautet 482 913. Er ist 10 Minuten gültig. Geben Sie ihn an niemanden weiter.',
  },
  {
    name: 'an English code',
    subject: 'Your sign-in code',
    text: 'Your code is 482913. It expires in 10 minutes. If you did not request it, you can ignore this email.',
  },
  {
    name: 'a confirmation of a sign-up',
    subject: 'Bitte bestätigen Sie Ihre Anmeldung',
    text: 'Guten Tag,\n\nSie möchten unseren Newsletter abonnieren? Bitte bestätigen Sie Ihre Anmeldung: https://praxis-adler.example/doi/abc. Wenn Sie sich nicht angemeldet haben, müssen Sie nichts tun.',
  },
  {
    name: 'an English confirmation of a sign-up',
    subject: 'Please confirm your subscription',
    text: 'You asked to subscribe to our newsletter. Please confirm your email address: https://club.example/confirm/abc. If this was not you, simply ignore this message.',
  },
  {
    name: 'a confirmation of an address',
    subject: 'Please verify your email address',
    text: 'Hi Tom, thanks for signing up. Please verify your email address within 24 hours: https://app.example/verify/123. Questions? Just reply to this email.',
  },
  {
    name: 'an invitation to a meeting',
    subject: 'Einladung zur Mitgliederversammlung',
    text: 'Liebe Mitglieder,\n\nwir laden Sie herzlich zur ordentlichen Mitgliederversammlung am 14. März um 19 Uhr im Vereinsheim ein. Tagesordnung: Begrüßung, Bericht des Vorstands, Kassenbericht, Entlastung, Wahlen, Verschiedenes.\n\nMit sportlichen Grüßen\nDer Vorstand',
  },
  {
    name: 'a club’s dues',
    subject: 'Mitgliedsbeitrag 2026',
    text: 'Liebes Mitglied, am 1. Februar ziehen wir den Jahresbeitrag von 84 € von Ihrem Konto ein. Falls sich Ihre Bankverbindung geändert hat, teilen Sie uns das bitte mit.',
  },
  {
    name: 'a training',
    subject: 'Training fällt aus',
    text: 'Hallo zusammen! Das Training am Dienstag fällt leider aus, weil die Halle gesperrt ist. Nächste Woche geht es wie gewohnt weiter. Bis dann!',
  },
  {
    name: 'an English club',
    subject: 'Choir rehearsal moved',
    text: 'Hi everyone, Thursday’s rehearsal has moved to the parish hall. There are still three slots free for the carpool. See you there!',
  },
  {
    name: 'new hours',
    subject: 'Geänderte Sprechzeiten',
    text: 'Liebe Patientinnen und Patienten, ab April hat die Praxis montags nur bis 12 Uhr geöffnet. Freitags sind wir nur nach Vereinbarung da. Rezepte können Sie online bestellen.',
  },
  {
    name: 'a holiday',
    subject: 'Praxisurlaub vom 3. bis 14. August',
    text: 'Wir machen Urlaub. Die Vertretung übernimmt die Praxis Dr. Kaya, Lindenweg 3. In Notfällen wählen Sie die 112, außerhalb der Sprechzeiten die 116 117.',
  },
  {
    name: 'a prescription',
    subject: 'Ihr Rezept',
    text: 'Ihr E-Rezept wurde ausgestellt und kann mit der Versichertenkarte in jeder Apotheke eingelöst werden. Ohne Rezept erhalten Sie das Präparat nicht.',
  },
  {
    name: 'documents',
    subject: 'Nachricht Ihrer Praxis',
    text: 'In Ihrem Patientenportal liegt ein neues Dokument für Sie bereit. Bitte melden Sie sich wie gewohnt an.',
  },
  {
    name: 'a quote',
    subject: 'Ihr Angebot Nr. 2026-31',
    text: 'Sehr geehrte Frau Brandt,\n\nwie besprochen sende ich Ihnen unser Angebot über die Renovierung der Praxisräume. Der Gesamtpreis beträgt 12.400 € zzgl. MwSt. Haben Sie Fragen zum Angebot, rufen Sie mich gerne an.',
  },
  {
    name: 'a job',
    subject: 'Ihre Bewerbung',
    text: 'Vielen Dank für Ihre Bewerbung als Medizinische Fachangestellte. Wir möchten Sie gerne kennenlernen und laden Sie zum Gespräch am 5. Mai um 15 Uhr ein.',
  },
  {
    name: 'a lab’s notice',
    subject: 'Your results are ready',
    text: 'Dear patient, a new document is available in your portal. Please sign in as usual to read it. Our team is happy to answer questions during office hours.',
  },
  {
    name: 'a survey',
    subject: 'Wie war Ihr Besuch?',
    text: 'Guten Tag, wie zufrieden waren Sie mit Ihrem Besuch bei uns? Die Umfrage dauert zwei Minuten: https://umfrage.example/p/1',
  },
  {
    name: 'a table of a week',
    subject: 'Dienstplan',
    text: 'Dienstplan KW 12\n\nM D M D F S S\nA A B B A - -\n',
  },
  {
    name: 'medicine with Greek letters',
    subject: 'Fortbildung',
    text: 'Themen: TNFα-Blocker, IFNγ, γ-GT und β-Blocker in der Praxis. Referentin: Dr. Öztürk. Anmeldung bei der Kreisstelle.',
  },
  {
    name: 'a word of several languages',
    subject: 'Sprachkurs',
    text: 'Der Kurs Русский язык für Anfänger beginnt am Montag. Kursbuch: Привет! Band 1. Raum 12.',
  },
  {
    name: 'a newsletter of a practice',
    subject: 'Neues aus der Praxis',
    html: simplePage(
      '<h1>Neues aus der Praxis</h1><p>Seit März verstärkt Dr. Kaya unser Team. Sie ist Fachärztin für Allgemeinmedizin und spricht Türkisch und Englisch.</p><p>Die Grippeimpfung ist da: Kommen Sie in die offene Sprechstunde.</p><p><a href="https://praxis-adler.example/impressum">Impressum</a> · <a href="https://praxis-adler.example/datenschutz">Datenschutz</a></p>',
    ),
  },
  {
    name: 'a page with an address as its text',
    subject: 'Ihre Unterlagen',
    html: simplePage(
      '<p>Sie finden alles unter <a href="https://www.praxis-adler.example/unterlagen?x=1">praxis-adler.example/unterlagen</a>. Wir freuen uns auf Ihren Besuch.</p>',
    ),
  },
  {
    name: 'a page of an office program',
    subject: 'Protokoll',
    html: '<html xmlns:o="urn:schemas-microsoft-com:office:office"><head><!--[if mso]><style>.x{mso-hide:all}</style><![endif]--></head><body lang=DE link="#0563C1"><p class=MsoNormal><span style=\'font-size:11.0pt;font-family:"Calibri",sans-serif;color:black\'>Hallo zusammen,<o:p></o:p></span></p><p class=MsoNormal>anbei das Protokoll der Sitzung vom Montag mit allen Beschlüssen.<o:p></o:p></p></body></html>',
  },
  {
    name: 'a page that ends without its end tags',
    subject: 'Kurz',
    html: '<p>Hallo,<p>wir treffen uns am Freitag um acht im Vereinsheim, bringt bitte gute Laune mit.',
  },
];

/** They are doubtful but no spam: 1 to 54, with their rating as advertising. */
export const doubtfulMails: readonly (Mail & { readonly isAdvertising: boolean })[] = [
  {
    name: 'a locked account',
    subject: 'Ihr Zugang wurde gesperrt',
    text: 'Nach fünf falschen Eingaben wurde Ihr Zugang vorübergehend gesperrt. Sie können ihn selbst entsperren, indem Sie ein neues Passwort setzen: https://portal.example/reset',
    isAdvertising: false,
  },
  {
    name: 'a new device',
    subject: 'New sign-in to your account',
    text: 'We noticed an unusual sign-in to your account from a new device. If this was you, you can ignore this message. Otherwise please change your password at https://app.example/security',
    isAdvertising: false,
  },
  {
    name: 'a card that ran out',
    subject: 'Ihre Zahlung ist fehlgeschlagen',
    text: 'Wir konnten den Beitrag nicht einziehen. Bitte aktualisieren Sie Ihre Zahlungsdaten in Ihrem Konto: https://app.example/billing',
    isAdvertising: false,
  },
  {
    name: 'a urologist’s newsletter',
    subject: 'Gesundheit für Männer',
    text: 'In dieser Ausgabe: Wann Sildenafil hilft und wann nicht. Potenzmittel gehören in ärztliche Hand. Sprechen Sie uns an.',
    isAdvertising: false,
  },
  {
    name: 'a raffle of a club',
    subject: 'Tombola',
    text: 'Liebe Frau Weber, Sie haben gewonnen: den zweiten Preis unserer Tombola, einen Geschenkkorb. Sie können ihn im Vereinsheim abholen.',
    isAdvertising: false,
  },
  {
    name: 'a shout',
    subject: 'WICHTIGE INFORMATION FÜR ALLE',
    text: 'ACHTUNG! ACHTUNG! DIE PRAXIS BLEIBT AM MONTAG WEGEN EINES WASSERSCHADENS GESCHLOSSEN!! BITTE KOMMEN SIE NICHT! RUFEN SIE UNS AN!! WIR MELDEN UNS BEI ALLEN, DIE EINEN TERMIN HABEN!',
    isAdvertising: false,
  },
  {
    name: 'a template not filled in',
    subject: 'Ihr Termin, {{name}}',
    text: 'Guten Tag {{ anrede }} {{ nachname }}, wir erinnern Sie an Ihren Termin.',
    isAdvertising: false,
  },
  {
    name: 'a picture alone',
    subject: 'Einladung',
    html: '<html><body><a href="https://verein.example"><img src="https://verein.example/einladung.jpg" width="600"></a></body></html>',
    isAdvertising: false,
  },
  {
    name: 'an old page with a form',
    subject: 'Umfrage',
    html: '<p>Wie zufrieden waren Sie mit Ihrem Besuch bei uns in der Praxis? Bitte antworten Sie gleich hier.</p><form action="https://praxis.example/umfrage"><input name="note"></form>',
    isAdvertising: false,
  },
  {
    name: 'a shortened link',
    subject: 'Anfahrt',
    text: 'So finden Sie uns: https://bit.ly/3xYz. Wir freuen uns auf Sie.',
    isAdvertising: false,
  },
  {
    name: 'a newsletter of a shop',
    subject: '20 % Rabatt nur noch heute!',
    text: 'Liebe Kundinnen und Kunden, sichern Sie sich jetzt 20 % Rabatt auf das gesamte Sortiment. Nur noch heute! Jetzt bestellen: https://shop.example/herbst',
    isAdvertising: true,
  },
  {
    name: 'an English newsletter',
    subject: 'Our summer sale is here',
    text: 'Save up to 50 % on everything. Shop now, while stocks last: https://shop.example/sale. Free shipping on all orders.',
    isAdvertising: true,
  },
];

/** They must be blocked. */
export const badMails: readonly Mail[] = [
  {
    name: 'a bank’s phishing',
    subject: 'Ihr Konto wurde gesperrt',
    text: 'Sehr geehrter Kunde,\n\nIhr Konto wurde vorübergehend gesperrt. Bitte bestätigen Sie Ihre Zugangsdaten innerhalb von 24 Stunden, andernfalls wird Ihr Konto dauerhaft gelöscht: http://www.sparkasse.de.konto-pruefung.example/login',
  },
  {
    name: 'the same as a page',
    subject: 'Wichtige Mitteilung',
    html: simplePage(
      '<p>Ihr Online-Banking-Zugang wurde eingeschränkt. Wir haben ungewöhnliche Aktivitäten auf Ihrem Konto festgestellt.</p><p>Verifizieren Sie umgehend Ihre Kontodaten:</p><a href="http://203.0.113.7/login">https://www.meine-bank.de/login</a>',
    ),
  },
  {
    name: 'an English phishing',
    subject: 'Your account has been suspended',
    text: 'Dear customer, we detected suspicious activity on your account and your account has been limited. Please verify your account information within 24 hours or your account will be permanently closed: http://paypal.com.secure-login.example/verify',
  },
  {
    name: 'a mailbox phishing',
    subject: 'Final warning: mailbox full',
    html: simplePage(
      '<p>Your account will be deactivated. Confirm your password immediately to keep your mailbox.</p><a href="https://outlook.com@evil.example/x">Keep my password</a>',
    ),
  },
  {
    name: 'a phishing without umlauts',
    subject: 'Sperrung Ihres Kontos',
    text: 'Ihr Konto wird gesperrt. Bitte bestaetigen Sie Ihre Identitaet unverzueglich unter http://198.51.100.7/ und geben Sie Ihre TAN ein.',
  },
  {
    name: 'a locked account whose data are to be confirmed at once',
    subject: 'Ihr Konto wurde gesperrt',
    text: 'Sehr geehrter Kunde, Ihr Konto wurde eingeschränkt. Bestätigen Sie sofort Ihre Daten, sonst wird es gelöscht: http://kundenschutz.example/login',
  },
  {
    name: 'a parcel’s fee',
    subject: 'Ihr Paket wartet',
    text: 'Ihr Paket konnte nicht zugestellt werden. Bezahlen Sie die Versandgebühr von 1,99 €, indem Sie Ihre Kreditkartendaten bestätigen. Bestätigen Sie Ihre Kreditkartendaten innerhalb von 24 Stunden: http://dhl.de.zustellung.example/',
  },
  {
    name: 'an inheritance',
    subject: 'CONFIDENTIAL BUSINESS PROPOSAL',
    text: 'Dear beneficiary, I am Barrister John Smith from London, attorney to a deceased client who left an inheritance fund of 10 million dollars without next of kin. I need your utmost confidentiality to transfer this fund. Please reply with urgency.',
  },
  {
    name: 'a lottery',
    subject: 'You won!!!',
    text: 'Congratulations!!! You have won the international lottery promotion. You were selected as winner of 2 million euro. Claim your prize via Western Union today!!!',
  },
  {
    name: 'a German inheritance',
    subject: 'Streng vertraulich',
    text: 'Lieber Begünstigter, ich bin Rechtsanwalt des verstorbenen Kunden, dessen Erbschaft von 5 Millionen Euro keinen Erben hat. Diese geschäftliche Transaktion ist streng vertraulich. Fordern Sie Ihren Gewinn jetzt an.',
  },
  {
    name: 'fast crypto money',
    subject: 'Bitcoin verdoppeln',
    text: 'Verdoppeln Sie Ihr Geld mit unserem Krypto Trading Roboter! Garantierte Gewinne, passives Einkommen, schnell reich werden. Verdienen Sie bis zu 5.000 € täglich. Investieren Sie jetzt in Bitcoin: http://krypto.example',
  },
  {
    name: 'English crypto money',
    subject: 'Financial freedom',
    text: 'Double your bitcoin with our crypto trading bot. Guaranteed profits, passive income, no risk involved. Earn $ 500 per day. Get rich now: http://x.example',
  },
  {
    name: 'pills',
    subject: 'Cheap meds',
    text: 'Buy Viagra and Cialis without prescription! Canadian pharmacy, cheap pills, lose 20 pounds in two weeks. Order meds now: http://pills.example',
  },
  {
    name: 'German pills',
    subject: 'Potenzmittel',
    text: 'Viagra ohne Rezept kaufen! Rezeptfrei bestellen, diskret verpackt. Härtere Erektionen. Online Apotheke ohne Rezept: http://pillen.example',
  },
  {
    name: 'a casino',
    subject: '100 Freispiele',
    text: 'Das beste Online Casino wartet! Casino Bonus und 100 Freispiele. Jackpot gewinnen, Sportwetten mit Einzahlungsbonus. http://casino.example',
  },
  {
    name: 'a date',
    subject: 'Hot girls near you',
    text: 'Hot singles in your area are waiting. Adult dating and live cams, nude pics, free sex chat: http://date.example',
  },
  {
    name: 'extortion',
    subject: 'I recorded you',
    text: 'I have full access to your device. Malware installed on an adult website recorded you with your webcam: webcam footage exists. Transfer $900 in bitcoin to my wallet address or your contacts will receive the video.',
  },
  {
    name: 'German extortion',
    subject: 'Ihr Gerät',
    text: 'Ich habe Ihren Computer gehackt. Ein Trojaner installiert auf einer Porno Seite hat Sie gefilmt: Ihre Webcam aufgenommen. Überweisen Sie 900 Euro in Bitcoin an meine Bitcoin Adresse, sonst werde ich das Video an Ihre Kontakte weiterleiten.',
  },
  {
    name: 'shorter German extortion',
    subject: 'Ich habe Sie gefilmt',
    text: 'Ich habe Ihre Webcam gehackt und ein Video von Ihnen. Zahlen Sie 900 € in Bitcoin innerhalb von 48 Stunden, sonst sende ich es an alle Ihre Kontakte.',
  },
  {
    name: 'replicas',
    subject: 'Rolex',
    text: 'Replica watches and luxury handbags! Rolex replica at best price. Buy followers, degree without exam. http://rolex.example',
  },
  {
    name: 'GTUBE',
    subject: 'Test',
    text: 'XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X',
  },
  {
    name: 'GTUBE in a page',
    subject: 'Test',
    html: '<p>XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X</p>',
  },
];

/** They are not advertising although they mention money (below 40). */
export const plainTexts: readonly string[] = [
  'Sie können bis 24 Stunden vorher kostenlos stornieren.',
  'You can cancel free of charge until Friday.',
  'Unser Müsli ist 100 % vegan.',
  'Rabatt 5 %: −2,50 €',
  'Abzüglich 10 % Rabatt auf den Listenpreis ergibt das 90 €.',
  'Bei Zahlung innerhalb von 7 Tagen 2 % Skonto.',
  'Die Zuzahlung beträgt nur 5 €.',
  'Die Praxis ist heute nur bis 12 Uhr geöffnet.',
  'Bitte buchen Sie Ihren nächsten Termin online.',
  'Jetzt Termin buchen',
  'Termin online verschieben: https://termine.example/x',
  'Book your appointment now.',
  'Die Untersuchung ist für Sie kostenlos.',
  'Ihre IGeL-Rechnung über 45 € liegt bei.',
  'Ihr Termin zur Botox-Behandlung ist am Montag.',
  'Ihr Gutschein über 50 € liegt bei.',
  'Unser Angebot Nr. 17 ist gültig bis 31. Mai.',
  'Haben Sie Fragen zum Angebot?',
  'Bei Vorkasse erhalten Sie 2 % Rabatt.',
  'Liebe Mitglieder, der Eintritt ist frei; Studierende erhalten 10 % Nachlass auf den Beitrag.',
  'Vielen Dank für Ihren Kauf im Sommerschlussverkauf.',
  'Ihre Bestellung ist versandkostenfrei.',
  'Folgen Sie uns auf Instagram.',
  'Damit Sie Ihren Termin nicht verpassen, erinnern wir Sie.',
  'Your discount of 10 % has been applied to order number 7.',
  'Letzte Chance zum Verschieben: morgen um 12 Uhr.',
  'The price is now €29 per month.',
  'Use code 482913 to sign in. The link expires tomorrow.',
  'Melden Sie sich mit dem Code 482913 an.',
];

/** They are clear advertising (40 and more). */
export const advertisingTexts: readonly string[] = [
  'Nur noch heute: 20 % Rabatt auf alle Behandlungen. Jetzt buchen!',
  'Bis zu 50 % reduziert – jetzt kaufen!',
  'Sparen Sie bis zu 30 % im Sommerschlussverkauf.',
  'Mit dem Code XMAS20 erhalten Sie 20 % Rabatt. Entdecken Sie unsere exklusiven Angebote.',
  '25 Jahre! Feiern Sie mit, und erhalten Sie 25 % auf das gesamte Sortiment.',
  'Empfehlen Sie uns Ihren Freunden, und erhalten Sie eine Prämie von 25 € für jeden Neukunden.',
  'Gönnen Sie sich Botox und Hyaluron, jetzt zum Einführungspreis.',
  'Bleaching für nur 199 € statt 299 €: Sichern Sie sich Ihr strahlendes Lächeln.',
  'Unsere Sonderangebote im März: Jetzt bestellen und sparen.',
  'Jetzt zum Newsletter anmelden und 10 € Gutschein sichern! Gutscheincode: NEU10',
  'Entdecken Sie unsere neue Kollektion, jetzt shoppen!',
  'Gratis Probetraining sichern – Angebot gilt nur bis Sonntag.',
  'Werden Sie Mitglied und sichern Sie sich Ihr Geschenk: gratis Sporttasche.',
  'Freunde werben und Prämie kassieren: jetzt Gutscheincode sichern.',
  'Solange der Vorrat reicht: Schnäppchen zum Bestpreis.',
  'Black Friday: 30 % auf alles. Jetzt zuschlagen!',
  'Unser Angebot des Monats: Vitamininfusion, jetzt nur 79 €. Profitieren Sie von unserer Herbstaktion.',
  'Lassen Sie sich diese Aktion nicht entgehen: exklusives Angebot nur für kurze Zeit.',
  'Kostenlos testen und 20 % sparen – jetzt sichern!',
  'Save 20 % today: shop now, while stocks last!',
  'Flash sale: up to 50 % off everything. Buy now!',
  'Limited time only: get your free trial and save up to 30 %.',
  'Use code SPRING for 15 % off. Ends tonight!',
  'Special offer: buy one get one free. Hurry, only few left!',
  'Discover our new collection. Shop the sale now.',
  'Refer a friend and get a $10 voucher. Sign up now!',
  'Wir haben neue Sonderpreise: zwei zum Preis von einem, jetzt zugreifen.',
];
