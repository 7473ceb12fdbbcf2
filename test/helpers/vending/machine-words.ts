import assert from 'node:assert/strict'
import { listStatements } from '../../../src/platform/db/statement.ts'
import type { DispenseClaim } from '../../../src/selling/vending/dispensing/claim.ts'
import type { DispenseOutcome, MoveSource } from '../../../src/selling/vending/dispensing/dispense-move.ts'
import { moveDispense } from '../../../src/selling/vending/dispensing/move-dispense.ts'
import type { TestService } from '../service/test-service.ts'
import { claim, type Owner, type PaidOrder, type Place, paidOrder, type Wanted } from './paid-orders.ts'

export const JAM: DispenseOutcome = {
  status: 'failed',
  confirmed: true,
  result: [{ spbh: '1', chsl: 0 }],
  error: 'the machine reported a jam',
}
export const DELIVERED: DispenseOutcome = {
  status: 'dispensed',
  confirmed: true,
  result: [{ spbh: '1', chsl: 1 }],
  note: null,
}

/** Claims an order as if its machine had its command and the supplier had accepted it, whichever supplier that is. */
export async function told(service: TestService, order: Place): Promise<DispenseClaim> {
  const own = await claim(service, order)
  await dieSending(service, own)
  await service.rows(
    `update dispense_claims set state = 'accepted', answered_at = $2, lease_until = null where id = $1`,
    [own.id, service.clock.now()],
  )
  return own
}

/** Marks the claim as commanding and stops there, like a process that dies while sending: the command may have been sent. */
export async function dieSending(service: TestService, { merchantId, id }: DispenseClaim): Promise<void> {
  const command = listStatements().find(({ name }) => name === 'command dispense')
  assert.ok(command)
  const at = service.clock.now()
  const lease = new Date(at.getTime() + 60_000)
  const sent = await service.app.db.query(command, [merchantId, id, at.toISOString(), lease.toISOString()])
  assert.equal(sent.length, 1)
}

/** A report of the machine, or a person's decision. */
export const say = (
  service: TestService,
  { merchantId, id }: Place,
  to: DispenseOutcome,
  source: MoveSource = 'callback',
) => moveDispense(service.app, { kind: 'order', merchantId, id, to, source })

/** The events of an order, oldest first: type and number. */
export const vendingEventNames = async (service: TestService, { id }: Place): Promise<string[]> =>
  (
    await service.rows<{ type: string; occurrence: number }>(
      `select type, occurrence from events where subject = $1 and starts_with(type, 'vending.') order by created_at, type`,
      [id],
    )
  ).map(({ type, occurrence }) => `${type} ${occurrence}`)

export async function jammed(service: TestService, owner: Owner, wanted: Wanted = {}): Promise<PaidOrder> {
  const order = await paidOrder(service, owner, wanted)
  await told(service, order)
  assert.equal(await say(service, order, JAM), 'moved')
  return order
}
