import type { Actor } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { type AuditAct, auditRow, auditRows } from '../../api/access/audit-row.ts'
import { makeHeads } from '../../ledger/book.ts'
import { assert } from '../../platform/assert.ts'
import { call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { isUniqueViolation } from '../../platform/db/unique-violation.ts'
import type { Mode } from '../../platform/mode.ts'
import { invalidRequest } from '../../platform/refusal.ts'
import { type ApiKeyKind, newApiKey } from '../../platform/text/api-key-format.ts'
import { newId, newTag, randomText } from '../../platform/text/ids.ts'
import { hasForbiddenControl } from '../../platform/text/text.ts'
import type { App, Gateway } from '../../program/app.ts'
import { addCellKey, addDirectoryKey, makeKeyId } from './api-keys.ts'
import { directoryChanged } from './authenticate.ts'
import { findFormerHandle, handleTaken } from './change-handle.ts'
import { chooseCell } from './choose-cell.ts'
import { findCommand, storeCommand } from './command-keys.ts'
import { judgeHandle, makeHandle } from './handle.ts'
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
  keys: Record<ApiKeyKind, string>
  webhook_secret: string
}

const KEY_KINDS: readonly ApiKeyKind[] = ['test', 'live', 'test_collections', 'live_collections']
const PUBLIC_KEY_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const MAX_REGISTER_ATTEMPTS = 5

const REGISTER = statement<{ id: number }>(
  'register merchant',
  `insert into merchants (public_id, tag, handle, cell, created_at) values ($1, $2, $3, $4, $5) returning id`,
)
const STORE = statement<{ id: number }>(
  'store merchant',
  `insert into merchants (id, public_id, tag, handle, name, email, public_key_test, public_key_live, kyc_status,
     vending_enabled, created_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) on conflict do nothing returning id`,
)
const FIND_HANDLE = statement('handle taken', 'select 1 from merchants where handle = $1')
const FIND_BY_TAG = statement<{ id: number; cell: string }>(
  'merchant of tag',
  'select id, cell from merchants where tag = $1',
)

/** All random values of a new merchant, decided before anything is stored. */
type MerchantDraft = {
  publicId: string
  tag: string
  handle: string
  keys: Record<ApiKeyKind, string>
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
  const earlier = await findCreation(gateway, { commandKey, input })
  const draft = earlier ?? (await register(await findCell(gateway, input), actor, { input, commandKey }))
  const [row] = await gateway.directory.query(FIND_BY_TAG, [draft.tag])
  assert(row, 'a drafted merchant is registered')
  // Of a repeat that is the cell of the first call, whichever has room now.
  const app = gateway.appOf(row)
  const merchant = { id: row.id, ...draft }
  await storeInCell(app, actor, { input, merchant })
  await app.directory.transaction(async (tx) => {
    await tx.send(
      ...KEY_KINDS.map((kind) => addDirectoryKey(merchant, { kind, key: draft.keys[kind], at: app.clock.now() })),
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
export async function isRepeatedCreation(
  gateway: Gateway,
  { commandKey, ...input }: NewMerchant & { commandKey?: string | undefined },
): Promise<boolean> {
  return (await findCreation(gateway, { commandKey, input })) !== null
}

const findCell = async (gateway: Gateway, { cell }: NewMerchant): Promise<App> =>
  cell === undefined ? chooseCell(gateway) : gateway.appOf({ cell })

/** Finds what an earlier call under this key has drafted. */
const findCreation = async (
  { directory, vault }: Pick<App, 'directory' | 'vault'>,
  { commandKey: key, input }: { commandKey: string | undefined; input: NewMerchant },
): Promise<MerchantDraft | null> =>
  key === undefined ? null : findCommand({ directory, vault }, { key, command: 'merchants create', input })

const newPublicKey = (mode: Mode) => `pk_${mode}_${randomText(PUBLIC_KEY_ALPHABET, 24)}`

function checkNames({ name, email, handle }: NewMerchant): void {
  if (name.trim() === '' || [...name].length > 200) throw invalidRequest('name must be 1 to 200 characters', 'name')
  if (hasForbiddenControl(name, false)) throw invalidRequest('name contains control characters', 'name')
  if (!/^[^@\s]+@[^@\s]+$/.test(email) || email.length > 254)
    throw invalidRequest('email is not a valid email address', 'email')
  if (handle !== undefined) judgeHandle(handle)
}

/** The handle was another merchant's before: addresses with it still lead there. */
class FormerHandleError extends Error {}

/** Reserves id, tag and handle, and stores the draft under the command's key; tries again when a random one was taken. */
async function register(
  app: App,
  actor: Actor,
  { input, commandKey }: { input: NewMerchant; commandKey: string | undefined },
): Promise<MerchantDraft> {
  for (let attempt = 1; ; attempt += 1) {
    const draft = drawDraft(input, attempt)
    const at = app.clock.now()
    try {
      await app.directory.transaction(async (tx) => {
        const keep =
          commandKey === undefined
            ? []
            : [storeCommand(app, { key: commandKey, command: 'merchants create', input }, draft)]
        const { publicId, tag, handle } = draft
        const [[former]] = await tx.send(findFormerHandle(handle))
        if (former) throw new FormerHandleError()
        const [[row]] = await tx.send(call(REGISTER, publicId, tag, handle, app.cell, at.toISOString()))
        assert(row, 'a merchant that was registered has an id')
        return {
          value: null,
          last: [...keep, auditRow(makeCreationAct(actor, { draft: { ...draft, id: row.id }, input, at }))],
        }
      })
      return draft
    } catch (error) {
      const isFormer = error instanceof FormerHandleError
      if (isFormer && input.handle !== undefined) throw handleTaken(draft.handle)
      if ((!isFormer && !isUniqueViolation(error)) || attempt === MAX_REGISTER_ATTEMPTS) throw error
      const first = await findCreation(app, { commandKey, input })
      if (first !== null) return first
      const taken = await app.directory.query(FIND_HANDLE, [draft.handle])
      if (input.handle !== undefined && taken.length > 0) throw handleTaken(draft.handle)
    }
  }
}

function drawDraft(input: NewMerchant, attempt: number): MerchantDraft {
  const tag = newTag()
  return {
    publicId: newId('mer_', tag),
    tag,
    handle: input.handle ?? makeHandle(input.name, attempt),
    keys: Object.fromEntries(KEY_KINDS.map((kind) => [kind, newApiKey(kind)])) as Record<ApiKeyKind, string>,
    secret: newWebhookSecret(),
    publicKeys: { test: newPublicKey('test'), live: newPublicKey('live') },
  }
}

type CreationFacts = { draft: MerchantDraft & { id: number }; input: NewMerchant; at: Date }

/** Makes the audit act of a creation with the first values: `verify` compares current values with their newest audit row. */
const makeCreationAct = (
  actor: Actor,
  { draft: { id, publicId, handle, keys }, input, at }: CreationFacts,
): AuditAct => ({
  ...{ actor, action: 'merchant.create', at, merchantId: id, subject: publicId },
  after: {
    ...{ handle, kycStatus: firstKycStatus(input), vendingEnabled: input.vending ?? false },
    keys: Object.fromEntries(KEY_KINDS.map((kind) => [makeKeyId(keys[kind]), kind])),
  },
})

const firstKycStatus = ({ verified }: NewMerchant) => (verified ? 'verified' : 'pending')

async function storeInCell(
  app: App,
  actor: Actor,
  { input, merchant }: { input: NewMerchant; merchant: MerchantDraft & { id: number } },
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
        firstKycStatus(input),
        input.vending ?? false,
        at.toISOString(),
      ),
    )
    return {
      value: null,
      last: [
        // A repeat that finishes a cut call stores nothing again.
        ...auditRows(stored.length === 0 ? [] : [makeCreationAct(actor, { draft: merchant, input, at })]),
        makeHeads(merchant.id),
        addSecret(app, {
          merchantId: merchant.id,
          purpose: 'webhook',
          plain: merchant.secret,
          expiresAt: null,
        }),
        ...KEY_KINDS.map((kind) => addCellKey(app, merchant, { kind, key: merchant.keys[kind], at })),
      ],
    }
  })
}
