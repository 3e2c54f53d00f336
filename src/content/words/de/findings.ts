import { LONG_SUBJECT, MANY_LINKS } from '#src/content/limits.ts';

/** Whatever sign of advertising was found. */
const leaveOut =
  'Lassen Sie die Werbung weg, oder senden Sie sie über einen Versandweg für Werbung an die, die eingewilligt haben.';

export const words = {
  findings: {
    gtube: {
      why: 'Die Mail enthält die Zeichenfolge, mit der Spamfilter geprüft werden (GTUBE).',
      advice: 'Entfernen Sie sie; jeder Filter weist sie ab.',
    },
    mixed_scripts: {
      why: 'Wörter mischen lateinische und kyrillische Buchstaben, um Filter zu umgehen.',
      advice: 'Tippen Sie die Wörter neu, statt sie einzufügen.',
    },
    split_words: {
      why: 'In Wörtern stehen unsichtbare Zeichen; Filter werten das als Täuschung.',
      advice: 'Entfernen Sie die Zeichen, etwa indem Sie den Text als reinen Text einfügen.',
    },
    unfilled_placeholder: {
      why: 'Ein Platzhalter wurde nicht ersetzt, oder es steht noch Blindtext da.',
      advice: 'Prüfen Sie die Vorlage und die Daten der Empfänger.',
    },
    spaced_words: {
      why: 'Gesperrt geschriebene Wörter sollen Filter umgehen und fallen ihnen deshalb auf.',
      advice: 'Schreiben Sie Wörter ohne Lücken; Abstand zwischen Buchstaben gibt die Schriftgestaltung.',
    },
    encoded_text: {
      why: 'Im Text steht eine lange Zeichenfolge ohne Leerzeichen, vermutlich kodierte Daten.',
      advice: 'Senden Sie Daten als Anhang.',
    },
    shouted_text: {
      why: 'Der größte Teil des Textes ist großgeschrieben.',
      advice: 'Schreiben Sie in gewöhnlicher Groß- und Kleinschreibung.',
    },
    garbled_text: {
      why: 'Umlaute oder Anführungszeichen sind falsch kodiert.',
      advice: 'Übergeben Sie den Text in UTF-8.',
    },
    exclamations: { why: 'Im Text häufen sich Ausrufezeichen.', advice: 'Setzen Sie Punkte.' },
    phishing_trap: {
      why: 'Drohung oder Eile, die Bitte um Daten und ein Link dazu: so ist Phishing aufgebaut.',
      advice: 'Bitten Sie die Empfänger, sich wie gewohnt auf Ihrer Website anzumelden.',
    },
    credential_request: {
      why: 'Die Mail fordert auf, Zugangs- oder Zahlungsdaten zu bestätigen; das tun vor allem Betrüger.',
      advice: 'Fragen Sie solche Daten nie per Mail ab.',
    },
    account_threat: {
      why: 'Von gesperrten Konten und verdächtigen Anmeldungen schreiben vor allem Betrüger.',
      advice: 'Nennen Sie den Anlass sachlich, und drohen Sie nicht.',
    },
    parcel_fee: {
      why: 'Nicht zustellbare Pakete und Gebühren dafür sind eine verbreitete Masche.',
      advice: 'Nennen Sie Bestellung und Sendungsnummer, und fordern Sie kein Geld per Link.',
    },
    advance_fee: {
      why: 'Gewinne, Erbschaften und Millionen verspricht, wer auf Vorkasse aus ist.',
      advice: 'Sagen Sie, was die Mail enthält, nicht, was sie einbringt.',
    },
    money_promise: {
      why: 'Schnelles Geld, Krypto-Gewinne und Kredite ohne Prüfung kennen Filter als Spam.',
      advice: 'Verzichten Sie auf Versprechen über Geld.',
    },
    gambling: {
      why: 'Werbung für Glücksspiel wird fast überall abgewiesen.',
      advice: 'Über diesen Dienst geht keine solche Werbung.',
    },
    pharmacy: {
      why: 'Arzneimittel ohne Rezept und Wundermittel sind ein Kennzeichen von Spam.',
      advice: 'Nennen Sie keine Präparate, und werben Sie nicht für sie (§ 10 HWG).',
    },
    adult: {
      why: 'Erotische Angebote weisen Filter ab.',
      advice: 'Über diesen Dienst geht keine solche Werbung.',
    },
    extortion: {
      why: 'Drohungen mit Aufnahmen und Forderungen in Bitcoin sind Erpressung.',
      advice: 'Schildern Sie solche Fälle, ohne deren Wortlaut zu übernehmen.',
    },
    fake_goods: {
      why: 'Nachgemachte Waren, gekaufte Abschlüsse und Adressen sind ein Kennzeichen von Spam.',
      advice: 'Über diesen Dienst geht keine solche Werbung.',
    },
    link_host_differs: {
      why: 'Der Text eines Links zeigt eine andere Adresse als die, zu der er führt; so arbeitet Phishing.',
      advice:
        'Schreiben Sie als Linktext, worum es geht („Termin ansehen“), oder genau die Adresse des Ziels.',
    },
    script_link: {
      why: 'Ein Link führt Programmcode oder eingebettete Daten aus, statt auf eine Seite zu führen.',
      advice: 'Verwenden Sie nur Links mit https:, mailto: oder tel:.',
    },
    deceptive_host: {
      why: 'Der Name einer verlinkten Seite enthält Buchstaben anderer Schriften, die lateinischen gleichen.',
      advice: 'Prüfen Sie die Adresse des Links, und tippen Sie sie neu.',
    },
    link_user_info: {
      why: 'Vor dem @ eines Links steht etwas, das wie die Adresse aussieht, aber keine ist.',
      advice: 'Lassen Sie Benutzernamen und Passwörter in Links weg.',
    },
    nested_domain: {
      why: 'Die Adresse eines Links beginnt mit einer fremden Domain, als führte er dorthin.',
      advice: 'Verlinken Sie die Seite unter ihrer eigenen, kurzen Adresse.',
    },
    link_to_ip_address: {
      why: 'Ein Link führt zu einer IP-Adresse statt zu einer Domain.',
      advice: 'Verwenden Sie den Namen der Seite.',
    },
    url_shortener: {
      why: 'Ein Kurzlink verbirgt, wohin er führt; viele Filter halten ihn für Spam.',
      advice: 'Verlinken Sie die Seite direkt.',
    },
    many_links: {
      why: `Die Mail enthält mehr als ${MANY_LINKS} Links.`,
      advice: 'Beschränken Sie sich auf die Links, die gebraucht werden.',
    },
    insecure_link: {
      why: 'Ein Link führt unverschlüsselt (http:) zu seiner Seite.',
      advice: 'Verlinken Sie mit https:.',
    },
    active_content: {
      why: 'Die Mail enthält Skripte oder eine automatische Weiterleitung; Mailprogramme entfernen sie, Filter misstrauen ihnen.',
      advice: 'Lassen Sie Skripte weg, und verlinken Sie eine Seite, die sie hat.',
    },
    embedded_page: {
      why: 'Eingebettete Seiten und Objekte zeigt kein Mailprogramm an.',
      advice: 'Verwenden Sie ein Bild mit einem Link.',
    },
    form: {
      why: 'Formulare in Mails funktionieren selten und dienen meist dazu, Daten abzugreifen.',
      advice: 'Verlinken Sie das Formular auf Ihrer Website.',
    },
    hidden_text: {
      why: 'Die Mail enthält viel Text, den niemand sieht.',
      advice: 'Entfernen Sie verborgenen Text; ein kurzer Vorschautext ist in Ordnung.',
    },
    html_too_complex: {
      why: 'Das HTML hat so viele Elemente, dass es nicht bis zum Ende geprüft wird.',
      advice: 'Vereinfachen Sie die Vorlage.',
    },
    image_only: {
      why: 'Die Mail besteht fast nur aus Bildern.',
      advice: 'Schreiben Sie das Wesentliche als Text; viele Programme laden Bilder nicht von selbst.',
    },
    parts_differ: {
      why: 'Text und HTML sagen offenbar Verschiedenes.',
      advice: 'Geben Sie beiden Teilen denselben Inhalt, oder lassen Sie den Text aus dem HTML erzeugen.',
    },
    html_clipped: {
      why: 'Das HTML ist größer als 102 kB; Gmail schneidet den Rest ab.',
      advice: 'Kürzen Sie die Vorlage, und betten Sie keine Bilder als Daten ein.',
    },
    unfinished_html: {
      why: 'Das HTML endet mitten in einem Tag, einem Kommentar oder einem Anführungszeichen.',
      advice: 'Prüfen Sie, ob die Vorlage vollständig ist.',
    },
    embedded_data: {
      why: 'Bilder stehen als Daten im HTML; Gmail und Outlook zeigen sie nicht an.',
      advice: 'Hängen Sie die Bilder an, oder verlinken Sie sie.',
    },
    external_styles: {
      why: 'Stile aus einer verlinkten Datei laden Mailprogramme nicht.',
      advice: 'Schreiben Sie die Stile in das HTML.',
    },
    no_text_part: {
      why: 'Die Mail hat nur HTML und keinen Textteil.',
      advice: 'Senden Sie einen Textteil mit, oder lassen Sie ihn vom Versandweg ergänzen.',
    },
    pdf_script: {
      why: 'Ein PDF enthält JavaScript; manche Empfänger weisen das ab.',
      advice: 'Speichern Sie es ohne Skripte, etwa als PDF/A.',
    },
    rspamd: {
      why: 'Der Spamfilter bewertet die Mail als auffällig.',
      advice: 'Sehen Sie nach, welche Merkmale er nennt, und ändern Sie die Mail danach.',
    },
    virus: {
      why: 'Der Virenscanner hat Schadsoftware gefunden.',
      advice: 'Prüfen Sie den Rechner, von dem die Datei stammt, und senden Sie sie nicht.',
    },
    listed_host: {
      why: 'Ein Link führt zu einer Seite, die auf einer Sperrliste steht.',
      advice: 'Entfernen Sie den Link, oder klären Sie den Eintrag mit dem Betreiber der Liste.',
    },
    scanner_unavailable: {
      why: 'Ein Scanner war nicht zu erreichen; die Mail wurde nicht von allen geprüft.',
      advice: 'Sie müssen nichts tun; der Betreiber sieht die Störung.',
    },
    promo_discount: {
      why: 'Prozente und Preisnachlässe sind Werbung.',
      advice: leaveOut,
    },
    promo_discount_word: {
      why: 'Von einem Rabatt ist die Rede.',
      advice: leaveOut,
    },
    promo_voucher: {
      why: 'Gutscheine und Codes sollen zum Kauf bewegen.',
      advice: leaveOut,
    },
    promo_offer: {
      why: 'Sonderangebote und Aktionen sind Werbung.',
      advice: leaveOut,
    },
    promo_price_pitch: {
      why: 'Preise werden angepriesen („nur“, „statt“).',
      advice: leaveOut,
    },
    promo_call: {
      why: 'Die Mail fordert zum Kaufen oder Zugreifen auf.',
      advice: leaveOut,
    },
    promo_booking_call: {
      why: 'Die Mail fordert dazu auf, zu buchen.',
      advice: leaveOut,
    },
    promo_deadline: {
      why: 'Knappheit und kurze Fristen sollen zum Kauf drängen.',
      advice: leaveOut,
    },
    promo_free: {
      why: 'Mit Geschenken und Proben wird geworben.',
      advice: leaveOut,
    },
    promo_signup: {
      why: 'Es wird für Newsletter, Programme oder Empfehlungen geworben.',
      advice: leaveOut,
    },
    promo_newsletter: {
      why: 'Auf Newsletter oder soziale Netze wird hingewiesen.',
      advice: leaveOut,
    },
    promo_novelty: {
      why: 'Neuheiten und Geschenkideen werden vorgestellt.',
      advice: leaveOut,
    },
    promo_igel: {
      why: 'Für Selbstzahler- oder Schönheitsleistungen wird geworben.',
      advice: leaveOut,
    },
    subject_empty: {
      why: 'Ein leerer Betreff ist ein Merkmal von Spam.',
      advice: 'Sagen Sie in wenigen Wörtern, worum es geht.',
    },
    subject_hidden_characters: {
      why: 'Unsichtbare Zeichen verbergen, was dasteht; Filter werten sie als Täuschung.',
      advice: 'Tippen Sie den Betreff neu, statt ihn einzufügen.',
    },
    subject_mixed_scripts: {
      why: 'Ein Wort enthält Buchstaben zweier Schriften, wie es Betrüger tun.',
      advice: 'Schreiben Sie jedes Wort in einer Schrift.',
    },
    subject_placeholder: {
      why: 'Ein Platzhalter wurde nicht ersetzt.',
      advice: 'Prüfen Sie die Vorlage und die Daten der Empfänger.',
    },
    subject_phishing_words: {
      why: 'Nach Zugangsdaten oder gesperrten Konten fragen vor allem Betrüger.',
      advice: 'Nennen Sie den Anlass, ohne von Zugangsdaten zu schreiben.',
    },
    subject_health_detail: {
      why: 'Der Betreff steht auf Sperrbildschirmen und in Protokollen: Angaben zur Gesundheit sind dort für Dritte lesbar (Art. 9 DSGVO, § 203 StGB).',
      advice: 'Schreiben Sie neutral, etwa „Nachricht Ihrer Praxis“.',
    },
    subject_personal_data: {
      why: 'Geburtsdatum, Versicherten- oder Kontonummer stehen offen im Betreff.',
      advice: 'Lassen Sie solche Angaben weg oder schreiben Sie sie in den Text.',
    },
    subject_spaced_out: {
      why: 'Gesperrt geschriebene Wörter sollen Filter umgehen und fallen ihnen deshalb auf.',
      advice: 'Schreiben Sie Wörter ohne Lücken.',
    },
    subject_shouting: {
      why: 'Fast alles ist großgeschrieben.',
      advice: 'Schreiben Sie in gewöhnlicher Groß- und Kleinschreibung.',
    },
    subject_money: {
      why: 'Gewinne, Geld und Prozente kennen Filter aus Werbung und Betrug.',
      advice: 'Sagen Sie, was die Mail enthält, nicht, was sie einbringt.',
    },
    subject_advertising_words: {
      why: 'Typische Werbewörter senken die Zustellung, und in Termin-Mails sind sie unzulässig (§ 7 UWG).',
      advice: 'Verzichten Sie darauf, oder senden Sie über einen Versandweg für Werbung.',
    },
    subject_pressure: {
      why: 'Zeitdruck ist ein Mittel von Betrügern.',
      advice: 'Nennen Sie Datum oder Frist, ohne zu drängen.',
    },
    subject_link: {
      why: 'Ein Link im Betreff ist unüblich und wirkt wie Phishing.',
      advice: 'Setzen Sie Links in den Text.',
    },
    subject_encoded_remains: {
      why: 'Zeichen sind doppelt oder falsch kodiert.',
      advice: 'Übergeben Sie den Betreff als gewöhnlichen Text in UTF-8.',
    },
    subject_punctuation: { why: 'Gehäufte Ausrufe- oder Fragezeichen.', advice: 'Höchstens eines, am Ende.' },
    subject_false_reply: {
      why: 'Ein Betreff, der wie eine Antwort beginnt, ohne eine zu sein, täuscht die Empfänger.',
      advice: 'Lassen Sie „Re:“ und „AW:“ weg, wo es keine Antwort ist.',
    },
    subject_symbols: { why: 'Viele Symbole wirken wie Werbung.', advice: 'Ein Symbol genügt.' },
    subject_long: {
      why: `Über ${LONG_SUBJECT} Zeichen: das Ende wird abgeschnitten.`,
      advice: 'Stellen Sie das Wichtige an den Anfang.',
    },
  },
};

export type Words = typeof words;
