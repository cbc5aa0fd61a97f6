import { ACCOUNT_COMMANDS } from './accounts.ts'
import { AUDIT_COMMANDS } from './audit.ts'
import type { Command } from './command.ts'
import { DEAD_LETTER_COMMANDS } from './dead-letters.ts'
import { KEY_COMMANDS } from './keys.ts'
import { MAINTENANCE_COMMANDS } from './maintenance.ts'
import { SANDBOX_COMMANDS } from './sandboxes.ts'
import { SERVER_COMMANDS } from './servers.ts'
import { STACK_COMMANDS } from './stacks.ts'

export const COMMANDS: Readonly<Record<string, Command>> = {
  ...ACCOUNT_COMMANDS,
  ...KEY_COMMANDS,
  ...SANDBOX_COMMANDS,
  ...STACK_COMMANDS,
  ...SERVER_COMMANDS,
  ...AUDIT_COMMANDS,
  ...DEAD_LETTER_COMMANDS,
  ...MAINTENANCE_COMMANDS,
}
