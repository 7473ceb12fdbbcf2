import type { Actor } from '../../api/access/actor.ts'
import { type AuditAct, auditRows } from '../../api/access/audit-row.ts'
import { makeHeads } from '../../ledger/book.ts'
import { type Call, call, type Tx } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import type { Mode } from '../../platform/mode.ts'
import { type ApiKeyKind, newApiKey } from '../../platform/text/api-key-format.ts'
import { newId, newTag, randomText } from '../../platform/text/ids.ts'
import type { App } from '../../program/app.ts'
import { addCellKey, makeKeyId } from './api-keys.ts'
import { newWebhookSecret } from './rotate-webhook-secret.ts'
import { addSecret } from './secrets.ts'

export const MAX_MERCHANT_NAME_CHARACTERS = 200
const PUBLIC_KEY_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

const REGISTER = statement<{ id: number }>(
  'register merchant',
  `insert into merchants (public_id, tag, handle, cell, created_at, parent_id, expires_at)
   values ($1, $2, $3, $4, $5, $6, $7) returning id`,
)
const STORE = statement<{ id: number }>(
  'store merchant',
  `insert into merchants (id, public_id, tag, handle, name, email, public_key_test, public_key_live, kyc_status,
     vending_enabled, created_at, parent_id, expires_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) on conflict do nothing returning id`,
)

/** All random values of a new merchant, decided before anything is stored. */
export type MerchantDraft = {
  publicId: string
  tag: string
  handle: string
  keys: Partial<Record<ApiKeyKind, string>>
  secret: string
  publicKeys: { test: string; live: string }
}
/** The merchant that made a business for its tests, and until when that lives. */
export type TestTerms = { parentId: number; expiresAt: Date }

/** What a new merchant is. `test`: null for a merchant like any other. */
export type MerchantFacts = {
  name: string
  email: string
  kycStatus: 'pending' | 'verified'
  vending: boolean
  test: TestTerms | null
}

/** Draws the values of a merchant with keys of these kinds. */
export function drawDraft<Kind extends ApiKeyKind>(
  handle: string,
  kinds: readonly Kind[],
): MerchantDraft & { keys: Record<Kind, string> } {
  const tag = newTag()
  return {
    publicId: newId('mer_', tag),
    tag,
    handle,
    keys: Object.fromEntries(kinds.map((kind) => [kind, newApiKey(kind)])) as Record<Kind, string>,
    secret: newWebhookSecret(),
    publicKeys: { test: newPublicKey('test'), live: newPublicKey('live') },
  }
}

const newPublicKey = (mode: Mode) => `pk_${mode}_${randomText(PUBLIC_KEY_ALPHABET, 24)}`

/** Reserves id, tag and handle in the directory. Meets a unique violation where one is taken. */
export const registerDraft = (
  { publicId, tag, handle }: MerchantDraft,
  { cell, at, test }: { cell: string; at: Date; test: TestTerms | null },
): Call<{ id: number }> => call(REGISTER, publicId, tag, handle, cell, at.toISOString(), ...testValues(test))

const testValues = (test: TestTerms | null) => [test?.parentId ?? null, test?.expiresAt.toISOString() ?? null]

type StoredDraft = { actor: Actor; at: Date; merchant: MerchantDraft & { id: number }; facts: MerchantFacts }

/**
 * Stores a registered merchant in its cell. Returns what the transaction must write besides: its heads, secret, keys, and its row of the
 * audit. Nothing is stored again where it is there already, after a call that was cut.
 */
export async function storeDraft(app: App, tx: Tx, draft: StoredDraft): Promise<Call[]> {
  const { merchant, facts, at } = draft
  const [stored] = await tx.send(
    call(
      STORE,
      ...[merchant.id, merchant.publicId, merchant.tag, merchant.handle, facts.name, facts.email],
      ...[merchant.publicKeys.test, merchant.publicKeys.live, facts.kycStatus, facts.vending, at.toISOString()],
      ...testValues(facts.test),
    ),
  )
  return [
    ...auditRows(stored.length === 0 ? [] : [makeCreationAct(draft)]),
    makeHeads(merchant.id),
    addSecret(app, { merchantId: merchant.id, purpose: 'webhook', plain: merchant.secret, expiresAt: null }),
    ...listKeys(merchant).map(([kind, key]) => addCellKey(app, merchant, { kind, key, at })),
  ]
}

/** The keys of a draft with their kinds. */
const listKeys = ({ keys }: MerchantDraft): [ApiKeyKind, string][] => Object.entries(keys) as [ApiKeyKind, string][] // Typed by its keys.

/** Makes the audit act of a creation with the first values: `verify` compares current values with their newest audit row. */
export const makeCreationAct = ({ actor, at, merchant, facts }: StoredDraft): AuditAct => ({
  ...{ actor, action: 'merchant.create', at, merchantId: merchant.id, subject: merchant.publicId },
  after: {
    ...{ handle: merchant.handle, kycStatus: facts.kycStatus, vendingEnabled: facts.vending },
    keys: Object.fromEntries(listKeys(merchant).map(([kind, key]) => [makeKeyId(key), kind])),
  },
})
