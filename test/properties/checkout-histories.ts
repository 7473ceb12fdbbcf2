import fc from 'fast-check'
import { getMerchantNamed } from '../../src/merchants/account/set-merchant.ts'
import { issueCards } from '../../src/payments/gift-cards/issue-cards.ts'
import { activateCard, deactivateCard } from '../../src/payments/gift-cards/switch-card.ts'
import { kampalaIso } from '../../src/platform/time/kampala.ts'
import { switchLink } from '../../src/selling/payment-links/switch-link.ts'
import { type FormAnswer, openForm, payment, sendForm, voucher } from '../crash/forms.ts'
import { succeed } from '../helpers/payments/following-charges.ts'
import { BY_HAND } from '../helpers/service/actors.ts'
import { DAY, type LiveService, newPayer, type Shop } from '../helpers/service/live-service.ts'

const MINUTE = 60_000
export const CARD_VALUES = [3000, 12_000]
export const LINKS = [
  { amount: 900, allow_multiple_uses: false },
  { amount: 4000, allow_multiple_uses: true },
  { amount: 7000, allow_multiple_uses: false },
  { amount: 13_000, allow_multiple_uses: true },
]

/** `asked`: the operator takes the request, and the customer decides later. */
type Payer = 'asked' | 'refused' | 'not served'
export type Pay = { do: 'pay'; link: number; card: number | null; payer: Payer; twice: boolean }
export type Step =
  | Pay
  | { do: 'decide'; pays: boolean }
  | { do: 'refund' | 'retry'; link: number }
  | { do: 'link'; link: number; on: boolean }
  | { do: 'card'; card: number; on: boolean }
  | { do: 'expire' }

const link = fc.nat(LINKS.length - 1)
const card = fc.nat(CARD_VALUES.length - 1)
const weighted = <T extends Step>(weight: number, arbitrary: fc.Arbitrary<T>) => ({ weight, arbitrary })
const pay: fc.Arbitrary<Pay> = fc.record({
  do: fc.constant('pay' as const),
  link,
  card: fc.option(card, { freq: 3, nil: null }),
  payer: fc.constantFrom<Payer>('asked', 'asked', 'refused', 'not served'),
  twice: fc.boolean(),
})
export const step: fc.Arbitrary<Step> = fc.oneof(
  weighted(12, pay),
  weighted(4, fc.record({ do: fc.constant('decide' as const), pays: fc.boolean() })),
  weighted(3, fc.record({ do: fc.constant('refund' as const), link })),
  weighted(2, fc.record({ do: fc.constant('retry' as const), link })),
  weighted(1, fc.record({ do: fc.constant('link' as const), link, on: fc.boolean() })),
  weighted(1, fc.record({ do: fc.constant('card' as const), card, on: fc.boolean() })),
)

/** A shop with links, gift cards that expire in three days, and live money for refunds. */
export type Counter = Shop & {
  service: LiveService
  row: { id: number; tag: string }
  links: string[]
  cards: { id: string; code: string }[]
}

export async function newCounter(service: LiveService): Promise<Counter> {
  const shop = await service.shop()
  await service.set(shop.merchant, { instantSettlement: true })
  await succeed(service, (await shop.live.charge({ amount: 900_000, customer: { phone: newPayer() } })).body.id)
  const { merchant: row } = await getMerchantNamed(service.gateway, shop.merchant.id)
  const expires = kampalaIso(new Date(service.clock.nowMs() + 3 * DAY)).slice(0, 10)
  const cards: Counter['cards'] = []
  for (const value of CARD_VALUES)
    cards.push(
      ...(await issueCards(service.app, BY_HAND, { issuer: row, value, quantity: 1, expires, notes: null })).cards,
    )
  const links: string[] = []
  for (const body of LINKS) links.push((await shop.live.post('/v1/payment-links', body)).body.id)
  return { ...shop, service, row, links, cards }
}

/** One step of a customer, the merchant or the operator. Returns the statuses of the answers. */
export async function act(one: Step, counter: Counter): Promise<number[]> {
  const { service } = counter
  switch (one.do) {
    case 'pay':
      return payAtPage(one, counter)
    case 'decide':
      return decide(service, one.pays)
    case 'refund':
      return refundNewest(counter, one.link)
    case 'retry': {
      const form = { path: `/pay/${counter.links[one.link]}/retry`, fields: {} }
      return [(await sendForm(service.url, form)).status]
    }
    case 'link':
      await switchLink(service.app, BY_HAND, {
        owner: counter.row,
        id: counter.links[one.link] as string,
        to: one.on ? 'on' : 'off',
      })
      return []
    case 'card': {
      const change = one.on ? activateCard : deactivateCard
      const { id } = counter.cards[one.card] as { id: string }
      await change(service.app, BY_HAND, { owner: counter.row, cardId: id })
      return []
    }
    case 'expire':
      service.pass(5 * DAY)
      return []
  }
}

async function payAtPage({ link, card, payer, twice }: Pay, { service, links, cards }: Counter): Promise<number[]> {
  const id = links[link] as string
  const phone = newPayer()
  if (payer !== 'asked')
    service.operator.onSubmit({ answer: payer === 'refused' ? 'refuse' : 'refuse to serve' }, phone)
  const code = card === null ? null : (cards[card]?.code ?? '')
  const cookie = code === null ? '' : (await sendForm(service.url, voucher(id, code))).cookie
  // If the page shows no form, some browser may still have an old one.
  const shown = (await openForm(service.url, id, { cookie })) ?? { token: '', cookie }
  const send = () => untilJudged(() => sendForm(service.url, payment(id, shown, { phone })))
  return Promise.all(twice ? [send(), send()] : [send()])
}

/** Repeats the request while the service is too busy. */
async function untilJudged(send: () => Promise<FormAnswer>): Promise<number> {
  for (;;) {
    const { status } = await send()
    if (status !== 503) return status
  }
}

const OPEN = `select id from charges where mode = 'live' and status in ('pending', 'authorized') and voided_at is null`

/** Every customer who was asked decides, and the gateway finds out. */
export async function decide(service: LiveService, pays: boolean): Promise<number[]> {
  for (const { reference } of service.operator.book.values()) service.operator[pays ? 'pays' : 'refuses'](reference)
  for (let look = 0; look < 5 && (await service.rows(OPEN)).length > 0; look += 1) {
    service.pass(10 * MINUTE)
    await service.runBeside('follow-charges')
  }
  return []
}

async function refundNewest(counter: Counter, nth: number): Promise<number[]> {
  const paid = (await chargesOf(counter, nth)).filter(({ status }) => status === 'succeeded')
  const newest = paid.at(-1)
  return newest ? [(await counter.live.post(`/v1/charges/${newest.id}/refund`)).status] : []
}

type Row = { id: string; status: string; card: number }
export const chargesOf = ({ service, links }: Counter, nth: number) =>
  service.rows<Row>(
    `select id, status, gift_card_amount::int as card from charges
     where payment_link_id = $1 and voided_at is null order by created_at, id`,
    [links[nth]],
  )
