// What docs/from-postmark.md says beside its table of behaviours.
import type { Guide } from './guide.ts';

const HOST = 'mail.example.com';
const PATH = '/api/compat/postmark';

export const postmarkGuide: Guide = {
  from: 'Postmark',
  start: [
    `Programs that send by Postmark's API send by this service when two things change: the base address and the token. The token is an API token of the practice (\`svc_team_…\`, or \`svc_proj_…\` for one project); \`POST /api/practices/{id}/api-tokens\` makes one. It goes into the same field, \`X-Postmark-Server-Token\`; \`X-Vendor-B-Server-Token\` and \`Authorization: Bearer\` do as well.`,
    `The base address is \`https://${HOST}${PATH}\`, where \`${HOST}\` is your installation. \`/api/compat/vendor-b\` is the same, and so is the bare host, for clients that take no path. The operator can take away \`${PATH}\` and the bare host (\`compat.aliases\` in the configuration), not \`/api/compat/vendor-b\`.`,
    'To try it first, start the [playground](playground.md). It prints a token, and its address is `http://127.0.0.1:8080/api/compat/postmark`, without the `http://` in `requestHost` and with `useHttps: false` beside it.',
  ],
  changes: [
    {
      language: 'Node.js (postmark)',
      syntax: 'js',
      before: "new postmark.ServerClient('SERVER-TOKEN')",
      after: `new postmark.ServerClient('svc_team_…', { requestHost: '${HOST}${PATH}' })`,
    },
    {
      language: 'Python (postmarker)',
      syntax: 'python',
      before: "PostmarkClient(server_token='SERVER-TOKEN')",
      after: `PostmarkClient(server_token='svc_team_…', root_api_url='https://${HOST}/')  # takes no path`,
    },
    {
      language: 'Python (Django, django-anymail)',
      syntax: 'python',
      before: "ANYMAIL = {'POSTMARK_SERVER_TOKEN': 'SERVER-TOKEN'}",
      after: `ANYMAIL = {'POSTMARK_SERVER_TOKEN': 'svc_team_…', 'POSTMARK_API_URL': 'https://${HOST}${PATH}/'}`,
    },
    {
      language: 'PHP (postmark-php)',
      syntax: 'php',
      before: "$client = new \\Postmark\\PostmarkClient('SERVER-TOKEN');",
      after: `\\Postmark\\PostmarkClientBase::$BASE_URL = 'https://${HOST}${PATH}';\n$client = new \\Postmark\\PostmarkClient('svc_team_…');`,
    },
    {
      language: 'PHP (Symfony Mailer)',
      syntax: 'sh',
      before: 'MAILER_DSN=postmark+api://SERVER-TOKEN@default',
      after: `MAILER_DSN=postmark+api://svc_team_…@${HOST}`,
    },
    {
      language: 'Ruby (postmark)',
      syntax: 'ruby',
      before: "Postmark::ApiClient.new('SERVER-TOKEN')",
      after: `Postmark::ApiClient.new('svc_team_…', host: '${HOST}', path_prefix: '${PATH}/')`,
    },
    {
      language: 'Ruby on Rails (postmark-rails)',
      syntax: 'ruby',
      before: "config.action_mailer.postmark_settings = { api_token: 'SERVER-TOKEN' }",
      after: `config.action_mailer.postmark_settings = { api_token: 'svc_team_…', host: '${HOST}', path_prefix: '${PATH}/' }`,
    },
    {
      language: 'Java (postmark)',
      syntax: 'java',
      before: 'Postmark.getApiClient("SERVER-TOKEN");',
      after: `Postmark.getApiClient("svc_team_…", true, "${HOST}${PATH}");`,
    },
    {
      language: '.NET (Postmark)',
      syntax: 'csharp',
      before: 'new PostmarkClient("SERVER-TOKEN");',
      after: `new PostmarkClient("svc_team_…", "https://${HOST}${PATH}/");`,
    },
    {
      language: 'Go (keighl/postmark)',
      syntax: 'go',
      before: 'client := postmark.NewClient("SERVER-TOKEN", "")',
      after: `client := postmark.NewClient("svc_team_…", "")\nclient.BaseURL = "https://${HOST}${PATH}"`,
    },
    {
      language: 'curl',
      syntax: 'sh',
      before:
        'curl https://api.postmarkapp.com/email -H "X-Postmark-Server-Token: SERVER-TOKEN" -H "Content-Type: application/json" -d @mail.json',
      after: `curl https://${HOST}${PATH}/email -H "X-Postmark-Server-Token: svc_team_…" -H "Content-Type: application/json" -d @mail.json`,
    },
    {
      language: 'SMTP',
      syntax: 'text',
      before: 'smtp.postmarkapp.com, port 587, user name and password: SERVER-TOKEN',
      after: `${HOST}, port 587, user name and password: svc_team_…`,
    },
  ],
  notes: [
    'Laravel’s `postmark` mailer always calls Postmark’s own host. Use its `smtp` mailer with the host, port and credential of this service.',
    'Server-side suppressions still apply, and so do the conditions of marketing mail: Impressum, double opt-in, warm-up.',
    'Messages leave with the service’s unsubscribe link and footer where its public origin is https.',
    'Fields that this API has and Postmark’s has not: `message_kind`, `project_id`, and the header `Idempotency-Key`.',
    'A message needs `To`: one with `Cc` or `Bcc` alone is refused.',
    'Templates take `{{name}}` and `{{a.b}}`. Sections, lists and layouts are not there: render such mails yourself and send `HtmlBody`.',
    'Webhooks have this service’s own form: docs/webhooks.md.',
  ],
};
