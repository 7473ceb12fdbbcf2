import type { StaffRole } from '../../api/access/actor.ts'
import { getStaffByEmail, inviteStaff, resetStaff } from '../../merchants/people/staff/invite-staff.ts'
import { runChecksOfAllCells } from '../../operations/alerts/run-checks.ts'
import { command } from './frame/command.ts'
import { type CommandInput, findText, parseChoice, requireText } from './frame/input.ts'

const ROLES: readonly StaffRole[] = ['support', 'risk', 'finance', 'admin']

const create = command({
  usage: 'admin create --email E [--role support|risk|finance|admin]',
  says: 'a link for somebody to become an operator of the console, an admin unless said; it works once, for one hour',
  async run(input) {
    const email = requireText(input, 'email')
    const role = parseChoice('role', findText(input, 'role') ?? 'admin', ROLES)
    return announceLink(input, await inviteStaff(input.gateway, input.actor, { email, role }))
  },
})

const reset = command({
  usage: 'admin reset-password --email E',
  says: 'a link for an operator to choose a new password and a new authenticator; it works once, for one hour',
  async run(input) {
    const operator = await getStaffByEmail(input.gateway, requireText(input, 'email'))
    return announceLink(input, await resetStaff(input.gateway, input.actor, operator))
  },
})

/**
 * Answers with the link, and raises the alert at once: the command works without the console and its admins, so a person must hear of it.
 */
async function announceLink({ gateway }: CommandInput, { link }: { link: string }) {
  await runChecksOfAllCells(gateway)
  return {
    json: { link },
    lines: [link, 'Give it to this person alone: whoever opens it first has the account.'],
  }
}

export const adminCommands = [create, reset]
