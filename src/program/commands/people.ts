import type { MerchantRole } from '../../api/access/actor.ts'
import { findCommand, storeOrFindCommand } from '../../merchants/account/command-keys.ts'
import { invitePerson } from '../../merchants/people/invitations.ts'
import { listMembers } from '../../merchants/people/members.ts'
import { answerRows, command } from './frame/command.ts'
import { getCommandMerchant, parseChoice, parseKey, requireText } from './frame/input.ts'

const ROLES: readonly MerchantRole[] = ['owner', 'developer', 'cashier', 'accountant', 'viewer']
const MAX_KEY_LENGTH = 255

const add = command({
  usage: 'people add <m> --email E --role owner|developer|cashier|accountant|viewer [--key K]',
  says: 'a link for somebody to work for this merchant; it works once, for 24 hours',
  async run(input) {
    const email = requireText(input, 'email')
    const role = parseChoice('role', requireText(input, 'role'), ROLES)
    const key = parseKey(input, MAX_KEY_LENGTH)
    const { app, merchant } = await getCommandMerchant(input)
    const keyed =
      key === undefined ? null : { key, command: 'people add', input: { merchant: merchant.id, email, role } }
    const stored = keyed === null ? null : await findCommand<{ link: string }>(app, keyed)
    const made = stored ?? (await invitePerson(input.gateway, input.actor, { merchant, email, role }))
    const { link } = keyed === null || stored !== null ? made : (await storeOrFindCommand(app, keyed, made)).made
    return {
      json: { link },
      lines: [link, 'Give it to this person alone: whoever opens it first chooses the password.'],
    }
  },
})

const list = command({
  usage: 'people list <m>',
  says: 'who works for a merchant, with their roles',
  async run(input) {
    const { merchant } = await getCommandMerchant(input)
    const members = await listMembers(input.gateway, merchant.id)
    return answerRows(members, {
      none: 'nobody',
      present: ({ publicId, name, email, till, role, hasFactor, confirmed, since }) => ({
        ...{ id: publicId, name, email, role, till, confirmed },
        ...{ second_factor: hasFactor, since: since.toISOString() },
      }),
      lines: ({ publicId, name, email, role }) => `${publicId}  ${role.padEnd(10)}  ${email ?? `till ${name}`}`,
    })
  },
})

export const peopleCommands = [add, list]
