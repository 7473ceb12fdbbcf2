import type { MerchantRole } from '../actors/actor.ts'
import { findCommand, keepOrFind } from '../merchants/command-keys.ts'
import { invite } from '../people/invitations.ts'
import { listMembers } from '../people/members.ts'
import { command, rowsAnswer } from './command.ts'
import { keyOf, ofMerchant, oneOf, required } from './input.ts'

const ROLES: readonly MerchantRole[] = ['owner', 'developer', 'cashier', 'accountant', 'viewer']
const LONGEST_KEY = 255

const add = command({
  usage: 'people add <m> --email E --role owner|developer|cashier|accountant|viewer [--key K]',
  says: 'a link for somebody to work for this merchant; it works once, for 24 hours',
  async run(input) {
    const email = required(input, 'email')
    const role = oneOf('role', required(input, 'role'), ROLES)
    const key = keyOf(input, LONGEST_KEY)
    const { app, merchant } = await ofMerchant(input)
    const keyed =
      key === undefined ? null : { key, command: 'people add', input: { merchant: merchant.id, email, role } }
    const stored = keyed === null ? null : await findCommand<{ link: string }>(app, keyed)
    const made = stored ?? (await invite(input.gateway, input.actor, { merchant, email, role }))
    const { link } = keyed === null || stored !== null ? made : (await keepOrFind(app, keyed, made)).made
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
    const { merchant } = await ofMerchant(input)
    const members = await listMembers(input.gateway, merchant.id)
    return rowsAnswer(members, {
      none: 'nobody',
      shown: ({ publicId, name, email, till, role, hasFactor, confirmed, since }) => ({
        ...{ id: publicId, name, email, role, till, confirmed },
        ...{ second_factor: hasFactor, since: since.toISOString() },
      }),
      lines: ({ publicId, name, email, role }) =>
        `${publicId}  ${role.padEnd(10)}  ${email ?? `till ${name}`}`,
    })
  },
})

export const peopleCommands = [add, list]
