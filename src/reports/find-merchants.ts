import type { StaffCaller } from '../api/access/actor.ts'
import { allow } from '../api/access/allow.ts'
import { ACCOUNT_STATE, type AccountState } from '../merchants/account/account-state.ts'
import type { KycStatus } from '../merchants/account/merchant.ts'
import { readMerchantsOfEmail } from '../merchants/people/members.ts'
import { readMerchantsOfPhone } from '../merchants/verification/digests.ts'
import { reachedCells } from '../platform/db/cell-watch.ts'
import { statement } from '../platform/db/statement.ts'
import { badRequest } from '../platform/refusal.ts'
import { parsePhone } from '../platform/text/phone.ts'
import { cleanTyped } from '../platform/text/text.ts'
import type { App, Gateway } from '../program/app.ts'

/** A merchant as a row of the list. `number`: its number among all merchants, by which pages are read. */
export type ListedMerchant = {
  number: number
  publicId: string
  handle: string
  name: string
  kycStatus: KycStatus
  active: boolean
  frozen: boolean
  vendingEnabled: boolean
  account: AccountState
  createdAt: Date
}

/** The search and the filters of the list; null means all. `older` and `newer` are numbers of rows. */
type MerchantFilter = {
  q: string | null
  verification: string | null
  active: boolean | null
  frozen: boolean | null
  vending: boolean | null
  older: string | null
  newer: string | null
}
type MerchantPage = { rows: ListedMerchant[]; older: string | null; newer: string | null }

const MERCHANTS_PER_PAGE = 25
// At most so many newest matches of a search are listed.
const MAX_SEARCH_MATCHES = 1000
const MAX_SEARCH_WORDS = 6
const ABOVE_ALL_ROWS = Number.MAX_SAFE_INTEGER
const ROW_NUMBER = /^\d{1,15}$/
const MERCHANT_ID = /^mer_[a-z0-9]{21}$/

// Served by the primary key, from the cursor on; with a search or a freeze, by the ids that it names. What was made for tests is
// found by its id or handle alone.
const listSql = (direction: 'older' | 'newer') => {
  const [compare, order] = direction === 'older' ? ['<', 'desc'] : ['>', 'asc']
  return `select m.id as number, m.public_id as "publicId", m.handle, m.name, m.kyc_status as "kycStatus", m.active,
      h.payouts_frozen_for is not null as frozen, m.vending_enabled as "vendingEnabled", ${ACCOUNT_STATE} as account,
      m.created_at as "createdAt"
    from merchants m join ledger_heads h on h.merchant_id = m.id and h.mode = 'live'
    where m.id ${compare} $1 and (m.parent_id is null or m.id = any($2)) and ($2::bigint[] is null or m.id = any($2)) and ($3::text is null or m.kyc_status = $3)
      and ($4::boolean is null or m.active = $4) and ($5::boolean is null or (h.payouts_frozen_for is not null) = $5)
      and ($6::boolean is null or m.vending_enabled = $6)
    order by m.id ${order} limit ${MERCHANTS_PER_PAGE + 1}`
}
const LIST = {
  older: statement<ListedMerchant>('merchants, older', listSql('older')),
  newer: statement<ListedMerchant>('merchants, newer', listSql('newer')),
}
type MerchantIdRow = { id: number }
const BY_WORDS = statement<MerchantIdRow>(
  'merchants by words',
  `select m.id from merchants m
   where to_tsvector('simple'::regconfig, m.name || ' ' || m.handle) @@ to_tsquery('simple'::regconfig, $1)
     and m.parent_id is null order by m.id desc limit $2`,
)
const BY_EMAIL = statement<MerchantIdRow>(
  'merchants by email',
  'select m.id from merchants m where lower(m.email) = lower($1) order by m.id desc limit $2',
)
const BY_ID_OR_HANDLE = statement<MerchantIdRow>(
  'merchants by id or handle',
  'select m.id from merchants m where m.public_id = $1 or m.handle = $1',
)
const FROZEN = statement<MerchantIdRow>(
  'merchants that are frozen',
  `select h.merchant_id as id from ledger_heads h where h.payouts_frozen_for is not null and h.mode = 'live'
   order by h.merchant_id desc limit $1`,
)

/**
 * Lists merchants of all cells, newest first, with a page in each direction. A search matches words of the name or handle, the id, the
 * address of the business or of a person who works there, or a phone (its own, of a director, to withdraw to). Throws Refusal.
 */
export async function findMerchants(
  gateway: Gateway,
  actor: StaffCaller,
  filter: MerchantFilter,
): Promise<MerchantPage> {
  allow(actor, 'console.read')
  const direction = filter.newer === null ? 'older' : 'newer'
  const from = parseCursor(filter.newer ?? filter.older)
  const ofCells = await Promise.all(
    reachedCells(gateway).map((app) => readRows(gateway, app, { filter, direction, from: from ?? ABOVE_ALL_ROWS })),
  )
  const rows = ofCells.flat().sort((a, b) => (direction === 'older' ? b.number - a.number : a.number - b.number))
  const hasMore = rows.length > MERCHANTS_PER_PAGE
  if (direction === 'newer' && !hasMore) return findMerchants(gateway, actor, { ...filter, newer: null, older: null })
  const page = rows.slice(0, MERCHANTS_PER_PAGE)
  if (direction === 'newer') page.reverse()
  return {
    rows: page,
    older: direction === 'newer' || hasMore ? cursorOf(page.at(-1)) : null,
    newer: (direction === 'older' && from !== null) || direction === 'newer' ? cursorOf(page[0]) : null,
  }
}

const cursorOf = (row: ListedMerchant | undefined) => (row === undefined ? null : String(row.number))

function parseCursor(text: string | null): number | null {
  if (text === null) return null
  if (!ROW_NUMBER.test(text)) throw badRequest('invalid cursor')
  return Number(text)
}

type MerchantPageInput = { filter: MerchantFilter; direction: 'older' | 'newer'; from: number }

async function readRows(
  gateway: Gateway,
  app: App,
  { filter, direction, from }: MerchantPageInput,
): Promise<ListedMerchant[]> {
  const ids = await findChosenIds(gateway, app, filter)
  const { verification, active, frozen, vending } = filter
  return app.db.query(LIST[direction], [from, ids, verification, active, frozen, vending])
}

/** The ids that the search matches, or of frozen merchants; null where all are meant. */
async function findChosenIds(gateway: Gateway, app: App, { q, frozen }: MerchantFilter): Promise<number[] | null> {
  const text = q?.trim() ?? ''
  if (text !== '') return searchIds(gateway, app, text)
  if (frozen !== true) return null
  return idsOf(await app.db.query(FROZEN, [MAX_SEARCH_MATCHES]))
}

async function searchIds(gateway: Gateway, app: App, text: string): Promise<number[]> {
  if (MERCHANT_ID.test(text)) return idsOf(await app.db.query(BY_ID_OR_HANDLE, [text]))
  if (text.includes('@')) {
    const [own, ofPeople] = await Promise.all([
      app.db.query(BY_EMAIL, [text, MAX_SEARCH_MATCHES]),
      readMerchantsOfEmail(gateway, text, MAX_SEARCH_MATCHES),
    ])
    return [...idsOf(own), ...ofPeople]
  }
  const query = formatTsQuery(text)
  const [handle, words, phone] = await Promise.all([
    app.db.query(BY_ID_OR_HANDLE, [text.toLowerCase()]),
    query === '' ? [] : app.db.query(BY_WORDS, [query, MAX_SEARCH_MATCHES]),
    parsePhone(cleanTyped(text)) === null ? [] : readMerchantsOfPhone(app, cleanTyped(text)),
  ])
  return [...idsOf(handle), ...idsOf(words), ...phone]
}

const idsOf = (rows: readonly MerchantIdRow[]) => rows.map(({ id }) => id)

/** The text as a tsquery: every word must begin a word of the name. Only letters and digits reach the query language. */
const formatTsQuery = (text: string) =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .slice(0, MAX_SEARCH_WORDS)
    .map((word) => `${word}:*`)
    .join(' & ')
