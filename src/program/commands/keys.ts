import { createKey, listKeys, revokeKey, rotateKey } from '../../merchants/account/api-keys.ts'
import { command } from './frame/command.ts'
import {
  type CommandInput,
  findText,
  getCommandMerchant,
  getMerchantAndId,
  parseChoice,
  requireText,
} from './frame/input.ts'

const KEY_KINDS = ['test', 'live', 'test_collections', 'live_collections'] as const
const KIND_OPTION = '--kind test|live|test_collections|live_collections'

const rotate = command({
  usage: `keys rotate <m> ${KIND_OPTION} [--key K]`,
  says: 'a new key of a kind; all older ones of the kind die at once',
  async run(input) {
    const { app, target, kind } = await parseKeyTarget(input)
    const key = await rotateKey(app, input.actor, target)
    return { json: { kind, key }, lines: [`${kind}  ${key}`] }
  },
})

const create = command({
  usage: `keys create <m> ${KIND_OPTION} [--name N] [--key K]`,
  says: 'a second key of a kind, for a change without a gap; printed once',
  async run(input) {
    const { app, target, kind } = await parseKeyTarget(input)
    const name = findText(input, 'name') ?? null
    const made = await createKey(app, input.actor, { ...target, name })
    return { json: { id: made.id, kind, key: made.key }, lines: [`${made.id}  ${kind}  ${made.key}`] }
  },
})

/** The holder and the kind of the key. */
async function parseKeyTarget(input: CommandInput) {
  const kind = parseChoice('kind', requireText(input, 'kind'), KEY_KINDS)
  const { app, merchant } = await getCommandMerchant(input)
  return { app, kind, target: { holder: merchant, kind, commandKey: findText(input, 'key') } }
}

const list = command({
  usage: 'keys list <m>',
  says: 'keys of a merchant with their last four characters, never whole',
  async run(input) {
    const { app, merchant } = await getCommandMerchant(input)
    const keys = (await listKeys(app, merchant)).map(({ id, kind, last4, createdAt, revokedAt, ...more }) => ({
      id,
      kind,
      last4,
      created_at: createdAt.toISOString(),
      revoked_at: revokedAt?.toISOString() ?? null,
      name: more.name,
      created_by: more.createdBy,
      last_used_at: more.lastUsedAt?.toISOString() ?? null,
    }))
    return {
      json: keys,
      lines: keys.map(
        (key) =>
          `${key.id}  ${key.kind.padEnd(16)}  ...${key.last4}  ${key.revoked_at === null ? 'in force' : `revoked ${key.revoked_at}`}`,
      ),
    }
  },
})

const revoke = command({
  usage: 'keys revoke <m> --id I',
  says: 'this key dies at once',
  async run(input) {
    const { app, merchant, id } = await getMerchantAndId(input, 'id')
    await revokeKey(app, input.actor, { holder: merchant, id })
    return { json: { id, revoked: true }, lines: [`${id} is revoked`] }
  },
})

export const keyCommands = [create, list, rotate, revoke]
