import type { HintFacts } from '#src/insight/go-live-hints.ts';

const legalNames: Readonly<Record<string, string>> = {
  street: 'Straße',
  city: 'Ort',
  privacy_url: 'Datenschutzerklärung',
};

export const words = {
  /** The title and the hint of each go-live check: what to do, and what is missing. */
  goLive: {
    legal: {
      title: 'Impressum',
      hint: ({ missing }: HintFacts) =>
        `Es fehlt: ${missing.map((name) => legalNames[name] ?? name).join(', ')}. Tragen Sie es bei den Angaben zur Praxis ein.`,
    },
    sending_domain: {
      title: 'Absender-Domain',
      hint: ({ pendingDomain }: HintFacts) =>
        `${pendingDomain} ist noch nicht geprüft. Veröffentlichen Sie die DKIM-Einträge und prüfen Sie das DNS, oder kehren Sie zum bereitgestellten Host zurück.`,
    },
    dns_records: {
      title: 'DNS-Einträge',
      hint: ({ host, failing }: HintFacts) =>
        failing !== null
          ? `Diese Einträge stimmen nicht: ${failing}. Berichtigen Sie sie und prüfen Sie das DNS.`
          : `Die Einträge von ${host} wurden seit 48 Stunden nicht geprüft. Prüfen Sie das DNS.`,
    },
    public_origin: {
      title: 'Öffentliche Adresse',
      hint: ({ publicOrigin }: HintFacts) =>
        `Abmelde- und Bestätigungslinks beginnen mit ${publicOrigin}. Der Betreiber muss service.public_origin auf eine https-Adresse setzen, die alle erreichen.`,
    },
    upstream: {
      title: 'Versandserver',
      hint: (_: HintFacts) =>
        'Mails werden nur aufbewahrt, nicht zugestellt. Der Betreiber muss unter upstreams einen Server einrichten, der sie zustellt.',
    },
    owner: {
      title: 'Verantwortliche Person',
      hint: (_: HintFacts) => 'Es gibt keinen aktiven Inhaber. Der Betreiber kann einen benennen.',
    },
    test_message: {
      title: 'Testnachricht',
      hint: (_: HintFacts) =>
        'Von den neuesten Mails hat noch keine den Dienst verlassen. Senden Sie eine an eine Adresse, die im Testbetrieb erlaubt ist.',
    },
    approval: {
      title: 'Freigabe',
      hint: ({ isHeld }: HintFacts): string =>
        isHeld
          ? 'Der Betreiber hat den Testbetrieb eingeschaltet und muss die Praxis freigeben. Bitten Sie ihn darum.'
          : 'Im Tarif Test gibt der Betreiber die Praxis frei. Bitten Sie ihn darum.',
    },
    dmarc_policy: {
      title: 'DMARC-Richtlinie',
      hint: (_: HintFacts) =>
        'Mit p=quarantine oder p=reject kommen Mails, die andere unter Ihrem Namen fälschen, in den Spam oder gar nicht an.',
    },
    bimi: {
      title: 'Logo (BIMI)',
      hint: (_: HintFacts) =>
        'Ein BIMI-Eintrag zeigt Ihr Logo neben der Mail, sobald DMARC durchgesetzt wird. Manche Anbieter verlangen dafür ein Zertifikat.',
    },
    inbound: {
      title: 'Empfang',
      hint: ({ host }: HintFacts) => `Mit einem MX auf in.${host} können Sie Antworten hier empfangen.`,
    },
    second_owner: {
      title: 'Vertretung',
      hint: (_: HintFacts) => 'Ein zweiter Inhaber hilft, wenn der erste ausfällt.',
    },
  },
  onboarding: {
    practice: {
      title: 'Praxis anlegen',
      hint: 'Sie ist angelegt und hat einen bereitgestellten Host, von dem sie senden kann.',
    },
    legal: { title: 'Impressum eintragen', hint: 'Straße, Ort und die Adresse Ihrer Datenschutzerklärung.' },
    domain: {
      title: 'Eigene Domain verbinden',
      hint: 'Ohne eigene Domain senden Sie vom bereitgestellten Host.',
    },
    dns: {
      title: 'DNS-Einträge veröffentlichen',
      hint: 'Tragen Sie die Einträge beim Anbieter Ihrer Domain ein und prüfen Sie sie.',
    },
    token: {
      title: 'API-Token erstellen',
      hint: 'Mit ihm sendet Ihre Software. Es wird nur einmal gezeigt.',
    },
    test_message: {
      title: 'Testnachricht senden',
      hint: 'Im Testbetrieb an eine Adresse, die der Betreiber erlaubt hat.',
    },
    team: { title: 'Team einladen', hint: 'Am besten auch einen zweiten Inhaber.' },
    go_live: {
      title: 'Versand freigeben',
      hint: 'Beendet den Testbetrieb, sobald die Liste davor vollständig ist.',
    },
  },
};

export type Words = typeof words;
