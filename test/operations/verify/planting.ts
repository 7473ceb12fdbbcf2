import { type Fault, of } from './names.ts'

// The parts of planted faults: rows of the world, and statements that change them.

export type Rows = { table: string; where: string }

/** Transfers of one subject that are of one of these kinds. */
export const transfers = (subject: string, ...kinds: string[]) => ({
  table: 'transfers',
  where: `subject = '${subject}' and kind in (${kinds.map((kind) => `'${kind}'`).join(', ')})`,
})
const bySubject = (table: string) => (subject: string) => ({ table, where: `subject = '${subject}'` })
export const attempts = bySubject('rail_attempts')
export const events = bySubject('events')
/** The idempotency key of the object that has this id. */
export const keys = (object: string) => ({ table: 'idempotency_keys', where: `object_id = '${object}'` })
const byId = (table: string) => (id: string) => ({ table, where: of(id) })
export const batches = byId('bulk_batches')
export const charges = byId('charges')
export const claims = byId('dispense_claims')
export const giftCards = byId('gift_cards')
export const links = byId('payment_links')
export const orders = byId('vending_orders')
export const payouts = byId('payouts')
export const prepared = byId('prepared_payouts')
export const approvals = byId('approvals')
export const adjustments = byId('adjustments')
export const exceptions = byId('exceptions')
export const schedules = byId('schedules')
export const subaccounts = byId('subaccounts')
export const standingOrders = byId('standing_orders')
export const topUps = byId('top_ups')
export const withdrawals = byId('withdrawals')

export const change = ({ table, where }: Rows, to: string) => `update ${table} set ${to} where ${where}`
export const remove = ({ table, where }: Rows) => `delete from ${table} where ${where}`
/** Inserts the same rows again with these columns changed. */
export const copy = ({ table, where }: Rows, changes: Record<string, string | number>) =>
  `insert into ${table} select (jsonb_populate_record(one, '${JSON.stringify(changes)}')).* from ${table} one where ${where}`

export type Planted = readonly [names: string, fault: string, sql: string]

/** The faults of one invariant: for each the offender that verify must report, what is wrong, and the SQL that causes it. */
export const plant = (id: string, faults: readonly Planted[]): Fault[] =>
  faults.map(([names, fault, sql]) => ({ id, names, fault, sql }))

/** The same fault for each of several values. */
export const each = <One>(ones: readonly One[], fault: (one: One) => Planted): Planted[] => ones.map(fault)
