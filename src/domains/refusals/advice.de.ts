// Advice on the records in the DNS, in German, by the English texts.
import type { Sentences } from '#src/kernel/say.ts';

export const advice = {
  // Records that are wanted.
  'Publish it as a plain CNAME: switch a proxy ("DNS only" at some providers) off for this name.':
    'Veröffentlichen Sie ihn als einfachen CNAME: Schalten Sie einen Proxy für diesen Namen ab (bei manchen Anbietern „DNS only“).',
  'This service publishes it itself: there is nothing for you to do.':
    'Das veröffentlicht dieser Dienst selbst: Sie müssen nichts tun.',
  'Optional. Put the address of your own logo (SVG Tiny PS, by https) in place of the one shown; leave a= out until you have a certificate.':
    'Freiwillig. Setzen Sie die Adresse Ihres eigenen Logos (SVG Tiny PS, über https) an die Stelle der gezeigten; lassen Sie a= weg, bis Sie ein Zertifikat haben.',
  'Optional. It has an effect only with a DMARC policy of quarantine or reject.':
    'Freiwillig. Er wirkt nur mit der DMARC-Richtlinie quarantine oder reject.',
  'Optional, for receiving mail at addresses of {}. The MX of {} itself stays as it is.':
    'Freiwillig, um Mail an Adressen von {} zu empfangen. Der MX von {} selbst bleibt, wie er ist.',
  'A name may have one SPF record only: where there is one, add the include to it.':
    'Ein Name darf nur einen SPF-Eintrag haben: Wo es einen gibt, fügen Sie das include dort hinzu.',
  'Where there is a DMARC record, keep it; it must not say aspf=s.':
    'Wo es einen DMARC-Eintrag gibt, behalten Sie ihn; er darf nicht aspf=s enthalten.',
  'With the same policy (p=) as at _dmarc.{}.': 'Mit derselben Richtlinie (p=) wie unter _dmarc.{}.',

  // What is not there.
  'A wildcard record (*) of the zone answers for this name; the record itself is not there. Add the {} at {}: it goes before the wildcard.':
    'Ein Platzhalter-Eintrag (*) der Zone antwortet für diesen Namen; der Eintrag selbst fehlt. Legen Sie {} unter {} an: Er geht dem Platzhalter vor.',
  'No record can have this name: it is longer than {} characters.':
    'Kein Eintrag kann diesen Namen haben: Er ist länger als {} Zeichen.',
  'It was entered as {}: your provider puts {} behind every name itself. Enter the name as "{}".':
    'Er wurde als {} eingetragen: Ihr Anbieter setzt {} selbst hinter jeden Namen. Tragen Sie den Namen als „{}“ ein.',
  'The domain itself is not in the DNS: is it registered, and are its name servers set at the registrar?':
    'Die Domain selbst ist nicht im DNS: Ist sie registriert, und sind beim Registrar ihre Nameserver eingetragen?',
  'There is no such record yet: add the {} at {}. A new record can take an hour to be seen.':
    'Diesen Eintrag gibt es noch nicht: Legen Sie {} unter {} an. Ein neuer Eintrag kann eine Stunde brauchen, bis er zu sehen ist.',
  '{} is an alias (CNAME) of {}, where there is no such record. A name with a CNAME cannot have other records: put it right there, or remove the CNAME and add the {}.':
    '{} ist ein Alias (CNAME) von {}, und dort gibt es diesen Eintrag nicht. Ein Name mit CNAME kann keine anderen Einträge haben: Berichtigen Sie es dort, oder entfernen Sie den CNAME und legen Sie {} an.',
  'Whether the record is there could not be found out: when asked for {}, {}.':
    'Ob es den Eintrag gibt, ließ sich nicht feststellen: Auf die Frage nach {} galt: {}.',
  'the name servers failed (SERVFAIL). Usually DNSSEC is broken (the DS record at the registrar does not match the zone), or the name servers are down or do not have the zone':
    'die Nameserver meldeten einen Fehler (SERVFAIL). Meist ist DNSSEC gestört (der DS-Eintrag beim Registrar passt nicht zur Zone), oder die Nameserver sind außer Betrieb oder haben die Zone nicht',
  'the name server refused to answer (REFUSED). Usually the domain is delegated to a name server that does not have its zone':
    'der Nameserver verweigerte die Antwort (REFUSED). Meist ist die Domain einem Nameserver übertragen, der ihre Zone nicht hat',
  'no name server answered in time. Usually the name servers are down or cannot be reached':
    'kein Nameserver antwortete rechtzeitig. Meist sind die Nameserver außer Betrieb oder nicht zu erreichen',
  'the answer could not be read. Usually a name server or firewall on the way is broken':
    'die Antwort war nicht lesbar. Meist ist ein Nameserver oder eine Firewall auf dem Weg gestört',

  // CNAME and MX.
  'The CNAME leads to {}, not to {}.': 'Der CNAME führt zu {}, nicht zu {}.',
  'Your provider has put {} behind the target: enter it with a dot at its end ({}.).':
    'Ihr Anbieter hat {} hinter das Ziel gesetzt: Tragen Sie es mit einem Punkt am Ende ein ({}.).',
  'Where it leads now there is nothing.': 'Wohin er jetzt führt, ist nichts.',
  'Where it leads now no server answers.': 'Wohin er jetzt führt, antwortet kein Server.',
  'Change its target to {}.': 'Ändern Sie sein Ziel zu {}.',
  'There are addresses (A or AAAA) in place of the CNAME: it is published through a proxy. Switch the proxy off for {} ("DNS only"), so that the CNAME to {} itself is seen.':
    'Statt des CNAME stehen dort Adressen (A oder AAAA): Er wird über einen Proxy veröffentlicht. Schalten Sie den Proxy für {} ab („DNS only“), damit der CNAME zu {} selbst zu sehen ist.',
  "Your record is right. The key behind it could not be asked for at {}: {}. That is the operator's side; there is nothing for you to do.":
    'Ihr Eintrag ist richtig. Der Schlüssel dahinter ließ sich unter {} nicht abfragen: {}. Das ist Sache des Betreibers; Sie müssen nichts tun.',
  "Your record is right. {} That zone is the operator's and does not answer as it should yet; there is nothing for you to do.":
    'Ihr Eintrag ist richtig. {} Diese Zone gehört dem Betreiber und antwortet noch nicht, wie sie soll; Sie müssen nichts tun.',
  'The CNAME leads to {}, where the same key is. It works as long as that is there: change its target to {}.':
    'Der CNAME führt zu {}, wo derselbe Schlüssel liegt. Das geht, solange er dort liegt: Ändern Sie das Ziel auf {}.',
  'The key itself is published there as a TXT record. It works now and breaks when the key changes: replace it by the CNAME to {}.':
    'Dort ist der Schlüssel selbst als TXT-Eintrag veröffentlicht. Das geht jetzt und versagt, wenn der Schlüssel wechselt: Ersetzen Sie ihn durch den CNAME zu {}.',
  'A TXT record with another key is there instead of the CNAME: remove it and add the CNAME to {}.':
    'Statt des CNAME steht dort ein TXT-Eintrag mit einem anderen Schlüssel: Entfernen Sie ihn und legen Sie den CNAME zu {} an.',
  'There is a separate MTA-STS record. It does not change when the policy changes: replace it by the CNAME to {}.':
    'Es gibt einen eigenen MTA-STS-Eintrag. Er ändert sich nicht mit der Richtlinie: Ersetzen Sie ihn durch den CNAME zu {}.',
  '{} is an alias (CNAME) of {}. A name with a CNAME cannot have an MX (RFC 2181, 10.3): remove the CNAME and add the MX {} {}.':
    '{} ist ein Alias (CNAME) von {}. Ein Name mit CNAME kann keinen MX haben (RFC 2181, 10.3): Entfernen Sie den CNAME und legen Sie den MX {} {} an.',
  'The MX at {} says that the name takes no mail ("0 ."): bounces could not arrive. Replace it by MX {} {}.':
    'Der MX unter {} sagt, dass der Name keine Mail annimmt („0 .“): Rückläufer kämen nicht an. Ersetzen Sie ihn durch MX {} {}.',
  'The MX at {} leads to {}, not to this service. Replace it by MX {} {}.':
    'Der MX unter {} führt zu {}, nicht zu diesem Dienst. Ersetzen Sie ihn durch MX {} {}.',
  "Besides this service's there are other MX records at {}, and mail that goes there is lost. Remove them and leave only {} {}.":
    'Neben dem dieses Dienstes gibt es unter {} weitere MX-Einträge, und Mail, die dorthin geht, ist verloren. Entfernen Sie sie und lassen Sie nur {} {}.',
  'The MX of {} leads to {}: mail to your own addresses would arrive here and not at your mailboxes.':
    'Der MX von {} führt zu {}: Mail an Ihre eigenen Adressen käme hier an und nicht in Ihren Postfächern.',
  "Put back your mail provider's MX there. To receive mail here, publish an MX for {} only.":
    'Setzen Sie dort wieder den MX Ihres Mailanbieters. Um hier Mail zu empfangen, veröffentlichen Sie nur einen MX für {}.',
  'That is for the operator to put right; there is nothing for you to do.':
    'Das muss der Betreiber berichtigen; Sie müssen nichts tun.',
  "The operator's zone does not hold it as it should.":
    'Die Zone des Betreibers enthält ihn nicht, wie sie soll.',

  // DKIM.
  'has quotation marks as part of its text': 'enthält Anführungszeichen als Teil seines Textes',
  'does not begin with "v=DKIM1;"': 'beginnt nicht mit „v=DKIM1;“',
  'has a tag twice ({})': 'hat ein Feld zweimal ({})',
  'has a piece that is no tag=value: a semicolon may be missing or too much':
    'hat ein Stück, das kein Feld=Wert ist: Vielleicht fehlt ein Semikolon, oder es ist eines zu viel',
  'has no p=, so no key': 'hat kein p=, also keinen Schlüssel',
  'names an unknown kind of key (k={})': 'nennt eine unbekannte Art von Schlüssel (k={})',
  'has a key (p=) with characters that base64 does not have':
    'hat einen Schlüssel (p=) mit Zeichen, die base64 nicht hat',
  'allows only hashes that are no longer accepted (h= without sha256)':
    'erlaubt nur Hashes, die nicht mehr angenommen werden (h= ohne sha256)',
  'is not for e-mail (s=)': 'ist nicht für E-Mail (s=)',
  'has a key (p=) that is not whole: a part of it may be missing':
    'hat einen Schlüssel (p=), der nicht vollständig ist: Vielleicht fehlt ein Teil',
  'has a key (p=) that is not an Ed25519 key of 32 bytes':
    'hat einen Schlüssel (p=), der kein Ed25519-Schlüssel von 32 Bytes ist',
  'No key is published at {}.': 'Unter {} ist kein Schlüssel veröffentlicht.',
  'The TXT record there is no DKIM key.': 'Der TXT-Eintrag dort ist kein DKIM-Schlüssel.',
  '{} is an alias that leads to {}.': '{} ist ein Alias, der zu {} führt.',
  'There are {} key records at {}; verifiers may take either. Leave only one.':
    'Es gibt {} Schlüsseleinträge unter {}; Prüfer können jeden davon nehmen. Lassen Sie nur einen.',
  'The key record at {} cannot be used: the record {}.':
    'Der Schlüsseleintrag unter {} ist nicht brauchbar: Der Eintrag {}.',
  'The key at {} is withdrawn (empty p=): nothing signed with it verifies.':
    'Der Schlüssel unter {} ist zurückgezogen (leeres p=): Was damit signiert ist, besteht keine Prüfung.',
  'The record at {} says t=y (testing): receivers may treat the mail as unsigned. Remove that.':
    'Der Eintrag unter {} enthält t=y (Test): Empfänger können die Mail wie nicht signierte behandeln. Entfernen Sie das.',
  'A key is still published at {} although it is withdrawn.':
    'Unter {} ist noch ein Schlüssel veröffentlicht, obwohl er zurückgezogen ist.',
  'Another key is published at {}.': 'Unter {} ist ein anderer Schlüssel veröffentlicht.',
  'The key is withdrawn and no longer published.':
    'Der Schlüssel ist zurückgezogen und nicht mehr veröffentlicht.',
  'Publish the TXT record as shown.': 'Veröffentlichen Sie den TXT-Eintrag wie gezeigt.',
  'The TXT must be: {}': 'Der TXT-Eintrag muss lauten: {}',
  '{} must be a CNAME to {}.': '{} muss ein CNAME zu {} sein.',

  // DMARC.
  'It has no policy (p=), which receivers read as p=none or as no record at all: say which.':
    'Er hat keine Richtlinie (p=), was Empfänger als p=none oder als gar keinen Eintrag lesen: Nennen Sie sie.',
  '{} is no policy, and receivers read it as none: say none, quarantine or reject.':
    '{} ist keine Richtlinie, und Empfänger lesen es als none: Schreiben Sie none, quarantine oder reject.',
  'It demands strict SPF alignment (aspf=s), which the return path bounce.{} never has: say aspf=r.':
    'Er verlangt strenge SPF-Übereinstimmung (aspf=s), die der Rückweg bounce.{} nie hat: Schreiben Sie aspf=r.',
  '{} cannot be: say {}=r.': '{} kann nicht sein: Schreiben Sie {}=r.',
  '{} is there a second time: leave it out.': '{} steht ein zweites Mal da: Lassen Sie es weg.',
  '{} is no tag=value: put a semicolon between tags and leave out what is none.':
    '{} ist kein Feld=Wert: Setzen Sie zwischen Felder ein Semikolon und lassen Sie weg, was keines ist.',
  'It claims to be a public suffix (psd=y), so the return path would no longer align: leave psd out.':
    'Er gibt sich als öffentliche Endung aus (psd=y), so dass der Rückweg nicht mehr übereinstimmte: Lassen Sie psd weg.',
  'Since RFC 9989 {} no longer exists: leave it out.':
    'Seit RFC 9989 gibt es {} nicht mehr: Lassen Sie das weg.',
  'Since RFC 9989 {} no longer exist: leave them out.':
    'Seit RFC 9989 gibt es {} nicht mehr: Lassen Sie sie weg.',
  'It says t=y (testing): receivers do not apply the policy.':
    'Er enthält t=y (Test): Empfänger wenden die Richtlinie nicht an.',
  'It asks for no reports: add rua={} to see who sends as your domain.':
    'Er bittet um keine Berichte: Fügen Sie rua={} hinzu, um zu sehen, wer als Ihre Domain sendet.',
  '{} is no address that reports can go to: it must begin with mailto:.':
    '{} ist keine Adresse, an die Berichte gehen können: Sie muss mit mailto: beginnen.',
  'A semicolon is missing between its tags.': 'Zwischen seinen Feldern fehlt ein Semikolon.',
  'Not all receivers know tags in capitals: write them small.':
    'Nicht alle Empfänger kennen Felder in Großbuchstaben: Schreiben Sie sie klein.',
  'The record does not begin with exactly "v=DMARC1;", so it counts as none. Replace it by the one shown.':
    'Der Eintrag beginnt nicht genau mit „v=DMARC1;“ und zählt deshalb nicht. Ersetzen Sie ihn durch den gezeigten.',
  'There are {} DMARC records at {}, and receivers ignore them all. Leave only one, as shown.':
    'Es gibt {} DMARC-Einträge unter {}, und Empfänger beachten keinen davon. Lassen Sie nur einen, wie gezeigt.',
  'There is no such record yet. It must say the same policy (p=) as {}, and that name could not be asked for: check again later.':
    'Diesen Eintrag gibt es noch nicht. Er muss dieselbe Richtlinie (p=) nennen wie {}, und dieser Name ließ sich nicht abfragen: Prüfen Sie später noch einmal.',
  'It is there. Whether its policy is the same as at {} could not be found out: that name could not be asked for.':
    'Er ist da. Ob seine Richtlinie dieselbe ist wie unter {}, ließ sich nicht feststellen: Dieser Name ließ sich nicht abfragen.',
  'Its policy is stricter (p={}) than at {} (p={}); both should be the same. Raise the one at {} to p={} rather than lower this one.':
    'Seine Richtlinie ist strenger (p={}) als unter {} (p={}); beide sollten gleich sein. Heben Sie die unter {} auf p={} an, statt diese zu senken.',
  'Its policy (p={}) is not the same as at {} (p={}): say p={}.':
    'Seine Richtlinie (p={}) ist nicht dieselbe wie unter {} (p={}): Schreiben Sie p={}.',

  // BIMI and TLS reports.
  'The logo (l=) is not the one set here: replace it by {}.':
    'Das Logo (l=) ist nicht das hier eingestellte: Ersetzen Sie es durch {}.',
  'The logo (l={}) must be the https address of an SVG file, ending in .svg.':
    'Das Logo (l={}) muss die https-Adresse einer SVG-Datei sein, die auf .svg endet.',
  'The certificate (a=) is not the one set here: say a={}.':
    'Das Zertifikat (a=) ist nicht das hier eingestellte: Schreiben Sie a={}.',
  'The certificate tag (a=) is empty: leave it out until there is a certificate.':
    'Das Feld des Zertifikats (a=) ist leer: Lassen Sie es weg, bis es ein Zertifikat gibt.',
  'The certificate (a={}) must be the https address of a PEM file; leave a= out until there is one.':
    'Das Zertifikat (a={}) muss die https-Adresse einer PEM-Datei sein; lassen Sie a= weg, bis es eine gibt.',
  'It has no effect as long as the DMARC policy is p=none.':
    'Er wirkt nicht, solange die DMARC-Richtlinie p=none ist.',
  "Optional: a logo beside your mails. Put your own logo's address in l=.":
    'Freiwillig: ein Logo neben Ihren Mails. Setzen Sie die Adresse Ihres eigenen Logos in l=.',
  'Optional.': 'Freiwillig.',
  'There are {} BIMI records at {}, and receivers ignore them all. Leave only one.':
    'Es gibt {} BIMI-Einträge unter {}, und Empfänger beachten keinen davon. Lassen Sie nur einen.',
  "This record declines: receivers show no logo. To have one shown, put your logo's address in l=.":
    'Dieser Eintrag lehnt ab: Empfänger zeigen kein Logo. Um eines zeigen zu lassen, setzen Sie die Adresse Ihres Logos in l=.',
  '{} does not belong there: leave it out.': '{} gehört nicht dorthin: Lassen Sie es weg.',
  'There are {} such records at {}, and senders ignore them all. Leave only one.':
    'Es gibt {} solche Einträge unter {}, und Absender beachten keinen davon. Lassen Sie nur einen.',
  'Reports cannot go to {}: name a mailto: or https: address.':
    'Berichte können nicht an {} gehen: Nennen Sie eine Adresse mit mailto: oder https:.',
  'The reports go to others and are not seen here.':
    'Die Berichte gehen an andere und sind hier nicht zu sehen.',

  // SPF.
  'may have nothing behind "all"': 'darf hinter „all“ nichts haben',
  'has no IPv{} address or network': 'hat keine IPv{}-Adresse und kein Netz',
  'has a network length that cannot be': 'hat eine Netzlänge, die nicht sein kann',
  'names no domain': 'nennt keine Domain',
  'names no domain that could be': 'nennt keine mögliche Domain',
  'is nothing that SPF knows': 'ist nichts, was SPF kennt',
  'is allowed only once': 'ist nur einmal erlaubt',
  'has a tab or line break; only spaces part terms':
    'hat einen Tabulator oder Zeilenumbruch; nur Leerzeichen trennen Angaben',
  'leads back to where it was asked from': 'führt dorthin zurück, von wo danach gefragt wurde',
  'leads to a name that does not exist': 'führt zu einem Namen, den es nicht gibt',
  'leads to a name that has no SPF record': 'führt zu einem Namen, der keinen SPF-Eintrag hat',
  'leads to a name with {} SPF records, where only one may be':
    'führt zu einem Namen mit {} SPF-Einträgen, wo nur einer sein darf',
  'leads to a record with a mistake in it: the term {} {}':
    'führt zu einem Eintrag mit einem Fehler: Die Angabe {} {}',
  'leads to more than {} mail servers, which is not allowed':
    'führt zu mehr als {} Mailservern, was nicht erlaubt ist',
  '{} includes {}': '{} schließt ein: {}',
  'It does not list this service: add include:{} to it, as shown. Do not add a second SPF record.':
    'Er nennt diesen Dienst nicht: Fügen Sie include:{} hinzu, wie gezeigt. Legen Sie keinen zweiten SPF-Eintrag an.',
  '{} comes after "all" and is never evaluated: move it before "all", as shown.':
    '{} steht hinter „all“ und wird nie ausgewertet: Setzen Sie es vor „all“, wie gezeigt.',
  "{} does not allow this service's mail: leave the {} out, as shown.":
    '{} erlaubt die Mail dieses Dienstes nicht: Lassen Sie das {} weg, wie gezeigt.',
  'The record {}.': 'Der Eintrag {}.',
  'The term {} {}; {}.': 'Die Angabe {} {}; {}.',
  'correct it, or leave it out as in the record shown':
    'berichtigen Sie sie, oder lassen Sie sie weg wie im gezeigten Eintrag',
  'it was probably meant as {}': 'gemeint war wohl {}',
  'The record is split into strings, and a space is missing where they meet: receivers join them as they are. Enter it as one line as shown, or end each string but the last with a space.':
    'Der Eintrag ist in Zeichenketten geteilt, und wo sie sich treffen, fehlt ein Leerzeichen: Empfänger fügen sie zusammen, wie sie sind. Tragen Sie ihn als eine Zeile ein, wie gezeigt, oder beenden Sie jede Zeichenkette außer der letzten mit einem Leerzeichen.',
  'The record does not begin with exactly "v=spf1" and a space, so it counts as none. Replace it by the one shown.':
    'Der Eintrag beginnt nicht genau mit „v=spf1“ und einem Leerzeichen und zählt deshalb nicht. Ersetzen Sie ihn durch den gezeigten.',
  '"+all" allows anyone to send as your domain: end the record with ~all.':
    '„+all“ erlaubt jedem, als Ihre Domain zu senden: Beenden Sie den Eintrag mit ~all.',
  '{}: receivers treat the whole record as invalid. Correct it, or leave it out as in the record shown.':
    '{}: Empfänger behandeln den ganzen Eintrag als ungültig. Berichtigen Sie es, oder lassen Sie es weg wie im gezeigten Eintrag.',
  '{} of its terms lead to nothing ({}), and receivers allow {}: leave them out.':
    '{} seiner Angaben führen zu nichts ({}), und Empfänger erlauben {}: Lassen Sie sie weg.',
  'It uses "ptr", which is slow and no longer recommended (RFC 7208, 5.5): name the addresses instead.':
    'Er nutzt „ptr“, was langsam ist und nicht mehr empfohlen wird (RFC 7208, 5.5): Nennen Sie stattdessen die Adressen.',
  'Terms after {} are never evaluated ({}): move them before it.':
    'Angaben hinter {} werden nie ausgewertet ({}): Setzen Sie sie davor.',
  '"?all" says nothing about other senders: ~all would be better.':
    '„?all“ sagt nichts über andere Absender: ~all wäre besser.',
  'It has no "all" at its end: add ~all.': 'Ihm fehlt „all“ am Ende: Fügen Sie ~all hinzu.',
  'Receivers reject the term {} ({}): leave it out as in the record shown.':
    'Empfänger lehnen die Angabe {} ab ({}): Lassen Sie sie weg wie im gezeigten Eintrag.',
  "Your record is right. {}, which it includes, does not answer as it should yet: {}. That zone is the operator's; there is nothing for you to do.":
    'Ihr Eintrag ist richtig. {}, was er einschließt, antwortet noch nicht, wie es soll: {}. Diese Zone gehört dem Betreiber; Sie müssen nichts tun.',
  '{}, which the record includes, could not be asked for: {}.':
    '{}, was der Eintrag einschließt, ließ sich nicht abfragen: {}.',
  "That zone is the operator's; there is nothing for you to do.":
    'Diese Zone gehört dem Betreiber; Sie müssen nichts tun.',
  'Receivers cannot check the record as long as that lasts.':
    'Solange das dauert, können Empfänger den Eintrag nicht prüfen.',
  'So it cannot be said whether it lists {}.': 'Deshalb lässt sich nicht sagen, ob er {} nennt.',
  'It costs {} DNS lookups, and receivers stop at {}: leave out senders that are no longer used.':
    'Er kostet {} DNS-Abfragen, und Empfänger hören bei {} auf: Lassen Sie Absender weg, die nicht mehr genutzt werden.',
  'It costs {} DNS lookups with this service, and receivers stop at {}: leave out senders that are no longer used.':
    'Mit diesem Dienst kostet er {} DNS-Abfragen, und Empfänger hören bei {} auf: Lassen Sie Absender weg, die nicht mehr genutzt werden.',
  'more than {}': 'mehr als {}',
  'There are {} SPF records at {}, and only one may be: receivers take none of them. Replace them all by the one shown.':
    'Es gibt {} SPF-Einträge unter {}, und nur einer darf sein: Empfänger nehmen keinen davon. Ersetzen Sie alle durch den gezeigten.',

  // Warm-up, and records that the service publishes for a practice.
  'Until then send that with a From address on {}.':
    'Senden Sie das bis dahin mit einer Absenderadresse auf {}.',
  'Once its DKIM records are found, {} begins its warm-up: daily limits apply for {} days, and marketing mail from it is refused before day {}. {}':
    'Sobald ihre DKIM-Einträge gefunden sind, beginnt für {} die Aufwärmphase: {} Tage lang gelten Tagesgrenzen, und Werbung von ihr wird vor Tag {} abgelehnt. {}',
  '{} is on day {} of its warm-up: marketing mail from it is refused before day {}. {}':
    '{} ist am Tag {} ihrer Aufwärmphase: Werbung von ihr wird vor Tag {} abgelehnt. {}',
  'It was published now. Resolvers that were asked before may need an hour until they see it: check again then.':
    'Er wurde jetzt veröffentlicht. Resolver, die vorher gefragt wurden, sehen ihn vielleicht erst in einer Stunde: Prüfen Sie dann noch einmal.',
  'Something else is at {} and was left as it is: {}. Remove it if it is not needed, then apply again.':
    'Unter {} steht etwas anderes und blieb, wie es ist: {}. Entfernen Sie es, wenn es nicht gebraucht wird, und wenden Sie die Einträge noch einmal an.',
  'Replace its TXT record by the one shown, or remove it.':
    'Ersetzen Sie seinen TXT-Eintrag durch den gezeigten, oder entfernen Sie ihn.',
  '{} bits are few: rotate soon, so that a key of {} bits signs.':
    '{} Bit sind wenig: Wechseln Sie bald, damit ein Schlüssel von {} Bit signiert.',
} satisfies Sentences;
