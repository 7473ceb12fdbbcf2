import type { Mode } from '../../src/platform/mode.ts'
import type { Merchant } from './installation.ts'
import { type Program, serving } from './serving.ts'
import { settleBooks, type World } from './world.ts'

type Wanted = {
  merchant: Merchant
  mode: Mode
  /** What is read of a charge `c`, and what must be true of it. */
  columns: string
  where: string
  count: number
}

/** The last paid charges of the merchant of which that is true. More are paid where there are not enough. */
export async function paidCharges<Row = { id: string }>(world: World, wanted: Wanted): Promise<Row[]> {
  const { merchant, mode, columns, where, count } = wanted
  const query = `select ${columns} from charges c join merchants m on m.id = c.merchant_id
    where m.handle = $1 and c.mode = $2 and c.status = 'succeeded' and ${where}
    order by c.created_at desc limit $3`
  const program: Program = mode === 'live' ? 'with live rail' : 'shipped'
  for (;;) {
    const found = await world.installation.sql<Row>(query, [merchant.handle, mode, count])
    if (found.length === count) return found
    await serving(world, program)
    await Promise.all(Array.from({ length: 2 * count }, () => world.clients.charge(merchant, mode)))
    await settleBooks(world)
  }
}
