import assert from 'node:assert/strict'
import { getMerchantNamed } from '../../../src/merchants/account/set-merchant.ts'
import { listTopUps } from '../../../src/payments/top-ups/find-top-ups.ts'
import { requestTopUp } from '../../../src/payments/top-ups/request-top-up.ts'
import type { TopUp } from '../../../src/payments/top-ups/top-up.ts'
import { Refusal } from '../../../src/platform/refusal.ts'
import { BY_HAND, owner } from '../service/actors.ts'
import { type LiveService, newPayer } from '../service/live-service.ts'
import type { TestService } from '../service/test-service.ts'
import { followUntilEnded, TOP_UPS } from './following-charges.ts'

/** A verified shop, and how it asks for a top-up. */
export async function topUpShop(service: TestService & Pick<LiveService, 'shop'>) {
  const { merchant, live } = await service.shop()
  const merchantId = (await getMerchantNamed(service.gateway, merchant.id)).merchant.id
  const phone = newPayer()
  const ask = async (more: { amount?: number; phone?: string; key?: string } = {}) =>
    (await requestTopUp(service.app, BY_HAND, { merchantId, amount: 20_000, phone, ...more })).topUp
  const askAsOwner = async (more: { amount?: number } = {}) => {
    const { app } = service
    const person = owner({ merchantId, tag: merchant.id.slice(4, 9), cell: app.cell, mode: 'live' })
    return (await requestTopUp(app, person, { merchantId, amount: 20_000, phone, ...more })).topUp
  }
  const listed = () => listTopUps(service.app, merchantId)
  const ended = async ({ id }: TopUp) => {
    await followUntilEnded(service, id, TOP_UPS)
    return (await listed()).find((topUp) => topUp.id === id)
  }
  return { merchant, merchantId, live, phone, ask, askAsOwner, listed, ended }
}

/** The refusal of what must be refused. */
export const refusalOf = (promise: Promise<unknown>): Promise<Refusal> =>
  promise.then(
    () => assert.fail('it was not refused'),
    (error) => {
      assert.ok(error instanceof Refusal, `${error}`)
      return error
    },
  )
