import type { Actor } from '../actors/actor.ts'
import { allow } from '../actors/allow.ts'
import { type Act, auditRow, auditRows } from '../actors/audit-row.ts'
import type { App, Gateway } from '../app.ts'
import { makeHeads } from '../ledger/book.ts'
import { type KeyKind, newApiKey } from '../platform/api-key-format.ts'
import { assert } from '../platform/assert.ts'
import { call } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import { isTaken } from '../platform/db/taken.ts'
import { newId, newTag, randomText } from '../platform/ids.ts'
import type { Mode } from '../platform/mode.ts'
import { invalidRequest } from '../platform/refusal.ts'
import { hasForbiddenControl } from '../platform/text.ts'
import { addCellKey, addDirectoryKey, keyIdOf } from './api-keys.ts'
import { directoryChanged } from './authenticate.ts'
import { formerHandle, handleTaken } from './change-handle.ts'
import { findCommand, keepCommand } from './command-keys.ts'
import { handleFor, judgeHandle } from './handle.ts'
import { newWebhookSecret } from './rotate-webhook-secret.ts'
import { addSecret } from './secrets.ts'

export type NewMerchant = {
  name: string
  email: string
  handle?: string
  verified?: boolean
  vending?: boolean
  cell?: string
}

/** The answer to the creation; its secrets are shown only this once. */
export type CreatedMerchant = {
  id: string
  handle: string
  public_key: string
  keys: Record<KeyKind, string>
  webhook_secret: string
}

const KINDS: readonly KeyKind[] = ['test', 'live', 'test_collections', 'live_collections']
const PUBLIC_KEY_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const TRIES = 5

const REGISTER = statement<{ id: number }>(
  'register merchant',
  `insert into merchants (public_id, tag, handle, cell, created_at) values ($1, $2, $3, $4, $5) returning id`,
)
const STORE = statement<{ id: number }>(
  'store merchant',
  `insert into merchants (id, public_id, tag, handle, name, email, public_key_test, public_key_live, kyc_status,
     vending_enabled, created_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) on conflict do nothing returning id`,
)
const HANDLE_TAKEN = statement('handle taken', 'select 1 from merchants where handle = $1')
const MERCHANT_OF_TAG = statement<{ id: number }>(
  'merchant of tag',
  'select id from merchants where tag = $1',
)

/** All random values of a new merchant, decided before anything is stored. */
type Draft = {
  publicId: string
  tag: string
  handle: string
  keys: Record<KeyKind, string>
  secret: string
  publicKeys: { test: string; live: string }
}

/**
 * Makes a merchant with its four keys, its webhook secret and its two empty ledgers (contract.md 9.3). The directory rows
 * that make it reachable come last, so that a crash before them leaves nothing usable. With `commandKey` a repeat finishes
 * the first call and prints the same answer. Errors: Refusal.
 */
export async function createMerchant(
  gateway: Gateway,
  actor: Actor,
  { commandKey, ...input }: NewMerchant & { commandKey?: string | undefined },
): Promise<CreatedMerchant> {
  allow(actor, 'merchant.create')
  checkNames(input)
  const app = gateway.appOf({ cell: input.cell ?? 'cell_0' })
  const earlier =
    commandKey === undefined
      ? null
      : await findCommand<Draft>(app, { key: commandKey, command: 'merchants create', input })
  const draft = earlier ?? (await register(app, actor, { input, commandKey }))
  const [row] = await app.directory.query(MERCHANT_OF_TAG, [draft.tag])
  assert(row, 'a drafted merchant is registered')
  const merchant = { id: row.id, ...draft }
  await storeInCell(app, actor, { input, merchant })
  await app.directory.transaction(async (tx) => {
    await tx.send(
      ...KINDS.map((kind) => addDirectoryKey(merchant, { kind, key: draft.keys[kind], at: app.clock.now() })),
    )
    return { value: null, last: [directoryChanged()] }
  })
  return {
    id: draft.publicId,
    handle: draft.handle,
    public_key: draft.publicKeys.test,
    keys: draft.keys,
    webhook_secret: draft.secret,
  }
}

/** Whether the same creation was asked for before under this key. */
export async function isRepeated(
  gateway: Gateway,
  { commandKey, ...input }: NewMerchant & { commandKey?: string | undefined },
): Promise<boolean> {
  if (commandKey === undefined) return false
  const app = gateway.appOf({ cell: input.cell ?? 'cell_0' })
  return (await findCommand<Draft>(app, { key: commandKey, command: 'merchants create', input })) !== null
}

const newPublicKey = (mode: Mode) => `pk_${mode}_${randomText(PUBLIC_KEY_ALPHABET, 24)}`

function checkNames({ name, email, handle }: NewMerchant): void {
  if (name.trim() === '' || [...name].length > 200) throw invalidRequest('name must be 1 to 200 characters')
  if (hasForbiddenControl(name, false)) throw invalidRequest('name contains control characters')
  if (!/^[^@\s]+@[^@\s]+$/.test(email) || email.length > 254)
    throw invalidRequest('email is not a valid email address')
  if (handle !== undefined) judgeHandle(handle)
}

/** The handle was another merchant's before: addresses with it still lead there. */
class FormerHandle extends Error {}

/** Reserves id, tag and handle, and stores the draft under the command's key; tries again when a random one was taken. */
async function register(
  app: App,
  actor: Actor,
  { input, commandKey }: { input: NewMerchant; commandKey: string | undefined },
): Promise<Draft> {
  for (let attempt = 1; ; attempt += 1) {
    const draft = drawDraft(input, attempt)
    const at = app.clock.now()
    try {
      await app.directory.transaction(async (tx) => {
        const keep =
          commandKey === undefined
            ? []
            : [keepCommand(app, { key: commandKey, command: 'merchants create', input }, draft)]
        const { publicId, tag, handle } = draft
        const [[former]] = await tx.send(formerHandle(handle))
        if (former) throw new FormerHandle()
        const [[row]] = await tx.send(call(REGISTER, publicId, tag, handle, app.cell, at.toISOString()))
        assert(row, 'a merchant that was registered has an id')
        return {
          value: null,
          last: [...keep, auditRow(createdBy(actor, { draft: { ...draft, id: row.id }, input, at }))],
        }
      })
      return draft
    } catch (error) {
      const isFormer = error instanceof FormerHandle
      if (isFormer && input.handle !== undefined) throw handleTaken(draft.handle)
      if ((!isFormer && !isTaken(error)) || attempt === TRIES) throw error
      const first =
        commandKey === undefined
          ? null
          : await findCommand<Draft>(app, { key: commandKey, command: 'merchants create', input })
      if (first !== null) return first
      const taken = await app.directory.query(HANDLE_TAKEN, [draft.handle])
      if (input.handle !== undefined && taken.length > 0) throw handleTaken(draft.handle)
    }
  }
}

function drawDraft(input: NewMerchant, attempt: number): Draft {
  const tag = newTag()
  return {
    publicId: newId('mer_', tag),
    tag,
    handle: input.handle ?? handleFor(input.name, attempt),
    keys: Object.fromEntries(KINDS.map((kind) => [kind, newApiKey(kind)])) as Record<KeyKind, string>,
    secret: newWebhookSecret(),
    publicKeys: { test: newPublicKey('test'), live: newPublicKey('live') },
  }
}

type Beginning = { draft: Draft & { id: number }; input: NewMerchant; at: Date }

/** Makes the audit act of a creation with the first values: `verify` compares current values with their newest audit row. */
const createdBy = (actor: Actor, { draft: { id, publicId, handle, keys }, input, at }: Beginning): Act => ({
  ...{ actor, action: 'merchant.create', at, merchantId: id, subject: publicId },
  after: {
    ...{ handle, kycStatus: kycOf(input), vendingEnabled: input.vending ?? false },
    keys: Object.fromEntries(KINDS.map((kind) => [keyIdOf(keys[kind]), kind])),
  },
})

const kycOf = ({ verified }: NewMerchant) => (verified ? 'verified' : 'pending')

async function storeInCell(
  app: App,
  actor: Actor,
  { input, merchant }: { input: NewMerchant; merchant: Draft & { id: number } },
): Promise<void> {
  const at = app.clock.now()
  await app.db.transaction(async (tx) => {
    const [stored] = await tx.send(
      call(
        STORE,
        merchant.id,
        merchant.publicId,
        merchant.tag,
        merchant.handle,
        input.name,
        input.email,
        merchant.publicKeys.test,
        merchant.publicKeys.live,
        kycOf(input),
        input.vending ?? false,
        at.toISOString(),
      ),
    )
    return {
      value: null,
      last: [
        // A repeat that finishes a cut call stores nothing again.
        ...auditRows(stored.length === 0 ? [] : [createdBy(actor, { draft: merchant, input, at })]),
        makeHeads(merchant.id),
        addSecret(app, {
          merchantId: merchant.id,
          purpose: 'webhook',
          plain: merchant.secret,
          expiresAt: null,
        }),
        ...KINDS.map((kind) => addCellKey(app, merchant, { kind, key: merchant.keys[kind], at })),
      ],
    }
  })
}
