import type { Actor } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { assert } from '../../platform/assert.ts'
import { statement } from '../../platform/db/statement.ts'
import { isUniqueViolation } from '../../platform/db/unique-violation.ts'
import { invalidRequest } from '../../platform/refusal.ts'
import type { ApiKeyKind } from '../../platform/text/api-key-format.ts'
import { hasForbiddenControl } from '../../platform/text/text.ts'
import type { App, Gateway } from '../../program/app.ts'
import { addDirectoryKey } from './api-keys.ts'
import { directoryChanged } from './authenticate.ts'
import { findFormerHandle, handleTaken } from './change-handle.ts'
import { chooseCell } from './choose-cell.ts'
import { findCommand, storeCommand } from './command-keys.ts'
import { judgeHandle, makeHandle } from './handle.ts'
import {
  drawDraft,
  MAX_MERCHANT_NAME_CHARACTERS,
  type MerchantDraft,
  type MerchantFacts,
  makeCreationAct,
  registerDraft,
  storeDraft,
} from './merchant-draft.ts'

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
const MAX_REGISTER_ATTEMPTS = 5

const FIND_HANDLE = statement('handle taken', 'select 1 from merchants where handle = $1')
const FIND_BY_TAG = statement<{ id: number; cell: string }>(
  'merchant of tag',
  'select id, cell from merchants where tag = $1',
)

/** A draft with the four keys of a merchant. */
type FourKeyDraft = MerchantDraft & { keys: Record<ApiKeyKind, string> }

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
): Promise<FourKeyDraft | null> =>
  key === undefined ? null : findCommand({ directory, vault }, { key, command: 'merchants create', input })

function checkNames({ name, email, handle }: NewMerchant): void {
  if (name.trim() === '' || [...name].length > MAX_MERCHANT_NAME_CHARACTERS)
    throw invalidRequest(`name must be 1 to ${MAX_MERCHANT_NAME_CHARACTERS} characters`, 'name')
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
): Promise<FourKeyDraft> {
  for (let attempt = 1; ; attempt += 1) {
    const draft = drawDraft(input.handle ?? makeHandle(input.name, attempt), KEY_KINDS)
    const at = app.clock.now()
    try {
      await app.directory.transaction(async (tx) => {
        const keep =
          commandKey === undefined
            ? []
            : [storeCommand(app, { key: commandKey, command: 'merchants create', input }, draft)]
        const [[former]] = await tx.send(findFormerHandle(draft.handle))
        if (former) throw new FormerHandleError()
        const [[row]] = await tx.send(registerDraft(draft, { cell: app.cell, at, test: null }))
        assert(row, 'a merchant that was registered has an id')
        return {
          value: null,
          last: [
            ...keep,
            auditRow(makeCreationAct({ actor, at, merchant: { ...draft, id: row.id }, facts: factsOf(input) })),
          ],
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

const factsOf = ({ name, email, verified, vending = false }: NewMerchant): MerchantFacts => ({
  ...{ name, email, vending, test: null },
  kycStatus: verified ? 'verified' : 'pending',
})

async function storeInCell(
  app: App,
  actor: Actor,
  { input, merchant }: { input: NewMerchant; merchant: MerchantDraft & { id: number } },
): Promise<void> {
  const at = app.clock.now()
  await app.db.transaction(async (tx) => ({
    value: null,
    last: await storeDraft(app, tx, { actor, at, merchant, facts: factsOf(input) }),
  }))
}
