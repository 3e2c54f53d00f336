// What is refused of accounts, sessions, members, roles and tokens, in German, by the English texts.
import type { Sentences } from '#src/kernel/say.ts';

export const words = {
  // Signing in.
  'expected {} digits': 'erwartet werden {} Ziffern',
  'The code is not the right one, has expired or is used up.':
    'Der Code stimmt nicht, ist abgelaufen oder schon verbraucht.',
  'Ask for a new code with POST /api/auth/request-otp; five attempts end a code.':
    'Fordern Sie mit POST /api/auth/request-otp einen neuen Code an; nach fünf Versuchen gilt ein Code nicht mehr.',
  'The address or the password is not the right one.': 'Adresse oder Passwort stimmen nicht.',
  'Check both, or sign in with a code by POST /api/auth/request-otp.':
    'Prüfen Sie beide oder melden Sie sich über POST /api/auth/request-otp mit einem Code an.',
  'Passwords are not in use here.': 'Passwörter werden hier nicht verwendet.',
  'Sign in with a code by POST /api/auth/request-otp; the operator can set auth.password_login.':
    'Melden Sie sich über POST /api/auth/request-otp mit einem Code an; der Betreiber kann auth.password_login setzen.',
  'Too many people sign in at this moment.': 'Im Augenblick melden sich zu viele Personen an.',
  'The account has no such session.': 'Diese Sitzung hat das Konto nicht.',
  'It may have ended; GET /api/auth/sessions lists them.':
    'Vielleicht ist sie beendet; GET /api/auth/sessions nennt alle.',
  'The request has a session cookie without its CSRF token.':
    'Die Anfrage hat ein Sitzungscookie ohne sein CSRF-Token.',
  'Send the value of the cookie svc_csrf, or `csrf_token` of GET /api/auth/me, in X-CSRF-Token.':
    'Senden Sie in X-CSRF-Token den Wert des Cookies svc_csrf oder `csrf_token` von GET /api/auth/me.',

  // Passwords.
  'is required to change the password': 'ist erforderlich, um das Passwort zu ändern',
  'is not the current password': 'ist nicht das jetzige Passwort',
  'The password was changed in the meantime.': 'Das Passwort wurde inzwischen geändert.',
  'Send the request again with the password that is set now.':
    'Senden Sie die Anfrage noch einmal, mit dem Passwort, das jetzt gilt.',
  'The account has no password.': 'Das Konto hat kein Passwort.',
  'has fewer than {} characters': 'hat weniger als {} Zeichen',
  'is longer than {} bytes': 'ist länger als {} Byte',
  'is the e-mail address': 'ist die E-Mail-Adresse',

  // Roles.
  'The plan {} has no custom roles.': 'Der Tarif {} hat keine eigenen Rollen.',
  'The plans {} have them; the system roles are on every plan.':
    'Die Tarife {} haben sie; die vorgegebenen Rollen gibt es in jedem Tarif.',
  'There is a role of that name already.': 'Eine Rolle dieses Namens gibt es schon.',
  'System roles are the same everywhere and cannot be changed.':
    'Die vorgegebenen Rollen sind überall gleich und können nicht geändert werden.',
  'Create a custom role instead.': 'Legen Sie stattdessen eine eigene Rolle an.',
  'There is no such role.': 'Diese Rolle gibt es nicht.',
  'A practice has at most {} custom roles.': 'Eine Praxis hat höchstens {} eigene Rollen.',
  'The role cannot be removed: {} have it.': (holders) =>
    `Die Rolle kann nicht entfernt werden: ${holders === 1 ? 'Ein Mitglied hat' : `${holders} Mitglieder haben`} sie.`,
  'Give its members another role first.': 'Geben Sie ihren Mitgliedern zuerst eine andere Rolle.',
  'expected each permission once': 'erwartet wird jede Berechtigung nur einmal',
  'expected at least one field': 'erwartet wird mindestens ein Feld',

  // Invitations and members.
  'The invitation is unknown, expired or used up.':
    'Die Einladung ist unbekannt, abgelaufen oder schon angenommen.',
  'Ask to be invited again; who is a member already signs in by one-time code.':
    'Bitten Sie um eine neue Einladung; wer schon Mitglied ist, meldet sich mit einem Einmalcode an.',
  'The practice, or the account in all its practices, has invited too many people in too short a time.':
    'Die Praxis, oder das Konto in allen seinen Praxen, hat in zu kurzer Zeit zu viele Personen eingeladen.',
  'The address has been invited often enough for today.':
    'Die Adresse wurde heute schon oft genug eingeladen.',
  'The address is a member already.': 'Die Adresse gehört schon einem Mitglied.',
  'Change the member with PATCH …/members/{memberID}.':
    'Ändern Sie das Mitglied mit PATCH …/members/{memberID}.',
  'A practice has at most {} members.': 'Eine Praxis hat höchstens {} Mitglieder.',
  'Remove members who are no longer needed.': 'Entfernen Sie Mitglieder, die nicht mehr gebraucht werden.',
  'expected a role of this practice': 'erwartet wird eine Rolle dieser Praxis',
  'Only owners make, change and remove owners.': 'Nur Inhaber ernennen, ändern und entfernen Inhaber.',
  'The role {} has a permission that you lack: {}.':
    'Die Rolle {} hat eine Berechtigung, die Ihnen fehlt: {}.',
  'A member can only give, change or remove roles within their own permissions: ask someone who has the permission.':
    'Ein Mitglied kann nur Rollen vergeben, ändern oder entfernen, deren Berechtigungen es selbst hat: Fragen Sie jemanden mit der Berechtigung.',
  'A practice always keeps one owner, and this is the last.':
    'Eine Praxis behält immer einen Inhaber, und dieser ist der letzte.',
  'Make another member an owner first, and have them accept.':
    'Machen Sie zuerst ein anderes Mitglied zum Inhaber und lassen Sie es annehmen.',
  'The member cannot be limited like that.': 'Das Mitglied kann so nicht beschränkt werden.',
  'expected an existing project': 'erwartet wird ein Projekt, das es gibt',
  'There is no such member.': 'Dieses Mitglied gibt es nicht.',

  // Tokens.
  'The token cannot be limited like that.': 'Das Token kann so nicht beschränkt werden.',
  'required for scope `project`': 'ist beim Geltungsbereich `project` erforderlich',
  'only for scope `project`': 'gibt es nur beim Geltungsbereich `project`',
  'expected a time in the future': 'erwartet wird eine Zeit in der Zukunft',
  'expected at most 10 years ahead': 'erwartet werden höchstens 10 Jahre im Voraus',
  'There is no such token.': 'Dieses Token gibt es nicht.',
  'A token cannot make one with wider limits than its own.':
    'Ein Token kann keines anlegen, dessen Grenzen weiter sind als seine eigenen.',
  'A {} token may do what its maker may not.':
    'Ein Token mit dem Geltungsbereich {} dürfte mehr als die Person, die es anlegt.',
  'A token cannot have more permissions than its maker: ask someone who has the permission.':
    'Ein Token kann nicht mehr Berechtigungen haben als die Person, die es anlegt: Fragen Sie jemanden mit der Berechtigung.',
  'expected no later than the expiry of the token that makes it':
    'darf nicht nach dem Ablauf des Tokens liegen, das es anlegt',
  'expected addresses that the token which makes it is allowed too':
    'erwartet werden Adressen, die auch dem Token erlaubt sind, das es anlegt',
  'expected an IP address or a CIDR network without host bits, such as 192.0.2.0/24':
    'erwartet wird eine IP-Adresse oder ein CIDR-Netz ohne Host-Bits wie 192.0.2.0/24',
  'A practice has at most {} tokens.': 'Eine Praxis hat höchstens {} Token.',
  'Revoke tokens that are no longer needed; those that have expired count too.':
    'Widerrufen Sie Token, die nicht mehr gebraucht werden; abgelaufene zählen mit.',
  'No operator has this address.': 'Kein Betreiber hat diese Adresse.',
  'The configuration names them under operators.': 'Die Konfiguration nennt sie unter operators.',
  'expected a status such as 422, or a class such as 4xx':
    'erwartet wird ein Status wie 422 oder eine Klasse wie 4xx',
} satisfies Sentences;
