import { repairFreezeCopy } from '../merchants/account/payout-freeze.ts'
import { DatabaseAway } from '../platform/db/errors.ts'
import { statement } from '../platform/db/statement.ts'
import type { OpenedGateway } from './open-gateway.ts'

const CELLS = statement<{ name: string }>('cells of the platform', 'select name from cells order by name')

/**
 * Takes up the cells that were made since this process started, and those whose node did not answer then. Each is looked at first: its
 * schema must be up to date, and it must have the freeze of payouts. A fault is logged: the next call tries again. Throws DatabaseAway.
 */
export async function takeUpCells(opened: Pick<OpenedGateway, 'gateway' | 'migrateAgain'>): Promise<void> {
  try {
    await takeUpNew(opened)
  } catch (error) {
    if (error instanceof DatabaseAway) throw error
    opened.gateway.log.error({ err: error }, 'a cell could not be taken up')
  }
}

async function takeUpNew(opened: Pick<OpenedGateway, 'gateway' | 'migrateAgain'>): Promise<void> {
  const { gateway } = opened
  const known = new Set(gateway.cells.map(({ cell }) => cell))
  const names = (await gateway.directory.query(CELLS)).map(({ name }) => name)
  const held = gateway.nodes?.held() ?? []
  if (held.length === 0 && names.every((name) => known.has(name))) return
  const { cells, unreached } = await opened.migrateAgain()
  await gateway.nodes?.look()
  for (const cell of held) if (!unreached.includes(cell)) gateway.nodes?.admit(cell)
  for (const cell of cells) if (!known.has(cell) && !unreached.includes(cell)) await takeUp(opened, cell)
}

async function takeUp({ gateway }: Pick<OpenedGateway, 'gateway'>, cell: string): Promise<void> {
  const app = gateway.openCell(cell)
  try {
    await repairFreezeCopy(app)
    await app.db.warm()
  } catch (error) {
    await app.db.close()
    throw error
  }
  gateway.serveCell(app)
  gateway.log.info({ cell }, 'a new cell is served')
}
