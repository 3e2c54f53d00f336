// What the operator sees of the two listeners.
import { z } from 'zod';

export const inboundSchema = z
  .strictObject({
    listening: z.boolean(),
    connections: z.int(),
    reports: z
      .strictObject({
        changed: z.int(),
        unchanged: z.int().describe('known already, or of no meaning'),
        unknown: z.int().describe('about messages that are kept no more, or complaints about none of ours'),
      })
      .describe('since the start, as those that follow; at return paths, and complaints at `fbl@`'),
    received: z.int().describe('mails for mailboxes'),
    domain_reports: z
      .strictObject({ taken: z.int(), not_taken: z.int() })
      .describe('at `dmarc@` and `tls-rpt@`'),
    simulated: z.int().describe('mails that the simulator took'),
    to_operator: z.int().describe('written to postmaster and abuse'),
    handed_on: z.int().describe('for practices that have moved: taken by their new hosts'),
    refused: z
      .strictObject({
        relaying: z.int().describe('for hosts that mail is not received for'),
        no_mailbox: z.int(),
        stranger: z.int().describe('mail of others to the simulator'),
        forged: z.int().describe('return paths that were not made here, as those that follow'),
        unknown: z.int().describe('genuine, of messages that are kept no more'),
        replayed: z.int().describe('genuine, of mail that never left'),
        expired: z.int().describe('genuine, of mail that left more than 60 days ago'),
        listed: z.int().describe('by clients on a block list'),
        greylisted: z.int(),
        sending_host: z.int().describe('at hosts that only send, such as `noreply@`'),
        too_many: z.int().describe('by one client in a short time'),
        disabled: z.int().describe('at hosts that receive no mail'),
        unwanted: z.int().describe('at addresses whose mode is `reject`'),
        blocked: z.int().describe('by senders that the practice blocks'),
        too_large: z.int().describe('of mail that is larger than the practice takes'),
        no_disk: z.int().describe('while less of the disk is free than `storage.min_free_*`'),
        full: z.int().describe('of practices whose mail takes all its room'),
        busy: z.int().describe('of practices that get too much in a short time'),
      })
      .describe('recipients'),
    refused_content: z
      .strictObject({
        blocked_sender: z.int(),
        virus: z.int(),
        dmarc: z.int().describe('by the policy of its author’s domain'),
        dns: z.int().describe('asked to come again: the DNS did not say whose it is'),
        spam: z.int(),
        scanner_unavailable: z.int().describe('asked to come again'),
        too_large: z.int(),
        full: z.int().describe('of practices whose mail takes all its room'),
        loop: z.int().describe('that has been through more than 100 servers'),
        too_many: z.int().describe('reports, or mail to the operator, of one client in a short time'),
        failed: z.int().describe('could not be stored, or its answer not be sent'),
      })
      .describe('mails that were refused behind their content'),
  })
  .nullable()
  .describe('the listener for mail from the world; null where it is off');

export const submissionSchema = z
  .strictObject({ listening: z.boolean(), connections: z.int() })
  .nullable()
  .describe('the listeners for message submission; null where they are off');
