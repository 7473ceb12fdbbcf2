import type { StaffCaller } from '../../api/access/actor.ts'
import { requireRole } from '../../api/access/allow.ts'
import { nullIfRefused } from '../../api/http/lists/lists.ts'
import { getMerchantNamed } from '../../merchants/account/set-merchant.ts'
import { detailScans } from '../../payments/charges/charge-indexes.ts'
import { reachedCells } from '../../platform/db/cell-watch.ts'
import { statement } from '../../platform/db/statement.ts'
import type { Mode } from '../../platform/mode.ts'
import { Refusal } from '../../platform/refusal.ts'
import { parseTag } from '../../platform/text/ids.ts'
import { parsePhone, parsePhoneFilter } from '../../platform/text/phone.ts'
import { cleanTyped } from '../../platform/text/text.ts'
import type { App, Gateway } from '../../program/app.ts'
import { getPayment } from './read-payment.ts'

/** A payment of any merchant, as a search shows it. Whole UGX. */
export type SearchHit = {
  id: string
  merchant: string
  business: string
  mode: Mode
  amount: number
  status: string
  phone: string | null
  reference: string | null
  createdAt: Date
}

/** The result of a search over all merchants. */
type AnySearchResult =
  | { kind: 'payment'; id: string }
  | { kind: 'merchant'; id: string }
  | { kind: 'hits'; hits: readonly SearchHit[] }

const MAX_HITS = 20
// At most so many hits of one merchant and mode, so that one account does not hide the others.
const HITS_PER_ACCOUNT = 5
const MAX_QUERY_LENGTH = 255
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const PAYMENTS = ['txn_', 'pout_', 'top_'] as const

const CHARGE = `c.id, c.merchant_id, c.mode, c.amount, c.status::text as status, c.phone, c.reference, c.created_at`
const PAYOUT = `p.id, p.merchant_id, p.mode, p.amount, p.status::text as status, p.recipient_phone as phone, p.reference, p.created_at`
const TOP_UP = `t.id, t.merchant_id, 'live'::mode as mode, t.amount, t.status::text as status, t.phone, null as reference, t.created_at`
const hitsSql = (
  found: string,
) => `select f.id, m.public_id as merchant, m.name as business, f.mode, f.amount, f.status, f.phone, f.reference,
    f.created_at as "createdAt" from (${found}) f join merchants m on m.id = f.merchant_id order by f.created_at desc, f.id limit ${MAX_HITS}`

const BY_NUMBER = statement<SearchHit>(
  'any payment by operator number',
  hitsSql(`select ${CHARGE} from charges c where c.rail_transaction_id = $1 and c.mode = 'live'
    union all select ${PAYOUT} from payouts p where p.rail_transaction_id = $1 and p.mode = 'live'
    union all select ${TOP_UP} from top_ups t where t.rail_transaction_id = $1`),
)
const BY_ATTEMPT = statement<{ id: string }>(
  'any payment by rail reference',
  'select a.subject as id from rail_attempts a where a.id = $1',
)
// Each merchant and mode has its own part of these indexes, so each is looked up. Indexes over all merchants would cost every payment
// more than a search costs here.
const EACH_ACCOUNT = `from merchants m cross join (values ('live'::mode), ('test'::mode)) k (mode) cross join lateral`
const latestSql = (columns: string, of: string, where: string) =>
  `select r.* ${EACH_ACCOUNT} (select ${columns} from ${of} where ${where} and published order by created_at desc, id desc limit ${HITS_PER_ACCOUNT}) r`
const latestChargesSql = (where: string) => {
  const newest = `order by c.created_at desc, c.id desc limit ${HITS_PER_ACCOUNT}`
  const branches = detailScans('k.mode').map(
    (condition) =>
      `(select ${CHARGE} from charges c where c.merchant_id = m.id and c.mode = k.mode and c.published and ${condition} and ${where} ${newest})`,
  )
  return `select r.* ${EACH_ACCOUNT} (select * from (${branches.join(' union all ')}) c ${newest}) r`
}
const BY_PHONE = statement<SearchHit>(
  'any payment by phone',
  hitsSql(`${latestChargesSql('c.phone9 = $1')}
    union all ${latestSql(PAYOUT, 'payouts p', 'p.merchant_id = m.id and p.mode = k.mode and right(p.recipient_phone, 9) = $1')}`),
)
const BY_EMAIL = statement<SearchHit>(
  'any charge by email',
  hitsSql(latestChargesSql('c.email is not null and lower(c.email) = lower($1)')),
)
const BY_REFERENCE = statement<SearchHit>(
  'any payment by reference',
  hitsSql(`${latestChargesSql('c.reference = $1')}
    union all ${latestSql(PAYOUT, 'payouts p', 'p.merchant_id = m.id and p.mode = k.mode and p.reference = $1')}`),
)

/** Statements that find the payment that an object of another kind is about, by its prefix. */
const ABOUT: Readonly<Record<string, ReturnType<typeof aboutStatement>>> = {
  dsp_: aboutStatement('dispute', 'select charge_id as id from disputes where id = $1'),
  evt_: aboutStatement('event', 'select subject as id from events where id = $1'),
  lnk_: aboutStatement('link', 'select charge_id as id from payment_links where id = $1'),
  exc_: aboutStatement('exception', 'select subject as id from exceptions where id = $1'),
}

function aboutStatement(noun: string, sql: string) {
  return statement<{ id: string | null }>(
    `payment of ${noun}`,
    `${sql} and merchant_id = (select id from merchants where tag = $2)`,
  )
}

/**
 * Searches all merchants and modes for one text: an id, a merchant's id or handle, the reference or the number at the operator, a phone,
 * an e-mail, a merchant's own reference. Exact texts only; every look-up has an index. Throws 403.
 */
export async function findAny(gateway: Gateway, actor: StaffCaller, text: string): Promise<AnySearchResult> {
  requireRole(actor, 'console.read')
  const query = text.trim().slice(0, MAX_QUERY_LENGTH)
  if (query === '') return { kind: 'hits', hits: [] }
  // A mistyped id leads to an empty list, not to a page that does not exist.
  if (PAYMENTS.some((prefix) => parseTag(prefix, query) !== null))
    return (await nullIfRefused(getPayment(gateway, actor, query))) === null
      ? { kind: 'hits', hits: [] }
      : { kind: 'payment', id: query }
  const merchant = await findMerchantId(gateway, query)
  if (merchant !== null) return { kind: 'merchant', id: merchant }
  const about = await findSubject(gateway, query)
  if (about !== null) return { kind: 'payment', id: about }
  const hits = (await Promise.all(reachedCells(gateway).map((app) => findHits(app, query)))).flat()
  const each = [...new Map(hits.map((hit) => [hit.id, hit])).values()]
  const newest = each.sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime()).slice(0, MAX_HITS)
  const [only] = newest
  return only !== undefined && newest.length === 1 ? { kind: 'payment', id: only.id } : { kind: 'hits', hits: newest }
}

async function findMerchantId(gateway: Gateway, name: string): Promise<string | null> {
  try {
    return (await getMerchantNamed(gateway, name)).merchant.publicId
  } catch (error) {
    if (error instanceof Refusal && error.code === 'not_found') return null
    throw error
  }
}

/** The payment that this id leads to, or null. */
async function findSubject(gateway: Gateway, text: string): Promise<string | null> {
  if (UUID.test(text)) {
    for (const app of reachedCells(gateway)) {
      const [attempt] = await app.db.query(BY_ATTEMPT, [text.toLowerCase()])
      if (attempt) return attempt.id
    }
    return null
  }
  const prefix = Object.keys(ABOUT).find((key) => parseTag(key, text) !== null)
  const about = prefix === undefined ? undefined : ABOUT[prefix]
  if (prefix === undefined || about === undefined) return null
  for (const app of reachedCells(gateway)) {
    const [subject] = await app.db.query(about, [text, parseTag(prefix, text)])
    const id = subject?.id ?? null
    if (id !== null && PAYMENTS.some((payment) => id.startsWith(payment))) return id
  }
  return null
}

async function findHits({ db }: App, text: string): Promise<SearchHit[]> {
  const seen = cleanTyped(text)
  const phone = parsePhone(seen) === null ? null : parsePhoneFilter(seen)
  const hits = await Promise.all([
    db.query(BY_NUMBER, [text]),
    db.query(BY_REFERENCE, [text]),
    phone === null ? [] : db.query(BY_PHONE, [phone]),
    text.includes('@') ? db.query(BY_EMAIL, [text]) : [],
  ])
  return hits.flat()
}
