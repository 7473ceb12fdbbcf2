import type { Mode } from '../../src/platform/mode.ts'
import { lastNine, parsePhone } from '../../src/platform/text/phone.ts'
import type { Chance } from './chance.ts'
import type { KeyedRequest } from './journal.ts'

/** A client's request before its key and merchant are chosen. */
export type Wanted = Pick<KeyedRequest, 'what' | 'path' | 'body' | 'cookie'>

/** The sandbox fails these phones; every other number succeeds. */
const FAILING_PHONES = ['0700000001', '0700000002', '0700000003']

type Drawn = { chance: Chance; key: string; mode: Mode }

export function chargeOf({ chance, key, mode }: Drawn): Wanted {
  const amount = chance.next() < 0.03 ? 0 : chance.whole(500, 50_000)
  const body = { amount, channel: 'op1_momo', customer: { phone: phoneFor(chance, mode) }, reference: key }
  return { what: 'charge', path: '/v1/charges', body }
}

/** Some ask for more money than anybody has. */
export function payoutOf({ chance, key, mode }: Drawn, phone?: string): Wanted {
  const amount = mode === 'test' && chance.next() < 0.03 ? 900_000_000 : chance.whole(500, 5000)
  const body = { amount, recipient: { phone: phone ?? phoneFor(chance, mode) }, reference: key }
  return { what: 'payout', path: '/v1/payouts', body }
}

/** One line of a bulk call. */
export type Line = { amount: number; phone: string; reference: string }

/** `again`: lines that were sent before, to be sent with the same references. */
export function bulkOf({ chance, key, mode }: Drawn, count: number, again: readonly Line[] = []): Wanted {
  const lines = Array.from({ length: count - again.length }, (_, nth) => ({
    amount: chance.whole(500, 1500),
    phone: phoneFor(chance, mode),
    reference: `${key}/${nth}`,
  }))
  return { what: 'bulk', path: '/v1/payouts/bulk', body: { payouts: [...lines, ...again] } }
}

export const refundOf = (chargeId: string): Wanted => ({
  what: 'refund',
  path: `/v1/charges/${chargeId}/refund`,
  body: {},
})

/** A schedule has no reference, so its key is its name. */
export function scheduleOf({ chance, key, mode }: Drawn, startAt: Date): Wanted {
  const recipients = Array.from({ length: 20 }, () => ({ phone: phoneFor(chance, mode) }))
  const body = { amount: 500, interval: 'monthly', name: key, start_at: startAt.toISOString(), recipients }
  return { what: 'schedule', path: '/v1/scheduled-payouts', body }
}

/** The machines of the world: the supplier reports about the first, the second jams by itself in the sandbox. */
export const MACHINE = 'CRASH-1'
export const JAMMING_MACHINE = 'CRASH-JAM'
export const GOODS = [{ spbh: '1', spmc: 'Water', spdj: 4000 }]

/** The key of a dispense is also the merchant's own order number. */
export const dispenseOf = ({ key }: Drawn, chargeId: string): Wanted => ({
  what: 'dispense',
  path: '/v1/vending/dispense',
  body: { machine: MACHINE, order_id: key, goods: GOODS, charge_id: chargeId },
})

/** The operator refuses the first phone's payments and does not even take the second's; the API load never uses either. */
export const REFUSED_PHONE = '256788000001'
export const UNSERVED_PHONE = '256788000002'

export function phoneFor(chance: Chance, mode: Mode, at: 'api' | 'page' = 'api'): string {
  if (mode === 'live' && at === 'page' && chance.next() < 0.2) return chance.one([REFUSED_PHONE, UNSERVED_PHONE])
  if (mode === 'test' && chance.next() < 0.15) return chance.one(FAILING_PHONES)
  // Of the operator that the world has: the page refuses the numbers of another one before it asks.
  return `07${chance.whole(60_000_000, 79_999_999)}`
}

const FAILS = new Set(FAILING_PHONES.map((phone) => lastNine(parsePhone(phone) as string)))
/** Whether the sandbox fails this phone, given as the database stores it. */
export const failsInSandbox = (phone: string) => FAILS.has(lastNine(phone))
