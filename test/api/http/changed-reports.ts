import { type Callback, signed } from '../../fakes/supplier-callbacks.ts'
import { made, prepare } from '../../helpers/service/opened.ts'
import type { TestService } from '../../helpers/service/test-service.ts'
import { assertRefused, dispenseSecret, report } from '../../helpers/vending/callbacks.ts'
import { dispensingOrder, readOrder, type VendingShop, vendingShop } from '../../helpers/vending/vending.ts'

/** A merchant whose machines report, and the reports that a test changes before they are sent. */
export type Reporter = {
  shop: VendingShop
  secret: string
  dispensing(more?: object): Promise<any>
  statusOf(order: { order_id: string }): Promise<string>
  /** A good message with something changed before it is signed; `undefined` takes a field out. */
  good(order: any, change?: Callback, key?: string): Callback
  refused(body: Callback | string, status: number, message: string): Promise<void>
}

/** To be called where the file opens its service. */
export function reporterOf(service: TestService): Reporter {
  const shop = made(() => vendingShop(service))
  const reporter: Reporter = {
    shop,
    secret: '',
    dispensing: (more = {}) => dispensingOrder(service, shop, more),
    statusOf: async ({ order_id }) => (await readOrder(shop, order_id)).vending_status,
    good(order, change = {}, key = reporter.secret) {
      const { sign: _, ...body } = report(service, 'done', { ...order, secret: key })
      const fields = Object.entries({ ...body, ...change })
      return signed(Object.fromEntries(fields.filter(([, value]) => value !== undefined)), key)
    },
    refused: (body, status, message) => assertRefused(service, body, { status, message }),
  }
  prepare(async () => {
    reporter.secret = await dispenseSecret(shop)
  })
  return reporter
}
