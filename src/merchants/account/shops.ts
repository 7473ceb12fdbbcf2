import { statement } from '../../platform/db/statement.ts'
import type { App, Gateway } from '../../program/app.ts'
import { ACCOUNT_STATE, type AccountState } from './account-state.ts'
import type { KycStatus } from './merchant.ts'

/** A merchant as its customers' pages need it, with the cell that serves it. */
export type Shop = {
  app: App
  merchantId: number
  tag: string
  name: string
  handle: string
  /** The public key of its test mode: part of the address of what it tries there. */
  publicKeyTest: string
  active: boolean
  account: AccountState
  kycStatus: KycStatus
  vendingEnabled: boolean
  chargeLimit: number | null
  /** The colour of its branding and the time of its logo; null where it has none. */
  accent: string | null
  logoAt: Date | null
}

type MerchantCell = { merchantId: number; cell: string }

const FIND_BY_TAG = statement<MerchantCell>(
  'place of tag',
  'select id as "merchantId", cell from merchants where tag = $1',
)
// Matches the handle that a merchant has, and one that it had before.
const FIND_BY_HANDLE = statement<MerchantCell & { handle: string }>(
  'place of handle',
  `select id as "merchantId", cell, handle from merchants where handle = $1
   union all select m.id, m.cell, m.handle from former_handles f join merchants m on m.id = f.merchant_id where f.handle = $1 limit 1`,
)
// A merchant made by a sign-up is unproven until an owner has proven an e-mail address. One that a command made has no people, and is not
// unproven; one that was made for tests has no live mode.
const IS_UNPROVEN = statement<{ claim: boolean }>(
  'merchant of a claim',
  `select exists (select from merchants m where m.id = $1 and m.parent_id is not null)
     or exists (select from memberships w where w.merchant_id = $1) and not exists (select from memberships w join people p on p.id = w.person_id
     where w.merchant_id = $1 and w.role = 'owner' and p.confirmed_at is not null and p.closed_at is null) as claim`,
)
const FIND_SHOP = statement<Omit<Shop, 'app'>>(
  'shop',
  `select m.id as "merchantId", m.tag, m.name, m.handle, m.public_key_test as "publicKeyTest", m.active, ${ACCOUNT_STATE} as account, m.kyc_status as "kycStatus",
     m.vending_enabled as "vendingEnabled", m.charge_limit as "chargeLimit", b.accent, b.logo_at as "logoAt"
   from merchants m left join brandings b on b.merchant_id = m.id where m.id = $1`,
)
const MAX_CACHED_TAGS = 50_000

/** Finds shops for requests without a key. */
export type ShopFinder = {
  /** Finds a shop by the tag in an id; null when no merchant has it. */
  ofTag(gateway: Gateway, tag: string): Promise<Shop | null>
  /** Finds a shop by a handle that it has or had; `handle` of the shop is the current one. */
  ofHandle(gateway: Gateway, handle: string): Promise<Shop | null>
  /** Finds only the cell and merchant of a tag, which never change. */
  locate(gateway: Gateway, tag: string): Promise<{ app: App; merchantId: number } | null>
}

/** The cell of a tag never changes and is cached for ever (ledger.md section 11); the shop itself is read each time. */
export function shopFinder(): ShopFinder {
  const cached = new Map<string, MerchantCell>()
  async function find(gateway: Gateway, tag: string): Promise<MerchantCell | null> {
    const [row] = cached.has(tag) ? [cached.get(tag)] : await gateway.directory.query(FIND_BY_TAG, [tag])
    if (!row) return null
    if (cached.size > MAX_CACHED_TAGS) cached.clear()
    cached.set(tag, row)
    return row
  }
  return {
    async ofTag(gateway, tag) {
      const merchant = await find(gateway, tag)
      return merchant && readShop(gateway, merchant)
    },
    async locate(gateway, tag) {
      const merchant = await find(gateway, tag)
      return merchant && { app: gateway.appOf(merchant), merchantId: merchant.merchantId }
    },
    async ofHandle(gateway, handle) {
      const [merchant] = await gateway.directory.query(FIND_BY_HANDLE, [handle])
      const shop = merchant ? await readShop(gateway, merchant) : null
      return shop && merchant ? { ...shop, handle: merchant.handle } : null
    },
  }
}

/** Whether no owner of this shop has proven an e-mail address yet: then it has no public page. */
export async function isUnprovenShop(
  { directory }: Gateway,
  { merchantId }: Pick<Shop, 'merchantId'>,
): Promise<boolean> {
  const [row] = await directory.query(IS_UNPROVEN, [merchantId])
  return row?.claim ?? false
}

async function readShop(gateway: Gateway, merchant: MerchantCell): Promise<Shop | null> {
  const app = gateway.appOf(merchant)
  const [facts] = await app.db.query(FIND_SHOP, [merchant.merchantId])
  // A merchant whose creation was cut short is in the directory and has no row in its cell.
  return facts ? { ...facts, app } : null
}
