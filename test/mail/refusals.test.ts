// Replies as receivers around the world give them: who must be suppressed, and who must not. Each line is one reply.
import { describe, expect, test } from 'vitest';
import { classifyBounce } from '#src/mail/bounce-class.ts';
import { parseReply } from '#src/mail/reply.ts';

const gone = `
550 5.1.1 <a@b.example>: Recipient address rejected: User unknown in relay recipient table
550 5.1.1 <a@b.example>... User unknown
550 5.1.1 <a@b.example> Recipient not found. <http://x.co/irbounce>
550 5.1.1 Not our Customer
550 5.1.1 Mail Refused - Address <a@b.example> Recipient Unknown
550 5.1.1 unknown or illegal alias: a@b.example
550 5.1.1 User does not exist - <a@b.example>
550-5.1.1 The email account that you tried to reach does not exist. Please try double-checking the recipient's email address for typos or unnecessary spaces. For more information, go to https://support.example.com/mail/?p=NoSuchUser
550 5.1.1 <a@b.example> Please check the address and try again
550 5.1.1 RESOLVER.ADR.RecipNotFound; not found
550 5.1.1 RESOLVER.ADR.ExRecipNotFound; not found
550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup
550 5.1.1 Address rejected: https://postmaster.b.example/policy/unknown
550 5.4.1 Recipient address rejected: Access denied. AS(201806281)
550 5.1.0 Address rejected.
550 5.1.0 - <a@b.example> recipient rejected. Refer to Error Codes section at https://b.example
550 #5.1.0 Address rejected a@b.example
550 5.7.1 No such user!
550 5.7.1 <a@b.example>: Recipient address rejected: user a@b.example does not exist
550 5.0.0 <a@b.example>... User unknown
550 5.3.0 <a@b.example>... No such user here
554 5.3.0 unknown user
554 5.4.0 <a@b.example>: user not exist
550 5.4.1 User unknown
550 5.5.1 Invalid recipient: a@b.example
550 5.2.0 User unknown
550 5.2.1 The email account that you tried to reach is disabled. Learn more at https://support.example.com/mail/?p=DisabledUser
550 5.5.0 Requested action not taken: mailbox unavailable (S2017062302).
550 Requested action not taken: mailbox unavailable
550-Requested action not taken: mailbox unavailable For explanation visit https://postmaster.gmx.example/case?c=r0601
550 Unknown user a@docomo.example
550 <a@ezweb.example>: User unknown
550 Invalid recipient: <a@softbank.example>
554 delivery error: dd This user doesn't have a yahoo.example account (a@yahoo.example) [-5] - mta1.mail.yahoo.example
554 delivery error: dd Not a valid recipient - mta.mail.yahoo.example
550 User not found: a@b.example
550 Mailbox not found. http://service.mail.example/cgi-bin/help?subtype=1
550 Message was not accepted -- invalid mailbox.  Local mailbox a@mail.example is unavailable: user not found
550 Message was not accepted -- invalid mailbox.  Local mailbox a@mail.example is unavailable: account is disabled
550 non-local recipient verification failed: unknown user
550 Unrouteable address
550 No such person at this address
550 No such recipient here
550 user not exist
550 5.1.1 user not exist
550 a@b.example No such user here
550 sorry, no mailbox here by that name (#5.1.1 - chkuser)
550 sorry, this recipient is not in my validrcptto list (#5.7.1)
550 sorry, that recipient is in my badrecipientto list (#5.7.1)
550 Rejected by Barracuda: permanent failure for one or more recipients (a@b.example:550 5.1.1 User unknown)
550 Invalid Recipient - https://community.mimecast.example/docs/DOC-1369#550 [hash]
550-Invalid recipient <a@b.example> 550 (#5.1.1)
550 5.1.1 unknown user account
550 a@b.example unknown user account
550 no such user - psmtp
550 5.1.1 invalid final delivery userid
501 5.1.1 invalid final delivery userid
550 address unknown
550 5.1.1 bad destination mailbox address
553 5.1.1 sorry, user unknown
550 5.1.1 Mailbox does not exist
550 5.1.6 Recipient no longer on server: a@b.example
551 5.1.6 a@b.example has moved; user not local
551 User not local; please try <c@b.example>
550 User (a@b.example) unknown.
550 Mailbox a@b.example does not exist
550 This account is not allowed... no such account
550 5.1.1 Recipient unknown
550 Callout verification failed: 550 5.1.1 User unknown
550 5.2.1 <a@b.example>... Mailbox disabled for this recipient
554 The email account that you tried to reach has been disabled
550 This account has been disabled or discontinued [#102]. - mta1.mail.example
550 5.1.2 <a@nowhere.example>... Host unknown (Name server: nowhere.example: host not found)
550 5.4.4 Host or domain name not found. Name service error for name=nowhere.example type=AAAA: Host not found
550 Domain does not exist
550 5.1.2 Bad destination host 'DNS Hard Error looking up nowhere.example (MX): NXDomain'
550 invalid domain
553 5.1.2 invalid domain
550 domain is not reachable
550 5.1.2 domain is not reachable
554 5.4.4 Unable to route: no mail hosts for domain; no such domain
556 5.1.10 Recipient address has null MX
550 DNS Error: 123 DNS type 'mx' lookup of nowhere.example responded with code NXDOMAIN Domain name not found: nowhere.example
550 Sorry, I couldn't find a mail exchanger or IP address. (#5.4.4)
550 unbekannter Empfänger
550 Benutzer existiert nicht
550 Dieses Postfach gibt es hier nicht
550 Die Empfängeradresse ist unbekannt
550 Adresse d au moins un destinataire invalide. Invalid recipient. OFR204_416 [416]
550 5.1.1 Adresse d au moins un destinataire invalide. Invalid recipient. LPN007_416
550 Utilisateur inconnu !
550 5.7.1 L'utilisateur a n'existe pas
550 Bo?te aux lettres inexistante
550 Cette adresse n'existe plus
550 Boite du destinataire archivee. Archived recipient. OFR_417
550 Nessun utente simile in questo sito
550 Utente sconosciuto
550 5.1.1 <a@b.example> utente non trovato
550 L'indirizzo a@b.example non esiste
550 La casella del destinatario non esiste
550 5.1.1 Usuario desconocido
550 No existe dicha persona
550 La dirección a@b.example no existe
550 El buzón no existe
550 Usuário desconhecido
550 gebruiker onbekend
550 5.1.1 Onbekende gebruiker
550 Het e-mailadres bestaat niet: adres onbekend
550 De mailbox a@b.example bestaat niet
550 Nieznany użytkownik
550 nie ma takiego uzytkownika
550 Konto a@wp.example nie istnieje
550 5.1.1 Nie ma takiej skrzynki
550 用户不存在
550 нет такого пользователя
550 5.1.1 undeliverable address: host spam.filter.example[192.0.2.1] said: 550 5.1.1 User unknown
550 5.1.1 User unknown [your IP: 192.0.2.1]
550 5.1.1 host blocked.example said: no such user
550 an MX or SRV record indicated no SMTP service
550 The address you are sending to does not exist
550 The person you are sending mail to doesn't exist
550 This mailbox doesnt exist
550 a@b.example doesn’t exist
550 Recipient doesn't exist
550 The user name was not found
550 Host or domain name not found
550 5.1.2 Host unknown
550 DNS domain nowhere.example does not exist
550 Diese Adresse existiert nicht
550 Domain nowhere.example does not exist
550 The email address that you entered couldn't be found
550 this address doesn't exist on this server
`;

const alive = `
550 5.1.1 <a@b.example>: mailbox is full
550 5.1.1 Recipient's mailbox is over quota
550 5.1.1 user over quota. (#5.1.1)
552 5.2.2 <a@b.example>... Mailbox full
550 5.2.2 Mailbox size limit exceeded
552 5.1.1 Boite du destinataire pleine. Recipient overquota. OFR_417
550 Boîte aux lettres pleine
550 La casella e' piena: casella piena
550 5.1.1 Casella del destinatario piena
550 5.1.1 Cuota excedida
550 Buzón lleno
550 5.1.1 mailbox vol
550 Skrzynka przepełniona
550 Przekroczony limit pojemności
550 邮箱已满
550 5.1.1 <a@b.example> would exceed mailbox quota; mailbox does not exist anymore?
550 5.1.1 Service temporarily unavailable, user unknown
550 5.1.1 User unknown, try again later
550 5.1.1 Too many connections
550 5.1.1 Your IP 192.0.2.1 is listed at zen.spamhaus.org
550 5.1.1 Message blocked by our policy
550 5.1.1 Recipient rejected by local policy
550 5.1.1 Rejected: poor reputation
550 5.1.1 sending rate exceeded
550 5.1.1 rate limit exceeded
550 5.1.1 Greylisted, please try again in 5 minutes
550 5.1.2 Host not found, try again
450 4.1.2 Host not found
550 5.4.4 Name service error for name=b.example type=MX: Host not found, try again
550 5.1.2 Name server timeout: host not found
550 5.1.2 DNS lookup failed: SERVFAIL; domain not found
550 5.4.4 Host or domain name not found. Name service error for name=b.example type=MX: Malformed or unexpected name server reply
550 4.1.1 User unknown
450 4.1.1 User unknown
550 5.1.1 <a@b.example>: unverified address: connect to mx.b.example[192.0.2.1]:25: Connection timed out
550 5.1.1 undeliverable address: Temporary lookup failure
550 5.7.1 User unknown due to reputation of 192.0.2.1
550 5.7.1 Mail refused: poor sender reputation
550 5.7.1 Message rejected as spam
550 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using Spamhaus
550 5.7.1 Recipient address rejected: policy
550 5.7.606 Access denied, banned sending IP
550 5.7.1 Unable to relay for a@b.example
550 5.7.1 <a@b.example>: Relay access denied
553 Relaying disallowed. Invalid domain
501 invalid domain name
501 5.5.4 Invalid domain name
501 Syntactically invalid EHLO argument(s): domain not found
504 <host>: Helo command rejected: need fully-qualified hostname
550 5.1.8 Sender address rejected: Domain not found
550 5.1.1 Sender address rejected: User unknown in virtual mailbox table
550 Verification failed for <b+1@bounce.example>; No such user here
550 Sender verify failed
553 5.3.0 sender domain does not exist
550 invalid DNS MX or A/AAAA resource record
554 5.7.1 Sender rejected: address does not exist
553 sorry, your envelope sender is in my badmailfrom list (#5.7.1)
550 5.7.1 Your domain does not exist in DNS: HELO name does not exist
550 5.7.25 no PTR record
554 IP=192.0.2.1 - A problem occurred.
550 5.7.26 unauthenticated email is not accepted due to domain's DMARC policy
550 SPF check failed: user unknown
552 5.3.4 Message too big
554 5.4.6 Too many hops
554 5.4.7 Delivery expired
550 5.4.1 TLS negotiation failed
550 5.4.5 Daily sending quota exceeded
550 Message rejected
550 Rejected
550 Denied
550 5.0.0 Access denied
550 5.0.0 Mail rejected
554 Transaction failed
554 5.0.0 Service unavailable
554 5.3.5 Local configuration error
550 administrative prohibition
550 5.7.1 Policy rejection on the target address
554 5.7.1 Message rejected under suspicion of SPAM
550 spam message rejected. Please visit http://help.mail.example/notspam-support/id?c=1
550 RP:TRC 192.0.2.1
550 5.4.6 Unusual sending activity detected
550 Mail content denied. http://service.mail.example
550 5.2.1 Mailbox temporarily disabled
550 5.2.1 temporarily suspended
550 account is temporarily disabled, user unknown
451 4.3.0 Temporary lookup failure
452 4.2.2 The email account that you tried to reach is over quota
421 4.7.0 try again later
550 5.7.1 RESOLVER.RST.AuthRequired; authentication required
550 5.7.133 RESOLVER.RST.SenderNotAuthenticatedForGroup; authentication required
550 5.7.124 sender not in allowed-senders list
550 5.7.1 TRANSPORT.RULES.RejectMessage; the message was rejected by organization policy
550 5.1.1 The group you tried to contact (x) may not exist, or you may not have permission to post messages to the group.
550 5.1.4 ambiguous address
550 Ihre E-Mail wurde abgelehnt: Server auf Sperrliste; Empfänger unbekannt
550 Adresse IP en liste noire, utilisateur inconnu
550 5.1.1 Mittente rifiutato: utente sconosciuto
550 Remitente rechazado: usuario desconocido
550 5.1.1 Le service est temporairement indisponible
550 5.1.1 tijdelijk niet beschikbaar, gebruiker onbekend
550 Tymczasowo niedostępne: nieznany użytkownik
550 5.1.1 连接过多，请稍后 用户不存在
550 5.1.1 internal error: user not found
550 5.1.1 Unable to verify recipient: LDAP server failure
550 5.1.1 User lookup timed out
550 User unknown (in reply to MAIL FROM command)
571 Message Refused
550 5.1.1 This user does not accept mail from you
550 5.1.1 User is not accepting mail from this sender
550 5.1.1 Rejected by recipient
550 5.1.1 The mailbox may be full or does not exist
550 5.1.1 Address verification in progress
550 Domain does not accept mail from your network
554 5.6.0 Invalid header: invalid address in From
550 5.1.1 your domain has no MX record
550 5.1.1 sender not on the whitelist
550 5.1.1 STARTTLS is required
`;

/** About the names of the sender and of the relay that hands over, and their entries in the DNS: faults of our own. */
const ourOwn = `
450 4.7.25 Client host rejected: cannot find your hostname, [192.0.2.1]
550 5.7.25 Client host rejected: cannot find your reverse hostname, [192.0.2.1]
550 5.7.1 <relay.praxis.example>: Helo command rejected: Host not found
550 5.1.8 <b@praxis.example>: Sender address rejected: Domain not found
550 Sender verify failed: Unrouteable address
550 Reverse DNS lookup failed for host [192.0.2.1]: host not found
550 HELO relay.praxis.example: no such domain
550 rejected because relay.praxis.example does not resolve: unknown host in HELO
550 5.7.25 Service unavailable, sending IPv6 address [2001:db8::1] must have reverse DNS record: host not found
550-5.7.25 The IP address sending this message does not have a PTR record setup, or the corresponding forward DNS entry does not exist.
553 #5.1.8 Domain of sender address <b@praxis.example> does not exist
554 Message not accepted: unresolvable RFC.5321 from domain does not exist
550 Access denied: PTR of 192.0.2.1 does not exist
550 5.7.1 smtp-20.iol.example Reverse DNS: name does not exist
550 5.7.1 Invalid sender domain: no MX record found
550 5.7.1 DNS entry doesn't exist for relay.praxis.example
550 5.7.1 DNS entry doesn’t exist for relay.praxis.example
550 DNS record for relay.praxis.example does not exist
550 No DNS entry: host not found
550 HELO name doesn't exist
550 EHLO argument doesn't exist in DNS
550 Client host name was not found
550 The sending domain does not exist
550 From domain doesn't exist
550 5.7.1 PTR name was not found
550 Hostname of client does not exist
553 Mail from 192.0.2.1 not allowed - DNS entry doesn't exist
550 5.7.1 The forward DNS entry for relay.praxis.example doesn't exist
554 5.7.1 Server name in greeting does not exist
550 host name mismatch: forward lookup doesn't exist
550 IP address lookup: no such domain
550 No such domain in HELO
550 no such domain: sender
550 invalid domain in HELO
550 No MX record for your domain
550 SMTP greeting: domain doesn't exist
550 Kein DNS-Eintrag für relay.praxis.example: Hostname existiert nicht
550 Ihr Hostname existiert nicht
550 Der HELO-Name existiert nicht
550 HELO: unbekannter Host
550 Domain im MAIL FROM existiert nicht
550 Unbekannte Domain des Absenders
550 Der Reverse-DNS-Eintrag existiert nicht
550 Rückwärtsauflösung: Hostname existiert nicht
550 Der Name Ihres Servers existiert nicht
550 Ihre Domain existiert nicht
550 Der DNS-Eintrag Ihres Servers existiert nicht
550 Einlieferung abgelehnt: Host relay.praxis.example nicht gefunden
550 Domaine inexistant pour l'expéditeur
550 Votre domaine n'existe pas
550 domaine inconnu dans MAIL FROM
550 L'adresse de votre serveur n'existe pas dans le DNS
550 Adresse IP inconnue: pas de DNS inverse, adresse inexistante
550 Votre nom d'hôte est inconnu: hôte inconnu
550 HELO: hôte inconnu
550 Résolution inverse: domaine introuvable
550 dominio inesistente del mittente
550 Il vostro dominio non esiste
550 host sconosciuto nel HELO
550 DNS inverso: indirizzo inesistente
550 il tuo indirizzo IP non è valido: indirizzo sconosciuto
550 Dominio inexistente en MAIL FROM
550 Su dominio no existe
550 DNS inverso: host desconocido
550 HELO: dominio no existe
550 Seu domínio não existe
550 DNS reverso: domínio inexistente
550 Uw domein bestaat niet
550 HELO: onbekende host
550 Afzenderdomein bestaat niet: onbekend domein
550 Twoja domena nie istnieje
550 HELO: nieznana domena
550 Odwrotny DNS: adres nie istnieje
550 Wasza domena nie istnieje
550 домен отправителя не существует: несуществующий домен
550 несуществующий домен отправителя
550 Адрес не существует: HELO
550 ваш домен: несуществующий
550 обратная зона: адрес не существует
550 您的域名地址不存在
550 反向解析 地址不存在
550 送信元ドメインが存在しません
550 逆引きホスト名が存在しません
550 HELOのホスト名は存在しません
550 5.7.1 Rejected: no valid DNS for 192.0.2.1, host not found
550 The domain you are sending from does not exist
550 5.7.1 The domain praxis.example you send from doesn't exist
550 Host that you claim to be doesn't exist
550 You claim to be relay.praxis.example but that host does not exist
550 relay.praxis.example: no such host (connecting server)
550 Peer name does not exist
550 5.7.1 Your email was rejected because the sending mail server does not have a PTR; unknown host
550 The sender's mail server hostname doesn't exist
550 DNS lookup of sender failed: NXDOMAIN
550 Bounce address domain unknown host
550 bounce domain does not exist
550 Mailfrom domain does not exist
550 From: header domain does not exist
550 Header From domain does not exist
550 DNS A-record doesn't exist for your host
550 Der Server hat keinen gültigen PTR: existiert nicht
550 Kein Reverse-Eintrag, Host nicht gefunden
550 Die sendende Domain existiert nicht
550 Absendedomain existiert nicht
550 Der Hostname des einliefernden Servers existiert nicht
550 Ihr DNS-Name existiert nicht
550 Host-Name des Senders existiert nicht
550 Nom d'hôte inverse introuvable: domaine introuvable
550 Le serveur émetteur n'a pas de DNS: hôte inconnu
550 Nome host del server mittente: host sconosciuto
550 Il server mittente ha un dominio inesistente
550 Servidor remitente: host desconocido
550 El nombre del servidor que envía: host desconocido
550 Servidor de envio: domínio inexistente
550 Verzendende server: onbekende host
550 Verzendend domein bestaat niet: onbekend domein
550 Serwer wysyłający: nieznana domena
550 Brak rekordu PTR: domena nie istnieje
550 IP reverse zone does not exist
550 The domain name in your email address does not exist
550 The domain of your address does not exist
550 The domain name of your e-mail was not found
550 Mail server at 192.0.2.1 has no hostname: host not found
550 5.7.1 We could not find a hostname for 192.0.2.1: host not found
550 No hostname for IP 192.0.2.1, host not found
550 Domain of originator does not exist
550 originator domain does not exist
550 Originating domain not found
550 Originating host name does not exist
550 Return path domain unknown
550 5.7.1 The sender's address does not exist
550 Ihre Absenderadresse existiert nicht
550 Die Absende-Domain ist unbekannt
550 Keine gültige Domain im HELO: unbekannte Domain
550 Ihr Mailserver ist unbekannt: Hostname existiert nicht
550 Der Name Ihres Mailservers existiert nicht
550 Der Hostname Ihres Mailservers existiert nicht
550 Die IP Ihres Servers hat keinen Namen: Host nicht gefunden
550 Domaine de l'émetteur inconnu: domaine inexistant
550 L'hôte émetteur n'existe pas: hôte inconnu
550 il suo dominio non esiste
550 Il nome del tuo host non esiste: host sconosciuto
550 Tu dominio no existe
550 El host que envía: host desconocido
550 Uw mailserver: onbekende host
550 host wysyłający: nieznana domena
550 adres ip nie istnieje
550 адрес вашего сервера: адрес не существует
550 您的服务器地址不存在
550 あなたのドメインは存在しません
`;

const repliesIn = (text: string): readonly string[] => text.trim().split('\n');

describe('no mail can ever arrive', () => {
  test.each(repliesIn(gone))('%s', (line) => {
    expect(classifyBounce(parseReply([line]))).toMatchObject({ class: 'hard' });
  });
});

describe('the address may live', () => {
  test.each(repliesIn(alive))('%s', (line) => {
    expect(classifyBounce(parseReply([line]))).toMatchObject({ class: 'soft' });
  });
});

describe('our own names are meant', () => {
  test.each(repliesIn(ourOwn))('%s', (line) => {
    expect(classifyBounce(parseReply([line]))).toMatchObject({ class: 'soft' });
  });
});
