import { newPayer, type Shop } from '../service/live-service.ts'
import type { Op1Service } from '../service/op1-service.ts'
import type { TestService } from '../service/test-service.ts'
import { followUntilEnded } from './following-charges.ts'

type Open = { kind: string; severity: string; subject: string; seen_count: number }

/** The open exceptions about a movement. */
export const openOf = (service: Pick<TestService, 'rows'>, subject: string) =>
  service.rows<Open>(
    'select kind, severity, subject, seen_count from exceptions where subject = $1 and closed_at is null',
    [subject],
  )

/** The open exceptions that are no merchant's. */
export const platformOpen = (service: Op1Service) =>
  service.rows<Open>('select kind, subject, seen_count from directory.platform_exceptions where closed_at is null')

/** A live charge that its operator says is paid. */
export async function paidBy(
  service: Op1Service,
  amount = 500_000,
): Promise<{ shop: Shop; id: string; reference: string }> {
  const shop = await service.shop()
  const { body } = await shop.live.charge({ amount, customer: { phone: newPayer() } })
  await service.emulator.resolve(body.rail_reference, { status: 'SUCCESSFUL' })
  await followUntilEnded(service, body.id)
  return { shop, id: body.id, reference: body.rail_reference }
}
