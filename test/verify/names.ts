/** When the world is looked at. */
export const NOW = new Date('2026-03-10T09:00:00.000Z')

export const TAGS = { 1: 'onexx', 2: 'twoxx' } as const
export type MerchantId = keyof typeof TAGS

/** The id of a merchant's charge that has this name in the world. */
export const idOf = (merchantId: MerchantId, name: string) => `txn_${TAGS[merchantId]}${name.padEnd(16, '0')}`

/** The charges of the world by what they show. */
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

// Words of SQL for the rows of the world.
export const of = (charge: string) => `id = '${charge}'`
export const about = (charge: string) => `subject = '${charge}'`
export const eventOf = (charge: string) => `(select id from events where ${about(charge)})`
export const settlementOf = (charge: string) => `(select settlement_id from charges where ${of(charge)})`
export const LIVE_1 = `merchant_id = 1 and mode = 'live'`
export const TEST_1 = `merchant_id = 1 and mode = 'test'`
export const LIVE_2 = `merchant_id = 2 and mode = 'live'`
export const LAST_SEQ = `(select max(seq) from transfers where ${LIVE_1})`
export const addTransfer = (values: string) =>
  `insert into transfers (merchant_id, mode, seq, kind, subject, debit, credit, amount, at) values (${values}, '2026-03-10T08:00:00Z')`

/** A fault that no statement of the product can make, put into the world where nothing guards it; what verify calls it. */
export type Fault = { id: string; fault: string; sql: string; names: string }
