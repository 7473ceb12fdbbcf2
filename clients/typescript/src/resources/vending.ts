import type { Client, RequestOptions } from '../client.ts'
import {
  checkConformance,
  createDispenseSecret,
  createVendingOrder,
  dispense,
  getVendingOrder,
  invalidateVendingOrder,
  listMachines,
  machineGoods,
  readTallies,
  retryVendingDispense,
} from '../generated/sdk.gen.ts'
import type {
  CheckConformanceData,
  DirectDispenseCreate,
  GetVendingOrderData,
  ListMachinesData,
  ReadTalliesData,
  VendingOrderCreate,
} from '../generated/types.gen.ts'
import { List } from '../pages.ts'

/** Machines that give out goods for money. */
export class Vending {
  readonly #client: Client
  readonly orders: VendingOrders
  readonly machines: Machines

  constructor(client: Client) {
    this.#client = client
    this.orders = new VendingOrders(client)
    this.machines = new Machines(client)
  }

  /** Gives out goods for a charge that has succeeded. */
  dispense(goods: DirectDispenseCreate, options?: RequestOptions) {
    return dispense({ client: this.#client, body: goods, call: options })
  }

  /** A new secret for your supplier's reports, which ends the one of before. */
  createDispenseSecret(options?: RequestOptions) {
    return createDispenseSecret({ client: this.#client, call: options })
  }

  /** What is right and wrong about a report that your supplier would send. */
  checkConformance(report: CheckConformanceData['body'], options?: RequestOptions) {
    return checkConformance({ client: this.#client, body: report, call: options })
  }
}

class VendingOrders {
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
  }

  create(order: VendingOrderCreate, options?: RequestOptions) {
    return createVendingOrder({ client: this.#client, body: order, call: options })
  }

  retrieve(id: string, query?: GetVendingOrderData['query'], options?: RequestOptions) {
    return getVendingOrder({ client: this.#client, path: { id }, query, call: options })
  }

  /** Ends an order that is not paid. */
  invalidate(id: string, options?: RequestOptions) {
    return invalidateVendingOrder({ client: this.#client, path: { id }, call: options })
  }

  /** Tells the machine of a paid order again, after an attempt that has failed; never twice. */
  dispense(id: string, options?: RequestOptions) {
    return retryVendingDispense({ client: this.#client, path: { id }, call: options })
  }
}

class Machines {
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
  }

  list(query: NonNullable<ListMachinesData['query']> = {}, options?: RequestOptions) {
    const load = (page: typeof query) => listMachines({ client: this.#client, query: page, call: options })
    return new List(load, query)
  }

  /** What machines have given out. */
  tallies(query?: ReadTalliesData['query'], options?: RequestOptions) {
    return readTallies({ client: this.#client, query, call: options })
  }

  goods(machine: string, options?: RequestOptions) {
    return machineGoods({ client: this.#client, path: { machine }, call: options })
  }
}
