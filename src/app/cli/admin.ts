// `sendwerk admin`: what the operator does with a running daemon, as one list.
import { abuseCommands, waitlistCommands } from './admin-abuse.ts';
import { auditCommand } from './admin-audit.ts';
import { domainCommands } from './admin-domains.ts';
import { practiceCommands } from './admin-practices.ts';
import type { Command } from './command.ts';

export const adminCommands: readonly Command[] = [
  ...practiceCommands,
  ...domainCommands,
  ...abuseCommands,
  ...waitlistCommands,
  auditCommand,
];
