import assert from 'node:assert/strict'
import { kampalaMonth, monthBounds } from '../../../src/platform/time/kampala.ts'
import type { Client, TestService } from '../service/test-service.ts'

/** The current month in Kampala, or this many months later. */
export function monthNow(service: TestService, later = 0): string {
  let month = kampalaMonth(service.clock.now())
  for (let step = 0; step < later; step += 1) month = nextMonth(month)
  for (let step = 0; step > later; step -= 1) month = monthBefore(month)
  return month
}

export const nextMonth = (month: string): string => kampalaMonth(boundsOf(month).end)
const monthBefore = (month: string): string => kampalaMonth(new Date(boundsOf(month).start.getTime() - 86_400_000))

export function boundsOf(month: string): { start: Date; end: Date } {
  const bounds = monthBounds(month)
  assert.ok(bounds)
  return bounds
}

/** Moves the clock this many milliseconds past the end of the current month, or before it when negative. */
export function passMonth(service: TestService, pastMs = 0): void {
  service.pass(boundsOf(monthNow(service)).end.getTime() - service.clock.nowMs() + pastMs)
}

/** The statement of a month, after checking that its lines add up. */
export async function statementOf(api: Client, month: string): Promise<any> {
  const { status, body, text } = await api.get(`/v1/statements/${month}`)
  assert.equal(status, 200, text)
  assertAddsUp(body)
  return body
}

export const totalOf = async (api: Client): Promise<number> => (await api.get('/v1/balance')).body.balances[0].total

/** Asserts the sums that hold in every statement. */
export function assertAddsUp(statement: any): void {
  const { money_in, money_out, adjustments, totals } = statement
  const sum = (lines: any[], field: string) => lines.reduce((total, line) => total + line[field], 0)
  assert.deepEqual(totals, {
    gross_in: sum(money_in, 'gross'),
    gift_cards: sum(money_in, 'gift_card'),
    collected_net: sum(money_in, 'net'),
    paid_out: sum(money_out, 'amount'),
    paid_out_total: sum(money_out, 'total'),
    fees: sum(money_in, 'fee') + sum(money_out, 'fee'),
    charge_fees: sum(money_in, 'fee'),
    payout_fees: sum(money_out, 'fee'),
    adjustments_net: sum(adjustments, 'amount'),
    count_in: money_in.length,
    count_out: money_out.length,
    count_adjustments: adjustments.length,
  })
  for (const line of money_in) assert.equal(line.net, line.gross - line.gift_card - line.fee)
  for (const line of money_out) assert.equal(line.total, line.amount + line.fee)
  assert.equal(
    statement.closing_balance,
    statement.opening_balance + totals.collected_net - totals.paid_out_total + totals.adjustments_net,
  )
  for (const { date } of [...money_in, ...money_out, ...adjustments]) {
    assert.match(date, /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\.[0-9]{3}\+03:00$/)
    const at = new Date(date)
    assert.ok(at >= new Date(statement.period_start) && at < new Date(statement.period_end), date)
  }
}
