import { createKey, revokeKey, rotateKey } from '../../merchants/account/api-keys.ts'
import { setKeyAddresses } from '../../merchants/account/key-addresses.ts'
import { setKeySigners } from '../../merchants/account/key-signers.ts'
import { listKeys } from '../../merchants/account/list-keys.ts'
import { MAX_KEY_LIMIT, setKeyLimit } from '../../merchants/account/set-key-limit.ts'
import { command } from './frame/command.ts'
import {
  type CommandInput,
  findText,
  getCommandMerchant,
  getMerchantAndId,
  parseChoice,
  parseWholeNumber,
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
      used_from: more.usedFrom,
      allowed_from: more.allowedFrom,
      signed_by: more.signedBy,
      daily_limit: more.dailyLimit,
    }))
    return {
      json: keys,
      lines: keys.map(
        (key) =>
          `${key.id}  ${key.kind.padEnd(16)}  ...${key.last4}  ${key.revoked_at === null ? 'in force' : `revoked ${key.revoked_at}`}${key.allowed_from.length === 0 ? '' : `  only from ${key.allowed_from.join(', ')}`}${key.signed_by.length === 0 ? '' : '  only signed'}${key.daily_limit === null ? '' : `  at most ${key.daily_limit} a day`}`,
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

const addresses = command({
  usage: 'keys addresses <m> --id I [--only LIST]',
  says: 'the addresses and networks from which alone this key may be used, with commas between; without --only from anywhere',
  async run(input) {
    const { app, merchant, id } = await getMerchantAndId(input, 'id')
    const only =
      findText(input, 'only')
        ?.split(/[\s,]+/)
        .filter((entry) => entry !== '') ?? []
    const allowed = await setKeyAddresses(app, input.actor, { holder: merchant, id, addresses: only })
    const text = allowed.length === 0 ? 'anywhere' : allowed.join(', ')
    return { json: { id, allowed_from: allowed }, lines: [`${id} may be used from ${text}`] }
  },
})

const signers = command({
  usage: 'keys signers <m> --id I [--public-keys LIST]',
  says: 'the Ed25519 public keys (32 bytes in base64, at most two, with a comma between) of which one must have signed each request with this key; without --public-keys no request needs a signature',
  async run(input) {
    const { app, merchant, id } = await getMerchantAndId(input, 'id')
    const text = findText(input, 'public-keys') ?? ''
    const signedBy = await setKeySigners(app, input.actor, { holder: merchant, id, text })
    const says = signedBy.length === 0 ? 'needs no signature' : `needs a signature by ${signedBy.join(' or ')}`
    return { json: { id, signed_by: signedBy }, lines: [`${id} ${says}`] }
  },
})

const limit = command({
  usage: 'keys limit <m> --id I [--day AMOUNT]',
  says: 'what this key may send in a day of Kampala, in whole UGX without fees; without --day as much as there is',
  async run(input) {
    const { app, merchant, id } = await getMerchantAndId(input, 'id')
    const text = findText(input, 'day')
    const most = text === undefined ? null : parseWholeNumber('day', text, { low: 0, high: MAX_KEY_LIMIT })
    await setKeyLimit(app, input.actor, { holder: merchant, id, limit: most })
    return {
      json: { id, daily_limit: most },
      lines: [most === null ? `${id} has no limit` : `${id} may send ${most} a day`],
    }
  },
})

export const keyCommands = [addresses, create, limit, list, rotate, revoke, signers]
