import { createHash } from 'node:crypto'
import { payoutIdForKey } from '../../../src/payments/payouts/accept-payout.ts'

/** The time at which the tests look at the world. */
export const NOW = new Date('2026-03-10T09:00:00.000Z')

export const TAGS = { 1: 'onexx', 2: 'twoxx', 3: 'three' } as const
export type MerchantId = keyof typeof TAGS

export const publicIdOf = (merchantId: MerchantId) => `mer_${TAGS[merchantId]}${'0'.repeat(16)}`

/** The id of a merchant's charge that has this name in the world. */
export const idOf = (merchantId: MerchantId, name: string) => `txn_${TAGS[merchantId]}${name.padEnd(16, '0')}`

/** The charges of the world, each named after its state. */
export const CHARGE = {
  aged: idOf(1, 'aged'),
  released: idOf(1, 'released'),
  releasedToo: idOf(1, 'releasedtoo'),
  held: idOf(1, 'held'),
  liveFailed: idOf(1, 'livefailed'),
  liveOpen: idOf(1, 'liveopen'),
  sending: idOf(1, 'sending'),
  voided: idOf(1, 'voided'),
  testPaid: idOf(1, 'testpaid'),
  testFailed: idOf(1, 'testfailed'),
  testOpen: idOf(1, 'testopen'),
  movedClock: idOf(1, 'movedclock'),
  instant: idOf(2, 'instant'),
  contradicted: idOf(2, 'contradicted'),
}

const topUpIdOf = (name: string) => `top_${TAGS[2]}${name.padEnd(16, '0')}`
/** The top-ups of merchant 2, each named after its state. */
export const TOP_UP = {
  paid: topUpIdOf('paid'),
  failed: topUpIdOf('failed'),
  open: topUpIdOf('open'),
  voided: topUpIdOf('voided'),
}

/** Test links of merchant 1, and the charges that were made on their pages. */
const linkIdOf = (name: string) => `lnk_${TAGS[1]}${name.padEnd(16, '0')}`
export const LINK = { paid: linkIdOf('paid'), retried: linkIdOf('retried'), reusable: linkIdOf('reusable') }
export const LINKED = {
  paid: idOf(1, 'linkpaid'),
  failed: idOf(1, 'linkfailed'),
  again: idOf(1, 'linkagain'),
  first: idOf(1, 'linkfirst'),
  second: idOf(1, 'linksecond'),
}

/** Test vending orders of merchant 1, each named after its state; the charges that paid them; and direct dispenses. */
export const ORDER = {
  delivered: linkIdOf('delivered'),
  jammed: linkIdOf('jammed'),
  again: linkIdOf('again'),
  lost: linkIdOf('lost'),
  contradicted: linkIdOf('contradicted'),
  believed: linkIdOf('believed'),
  off: linkIdOf('off'),
  claimed: linkIdOf('claimed'),
  refunded: linkIdOf('refunded'),
  unpaid: linkIdOf('unpaid'),
  takenBack: linkIdOf('takenback'),
}
export const orderedBy = (order: string) => order.replace('lnk_', 'txn_')
export const DIRECT = {
  delivered: `dclm_${TAGS[1]}directone00000000`,
  open: `dclm_${TAGS[1]}directtwo00000000`,
}
export const DIRECTLY = { delivered: idOf(1, 'directone'), open: idOf(1, 'directtwo') }
export const CALLBACK = `vcb_${TAGS[1]}${'callback'.padEnd(16, '0')}`

/** The charges of merchant 1 that a gift card pays in part or in full. */
export const CARDED = {
  paid: idOf(1, 'cardpaid'),
  failed: idOf(1, 'cardfailed'),
  open: idOf(1, 'cardopen'),
  voided: idOf(1, 'cardvoided'),
  refunded: idOf(1, 'cardrefunded'),
  covered: idOf(1, 'cardcovered'),
  restored: idOf(1, 'cardrestored'),
}
const cardIdOf = (name: string) => `gc_${TAGS[1]}${name.padEnd(16, '0')}`
/** The gift cards: used by several charges, spent in full by one charge, given back in full, and never used. */
export const CARD = {
  used: cardIdOf('used'),
  spent: cardIdOf('spent'),
  restored: cardIdOf('restored'),
  waiting: cardIdOf('waiting'),
}

// Merchant 3 pays out, shares its charges and refunds them.
const idOf3 = (prefix: string, name: string) => `${prefix}${TAGS[3]}${name.padEnd(16, '0')}`
export const payoutIdOf = (name: string) => idOf3('pout_', name)

/** The charges of merchant 3 that are split, and those that have a refund. */
export const SPLIT = {
  atOnce: idOf(3, 'splitatonce'),
  whole: idOf(3, 'splitwhole'),
  asleep: idOf(3, 'splitasleep'),
  failed: idOf(3, 'splitfailed'),
  open: idOf(3, 'splitopen'),
  released: idOf(3, 'splitreleased'),
  held: idOf(3, 'splitheld'),
}
export const REFUNDED = {
  paid: idOf(3, 'refundpaid'),
  open: idOf(3, 'refundopen'),
  failed: idOf(3, 'refundfailed'),
}
export const UNREFUNDED = idOf(3, 'unrefunded')

/** The payouts of the world, each named after its state. The last eight were requested by commands. */
export const PAYOUT = {
  paid: payoutIdOf('paid'),
  unpaid: payoutIdOf('unpaid'),
  open: payoutIdOf('open'),
  livePaid: payoutIdOf('livepaid'),
  liveUnpaid: payoutIdOf('liveunpaid'),
  inDoubt: payoutIdOf('indoubt'),
  sending: payoutIdOf('sending'),
  voided: payoutIdOf('voided'),
  refused: payoutIdOf('refused'),
  requested: payoutIdForKey(TAGS[3], 'requested'),
  approved: payoutIdForKey(TAGS[3], 'approved'),
  withdrawn: payoutIdForKey(TAGS[3], 'withdrawn'),
  rejected: payoutIdForKey(TAGS[3], 'rejected'),
  cancelled: payoutIdForKey(TAGS[3], 'cancelled'),
  subPaid: payoutIdForKey(TAGS[3], 'subpaid'),
  subUnpaid: payoutIdForKey(TAGS[3], 'subunpaid'),
  subOpen: payoutIdForKey(TAGS[3], 'subopen'),
}
/** What one person of merchant 3 has prepared, each named after its status. */
export const PREPARED = {
  waiting: idOf3('prep_', 'waiting'),
  approved: idOf3('prep_', 'approved'),
  rejected: idOf3('prep_', 'rejected'),
  withdrawn: idOf3('prep_', 'withdrawn'),
  expired: idOf3('prep_', 'expired'),
}
/** What operators have asked for about merchant 3, each named after its status, and the correction of the approved one. */
export const APPROVAL = {
  waiting: idOf3('apr_', 'waiting'),
  approved: idOf3('apr_', 'approved'),
  rejected: idOf3('apr_', 'rejected'),
  withdrawn: idOf3('apr_', 'withdrawn'),
  expired: idOf3('apr_', 'expired'),
}
export const ADJUSTED = { id: idOf3('adj_', 'corrected'), exception: idOf3('exc_', 'corrected') }
export const SUBACCOUNT = {
  farm: idOf3('sub_', 'farm'),
  shop: idOf3('sub_', 'shop'),
  asleep: idOf3('sub_', 'asleep'),
}
export const BATCH = {
  first: idOf3('batch_', 'first'),
  again: idOf3('batch_', 'again'),
  waiting: idOf3('batch_', 'waiting'),
}
export const SCHEDULE = {
  daily: idOf3('spo_', 'daily'),
  live: idOf3('spo_', 'live'),
  poor: idOf3('spo_', 'poor'),
  cancelled: idOf3('spo_', 'cancelled'),
}

/** The standing order of merchant 3. */
export const STANDING_ORDER = idOf3('sto_', 'order')

const personIdOf = (name: string) => `per_${name.padEnd(21, '0')}`
/** Who works for merchant 3, and four who work on the console; the claim was added to the owner. */
export const PERSON = {
  ...{ owner: personIdOf('owner'), claim: personIdOf('claim'), cashier: personIdOf('cashier') },
  ...{ promoted: personIdOf('promoted'), recorded: personIdOf('recorded') },
  ...{
    admin: personIdOf('admin'),
    risk: personIdOf('risk'),
    gone: personIdOf('gone'),
    support: personIdOf('support'),
  },
}
const keyIdFrom = (name: string) => `key_${createHash('sha256').update(name).digest('hex').slice(0, 24)}`
/** The API keys of merchant 3. */
export const KEY = {
  ...{ first: keyIdFrom('first'), replaced: keyIdFrom('replaced'), newest: keyIdFrom('newest') },
  ...{ ended: keyIdFrom('ended'), recorded: keyIdFrom('recorded') },
}

// Pieces of SQL about the rows of the world.
export const of = (charge: string) => `id = '${charge}'`
export const about = (charge: string) => `subject = '${charge}'`
export const eventOf = (charge: string) => `(select id from events where ${about(charge)})`
export const settlementOf = (charge: string) => `(select settlement_id from charges where ${of(charge)})`
export const LIVE_1 = `merchant_id = 1 and mode = 'live'`
export const TEST_1 = `merchant_id = 1 and mode = 'test'`
export const LIVE_2 = `merchant_id = 2 and mode = 'live'`
export const LIVE_3 = `merchant_id = 3 and mode = 'live'`
export const TEST_3 = `merchant_id = 3 and mode = 'test'`
export const LAST_SEQ = `(select max(seq) from transfers where ${LIVE_1})`
export const addTransfer = (values: string) =>
  `insert into transfers (merchant_id, mode, seq, kind, subject, debit, credit, amount, at) values (${values}, '2026-03-10T08:00:00Z')`

/**
 * A fault that no statement of the product can cause. `sql` puts it into the world without constraints; `names` is the offender
 * that the invariant `id` must then report.
 */
export type Fault = { id: string; fault: string; sql: string; names: string }
