import type { App } from '../../../../src/program/app.ts'
import { addItem, type StorefrontMerchant } from '../../../../src/selling/storefront/add-item.ts'
import { removeItem } from '../../../../src/selling/storefront/change-item.ts'
import { BY_HAND } from '../../../helpers/service/actors.ts'
import { TAGS } from '../names.ts'

/** An item that is shown and one that was removed. */
export async function offerItems(app: App): Promise<void> {
  const shop: StorefrontMerchant = {
    id: 1,
    publicId: 'mer_1',
    tag: TAGS[1],
    active: true,
    account: 'open',
    chargeLimit: null,
  }
  const plain = { description: null, picture: null }
  await addItem(app, BY_HAND, { mode: 'live', shop, ...plain, name: 'Mangoes', amount: 5000 })
  const { item } = await addItem(app, BY_HAND, { mode: 'live', shop, ...plain, name: 'Pineapples', amount: 9000 })
  await removeItem(app, BY_HAND, { shop, id: item.id })
}
