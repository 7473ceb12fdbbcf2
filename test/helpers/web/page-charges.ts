import assert from 'node:assert/strict'
import type { TestService } from '../service/test-service.ts'

/** The charges made on a link, oldest first, including those that were taken back. */
export const chargesOn = (service: TestService, id: string) =>
  service.rows<ChargeRow>(
    `select id, status, amount::int, fee::int, gift_card_amount::int as card, channel, phone, email, voided_at, failure_reason
     from charges where payment_link_id = $1 order by created_at, id`,
    [id],
  )

type ChargeRow = {
  id: string
  status: string
  amount: number
  fee: number
  card: number
  channel: string
  phone: string | null
  email: string | null
  voided_at: Date | null
  failure_reason: string | null
}

/** The only charge made on the link. */
export async function chargeOn(service: TestService, id: string): Promise<ChargeRow> {
  const charges = await chargesOn(service, id)
  assert.equal(charges.length, 1, JSON.stringify(charges))
  return charges[0] as ChargeRow
}

/** The balance of a card, the sum it has reserved and the sum it has spent. */
export async function cardNow(service: TestService, id: string): Promise<[number, number, number]> {
  const [card] = await service.rows<{ balance: number; reserved: number; spent: number }>(
    'select balance::int, reserved::int, spent::int from gift_cards where id = $1',
    [id],
  )
  assert.ok(card)
  return [card.balance, card.reserved, card.spent]
}
