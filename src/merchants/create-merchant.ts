import { randomBytes } from 'node:crypto'
import type { App, Gateway } from '../app.ts'
import { makeHeads } from '../ledger/book.ts'
import { type KeyKind, newApiKey } from '../platform/api-key-format.ts'
import { assert } from '../platform/assert.ts'
import { call } from '../platform/db/database.ts'
import { sqlState } from '../platform/db/errors.ts'
import { statement } from '../platform/db/statement.ts'
import { newId, newTag, randomText } from '../platform/ids.ts'
import { domainRefusal, invalidRequest } from '../platform/refusal.ts'
import { addCellKey, addDirectoryKey } from './api-keys.ts'
import { directoryChanged } from './authenticate.ts'
import { addSecret } from './secrets.ts'

export type NewMerchant = {
  name: string
  email: string
  handle?: string
  verified?: boolean
  vending?: boolean
  cell?: string
}

/** What is shown once, at creation. */
export type CreatedMerchant = {
  id: string
  handle: string
  public_key: string
  keys: Record<KeyKind, string>
  webhook_secret: string
}

const HANDLE = /^[a-z0-9-]{3,30}$/
const RESERVED = new Set([
  'admin',
  'api',
  'gateway',
  'help',
  'pay',
  'root',
  'security',
  'support',
  'status',
  'www',
  'mtn',
  'airtel',
])
const KINDS: readonly KeyKind[] = ['test', 'live', 'test_collections', 'live_collections']
const PUBLIC_KEY_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const TRIES = 5

const REGISTER = statement<{ id: number }>(
  'register merchant',
  `insert into merchants (public_id, tag, handle, cell, created_at) values ($1, $2, $3, $4, $5) returning id`,
)
const STORE = statement(
  'store merchant',
  `insert into merchants (id, public_id, tag, handle, name, email, public_key_test, public_key_live, kyc_status,
     vending_enabled, created_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
)
const HANDLE_TAKEN = statement('handle taken', 'select 1 from merchants where handle = $1')

/**
 * Makes a merchant with its four keys, its webhook secret and its two empty ledgers (contract.md 9.3). The directory rows
 * that make it reachable come last: a crash before them leaves nothing that anybody can use. Errors: Refusal.
 */
export async function createMerchant(gateway: Gateway, input: NewMerchant): Promise<CreatedMerchant> {
  checkNames(input)
  const app = gateway.appOf({ cell: input.cell ?? 'cell_0' })
  const registered = await register(app, input)
  const keys = Object.fromEntries(KINDS.map((kind) => [kind, newApiKey(kind)])) as Record<KeyKind, string>
  const secret = newWebhookSecret()
  const publicKeys = { test: newPublicKey('test'), live: newPublicKey('live') }
  await storeInCell(app, { ...input, ...registered }, { keys, secret, publicKeys })
  await app.directory.transaction(async (tx) => {
    await tx.send(
      ...KINDS.map((kind) => addDirectoryKey(registered, { kind, key: keys[kind], at: app.clock.now() })),
    )
    return { value: null, last: [directoryChanged()] }
  })
  return {
    id: registered.publicId,
    handle: registered.handle,
    public_key: publicKeys.test,
    keys,
    webhook_secret: secret,
  }
}

export const newWebhookSecret = () => `whsec_${randomBytes(32).toString('base64')}`
const newPublicKey = (mode: 'test' | 'live') => `pk_${mode}_${randomText(PUBLIC_KEY_ALPHABET, 24)}`

function checkNames({ name, email, handle }: NewMerchant): void {
  if (name.trim() === '' || [...name].length > 200) throw invalidRequest('name must be 1 to 200 characters')
  if (!/^[^@\s]+@[^@\s]+$/.test(email) || email.length > 254)
    throw invalidRequest('email is not a valid email address')
  if (handle !== undefined && (!HANDLE.test(handle) || RESERVED.has(handle)))
    throw invalidRequest('handle must be 3 to 30 characters of a-z, 0-9 and -, and no reserved word')
}

type Registered = { id: number; publicId: string; tag: string; handle: string }

/** Takes an id, a tag and a handle; another try when a random one was taken. */
async function register(app: App, input: NewMerchant): Promise<Registered> {
  for (let attempt = 1; ; attempt += 1) {
    const tag = newTag()
    const handle = input.handle ?? handleFor(input.name, attempt)
    const row = { publicId: newId('mer_', tag), tag, handle }
    const at = app.clock.now().toISOString()
    try {
      const [made] = await app.directory.query(REGISTER, [row.publicId, tag, handle, app.cell, at])
      assert(made, 'an insert answers with its row')
      return { ...row, id: made.id }
    } catch (error) {
      if (sqlState(error) !== '23505' || attempt === TRIES) throw error
      const taken = await app.directory.query(HANDLE_TAKEN, [handle])
      if (input.handle !== undefined && taken.length > 0)
        throw domainRefusal('handle_taken', `the handle ${handle} is taken`)
    }
  }
}

function handleFor(name: string, attempt: number): string {
  const slug = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 24)
    .padEnd(3, 'x')
  return attempt === 1 && !RESERVED.has(slug) ? slug : `${slug}-${newTag()}`
}

async function storeInCell(
  app: App,
  merchant: NewMerchant & Registered,
  made: { keys: Record<KeyKind, string>; secret: string; publicKeys: { test: string; live: string } },
): Promise<void> {
  const at = app.clock.now()
  await app.db.transaction(async (tx) => {
    await tx.send(
      call(
        STORE,
        merchant.id,
        merchant.publicId,
        merchant.tag,
        merchant.handle,
        merchant.name,
        merchant.email,
        made.publicKeys.test,
        made.publicKeys.live,
        merchant.verified ? 'verified' : 'pending',
        merchant.vending ?? false,
        at.toISOString(),
      ),
    )
    return {
      value: null,
      last: [
        makeHeads(merchant.id),
        addSecret(app, { merchantId: merchant.id, purpose: 'webhook', plain: made.secret, expiresAt: null }),
        ...KINDS.map((kind) => addCellKey(app, merchant, { kind, key: made.keys[kind], at })),
      ],
    }
  })
}
