import type { Actor } from '../../../api/access/actor.ts'
import { allow } from '../../../api/access/allow.ts'
import { auditRow } from '../../../api/access/audit-row.ts'
import type { Merchant } from '../../../merchants/account/merchant.ts'
import { refusedAddress } from '../../../merchants/account/refused-address.ts'
import { assert } from '../../../platform/assert.ts'
import { call } from '../../../platform/db/database.ts'
import { statement } from '../../../platform/db/statement.ts'
import { resolveHost } from '../../../platform/outbound/resolve.ts'
import { isAddressAllowed, parseTarget } from '../../../platform/outbound/target.ts'
import { invalidRequest } from '../../../platform/refusal.ts'
import { hasForbiddenControl } from '../../../platform/text/text.ts'
import { timeLimit } from '../../../platform/time/time-limit.ts'
import type { App } from '../../../program/app.ts'
import { vendingOff } from '../orders/order-rules.ts'

/** The access to a merchant's own supplier; key and secret are never shown again. `baseUrl` has no slash at its end. */
export type SupplierAccess = { baseUrl: string; shbh: string; key: string; secret: string }

/** The settings to change. An absent one stays. */
export type VendingChange = {
  supplier?: SupplierAccess
  profile?: 'default' | 'optimistic'
  acceptApiSecret?: boolean
}

/** The settings as pages show them, without key and secret. */
export type VendingSettings = {
  baseUrl: string | null
  shbh: string | null
  profile: 'default' | 'optimistic'
  acceptApiSecret: boolean
}

const MAX_SECRET_CHARACTERS = 500
const MAX_NUMBER_CHARACTERS = 64

const IS_VENDING_ON = statement<{ on: boolean }>(
  'whether vending is on',
  'select vending_enabled as "on" from merchants where id = $1',
)
const READ_SUPPLIER = statement<{ baseUrl: string; shbh: string; key: Buffer; secret: Buffer }>(
  'vending supplier',
  `select base_url as "baseUrl", shbh, key_ciphertext as key, secret_ciphertext as secret
   from vending_suppliers where merchant_id = $1`,
)
const READ_SETTINGS = statement<VendingSettings>(
  'vending settings',
  `select s.base_url as "baseUrl", s.shbh, coalesce(p.profile, 'default') as profile,
     coalesce(p.accept_api_secret, true) as "acceptApiSecret"
   from merchants m left join vending_suppliers s on s.merchant_id = m.id left join vending_profiles p on p.merchant_id = m.id
   where m.id = $1`,
)
const SET_SUPPLIER = statement(
  'set vending supplier',
  `insert into vending_suppliers (merchant_id, base_url, shbh, key_ciphertext, secret_ciphertext, changed_at)
   values ($1, $2, $3, $4, $5, $6)
   on conflict (merchant_id) do update set base_url = excluded.base_url, shbh = excluded.shbh,
     key_ciphertext = excluded.key_ciphertext, secret_ciphertext = excluded.secret_ciphertext,
     changed_at = excluded.changed_at`,
)
const SET_PROFILE = statement(
  'set vending profile',
  `insert into vending_profiles (merchant_id, profile, accept_api_secret, changed_at)
   values ($1, coalesce($2, 'default'), coalesce($3, true), $4)
   on conflict (merchant_id) do update set profile = coalesce($2, vending_profiles.profile),
     accept_api_secret = coalesce($3, vending_profiles.accept_api_secret), changed_at = excluded.changed_at`,
)

/** Refuses while vending is off for this merchant. */
export async function requireVending(app: App, merchantId: number): Promise<void> {
  const [merchant] = await app.db.query(IS_VENDING_ON, [merchantId])
  if (!merchant?.on) throw vendingOff()
}

/** Reads the settings of a merchant, without key and secret. */
export async function readVendingSettings(app: App, merchantId: number): Promise<VendingSettings> {
  const [settings] = await app.db.query(READ_SETTINGS, [merchantId])
  assert(settings, 'a merchant is never deleted')
  return settings
}

/** Finds the access to the merchant's supplier; null if none is set. */
export async function findSupplierAccess(app: App, merchantId: number): Promise<SupplierAccess | null> {
  const [row] = await app.db.query(READ_SUPPLIER, [merchantId])
  if (!row) return null
  const open = (sealed: Buffer, name: SupplierSecretName) => app.vault.open(sealed, supplierBinding(merchantId, name))
  const { baseUrl, shbh } = row
  return { baseUrl, shbh, key: open(row.key, 'key'), secret: open(row.secret, 'secret') }
}

/** Stores supplier and profile in one commit. The address is checked like a webhook address. */
export async function setVending(
  app: App,
  actor: Actor,
  { merchant: { id }, change }: { merchant: Pick<Merchant, 'id'>; change: VendingChange },
): Promise<VendingSettings> {
  allow(actor, 'vending.set', id)
  const { supplier, profile = null, acceptApiSecret = null } = change
  const checkedSupplier = supplier === undefined ? null : await parseSupplier(app, supplier)
  const at = app.clock.now()
  return app.db.transaction(async (tx) => {
    const [[before]] = await tx.send(call(READ_SETTINGS, id))
    if (checkedSupplier !== null)
      await tx.send(call(SET_SUPPLIER, id, ...sealedValues(app, id, checkedSupplier), at.toISOString()))
    if (profile !== null || acceptApiSecret !== null)
      await tx.send(call(SET_PROFILE, id, profile, acceptApiSecret, at.toISOString()))
    const [[after]] = await tx.send(call(READ_SETTINGS, id))
    assert(before && after, 'a merchant is never deleted')
    const act = { actor, action: 'vending.set', at, merchantId: id } as const
    // The names of the changed fields, because two of the four are secrets, which the audit must not contain.
    const changed = Object.keys(change)
    return { value: after, last: [auditRow({ ...act, before, after: { ...after, changed } })] }
  })
}

function sealedValues(app: App, merchantId: number, { baseUrl, shbh, key, secret }: SupplierAccess) {
  const seal = (plain: string, name: SupplierSecretName) => app.vault.seal(plain, supplierBinding(merchantId, name))
  return [baseUrl, shbh, seal(key, 'key'), seal(secret, 'secret')]
}

async function parseSupplier(app: App, { baseUrl, shbh, key, secret }: SupplierAccess): Promise<SupplierAccess> {
  checkText('shbh', shbh, MAX_NUMBER_CHARACTERS)
  checkText('key', key, MAX_SECRET_CHARACTERS)
  checkText('secret', secret, MAX_SECRET_CHARACTERS)
  return { baseUrl: await parseBaseUrl(app, baseUrl), shbh, key, secret }
}

function checkText(name: string, text: string, maxCharacters: number): void {
  if (text === '' || text.length > maxCharacters || hasForbiddenControl(text, false))
    throw invalidRequest(`${name} must be 1 to ${maxCharacters} characters`)
}

async function parseBaseUrl(app: App, typed: string): Promise<string> {
  const refusal = refusedAddress(app, typed, 'SUPPLIER_ALLOW_PRIVATE')
  const parsed = parseTarget(typed, app.supplierRules)
  if (parsed.kind === 'refused' || typed.includes('?')) throw refusal
  const { target } = parsed
  if (!target.exempt && target.literal === null) {
    // A name that does not resolve now may do so later; one that resolves to a private address is refused at once.
    const addresses = await resolveHost(target.host, timeLimit(1000)).catch(() => [])
    if (addresses.some(({ address }) => !isAddressAllowed(address))) throw refusal
  }
  return target.url.href.replace(/\/+$/, '')
}

type SupplierSecretName = 'key' | 'secret'

/** The binding of the sealed key or secret of a merchant's supplier. */
export const supplierBinding = (merchantId: number, name: SupplierSecretName) => ({
  merchantId,
  purpose: `vending supplier ${name}`,
  column: `vending_suppliers.${name}_ciphertext`,
})
