import assert from 'node:assert/strict'
import { getMerchantNamed, type MerchantChange } from '../../../src/merchants/account/set-merchant.ts'
import { STOREFRONT_INVARIANTS } from '../../../src/operations/verify/invariants/selling/link-invariants.ts'
import { verifySnapshot } from '../../../src/operations/verify/verify.ts'
import { findLink } from '../../../src/selling/payment-links/find-links.ts'
import { addItem, type NewItem } from '../../../src/selling/storefront/add-item.ts'
import { editItem, type ItemChange } from '../../../src/selling/storefront/change-item.ts'
import { listPublicItems } from '../../../src/selling/storefront/find-items.ts'
import { BY_HAND } from '../service/actors.ts'
import { assertVerified } from '../service/live-service.ts'
import { startService, type TestService } from '../service/test-service.ts'

export const PICTURE = Buffer.from('a picture')
export const MANGOES: NewItem = {
  name: 'Mangoes',
  amount: 5000,
  description: 'Sweet.\nFive kilos.',
  picture: null,
}

/** A merchant's public page; nobody has verified the merchant unless `change` does. */
export async function pageOf(service: TestService, change: MerchantChange = {}) {
  const made = await service.merchant()
  await service.set(made, change)
  const shop = (await getMerchantNamed(service.gateway, made.id)).merchant
  const { app } = service
  const shown = (beforeId: string | null = null, limit = 6) =>
    listPublicItems(app, { mode: 'live', merchantId: shop.id, beforeId, limit })
  return {
    app,
    made,
    shop,
    shown,
    add: async (more: Partial<NewItem> = {}) =>
      (await addItem(app, BY_HAND, { mode: 'live', shop, ...MANGOES, ...more })).item,
    edit: (id: string, to: ItemChange) => editItem(app, BY_HAND, { shop, id, change: to }),
    names: async (beforeId: string | null = null, limit = 6) =>
      (await shown(beforeId, limit)).items.map(({ name }) => name),
    linkOf: async (id: string) => {
      const link = await findLink(app, { merchantId: shop.id, id })
      assert.ok(link)
      return link
    },
  }
}

/** A service that fails on closing if an item lacks a live, reusable link of its own merchant, or another invariant is broken. */
export async function startStorefronts(): Promise<TestService> {
  const service = await startService()
  const close = () => assertStorefrontsHold(service).finally(() => service.close())
  return { ...service, close }
}

async function assertStorefrontsHold(service: TestService): Promise<void> {
  const findings = await service.app.db.snapshot((client) =>
    verifySnapshot(client, service.clock.now(), STOREFRONT_INVARIANTS),
  )
  assert.deepEqual(
    findings.flatMap(({ offenders }) => offenders),
    [],
  )
  await assertVerified(service)
}
