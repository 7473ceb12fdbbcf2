import type { Mode } from '../../src/platform/mode.ts'
import type { Chance } from './chance.ts'
import { openForm, type Shown, sendForm, voucher } from './forms.ts'
import type { Merchant } from './installation.ts'
import { post } from './post.ts'
import { phoneFor, type Wanted } from './requests.ts'
import { ask, HANG_MS, type State } from './sending.ts'

/** Customers on the page of a link: either a one-shot link that they share, or a reusable one. */
export type Visit = {
  merchant: Merchant
  mode: Mode
  reusable: boolean
  customers: number
  amount: number
  /** The code of a gift card; null pays by mobile money alone. */
  code: string | null
  /** The phone of all of them, where it matters. */
  phone?: string
}

/** Customers who pay vending orders, one order each. */
export type Paying = { merchant: Merchant; mode: Mode; orders: readonly string[] }

const MOST_CUSTOMERS = 3

/** Live only for this merchant and only where a live rail runs; there every second customer has a gift card. */
export function drawVisit(state: State, live: Merchant | null): Visit {
  const { chance, installation, cards } = state
  const isLive = live !== null && chance.next() < 0.5
  const reusable = chance.next() < 0.5
  return {
    merchant: isLive ? live : chance.one(installation.merchants),
    mode: isLive ? 'live' : 'test',
    reusable,
    customers: reusable ? 1 : chance.whole(1, MOST_CUSTOMERS),
    amount: chance.whole(500, 5000),
    code: isLive && cards.length > 0 && chance.next() < 0.5 ? chance.one(cards) : null,
  }
}

/** All open the page, then all of them pay. A customer who finds no form leaves, and nothing is expected of him. */
export async function visit(state: State, { merchant, mode, ...wanted }: Visit): Promise<void> {
  const link = await newLink(state, { merchant, mode, ...wanted }).catch(() => null)
  if (link === null) return
  const forms = await Promise.all(
    Array.from({ length: wanted.customers }, () => open(state, link, wanted.code).catch(() => null)),
  )
  await Promise.all(
    forms.map((shown) => {
      if (shown === null) return null
      const key = `${state.name}-${state.tally.sent + 1}`
      return ask(state, { merchant, mode }, formOf({ ...state, key, mode }, { link, shown, phone: wanted.phone }))
    }),
  )
}

/** All open their pages, then all of them pay, with phones that the operator accepts. */
export async function payOrders(state: State, { merchant, mode, orders }: Paying): Promise<void> {
  const forms = await Promise.all(orders.map((order) => open(state, order, null).catch(() => null)))
  await Promise.all(
    forms.map((shown, nth) => {
      if (shown === null) return null
      const key = `${state.name}-${state.tally.sent + 1}`
      const phone = phoneFor(state.chance, 'live')
      return ask(state, { merchant, mode }, formFrom(key, { link: orders[nth] as string, shown, phone }))
    }),
  )
}

async function newLink({ installation }: State, visit: Visit): Promise<string | null> {
  const response = await post(installation, '/v1/payment-links', {
    apiKey: visit.merchant.keys[visit.mode],
    body: { amount: visit.amount, allow_multiple_uses: visit.reusable },
    signal: AbortSignal.timeout(HANG_MS),
  })
  const said = await response.text()
  return response.status === 201 ? JSON.parse(said).id : null
}

async function open({ installation }: State, link: string, code: string | null): Promise<Shown | null> {
  const signal = AbortSignal.timeout(HANG_MS)
  if (code === null) return openForm(installation.url, link, { signal })
  const { cookie } = await sendForm(installation.url, voucher(link, code), signal)
  return openForm(installation.url, link, { cookie, signal })
}

function formOf(
  { chance, key, mode }: { chance: Chance; key: string; mode: Mode },
  { link, shown, phone }: { link: string; shown: Shown; phone?: string | undefined },
): Wanted {
  return formFrom(key, { link, shown, phone: phone ?? phoneFor(chance, mode, 'page') })
}

/** Each form has a payer's email address of its own, which tells its charge apart from those of other forms. */
function formFrom(key: string, { link, shown, phone }: { link: string; shown: Shown; phone: string }): Wanted {
  const typed = { phone, email: emailOf(key) }
  const body = { channel: 'op1_momo', token: shown.token, ...typed }
  return { what: 'form', path: `/pay/${link}/submit`, body, cookie: shown.cookie }
}

export const emailOf = (key: string) => `${key}@forms.invalid`
