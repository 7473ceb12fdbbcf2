import { at } from '../actors/actor.ts'
import type { App } from '../app.ts'
import { listCards } from '../gift-cards/find-card.ts'
import { cardState, type GiftCard } from '../gift-cards/gift-card.ts'
import { issueCards, MOST_CARDS, readLastDay } from '../gift-cards/issue-cards.ts'
import { activateCard, deactivateCard } from '../gift-cards/switch-card.ts'
import { kampalaIso } from '../platform/kampala.ts'
import { presentRefund } from '../refunds/present-refund.ts'
import { refundCharge } from '../refunds/refund-charge.ts'
import { type Command, command } from './command.ts'
import {
  type CommandInput,
  keyOf,
  merchantAndId,
  ofMerchant,
  optionalText,
  required,
  wholeNumber,
} from './input.ts'
import { WrongUsage } from './wrong-usage.ts'

const READ_AT_ONCE = 1000
const LONGEST_KEY = 255

const issue = command({
  usage: 'gift-cards issue <m> --value N [--quantity Q] [--expires YYYY-MM-DD] [--notes T] [--key K]',
  says: 'make gift cards; prints their codes once',
  async run(input) {
    const order = readIssue(input)
    const { app, merchant } = await ofMerchant(input)
    const { cards } = await issueCards(app, input.actor, { issuer: merchant, ...order })
    return {
      json: { cards },
      lines: [
        ...cards.map((card) => `${card.code}  ${card.id}  ${card.value}  until ${lastDay(card.expires_at)}`),
        'Keep them now: the codes are not shown again.',
      ],
    }
  },
})

function readIssue(input: CommandInput) {
  const value = wholeNumber('value', required(input, 'value'), { low: 1, high: Number.MAX_SAFE_INTEGER })
  const quantity = wholeNumber('quantity', optionalText(input, 'quantity') ?? '1', {
    low: 1,
    high: MOST_CARDS,
  })
  const expires = optionalText(input, 'expires') ?? null
  if (expires !== null && readLastDay(expires) === null)
    throw new WrongUsage('--expires must be a day, YYYY-MM-DD')
  const commandKey = keyOf(input, LONGEST_KEY)
  return { value, quantity, expires, notes: optionalText(input, 'notes') || null, commandKey }
}

const list = command({
  usage: 'gift-cards list <m>',
  says: 'all gift cards of a merchant, newest first, without their codes',
  async run(input) {
    const { app, merchant } = await ofMerchant(input)
    const cards = (await allCards(app, merchant.id)).map((card) => shown(app, card))
    return { json: cards, lines: cards.map(line) }
  },
})

async function allCards(app: App, merchantId: number): Promise<GiftCard[]> {
  const cards: GiftCard[] = []
  for (;;) {
    const page = await listCards(app, merchantId, { after: cards.at(-1) ?? null, limit: READ_AT_ONCE })
    cards.push(...page)
    if (page.length < READ_AT_ONCE) return cards
  }
}

const switching = (verb: 'deactivate' | 'activate', says: string, change: typeof deactivateCard): Command =>
  command({
    usage: `gift-cards ${verb} <m> --card ID`,
    says,
    async run(input) {
      const { app, merchant } = await ofMerchant(input)
      const target = { owner: merchant, cardId: required(input, 'card') }
      const card = shown(app, await change(app, input.actor, target))
      return { json: card, lines: [line(card)] }
    },
  })

const restore = command({
  usage: 'gift-cards restore <m> --charge T',
  says: 'give a card back what it has paid of a charge that it paid in full; the charge is refunded',
  async run(input) {
    const { app, merchant, id: chargeId } = await merchantAndId(input, 'charge')
    // Gift cards are live only.
    const account = { merchantId: merchant.id, tag: merchant.tag, cell: app.cell, mode: 'live' } as const
    const caller = at(input.actor, account)
    const json = presentRefund(await refundCharge(app, caller, { chargeId, onlyToCard: true }))
    return { json, lines: [`${chargeId} is refunded: ${json.gift_card_restored} are back on its gift card`] }
  },
})

/** A card as lists show it: enough to recognise it, not enough to use it. */
const shown = (app: App, card: GiftCard) => ({
  id: card.id,
  last_four: card.last4,
  value: card.value,
  remaining: card.balance,
  reserved: card.reserved,
  state: cardState(card, app.clock.now()),
  expires_at: card.expiresAt.toISOString(),
  notes: card.notes,
  created_at: card.createdAt.toISOString(),
})

function line(card: ReturnType<typeof shown>): string {
  const reserved = card.reserved === 0 ? '' : `, ${card.reserved} reserved`
  const facts = `${card.remaining} of ${card.value}${reserved}, until ${lastDay(card.expires_at)}`
  return `${card.id}  ...${card.last_four}  ${card.state}  ${facts}${card.notes === null ? '' : `  ${card.notes.replace(/\s+/g, ' ')}`}`
}

/** The last day in Kampala on which a card pays. */
const lastDay = (expiresAt: string) => kampalaIso(new Date(Date.parse(expiresAt) - 1)).slice(0, 10)

export const giftCardCommands = [
  issue,
  list,
  switching('deactivate', 'let a card pay nothing more; payments under way still complete', deactivateCard),
  restore,
  switching('activate', 'undo a deactivation', activateCard),
]
