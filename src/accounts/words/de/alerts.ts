// The mails about what needs someone to look at it: records in the DNS, followers, forwardings, campaigns, forms and files.
import {
  type Counts,
  type Mail,
  type Of,
  quotedShort,
  type Reasons,
  reasonOf,
  record,
  wordsFor,
} from '#src/accounts/mails/in-words.ts';

const { codeWords, counted, countLines, faultLines, moment } = wordsFor('de');

const recordLabels = {
  name: 'Name',
  type: 'Typ',
  wanted: 'Soll',
  below: 'siehe unten',
  absent: 'kein solcher Eintrag, er ist zu entfernen',
  found: 'Gefunden',
  nothing: 'kein solcher Eintrag',
  unknown: 'nicht festzustellen, weil die zuständigen Nameserver nicht oder mit einem Fehler antworten',
  behind:
    'der Eintrag selbst ist da, aber ein anderer, auf den es dabei ankommt, ist nicht abzurufen oder stimmt nicht',
  proxied: 'kein CNAME, sondern Adressen eines Proxys',
};

const faultLabels = {
  states: {
    full: 'kein Platz',
    failing: 'Fehler beim Lesen oder Schreiben',
    unreadable: 'fehlt oder ist beschädigt',
    replaced: 'wurde im laufenden Betrieb verschoben, entfernt oder ersetzt',
    empty: 'enthält keine Daten',
    other_schema: 'ist von einer anderen Version des Programms',
  },
  disk: 'Datenträger',
  registry: 'Verzeichnis der Praxen (platform.db)',
  ended: 'wieder in Ordnung, war',
  since: 'seit',
};

const REPLICA_REASON =
  'Sie haben das nicht erwartet? Dann zeigt `journalctl -u sendwerk-litestream` den Grund.';

const reasons: Reasons = {
  pending: 'nicht bestätigt',
  unsubscribed: 'abgemeldet',
  bounced: 'Adresse unzustellbar',
  complained: 'als Spam gemeldet',
  no_consent: 'keine nachweisbare Einwilligung',
  suppressed: 'gesperrte Adresse',
  missing_value: 'ein Wert für die Vorlage fehlt',
  unusable_value: 'ein Wert passt nicht in die Vorlage',
};

/** Names of refusals, and of what a campaign waits for; these mean more for a campaign than for a message. */
const codes: Reasons = {
  ...codeWords,
  conflict: 'eine seiner Listen oder Einstellungen passt nicht mehr dazu',
  deferred: 'der Mailserver des Betreibers weist viele der E-Mails vorübergehend zurück',
  invalid_request: 'der Inhalt oder eine Angabe ist ungültig',
  no_recipients: 'niemand auf seinen Listen konnte es bekommen; warum, steht unten',
  not_found: 'sein Projekt, seinen Versandweg oder seine Vorlage gibt es nicht mehr',
};

const countsOf = (counts: Counts): string =>
  countLines(
    [
      ['Empfänger', counts.handedOver],
      ['Davon versendet', counts.sent],
      ['Davon noch in der Warteschlange', counts.queued],
      ['Davon bisher zugestellt', counts.delivered],
      ['Davon unzustellbar', counts.hardBounced],
      ['Davon vorübergehend unzustellbar', counts.softBounced],
      ['Davon fehlgeschlagen', counts.failed],
      ['Davon als Spam gemeldet', counts.complained],
    ],
    counts,
    { reasons: { ...codes, ...reasons }, left: 'Ausgelassen', other: 'aus einem anderen Grund' },
  );

const lastError = (label: string, error: string | null): readonly string[] =>
  error === null ? [] : [`${label} ${quotedShort(error)}`];

export const words = {
  dns_alert: ({ practice, host, records, link }: Of<'dns_alert'>): Mail => ({
    subject: `DNS-Einträge von ${host} stimmen nicht`,
    paragraphs: [
      `bei der Domain ${host}, von der „${practice}“ versendet, ist im DNS nicht alles so, wie es sein muss. E-Mails können deshalb im Spam landen oder abgewiesen werden.`,
      ...records.map((one) => record(one, recordLabels)),
      'Was im Einzelnen zu tun ist, sehen Sie hier:',
      link,
      'Sie haben die Einträge gerade geändert? Dann müssen Sie nichts tun: Wir schreiben Ihnen, sobald sie wieder stimmen.',
    ],
  }),
  dns_recovered: ({ practice, host, records, link }: Of<'dns_recovered'>): Mail => ({
    subject: `DNS-Einträge von ${host} stimmen wieder`,
    paragraphs: [
      `bei der Domain ${host}, von der „${practice}“ versendet, stimmen diese Einträge im DNS wieder:`,
      records.map(({ name, type }) => `${type} ${name}`).join('\n'),
      'Den Stand aller Einträge sehen Sie hier:',
      link,
      'Sie haben nichts geändert? Dann war es vermutlich eine Störung der Nameserver. Sie müssen nichts tun.',
    ],
  }),
  follower_disabled: ({
    practice,
    follower,
    name,
    at,
    reason,
    since,
    error,
    link,
  }: Of<'follower_disabled'>): Mail => {
    const [when, from] = [moment(at), moment(since)];
    const words =
      follower === 'webhook'
        ? {
            what: `Der Webhook „${name}“ von „${practice}“`,
            gone: 'Seine Adresse hat geantwortet, dass es sie nicht mehr gibt.',
            failing: `Seit dem ${from}, hat seine Adresse kein Ereignis mehr angenommen.`,
            next: 'Weitere Ereignisse werden nicht zugestellt. Sie stehen als fehlgeschlagen bei seinen Zustellungen. Das ist jetzt zu tun: Lassen Sie die Adresse prüfen, schalten Sie den Webhook wieder ein und stellen Sie die fehlgeschlagenen Ereignisse erneut zu. Das geht hier:',
            unexpected: 'Sie haben diesen Webhook nicht angelegt?',
          }
        : {
            what: `Die Meldung im Chat „${name}“ von „${practice}“`,
            gone: 'Die Adresse im Chat hat geantwortet, dass es sie nicht mehr gibt.',
            failing: `Seit dem ${from}, hat die Adresse im Chat keine Nachricht mehr angenommen.`,
            next: 'Bis sie wieder eingeschaltet ist, kommt im Chat nichts mehr an. Das ist jetzt zu tun: Legen Sie im Chat eine neue Adresse an, tragen Sie sie ein und schalten Sie die Meldung wieder ein. Den aktuellen Stand sehen Sie hier:',
            unexpected: 'Sie haben diese Meldung nicht angelegt?',
          };
    return {
      subject: `${words.what} ist abgeschaltet`,
      paragraphs: [
        `${words.what.replace(/^D/, 'd')} wurde am ${when}, abgeschaltet. ${words[reason]}`,
        ...lastError('Der letzte Fehler:', error),
        words.next,
        link,
        'Ihre E-Mails werden weiter versendet wie bisher.',
        `${words.unexpected} Dann war es vermutlich jemand anderes mit Zugang. Fragen Sie bitte die übrigen Mitglieder.`,
      ],
    };
  },
  forward_ended: ({ practice, target, at, reason, link }: Of<'forward_ended'>): Mail => ({
    subject: `Weiterleitung an ${target} ist beendet`,
    paragraphs: [
      `E-Mails an „${practice}“ werden seit dem ${moment(at)}, nicht mehr an ${target} weitergeleitet. ${
        reason === null
          ? 'Die Adresse hat die Weiterleitung abgelehnt oder beendet.'
          : 'Die Adresse nimmt keine E-Mails an.'
      }`,
      ...(reason === null ? [] : [`Die Antwort ihres Servers: ${quotedShort(reason)}`]),
      'Neue E-Mails finden Sie weiter im Postfach. Das ist jetzt zu tun: Tragen Sie eine andere Adresse ein, oder schalten Sie die Weiterleitung aus. Den aktuellen Stand sehen Sie hier:',
      link,
      'Sie haben diese Weiterleitung nicht eingerichtet? Dann war es vermutlich jemand anderes mit Zugang. Fragen Sie bitte die übrigen Mitglieder.',
    ],
  }),
  campaign: ({ practice, name, what, reason, at, counts, link }: Of<'campaign'>): Mail => {
    const since = `seit dem ${moment(at)}`;
    const said: Readonly<
      Record<Of<'campaign'>['what'], readonly [subject: string, ...paragraphs: string[]]>
    > = {
      finished: [
        `Rundschreiben „${name}“ ist versendet`,
        `das Rundschreiben „${name}“ von „${practice}“ ist am ${moment(at)}, fertig geworden.`,
      ],
      stopped: [
        `Rundschreiben „${name}“ hat sich selbst angehalten`,
        `das Rundschreiben „${name}“ von „${practice}“ ist ${since}, angehalten: ${
          reason === 'complaints'
            ? 'Zu viele Empfänger haben es als Spam gemeldet.'
            : `${counted(counts.hardBounced)} Adressen gibt es nicht, das sind zu viele.`
        } Damit der übrige Versand weitergehen kann, wartet es, bis jemand es fortsetzt oder abbricht.`,
        reason === 'complaints'
          ? 'Das ist jetzt zu tun: Prüfen Sie, ob alle auf der Liste Ihre E-Mails bestellt haben, und setzen Sie das Rundschreiben erst dann fort.'
          : 'Das ist jetzt zu tun: Prüfen Sie, woher die Adressen stammen, entfernen Sie ungültige von der Liste, und setzen Sie das Rundschreiben dann auf seiner Seite fort. Die unzustellbaren Adressen sind bereits gesperrt; was bisher gezählt wurde, hält es nicht noch einmal an.',
      ],
      stalled: [
        `Rundschreiben „${name}“ geht nicht weiter`,
        `vom Rundschreiben „${name}“ von „${practice}“ ist ${since}, keine E-Mail mehr hinausgegangen. ${reasonOf(codes, 'Der Grund: ', reason) ?? 'Ein Grund dafür ist nicht bekannt; vielleicht nimmt der Mailserver des Betreibers zurzeit nichts an.'} Es geht von selbst weiter, sobald das möglich ist.`,
        'Das ist jetzt zu tun: Beheben Sie den Grund, wenn Sie es können. Bleibt es dabei, wenden Sie sich bitte an den Betreiber.',
      ],
      restored: [
        `Rundschreiben „${name}“ wartet auf Ihre Entscheidung`,
        `die Daten von „${practice}“ wurden vermutlich aus einer Sicherung wiederhergestellt, oder der Dienst war länger aus. Das Rundschreiben „${name}“ war dabei nicht zu Ende. Damit niemand dieselbe E-Mail zweimal bekommt, ist es ${since}, angehalten.`,
        'Das ist jetzt zu tun: Prüfen Sie, wie weit es gekommen war, und setzen Sie es fort oder brechen Sie es ab.',
      ],
      failed: [
        `Rundschreiben „${name}“ ist fehlgeschlagen`,
        `das Rundschreiben „${name}“ von „${practice}“ konnte nicht versendet werden. ${reasonOf(codes, 'Der Grund: ', reason) ?? 'Den Grund kennt der Betreiber.'}`,
        'Das ist jetzt zu tun: Duplizieren Sie es, beheben Sie den Grund, und senden Sie es erneut.',
      ],
    };
    const [subject, ...paragraphs] = said[what];
    return {
      subject,
      paragraphs: [...paragraphs, countsOf(counts), 'Den aktuellen Stand sehen Sie hier:', link],
    };
  },
  form_alert: ({ practice, list, health, at, counts, link }: Of<'form_alert'>): Mail => {
    const { mails, hardBounced, complaints } = counts;
    const isClosed = health === 'closed';
    return {
      subject: `Das Formular der Liste „${list}“ ist ${isClosed ? 'für eine Weile geschlossen' : 'gebremst'}`,
      paragraphs: [
        `Von ${mails} Bestätigungs-E-Mails, um die gestern und heute über das öffentliche Formular der Liste „${list}“ von „${practice}“ gebeten wurde, kamen ${hardBounced} zurück, weil es die Adresse nicht gibt, und ${complaints} wurden als Spam gemeldet. Vermutlich trägt jemand fremde oder erfundene Adressen ein.`,
        isClosed
          ? `Deshalb nimmt das Formular seit dem ${moment(at)}, niemanden mehr an. Es öffnet sich von selbst, spätestens nach zwei Tagen.`
          : `Deshalb nimmt das Formular seit dem ${moment(at)}, nur noch wenige Anmeldungen in der Stunde an. Das endet von selbst. Kommen noch mehr E-Mails zurück, schließt es für eine Weile.`,
        'Ihr übriger Versand ist davon nicht betroffen: Was Fremde auslösen, zählt nicht für Ihre Praxis. Sie müssen nichts tun. Die Liste sehen Sie hier:',
        link,
        'Sie haben das nicht erwartet? Dann sehen Sie bitte nach, auf welchen Seiten das Formular zu finden ist.',
      ],
    };
  },
  storage_faults: (notice: Of<'storage_faults'>, service: string): Mail => {
    const isOver = notice.faults.every(({ ended }) => ended);
    return {
      subject: isOver
        ? `${service}: Datenbanken sind wieder in Ordnung`
        : `${service}: Datenbanken sind nicht in Ordnung`,
      paragraphs: [
        'der Zustand dieser Dateien hat sich geändert:',
        faultLines(notice, faultLabels),
        ...(notice.more > 0 ? [`Dazu kommen ${notice.more} weitere.`] : []),
        isOver
          ? 'Es ist nichts zu tun.'
          : 'Betroffene Praxen bekommen bis dahin die Antwort 503; alle anderen sind nicht betroffen. Angenommene E-Mails gehen hinaus, sobald die Datei wieder benutzbar ist.',
        'Den aktuellen Stand zeigt `sendwerk admin practices`, und wer als Betreiber angemeldet ist, sieht ihn hier:',
        notice.link,
        'Sie haben das nicht erwartet? Dann sehen Sie zuerst ins Log: Dort ist jede Änderung mit ihrem Grund.',
      ],
    };
  },
  replica: ({ state, names, more, since, link }: Of<'replica'>, service: string): Mail => {
    if (state === 'ok')
      return {
        subject: `${service}: Die Replik ist wieder auf dem Stand`,
        paragraphs: [
          'die Replik hat wieder, was gespeichert ist. Es ist nichts zu tun. Den aktuellen Stand sehen Sie hier:',
          link,
          REPLICA_REASON,
        ],
      };
    const isSilent = state === 'silent';
    return {
      subject: isSilent ? `${service}: Litestream antwortet nicht` : `${service}: Die Replik bleibt zurück`,
      paragraphs: [
        isSilent
          ? 'Litestream antwortet seit Minuten nicht. Die Replik bekommt nichts mehr: Geht dieser Server jetzt verloren, fehlt, was seitdem gespeichert wurde.'
          : 'die Replik bekommt nicht mehr alles: Geht dieser Server jetzt verloren, fehlt, was seitdem gespeichert wurde.',
        ...(since === null ? [] : [`Ihr fehlt etwas seit dem ${moment(since)}.`]),
        ...(names.length === 0
          ? []
          : [`Betroffen: ${names.join(', ')}${more > 0 ? ` und ${counted(more)} weitere` : ''}.`]),
        'Angenommen und gesendet wird weiter. Den aktuellen Stand sieht, wer als Betreiber angemeldet ist, hier:',
        link,
        REPLICA_REASON,
      ],
    };
  },
};
export type Words = typeof words;
