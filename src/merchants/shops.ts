import type { App, Gateway } from '../app.ts'
import { statement } from '../platform/db/statement.ts'
import { ACCOUNT_STATE, type AccountState } from './account-state.ts'
import type { KycStatus } from './merchant.ts'

/** A merchant for its customers' pages, with the cell that serves it. */
export type Shop = {
  app: App
  merchantId: number
  tag: string
  name: string
  handle: string
  active: boolean
  account: AccountState
  kycStatus: KycStatus
  vendingEnabled: boolean
  chargeLimit: number | null
  /** The colour and the time of the logo of its branding; null without. */
  accent: string | null
  logoAt: Date | null
}

type MerchantCell = { merchantId: number; cell: string }

const OF_TAG = statement<MerchantCell>(
  'place of tag',
  'select id as "merchantId", cell from merchants where tag = $1',
)
// The handle that it has, and one that it had before.
const OF_HANDLE = statement<MerchantCell & { handle: string }>(
  'place of handle',
  `select id as "merchantId", cell, handle from merchants where handle = $1
   union all select m.id, m.cell, m.handle from former_handles f join merchants m on m.id = f.merchant_id where f.handle = $1 limit 1`,
)
// A merchant that somebody has signed up for belongs to nobody before an owner has proven an address; one that a command has made has no people.
const IS_CLAIM = statement<{ claim: boolean }>(
  'merchant of a claim',
  `select exists (select from memberships w where w.merchant_id = $1) and not exists (
     select from memberships w join people p on p.id = w.person_id
     where w.merchant_id = $1 and w.role = 'owner' and p.confirmed_at is not null and p.closed_at is null) as claim`,
)
const FACTS = statement<Omit<Shop, 'app'>>(
  'shop',
  `select m.id as "merchantId", m.tag, m.name, m.handle, m.active, ${ACCOUNT_STATE} as account, m.kyc_status as "kycStatus",
     m.vending_enabled as "vendingEnabled", m.charge_limit as "chargeLimit", b.accent, b.logo_at as "logoAt"
   from merchants m left join brandings b on b.merchant_id = m.id where m.id = $1`,
)
const MOST_REMEMBERED = 50_000

/** Finds shops for pages that come without a key. */
export type ShopFinder = {
  /** By the tag that stands in an id; null when nobody has it. */
  ofTag(gateway: Gateway, tag: string): Promise<Shop | null>
  /** By a handle that it has or had; the shop says the one that it has. */
  ofHandle(gateway: Gateway, handle: string): Promise<Shop | null>
  /** Only the cell and merchant of a tag, which never change. */
  placeOf(gateway: Gateway, tag: string): Promise<{ app: App; merchantId: number } | null>
}

/** The cell of a tag never changes and is cached for ever (ledger.md section 11); the shop itself is read each time. */
export function shopFinder(): ShopFinder {
  const places = new Map<string, MerchantCell>()
  async function find(gateway: Gateway, tag: string): Promise<MerchantCell | null> {
    const [place] = places.has(tag) ? [places.get(tag)] : await gateway.directory.query(OF_TAG, [tag])
    if (!place) return null
    if (places.size > MOST_REMEMBERED) places.clear()
    places.set(tag, place)
    return place
  }
  return {
    async ofTag(gateway, tag) {
      const place = await find(gateway, tag)
      return place && readShop(gateway, place)
    },
    async placeOf(gateway, tag) {
      const place = await find(gateway, tag)
      return place && { app: gateway.appOf(place), merchantId: place.merchantId }
    },
    async ofHandle(gateway, handle) {
      const [place] = await gateway.directory.query(OF_HANDLE, [handle])
      const shop = place ? await readShop(gateway, place) : null
      return shop && place ? { ...shop, handle: place.handle } : null
    },
  }
}

/** Whether nobody who owns this shop has proven an e-mail address yet: it has no public page. */
export async function isClaim(
  { directory }: Gateway,
  { merchantId }: Pick<Shop, 'merchantId'>,
): Promise<boolean> {
  const [row] = await directory.query(IS_CLAIM, [merchantId])
  return row?.claim ?? false
}

async function readShop(gateway: Gateway, place: MerchantCell): Promise<Shop | null> {
  const app = gateway.appOf(place)
  const [facts] = await app.db.query(FACTS, [place.merchantId])
  // A merchant whose creation was cut short has a place and no row.
  return facts ? { ...facts, app } : null
}
