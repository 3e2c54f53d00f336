// The examples as text, with what belongs to the practice filled in. Pure.

export interface Filling {
  readonly origin: string;
  readonly practiceId: string;
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** The newest of the practice; absent: none was sent yet. */
  readonly messageId: string | undefined;
}

export interface Server {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
}

/** All examples read the token from there. */
export const setToken = 'export SENDWERK_TOKEN=svc_…';

const messageOf = ({ from, to, subject, text }: Filling): string =>
  JSON.stringify({ from, to, subject, text }, null, 2);

const indented = (text: string, by: string): string => text.replaceAll('\n', `\n${by}`);

/** Puts the text into single quotes of a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

export const curlSend = (filling: Filling): string =>
  `curl ${filling.origin}/api/practices/${filling.practiceId}/send \\
  -H "Authorization: Bearer $SENDWERK_TOKEN" \\
  -H "Content-Type: application/json" \\
  -H "Idempotency-Key: $(date +%s)" \\
  -d ${quoted(messageOf(filling))}`;

export const curlStatus = ({ origin, practiceId, messageId }: Filling): string =>
  `${messageId === undefined ? 'export MESSAGE_ID=…\n' : ''}curl ${origin}/api/practices/${practiceId}/messages/${messageId ?? '$MESSAGE_ID'}/events \\
  -H "Authorization: Bearer $SENDWERK_TOKEN"`;

export const nodeSend = (filling: Filling): string =>
  `const response = await fetch('${filling.origin}/api/practices/${filling.practiceId}/send', {
  method: 'POST',
  headers: {
    Authorization: \`Bearer \${process.env.SENDWERK_TOKEN}\`,
    'Content-Type': 'application/json',
    'Idempotency-Key': crypto.randomUUID(),
  },
  body: JSON.stringify(${indented(messageOf(filling), '  ')}),
});
const answer = await response.json();
if (!response.ok) throw new Error(\`\${answer.code}: \${answer.error}\`);
console.log(answer.id, answer.status);`;

export const pythonSend = (filling: Filling): string =>
  `import json, os, urllib.request, uuid

request = urllib.request.Request(
    "${filling.origin}/api/practices/${filling.practiceId}/send",
    data=json.dumps(${indented(messageOf(filling), '    ')}).encode(),
    headers={
        "Authorization": f"Bearer {os.environ['SENDWERK_TOKEN']}",
        "Content-Type": "application/json",
        "Idempotency-Key": str(uuid.uuid4()),
    },
)
with urllib.request.urlopen(request) as response:
    answer = json.load(response)
    print(answer["id"], answer["status"])`;

export const smtpSend = ({ from, to }: Pick<Filling, 'from' | 'to'>, server: Server): string =>
  `swaks --server ${server.host}:${server.port}${server.tls ? ' --tls' : ''} --auth PLAIN \\
  --auth-user api --auth-password "$SENDWERK_TOKEN" \\
  --from ${from} --to ${to}`;

export const webhookCheck = (): string =>
  `import { createHmac, timingSafeEqual } from 'node:crypto';

const TOLERANCE_S = 300;

/** \`body\`: the bytes as they came. */
export function isGenuine(secret, headers, body, now = Date.now()) {
  const timestamp = headers['x-service-timestamp'];
  if (!(Math.abs(now / 1000 - Number(timestamp)) <= TOLERANCE_S)) return false;
  const expected = createHmac('sha256', secret).update(\`\${timestamp}.\`).update(body).digest();
  const given = [headers['x-service-signature'], headers['x-service-signature-previous']];
  return given.some((hex) => {
    const signature = Buffer.from(hex ?? '', 'hex');
    return signature.length === expected.length && timingSafeEqual(signature, expected);
  });
}`;
