import { actingFor } from '../../api/access/actor.ts'
import { listCards } from '../../payments/gift-cards/find-card.ts'
import { cardState, type GiftCard } from '../../payments/gift-cards/gift-card.ts'
import { issueCards, MAX_CARDS_PER_ISSUE, parseLastDay } from '../../payments/gift-cards/issue-cards.ts'
import { activateCard, deactivateCard } from '../../payments/gift-cards/switch-card.ts'
import { presentRefund } from '../../payments/refunds/present-refund.ts'
import { refundCharge } from '../../payments/refunds/refund-charge.ts'
import { kampalaIso } from '../../platform/time/kampala.ts'
import type { App } from '../app.ts'
import { type CommandSpec, command } from './frame/command.ts'
import {
  type CommandInput,
  findText,
  getCommandMerchant,
  getMerchantAndId,
  parseKey,
  parseWholeNumber,
  requireText,
} from './frame/input.ts'
import { WrongUsage } from './frame/wrong-usage.ts'

const CARDS_PER_PAGE = 1000
const MAX_KEY_LENGTH = 255

const issue = command({
  usage: 'gift-cards issue <m> --value N [--quantity Q] [--expires YYYY-MM-DD] [--notes T] [--key K]',
  says: 'make gift cards; prints their codes once',
  async run(input) {
    const order = parseIssue(input)
    const { app, merchant } = await getCommandMerchant(input)
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

function parseIssue(input: CommandInput) {
  const value = parseWholeNumber('value', requireText(input, 'value'), {
    low: 1,
    high: Number.MAX_SAFE_INTEGER,
  })
  const quantity = parseWholeNumber('quantity', findText(input, 'quantity') ?? '1', {
    low: 1,
    high: MAX_CARDS_PER_ISSUE,
  })
  const expires = findText(input, 'expires') ?? null
  if (expires !== null && parseLastDay(expires) === null) throw new WrongUsage('--expires must be a day, YYYY-MM-DD')
  const commandKey = parseKey(input, MAX_KEY_LENGTH)
  return { value, quantity, expires, notes: findText(input, 'notes') || null, commandKey }
}

const list = command({
  usage: 'gift-cards list <m>',
  says: 'all gift cards of a merchant, newest first, without their codes',
  async run(input) {
    const { app, merchant } = await getCommandMerchant(input)
    const cards = (await readAllCards(app, merchant.id)).map((card) => presentCard(app, card))
    return { json: cards, lines: cards.map(formatCard) }
  },
})

async function readAllCards(app: App, merchantId: number): Promise<GiftCard[]> {
  const cards: GiftCard[] = []
  for (;;) {
    const page = await listCards(app, merchantId, { after: cards.at(-1) ?? null, limit: CARDS_PER_PAGE })
    cards.push(...page)
    if (page.length < CARDS_PER_PAGE) return cards
  }
}

const switchCommand = (verb: 'deactivate' | 'activate', says: string, change: typeof deactivateCard): CommandSpec =>
  command({
    usage: `gift-cards ${verb} <m> --card ID`,
    says,
    async run(input) {
      const { app, merchant } = await getCommandMerchant(input)
      const target = { owner: merchant, cardId: requireText(input, 'card') }
      const card = presentCard(app, await change(app, input.actor, target))
      return { json: card, lines: [formatCard(card)] }
    },
  })

const restore = command({
  usage: 'gift-cards restore <m> --charge T',
  says: 'give a card back what it has paid of a charge that it paid in full; the charge is refunded',
  async run(input) {
    const { app, merchant, id: chargeId } = await getMerchantAndId(input, 'charge')
    // Gift cards are live only.
    const account = { merchantId: merchant.id, tag: merchant.tag, cell: app.cell, mode: 'live' } as const
    const caller = actingFor(input.actor, account)
    const json = presentRefund(await refundCharge(app, caller, { chargeId, onlyToCard: true }))
    return { json, lines: [`${chargeId} is refunded: ${json.gift_card_restored} are back on its gift card`] }
  },
})

/** A card as lists show it: enough to recognise it, not enough to use it. */
const presentCard = (app: App, card: GiftCard) => ({
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

function formatCard(card: ReturnType<typeof presentCard>): string {
  const reserved = card.reserved === 0 ? '' : `, ${card.reserved} reserved`
  const facts = `${card.remaining} of ${card.value}${reserved}, until ${lastDay(card.expires_at)}`
  return `${card.id}  ...${card.last_four}  ${card.state}  ${facts}${card.notes === null ? '' : `  ${card.notes.replace(/\s+/g, ' ')}`}`
}

/** The last day in Kampala on which a card pays. */
const lastDay = (expiresAt: string) => kampalaIso(new Date(Date.parse(expiresAt) - 1)).slice(0, 10)

export const giftCardCommands = [
  issue,
  list,
  switchCommand('deactivate', 'let a card pay nothing more; payments under way still complete', deactivateCard),
  restore,
  switchCommand('activate', 'undo a deactivation', activateCard),
]
