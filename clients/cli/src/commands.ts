import type { Command } from './command.ts'
import { BALANCE_COMMANDS } from './commands/balance.ts'
import { BULK_COMMANDS } from './commands/bulk.ts'
import { completionOf } from './commands/completion.ts'
import { DOCTOR_COMMANDS } from './commands/doctor.ts'
import { GRADE_COMMANDS } from './commands/grade.ts'
import { LISTEN_COMMANDS } from './commands/listen.ts'
import { LIST_COMMANDS } from './commands/lists.ts'
import { LOGIN_COMMANDS } from './commands/login.ts'
import { LOGS_COMMANDS } from './commands/logs.ts'
import { RECONCILE_COMMANDS } from './commands/reconcile.ts'
import { TRIGGER_COMMANDS } from './commands/trigger.ts'

/** All commands, in the order in which help shows them. */
export const COMMANDS: readonly Command[] = [
  ...LOGIN_COMMANDS,
  ...LISTEN_COMMANDS,
  ...TRIGGER_COMMANDS,
  ...GRADE_COMMANDS,
  ...LIST_COMMANDS,
  ...LOGS_COMMANDS,
  ...BALANCE_COMMANDS,
  ...BULK_COMMANDS,
  ...RECONCILE_COMMANDS,
  ...DOCTOR_COMMANDS,
  completionOf(() => COMMANDS),
]
