import type { OperatorRole } from '../actors/actor.ts'
import { runChecksOfAllCells } from '../alerts/run-checks.ts'
import { inviteOperator, operatorWith, resetOperator } from '../people/operators/invite-operators.ts'
import { command } from './command.ts'
import { type CommandInput, oneOf, optionalText, required } from './input.ts'

const ROLES: readonly OperatorRole[] = ['support', 'risk', 'finance', 'admin']

const create = command({
  usage: 'admin create --email E [--role support|risk|finance|admin]',
  says: 'a link for somebody to become an operator of the console, an admin unless said; it works once, for one hour',
  async run(input) {
    const email = required(input, 'email')
    const role = oneOf('role', optionalText(input, 'role') ?? 'admin', ROLES)
    return told(input, await inviteOperator(input.gateway, input.actor, { email, role }))
  },
})

const reset = command({
  usage: 'admin reset-password --email E',
  says: 'a link for an operator to choose a new password and a new authenticator; it works once, for one hour',
  async run(input) {
    const operator = await operatorWith(input.gateway, required(input, 'email'))
    return told(input, await resetOperator(input.gateway, input.actor, operator))
  },
})

/**
 * Answers with the link, and raises the alert at once: the command works without the console and its admins, so a person must hear of it.
 */
async function told({ gateway }: CommandInput, { link }: { link: string }) {
  await runChecksOfAllCells(gateway)
  return {
    json: { link },
    lines: [link, 'Give it to this person alone: whoever opens it first has the account.'],
  }
}

export const adminCommands = [create, reset]
