import { made, openedAndVerified } from '../service/opened.ts'
import type { TestServiceOptions } from '../service/test-service.ts'
import { startService } from '../service/test-service.ts'
import { makeOrder, payOrder, vendingShop } from './vending.ts'

export const WATER_AND_SODA = [
  { spbh: '1', spmc: 'Water' },
  { spbh: '2', spmc: 'Soda' },
]
/** How long after its command a simulated machine reports. */
export const REPORT_MS = 2000

/** A service and a shop of this name, and what the screens of its machines show. */
export function openDisplays(name: string, options: TestServiceOptions = {}) {
  const service = openedAndVerified(() => startService(options))
  const shop = made(() => vendingShop(service, { name, verified: true }))

  const at = (id: string) => `${service.url}/vending/display/${id}`
  const html = async (id: string, query = '') => (await fetch(`${at(id)}${query}`)).text()
  const stateOf = async (id: string, query = ''): Promise<any> => (await fetch(`${at(id)}/state.json${query}`)).json()
  const screenOf = async (id: string, query = '') =>
    /<main id="screen" class="([a-z]+)"/.exec(await html(id, query))?.[1]

  const order = async (more: object = {}): Promise<any> =>
    makeOrder(shop, { amount: 3500, goods: WATER_AND_SODA, ...more })
  /** A paid order whose machine has its command; the number of the machine decides what it does then. */
  async function commandedOrder(machine: string, more: object = {}): Promise<any> {
    const made = await order({ machine, ...more })
    const chargeId = await payOrder(service, made.order_id)
    await service.run('dispense')
    return { ...made, chargeId }
  }

  return { service, shop, at, html, stateOf, screenOf, order, commandedOrder }
}
