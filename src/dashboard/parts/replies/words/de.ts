// What the office can do about a refusal.
const wait = 'Sie müssen nichts tun; wenn es dabei bleibt, senden Sie sie später noch einmal.';
const byTelephone = 'Fragen Sie am Telefon nach einer anderen Adresse.';
const technical = 'Geben Sie die Antwort des Servers (unter „Technik“) an Ihre technische Betreuung.';
const filtered = 'Schreiben Sie den Text ohne Links und Werbung neu, oder rufen Sie an.';

export const words = {
  /** What this service says where no server replied. */
  own: {
    captured: 'Abgefangen: Sie hat den Dienst nicht verlassen.',
    cancelled: 'Abgebrochen, bevor sie an der Reihe war.',
    campaignCancelled: 'Das Rundschreiben wurde abgebrochen.',
    outOfUse: 'Unser Versandserver war nicht zu erreichen.',
    uncomposed: 'Die Nachricht ließ sich nicht zusammenstellen.',
    restored: 'Verworfen nach einer Wiederherstellung; ob sie vorher schon hinausging, ist nicht bekannt.',
    misused: 'Verworfen, weil das Token missbraucht wurde, mit dem sie gesendet werden sollte.',
  },
  /** Why a server refused it, by the rule that classified the reply. */
  refusals: {
    unknown_address: {
      why: 'Die Adresse gibt es dort nicht',
      advice: 'Prüfen Sie die Schreibweise, oder fragen Sie am Telefon nach der richtigen Adresse.',
    },
    unknown_domain: {
      why: 'Was hinter dem @ steht, gibt es nicht oder nimmt keine Post an',
      advice: 'Prüfen Sie die Schreibweise der Adresse.',
    },
    mailbox_full: {
      why: 'Das Postfach ist voll',
      advice: 'Rufen Sie an, und senden Sie die Nachricht noch einmal, wenn wieder Platz ist.',
    },
    disabled: { why: 'Das Postfach ist abgeschaltet', advice: byTelephone },
    too_large: {
      why: 'Die Nachricht ist dem Server zu groß',
      advice: 'Senden Sie sie mit kleineren oder weniger Anhängen.',
    },
    content: { why: 'Der Server hält sie für Spam oder für gefährlich', advice: filtered },
    block: { why: 'Der Server nimmt von unserem Versandserver gerade keine Post', advice: technical },
    auth_policy: {
      why: 'Der Server erkennt Ihre Absenderadresse nicht als echt an',
      advice: 'Prüfen Sie die Einträge Ihrer Domain auf der Seite „Domain“.',
    },
    sender_address: {
      why: 'Der Server nimmt Ihre Absenderadresse nicht an',
      advice: 'Prüfen Sie die Einträge Ihrer Domain auf der Seite „Domain“.',
    },
    policy: { why: 'Die Regeln des Empfängers lassen sie nicht zu', advice: technical },
    recipient_policy: { why: 'Dieses Postfach nimmt von Ihnen keine Post an', advice: byTelephone },
    relay_suppression: {
      why: 'Unser Versanddienst hat die Adresse gesperrt, weil frühere Post nicht ankam',
      advice: byTelephone,
    },
    greylisted: { why: 'Der Server lässt neue Absender erst warten', advice: wait },
    throttled: { why: 'Der Server nimmt gerade nicht mehr Post an', advice: wait },
    network: { why: 'Der Server des Empfängers war nicht zu erreichen', advice: wait },
    loop: { why: 'Die Post des Empfängers wird im Kreis weitergeleitet', advice: byTelephone },
    tls: { why: 'Mit dem Server war keine verschlüsselte Verbindung möglich', advice: technical },
    unexplained: { why: 'Den Grund können wir nicht einordnen', advice: technical },
  },
};
