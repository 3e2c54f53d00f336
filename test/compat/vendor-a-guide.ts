// What the guide for those who come from vendor A says beside the rows: the change in each language, and what else to know.
import type { Guide } from './guide.ts';

const ORIGIN = 'https://mail.example.com';
const BASE = `${ORIGIN}/api/compat/resend`;

export const guide: Guide = {
  from: 'Resend',
  start: [
    `Programs written for Resend's API send through this service once two things are changed: the base address, and the key. The
address is \`${BASE}\` in what follows, with the name of your installation in the place of \`mail.example.com\`; where a
client can only be given a host, \`${ORIGIN}\` alone works too. The key is an API token of your practice
(\`POST /api/practices/{id}/api-tokens\`), which begins with \`svc_team_\`, or with \`svc_proj_\` for one project.`.replaceAll(
      '\n',
      ' ',
    ),
    'To try it first, start the [playground](playground.md). It prints a token, and its address is `http://127.0.0.1:8080/api/compat/resend`.',
  ],
  changes: [
    {
      language: 'Node.js',
      syntax: 'js',
      before: 'const resend = new Resend(process.env.RESEND_API_KEY);',
      after: `const resend = new Resend(process.env.RESEND_API_KEY, { baseUrl: '${BASE}' });\n// or, in every version: RESEND_BASE_URL=${BASE} in the environment`,
    },
    {
      language: 'Python',
      syntax: 'python',
      before: 'resend.api_key = os.environ["RESEND_API_KEY"]',
      after: `resend.api_key = os.environ["RESEND_API_KEY"]\nresend.api_url = "${BASE}"  # or RESEND_API_URL in the environment`,
    },
    {
      language: 'PHP',
      syntax: 'sh',
      before: 'RESEND_API_KEY=re_123456789',
      after: `RESEND_API_KEY=svc_team_...\nRESEND_BASE_URL=${BASE}`,
    },
    {
      language: 'Laravel',
      syntax: 'sh',
      before: 'RESEND_API_KEY=re_123456789',
      after: `RESEND_API_KEY=svc_team_...\n# In the environment of the process: a cached configuration does not read .env.\nRESEND_BASE_URL=${BASE}`,
    },
    {
      language: 'Ruby',
      syntax: 'sh',
      before: 'RESEND_API_KEY=re_123456789',
      after: `RESEND_API_KEY=svc_team_...\n# With the slash at its end, before the gem is loaded.\nRESEND_BASE_URL=${BASE}/`,
    },
    {
      language: 'Go',
      syntax: 'go',
      before: 'client := resend.NewClient(apiKey)',
      after: `client := resend.NewClient(apiKey)\nclient.BaseURL, _ = url.Parse("${BASE}/") // with the slash; or RESEND_BASE_URL`,
    },
    {
      language: '.NET',
      syntax: 'csharp',
      before: 'services.Configure<ResendClientOptions>(o => o.ApiToken = key);',
      after: `services.Configure<ResendClientOptions>(o => { o.ApiToken = key; o.ApiUrl = "${ORIGIN}"; });`,
    },
    {
      language: 'Rust',
      syntax: 'sh',
      before: 'RESEND_API_KEY=re_123456789',
      after: `RESEND_API_KEY=svc_team_...\n# The address alone: the crate puts its paths in the place of any other.\nRESEND_BASE_URL=${ORIGIN}`,
    },
    {
      language: 'curl',
      syntax: 'sh',
      before:
        'curl https://api.resend.com/emails -H "Authorization: Bearer $RESEND_API_KEY" --json @mail.json',
      after: `curl ${BASE}/emails -H "Authorization: Bearer $RESEND_API_KEY" --json @mail.json`,
    },
    {
      language: 'SMTP',
      syntax: 'text',
      before: 'smtp.resend.com, port 465 or 587, user name resend, the API key as password',
      after: 'mail.example.com, port 465 or 587, any user name, the API token as password',
    },
  ],
  notes: [
    'The Java client has its address built in (`HttpClient.BASE_API`) and cannot be changed: send by SMTP, or with any HTTP client as curl does.',
    'The Go client writes attachments as lists of numbers, for which the bound of some 95 kB holds. Send larger ones by SMTP or with a client of your own.',
    'A React component is rendered by the Node.js client itself, which then sends HTML: nothing changes.',
    'There are no dedicated addresses or stream products: a route (`outgoing`, `broadcast` or one of your own) divides mail. Mail over a marketing route needs a complete legal block and consent by double opt-in.',
    "Suppressions are this service's own; import those you have: `POST /api/practices/{id}/suppression/import`.",
    'Of the names of errors, `invalid_access`, `invalid_region` and `security_error` do not occur: what they are about is not done here.',
    'While the service restarts or its disk is full, requests are 503 `application_error` with `Retry-After`; nothing was accepted then.',
  ],
};
