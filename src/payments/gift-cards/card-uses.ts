import type { Caller } from '../../api/access/actor.ts'
import { statement } from '../../platform/db/statement.ts'
import type { App } from '../../program/app.ts'
import { getCard } from './find-card.ts'

/** One use of a card as its page shows it: the part of a charge that the card paid, or was to pay. Whole UGX. */
export type ListedCardUse = {
  chargeId: string
  amount: number
  state: 'reserved' | 'taken' | 'freed' | 'restored'
  /** The whole amount of the charge, with its status. */
  chargeAmount: number
  chargeStatus: string
  at: Date
}

const MAX_USES_LISTED = 100

const LIST_USES = statement<ListedCardUse>(
  'uses of gift card',
  `select u.charge_id as "chargeId", u.amount, u.state, c.amount as "chargeAmount", c.status as "chargeStatus",
     u.created_at as at
   from gift_card_uses u join charges c on c.merchant_id = u.merchant_id and c.id = u.charge_id
   where u.merchant_id = $1 and u.card_id = $2 order by u.created_at desc, u.charge_id desc limit $3`,
)

/** The newest hundred uses of the caller's card. Throws 404 for a card that is not theirs. */
export async function listCardUses(app: App, caller: Caller, cardId: string): Promise<ListedCardUse[]> {
  const { id } = await getCard(app, caller, cardId)
  return app.db.query(LIST_USES, [caller.merchantId, id, MAX_USES_LISTED])
}

/** Whether a refund of the charge goes back on the card alone and moves no money: the card has paid all of it. */
export const isRestorable = ({ state, amount, chargeAmount, chargeStatus }: ListedCardUse): boolean =>
  state === 'taken' && amount === chargeAmount && chargeStatus === 'succeeded'
