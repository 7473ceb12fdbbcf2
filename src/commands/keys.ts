import { createKey, listKeys, revokeKey, rotateKey } from '../merchants/api-keys.ts'
import { type Command, ofMerchant, oneOf, optionalText, required, text } from './command.ts'

const KEY_KINDS = ['test', 'live', 'test_collections', 'live_collections'] as const
const KIND = '--kind test|live|test_collections|live_collections'

const rotate: Command = {
  name: 'keys rotate',
  usage: `keys rotate <m> ${KIND} [--key K]`,
  says: 'a new key of a kind; all older ones of the kind die at once',
  words: 1,
  options: { kind: text, key: text },
  async run(input) {
    const kind = oneOf('kind', required(input, 'kind'), KEY_KINDS)
    const { app, merchant } = await ofMerchant(input)
    const key = await rotateKey(app, input.actor, {
      holder: merchant,
      kind,
      commandKey: optionalText(input, 'key'),
    })
    return { json: { kind, key }, lines: [`${kind}  ${key}`] }
  },
}

const create: Command = {
  name: 'keys create',
  usage: `keys create <m> ${KIND} [--key K]`,
  says: 'a second key of a kind, for a change without a gap; printed once',
  words: 1,
  options: { kind: text, key: text },
  async run(input) {
    const kind = oneOf('kind', required(input, 'kind'), KEY_KINDS)
    const { app, merchant } = await ofMerchant(input)
    const made = await createKey(app, input.actor, {
      holder: merchant,
      kind,
      commandKey: optionalText(input, 'key'),
    })
    return { json: { id: made.id, kind, key: made.key }, lines: [`${made.id}  ${kind}  ${made.key}`] }
  },
}

const list: Command = {
  name: 'keys list',
  usage: 'keys list <m>',
  says: 'keys of a merchant with their last four characters, never whole',
  words: 1,
  options: {},
  async run(input) {
    const { app, merchant } = await ofMerchant(input)
    const keys = (await listKeys(app, merchant)).map(({ id, kind, last4, createdAt, revokedAt }) => ({
      id,
      kind,
      last4,
      created_at: createdAt.toISOString(),
      revoked_at: revokedAt?.toISOString() ?? null,
    }))
    return {
      json: keys,
      lines: keys.map(
        (key) =>
          `${key.id}  ${key.kind.padEnd(16)}  ...${key.last4}  ${key.revoked_at === null ? 'in force' : `revoked ${key.revoked_at}`}`,
      ),
    }
  },
}

const revoke: Command = {
  name: 'keys revoke',
  usage: 'keys revoke <m> --id I',
  says: 'this key dies at once',
  words: 1,
  options: { id: text },
  async run(input) {
    const id = required(input, 'id')
    const { app, merchant } = await ofMerchant(input)
    await revokeKey(app, input.actor, { holder: merchant, id })
    return { json: { id, revoked: true }, lines: [`${id} is revoked`] }
  },
}

export const keyCommands = [create, list, rotate, revoke]
