import type { Client, TestService } from '../service/test-service.ts'
import { GOODS } from './vending.ts'

export const DISPENSE = '/v1/vending/dispense'

/** A charge of the merchant's own that has succeeded. */
export async function paidCharge(service: TestService, { api }: { api: Client }): Promise<string> {
  const { id } = (await api.charge({ amount: 1000 })).body
  service.pass(2000)
  await service.run('follow-charges')
  return id
}

/** The body of a direct dispense paid by this charge. */
export const dispenseBody = (chargeId: string, more: object = {}) => ({
  machine: 'M-1',
  order_id: 'own-1',
  goods: GOODS,
  charge_id: chargeId,
  ...more,
})
