// What is refused of domains, keys and records, in German, by the English texts.
import type { Sentences } from '#src/kernel/say.ts';
import { advice } from './advice.de.ts';

export const words = {
  ...advice,
  'A DKIM token of {} belongs to another practice.': 'Ein DKIM-Token von {} gehört einer anderen Praxis.',
  'The host {} belongs to another practice.': 'Der Host {} gehört einer anderen Praxis.',
  'The practice has asked for {} domains already.': 'Die Praxis hat schon {} Domains angefragt.',
  'A domain out of use is forgotten 60 days later; until then go on with one of those, or use another practice.':
    'Eine nicht mehr genutzte Domain wird nach 60 Tagen vergessen; bleiben Sie bis dahin bei einer von ihnen oder nehmen Sie eine andere Praxis.',
  'The service is about to end.': 'Der Dienst wird gleich beendet.',
  'The domain was changed while it was looked at.': 'Die Domain wurde während der Prüfung geändert.',
  'Check again.': 'Prüfen Sie noch einmal.',
  'The DNS of this practice was checked too often.': 'Das DNS dieser Praxis wurde zu oft geprüft.',
  'expected a logo as SVG (.svg)': 'erwartet wird ein Logo als SVG (.svg)',
  'expected a certificate as PEM (.pem)': 'erwartet wird ein Zertifikat als PEM (.pem)',
  '{} is a host of the service.': '{} ist ein Host des Dienstes.',
  'expected a domain alone: write {}': 'erwartet wird nur eine Domain: Schreiben Sie {}',
  'expected a domain of your own, such as example.org': 'erwartet wird eine eigene Domain, etwa example.org',
  'expected a domain of your own: this one is the service’s':
    'erwartet wird eine eigene Domain: Diese gehört dem Dienst',
  'expected a domain of your own: below this one anyone can have a name':
    'erwartet wird eine eigene Domain: Unter dieser kann jeder einen Namen haben',
  'expected a domain of your own: {} belongs to a provider of mailboxes, and only it can publish the records':
    'erwartet wird eine eigene Domain: {} gehört einem Anbieter von Postfächern, und nur er kann die Einträge veröffentlichen',
  'expected at most {} characters, because records are published at names below it':
    'erwartet werden höchstens {} Zeichen, weil unter ihr Einträge veröffentlicht werden',
  'The domain cannot be used as a sending domain.': 'Die Domain lässt sich nicht als Absenderdomain nutzen.',
  'The address to return to is not one of this service.':
    'Die Adresse, zu der es zurückgehen soll, gehört nicht zu diesem Dienst.',
  'expected an address below {}/': 'erwartet wird eine Adresse unter {}/',
  'The private key cannot be used.': 'Der private Schlüssel ist nicht brauchbar.',
  'expected a key without passphrase; decrypt it first':
    'erwartet wird ein Schlüssel ohne Passphrase; entschlüsseln Sie ihn zuerst',
  'expected a private key as PEM: `-----BEGIN PRIVATE KEY-----` or `-----BEGIN RSA PRIVATE KEY-----`':
    'erwartet wird ein privater Schlüssel als PEM: `-----BEGIN PRIVATE KEY-----` oder `-----BEGIN RSA PRIVATE KEY-----`',
  'expected an RSA or Ed25519 key': 'erwartet wird ein RSA- oder Ed25519-Schlüssel',
  'expected {} to {} bits, not {}': 'erwartet werden {} bis {} Bit, nicht {}',
  'expected an odd public exponent of {} to {}':
    'erwartet wird ein ungerader öffentlicher Exponent von {} bis {}',
  'the key is damaged: what it signs is not verified by its public half':
    'der Schlüssel ist beschädigt: Was er signiert, bestätigt seine öffentliche Hälfte nicht',
  'The practice has no domain of its own.': 'Die Praxis hat keine eigene Domain.',
  '{} is not the custom domain of the practice.': '{} ist nicht die eigene Domain der Praxis.',
  'A key can be imported for a custom domain, pending or in use: attach it with POST custom-domain.':
    'Ein Schlüssel lässt sich für eine eigene Domain einspielen, ob sie noch wartet oder genutzt wird: Melden Sie sie mit POST custom-domain an.',
  '{} has a key with the selector {} already.': '{} hat schon einen Schlüssel mit dem Selektor {}.',
  'The key behind a selector never changes: choose another selector.':
    'Der Schlüssel hinter einem Selektor ändert sich nie: Wählen Sie einen anderen Selektor.',
  '{} has {} imported keys already.': '{} hat schon {} eingespielte Schlüssel.',
  'GET dkim-keys says when the ones that sign no more are removed.':
    'GET dkim-keys sagt, wann die entfernt werden, die nicht mehr signieren.',
  'The selector is too long for the domain.': 'Der Selektor ist zu lang für die Domain.',
  'expected a shorter one': 'erwartet wird ein kürzerer',
  'The key is not seen at {}.': 'Der Schlüssel ist unter {} nicht zu sehen.',
  'The domain was changed meanwhile.': 'Die Domain wurde inzwischen geändert.',
  'Ask again.': 'Fragen Sie noch einmal.',
  'expected letters, digits and inner hyphens, at most {}; dots between labels':
    'erwartet werden Buchstaben, Ziffern und Bindestriche dazwischen, höchstens {}; Punkte zwischen den Teilen',
  'No other key of {} can take over yet.': 'Noch kann kein anderer Schlüssel von {} übernehmen.',
  'The practice has no keys for {}.': 'Die Praxis hat keine Schlüssel für {}.',
  'No key of {} signs, so there is none to replace.':
    'Kein Schlüssel von {} signiert, also ist keiner abzulösen.',
  'A key that waits starts to sign by itself as soon as the DNS shows it.':
    'Ein Schlüssel, der wartet, signiert von selbst, sobald das DNS ihn zeigt.',
  'The key that would take over is not seen at {}.':
    'Der Schlüssel, der übernehmen soll, ist unter {} nicht zu sehen.',
  'The keys of {} were changed meanwhile.': 'Die Schlüssel von {} wurden inzwischen geändert.',
  'This service has no access to a DNS provider.': 'Dieser Dienst hat keinen Zugang zu einem DNS-Anbieter.',
  'Publish the `records` of GET /api/practices/{id}/inbound where the DNS of the domain is. The operator can set `dns.provider`.':
    'Veröffentlichen Sie die `records` von GET /api/practices/{id}/inbound dort, wo das DNS der Domain liegt. Der Betreiber kann `dns.provider` setzen.',
  'The zone {} is at {}, but not in use there.': 'Die Zone {} liegt bei {}, ist dort aber nicht in Gebrauch.',
  'Name the name servers that it gives at the registrar of the domain first.':
    'Tragen Sie zuerst beim Registrar der Domain die Nameserver ein, die der Anbieter nennt.',
  '{} shows this service no zone of {}.': '{} zeigt diesem Dienst keine Zone von {}.',
  "Where the zone is elsewhere, publish the records there. Where it is at {}, the operator's token needs {}.":
    'Liegt die Zone anderswo, veröffentlichen Sie die Einträge dort. Liegt sie bei {}, braucht das Token des Betreibers {}.',
  'the permissions Zone Read and DNS Edit for it': 'dafür die Berechtigungen Zone Read und DNS Edit',
  'It is not proved yet that {} is yours.': 'Noch ist nicht nachgewiesen, dass {} Ihnen gehört.',
  'Publish its DKIM records, see GET /api/practices/{id}/dns-records, and check them; then apply again.':
    'Veröffentlichen Sie die DKIM-Einträge, siehe GET /api/practices/{id}/dns-records, und prüfen Sie sie; versuchen Sie es dann noch einmal.',
  'Send the same request again after `retry_after` seconds: what was published so far is found then.':
    'Senden Sie dieselbe Anfrage nach `retry_after` Sekunden noch einmal: Was schon veröffentlicht ist, wird dann erkannt.',
  'Cloudflare could not be reached, or gave no answer in time.':
    'Cloudflare war nicht erreichbar oder antwortete nicht rechtzeitig.',
  'Cloudflare takes no more requests for now.': 'Cloudflare nimmt gerade keine Anfragen mehr an.',
  "Cloudflare refuses the service's token.": 'Cloudflare lehnt das Token des Dienstes ab.',
  'That is for the operator: the token in dns.provider must be valid, and needs {}.':
    'Das ist Sache des Betreibers: Das Token in dns.provider muss gültig sein und braucht {}.',
  'Cloudflare failed (status {}).': 'Cloudflare hatte einen Fehler (Status {}).',
  'Cloudflare refuses: {} ({}).': 'Cloudflare lehnt ab: {} ({}).',
  'Put right at Cloudflare what it says, or publish the records there by hand.':
    'Beheben Sie bei Cloudflare, was es nennt, oder veröffentlichen Sie die Einträge dort von Hand.',
  'Cloudflare answers in a form that is not known.': 'Cloudflare antwortet in einer unbekannten Form.',
  'Nothing is served under {}.': 'Unter {} wird nichts bereitgestellt.',
  'this host name': 'diesem Hostnamen',
  'MTA-STS policies are served under mta-sts. before a host that receives mail here.':
    'MTA-STS-Richtlinien gibt es unter mta-sts. vor einem Host, der hier Mail empfängt.',

  // Fields that schemas check.
  'expected no semicolon: write it as %3B': 'ein Semikolon ist nicht erlaubt: schreiben Sie es als %3B',
} satisfies Sentences;
