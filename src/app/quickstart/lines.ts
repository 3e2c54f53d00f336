// What a playground prints to be pasted into a shell. Pure.

interface Place {
  readonly origin: string;
  readonly host: string;
  readonly submissionPort: number;
  readonly practice: string;
  readonly token: string;
  /** The address that the practice sends as. */
  readonly from: string;
}

/** The lines begin at the left, so that they can be pasted as they stand. */
export const linesToPaste = ({ origin, host, submissionPort, practice, token, from }: Place) => {
  const next = JSON.stringify({ to: 'you@example.org', subject: 'Hello from curl', text: 'Sent by HTTP.' });
  return {
    exports: [
      `export SENDWERK_URL=${origin}`,
      `export SENDWERK_TOKEN=${token}`,
      `export SENDWERK_PRACTICE=${practice}`,
    ],
    curl: [
      'curl "$SENDWERK_URL/api/practices/$SENDWERK_PRACTICE/send" \\',
      '  -H "Authorization: Bearer $SENDWERK_TOKEN" -H "Content-Type: application/json" \\',
      `  -d '${next}'`,
    ],
    swaks: [
      `swaks --server ${host}:${submissionPort} --auth PLAIN --auth-user sendwerk --auth-password "$SENDWERK_TOKEN" \\`,
      `  --from ${from} --to you@example.org \\`,
      "  --header 'Subject: Hello from swaks' --body 'Sent by SMTP.'",
    ],
    nodemailer: [
      "node --input-type=module <<'END'",
      "import nodemailer from 'nodemailer';",
      'const transport = nodemailer.createTransport({',
      `  host: '${host}', port: ${submissionPort},`,
      "  auth: { user: 'sendwerk', pass: process.env.SENDWERK_TOKEN },",
      '});',
      'const sent = await transport.sendMail({',
      `  from: '${from}', to: 'you@example.org',`,
      "  subject: 'Hello from nodemailer', text: 'Sent by SMTP.',",
      '});',
      'console.log(sent.response);',
      'END',
    ],
  };
};
