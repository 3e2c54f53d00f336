// The SMTP listeners in the configuration file.
import { z } from 'zod';
import * as v from './values.ts';

const tls = z.strictObject({
  cert: v.filePath.meta({ example: 'certs/mail.crt' }).describe('Certificate with its chain, PEM.'),
  key: v.filePath.meta({ example: 'certs/mail.key' }).describe('Private key of the certificate, PEM.'),
});

export const smtp = z.strictObject({
  inbound: z
    .strictObject({
      listen: v.listen
        .meta({ example: '0.0.0.0:25' })
        .describe('Where mail, bounces and reports come in; the MX records point here.'),
      tls: tls.optional().describe('Offers STARTTLS with this certificate; read again on SIGHUP.'),
      postmaster: v.mailAddress
        .meta({ example: 'operator@example.net' })
        .optional()
        .describe(
          "Who gets what is written to postmaster and abuse of the service's hosts. Kept in the local mailbox of the service's own practice where absent.",
        ),
    })
    .optional()
    .describe(
      'Listener for mail from the world: reports on what was sent, and the mailbox simulator; off where absent.',
    ),
  submission: z
    .strictObject({
      listen: v.listen
        .meta({ example: '0.0.0.0:587' })
        .optional()
        .describe('Where clients begin in clear and change to TLS by STARTTLS; off where absent.'),
      implicit_listen: v.listen
        .meta({ example: '0.0.0.0:465' })
        .optional()
        .describe('Where TLS begins with the first byte; off where absent.'),
      tls: tls
        .optional()
        .describe(
          'Certificate of both, that of smtp.inbound where absent; read again on SIGHUP. Without one, signing in is possible from this machine only.',
        ),
    })
    .optional()
    .describe('Listeners for message submission with an API token as password; off where absent.'),
});
