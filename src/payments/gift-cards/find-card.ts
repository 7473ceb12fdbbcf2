import type { Caller } from '../../api/access/actor.ts'
import { listStatement } from '../../api/http/lists/list-statement.ts'
import { type ListPage, type ListWindow, nullIfRefused, readListPage } from '../../api/http/lists/lists.ts'
import { type Call, call } from '../../platform/db/database.ts'
import { firstRow } from '../../platform/db/first-row.ts'
import { statement } from '../../platform/db/statement.ts'
import type { Mode } from '../../platform/mode.ts'
import { notFound } from '../../platform/refusal.ts'
import { parseTag } from '../../platform/text/ids.ts'
import type { App } from '../../program/app.ts'
import { hashCardCode, parseCardCode } from './card-code.ts'
import { GIFT_CARD_COLUMNS, type GiftCard, isUsable } from './gift-card.ts'

const CARD_BY_CODE = statement<GiftCard>(
  'gift card by code',
  `select ${GIFT_CARD_COLUMNS} from gift_cards g where g.merchant_id = $1 and g.code_hash = $2`,
)
const CARD_BY_ID = statement<GiftCard>(
  'gift card by id',
  `select ${GIFT_CARD_COLUMNS} from gift_cards g where g.merchant_id = $1 and g.id = $2`,
)
const LIST_CARDS = statement<GiftCard>(
  'list gift cards',
  `select ${GIFT_CARD_COLUMNS} from gift_cards g where g.merchant_id = $1 and (g.created_at, g.id) < ($2, $3)
   order by g.created_at desc, g.id desc limit $4`,
)

const CARD_PAGE = listStatement<GiftCard>(
  'page of gift cards',
  `select ${GIFT_CARD_COLUMNS} from gift_cards g where g.merchant_id = :merchantId and :mode::text = 'live'
     and g.created_at >= :bound and (g.created_at, g.id) < (:cursorAt, :cursorId)
   order by g.created_at desc, g.id desc limit :limit`,
)

const HAS_CARD_WORTH = statement<{ any: boolean }>(
  'gift card worth this much',
  `select exists (select 1 from gift_cards g where g.merchant_id = $1 and g.balance >= $2 and g.expires_at > $3
     and g.deactivated_at is null) as any`,
)

// Is no valid code (it contains zeros): looked up instead of unreadable input, so that it takes the same time.
const NO_CODE = '000000000000'

/**
 * Finds the merchant's card with this code if it can pay something now. For an unreadable, unknown, foreign, expired,
 * deactivated or spent one, and in test mode, the path, the answer and the time are the same (contract.md G47).
 */
export async function findUsableCard(
  app: App,
  { merchantId, mode, text }: { merchantId: number; mode: Mode; text: string },
): Promise<GiftCard | null> {
  const hash = hashCardCode(app.vault, merchantId, parseCardCode(text) ?? NO_CODE)
  const [card] = await app.db.query(CARD_BY_CODE, [merchantId, hash])
  return mode === 'live' && card && isUsable(card, app.clock.now()) ? card : null
}

/** Whether the merchant has a card that can pay this amount at this time. */
export const hasCardWorth = (merchantId: number, amount: number, at: Date): Call<{ any: boolean }> =>
  call(HAS_CARD_WORTH, merchantId, amount, at.toISOString())

/** The merchant's card with this id, usable or not. */
export const findCard = (
  app: App,
  { merchantId, cardId }: { merchantId: number; cardId: string },
): Promise<GiftCard | null> => firstRow(app.db.query(CARD_BY_ID, [merchantId, cardId]))

/** The merchant's cards, newest first: at most `limit`, after the card `after` or from the newest. */
export function listCards(
  app: App,
  merchantId: number,
  { after, limit }: { after: Pick<GiftCard, 'createdAt' | 'id'> | null; limit: number },
): Promise<GiftCard[]> {
  return app.db.query(LIST_CARDS, [merchantId, after?.createdAt.toISOString() ?? 'infinity', after?.id ?? '', limit])
}

/** One page of the caller's cards, newest first. Gift cards are live only: test mode has none. */
export const listCardPage = (app: App, caller: Caller, window: ListWindow): Promise<ListPage<GiftCard>> =>
  readListPage(app, caller, {
    window,
    statement: CARD_PAGE,
    find: (id) => nullIfRefused(getCard(app, caller, id)),
  })

/** Returns the caller's card. Throws 404 `gift card not found`. */
export async function getCard(app: App, { merchantId, tag, mode }: Caller, cardId: string): Promise<GiftCard> {
  const own = mode === 'live' && parseTag('gc_', cardId) === tag
  const card = own ? await findCard(app, { merchantId, cardId }) : null
  if (card === null) throw notFound('gift card')
  return card
}
