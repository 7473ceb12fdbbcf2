import type { FormAnswer } from '../crash/forms.ts'
import { applyCard, newPayer, openForms, type PayerKind, pay } from './checkout.ts'
import { type Fleet, post, type Race } from './fleet.ts'
import { countAnswers, strangeAnswers } from './form-answers.ts'
import { allDecided, chargesOn, type LinkCharge } from './link-charges.ts'
import { type Card, newCards, newLinks } from './new-links.ts'
import { untilStopped } from './several.ts'

const VALUE = 50_000
const LINKS = 45
const ROUNDS = 3
const OUTCOMES: readonly PayerKind[] = ['pays', 'refused', 'not served']
// Used in the first round: each of these payments returns what it took from the card.
const FAILING: readonly PayerKind[] = ['refused', 'not served']

const SUMS = `select g.value::int, g.balance::int, g.reserved::int, g.spent::int,
    coalesce(sum(u.amount) filter (where u.state = 'reserved'), 0)::int as "usesReserved",
    coalesce(sum(u.amount) filter (where u.state = 'taken'), 0)::int as "usesTaken",
    count(u.charge_id)::int as uses, count(*) filter (where u.state = 'restored')::int as restored,
    count(*) filter (where u.state = 'freed')::int as freed
  from gift_cards g left join gift_card_uses u on u.merchant_id = g.merchant_id and u.card_id = g.id
  where g.id = $1 group by g.merchant_id, g.id`
type Sums = Record<
  'value' | 'balance' | 'reserved' | 'spent' | 'usesReserved' | 'usesTaken' | 'uses' | 'restored' | 'freed',
  number
>

async function sumsOf({ installation }: Fleet, card: Card): Promise<Sums> {
  const [sums] = await installation.sql<Sums>(SUMS, [card.id])
  if (!sums) throw new Error(`the card ${card.id} has gone`)
  return sums
}

/** Race 17: one card on many links at once, for all or part of the amount, while payments end in every way and are refunded. */
export const oneCardOnManyLinks: Race = {
  name: `17 one gift card on ${LINKS} links at once, ${ROUNDS} rounds, with refunds`,
  async run(fleet) {
    const { live } = fleet.merchants
    const [card] = await newCards(fleet, live, { value: VALUE, quantity: 1 })
    if (!card) throw new Error('no card')
    const wrong: string[] = []
    const all: LinkCharge[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      const links = await newLinks(fleet, { merchant: live, mode: 'live' }, amountsOf(round))
      // The payments of the previous round are refunded while this round pays.
      const [answers] = await Promise.all([
        spendAtOnce(fleet, { card, links, outcomes: round === 0 ? FAILING : OUTCOMES }),
        refundAll(fleet, all),
      ])
      wrong.push(...strangeAnswers(answers, [302, 400, 409, 502]))
      wrong.push(...wrongSums(await sumsOf(fleet, card)))
      await allDecided(fleet, links)
      wrong.push(...wrongSums(await sumsOf(fleet, card)))
      all.push(...(await chargesOn(fleet, links)))
    }
    const sums = await sumsOf(fleet, card)
    const covered = all.filter((linkCharge) => linkCharge.card === linkCharge.amount).length
    const partly = all.filter((linkCharge) => linkCharge.card > 0 && linkCharge.card < linkCharge.amount).length
    if (partly === 0 || sums.freed === 0 || sums.uses === sums.freed)
      wrong.push(`not every way was gone: ${covered} covered, ${partly} partly, ${JSON.stringify(sums)}`)
    const seen = `${sums.uses} uses, ${covered} covered, ${sums.freed} freed, ${sums.restored} restored, ${sums.balance} left`
    return { wrong, seen }
  },
}

/** At first more than the card holds, in the last round also amounts it covers fully; every fifth link is reusable. */
const amountsOf = (round: number) =>
  Array.from({ length: LINKS }, (_, nth) => ({
    amount: round < ROUNDS - 1 ? 60_000 : ([900, 4000, 7000, 60_000][nth % 4] as number),
    allow_multiple_uses: nth % 5 === 0,
  }))

/** Each customer applies the card and pays, twice and all at once; one told that less is left reloads the page, a few times. */
async function spendAtOnce(
  fleet: Fleet,
  { card, links, outcomes }: { card: Card; links: readonly string[]; outcomes: readonly PayerKind[] },
): Promise<FormAnswer[]> {
  const cookies = await Promise.all(links.map((link, nth) => applyCard(fleet, nth, { link, code: card.code })))
  const forms = await openForms(fleet, links, cookies)
  const answers = await Promise.all(
    links.map(async (link, nth) => {
      const phone = newPayer(fleet, outcomes[nth % outcomes.length])
      const form = forms[nth] as (typeof forms)[number]
      const twice = [0, 1].map((time) => pay(fleet, nth + time, link, form, { phone }))
      const answered = await Promise.all(twice)
      for (let look = 0; look < 3 && answered.every(({ status }) => status === 409); look += 1)
        answered.push(await lookAndPay(fleet, nth, { link, card, phone }))
      return answered
    }),
  )
  return answers.flat()
}

/** Reloads the page with the card and pays what the page now says. */
async function lookAndPay(
  fleet: Fleet,
  nth: number,
  { link, card, phone }: { link: string; card: Card; phone: string },
): Promise<FormAnswer> {
  const cookie = await applyCard(fleet, nth, { link, code: card.code })
  const [form] = await openForms(fleet, [link], [cookie])
  return pay(fleet, nth, link, form as NonNullable<typeof form>, { phone })
}

/** The merchant refunds whatever it can. */
async function refundAll(fleet: Fleet, charges: readonly LinkCharge[]): Promise<void> {
  const { live } = fleet.merchants
  await Promise.all(
    charges
      .filter(({ status }) => status === 'succeeded')
      .map(({ id }, nth) =>
        post(fleet, fleet.webs[nth % fleet.webs.length] as string, {
          path: `/v1/charges/${id}/refund`,
          apiKey: live.keys.live,
        }),
      ),
  )
}

function wrongSums(sums: Sums): string[] {
  const { value, balance, reserved, spent, usesReserved, usesTaken } = sums
  const holds = balance >= 0 && value === balance + reserved + spent && reserved === usesReserved && spent === usesTaken
  return holds ? [] : [`the card does not add up: ${JSON.stringify(sums)}`]
}

const SPENDERS = 4

/** Race 17b: the card is deactivated while it is being spent: nobody can spend it afterwards, and every reservation still ends. */
export const cardDeactivated: Race = {
  name: '17 a gift card is deactivated while it is being spent',
  async run(fleet) {
    const { live } = fleet.merchants
    const [card] = await newCards(fleet, live, { value: 4_000_000, quantity: 1 })
    if (!card) throw new Error('no card')
    const bodies = Array.from({ length: SPENDERS }, () => ({ amount: 900, allow_multiple_uses: true }))
    const large = { amount: 4_900_000, allow_multiple_uses: true }
    const links = await newLinks(fleet, { merchant: live, mode: 'live' }, [...bodies.slice(1), large])
    const load = spendWithoutEnd(fleet, card, links)
    await load.answered(10)
    const off = await fleet.installation.command(['gift-cards', 'deactivate', live.handle, '--card', card.id])
    const before = await sumsOf(fleet, card)
    await load.answered(20)
    const answers = await load.end()
    await allDecided(fleet, links)
    const after = await sumsOf(fleet, card)
    const wrong = [...strangeAnswers(answers, [302, 409]), ...wrongSums(before), ...wrongSums(after)]
    if (off.code !== 0) wrong.push(off.stderr)
    if (before.uses === 0) wrong.push('nobody had spent it before')
    if (after.uses !== before.uses) wrong.push(`${after.uses - before.uses} uses after it was deactivated`)
    if (after.reserved !== 0) wrong.push(`${after.reserved} still reserved after all payments have ended`)
    return { wrong, seen: `${after.uses} uses; ${countAnswers(answers)}` }
  },
}

/** Customers who applied the card earlier, each paying again as soon as the last payment was answered. */
function spendWithoutEnd(fleet: Fleet, card: Card, links: readonly string[]) {
  const answers: FormAnswer[] = []
  let spending = true
  const clients = links.map(async (link, client) => {
    const cookie = await applyCard(fleet, client, { link, code: card.code })
    const [first] = await openForms(fleet, [link], [cookie])
    while (spending) {
      // When the card no longer covers anything the page says so, and the browser resends the form it was shown before.
      const [now] = await openForms(fleet, [link], [cookie])
      const form = { ...(now ?? first), cookie } as NonNullable<typeof first>
      answers.push(await pay(fleet, client, link, form, { phone: newPayer(fleet) }))
    }
  })
  return untilStopped(clients, answers, () => {
    spending = false
  })
}
