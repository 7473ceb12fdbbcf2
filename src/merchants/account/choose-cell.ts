import type { Database } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { addMs } from '../../platform/time/clock.ts'
import type { App, Gateway } from '../../program/app.ts'

/** A cell and how many merchants it has. */
export type CellRoom = { cell: string; merchants: number; addedAt: Date | null }

// Index: merchants_own_of_cell, without what was made for tests and lives for a day. Counted to $1 at most: whether a cell with room has one merchant more or less does not matter.
const CELLS = statement<CellRoom>(
  'cells and their merchants',
  `select c.name as cell, c.added_at as "addedAt",
     (select count(*)::int from (select 1 from merchants m where m.cell = c.name and m.parent_id is null limit $1) counted) as merchants
   from cells c order by c.name`,
)
const NEWEST_CELLS = statement<{ cell: string }>(
  'cells, newest first',
  'select name as cell from cells order by added_at desc nulls last, name desc',
)
const MERCHANTS_OF_CELL = statement<{ merchants: number }>(
  'merchants of cell, to a limit',
  'select count(*)::int as merchants from (select 1 from merchants where cell = $1 and parent_id is null limit $2) counted',
)
/** Every process looks for new cells every five seconds; this leaves it the time to try again. */
const TAKEN_UP_MS = 20_000
const MAX_COUNTED = 2_000_000_000

/** Reads all cells with the number of their merchants, counted to `most`. */
export const readCellRooms = (directory: Database, most = MAX_COUNTED): Promise<CellRoom[]> =>
  directory.query(CELLS, [most])

/** Whether a cell takes another merchant. Looks at the cells that were added last first, which are those with room. */
export async function hasRoom(directory: Database, limit: number): Promise<boolean> {
  for (const { cell } of await directory.query(NEWEST_CELLS)) {
    const [counted] = await directory.query(MERCHANTS_OF_CELL, [cell, limit])
    if ((counted?.merchants ?? 0) < limit) return true
  }
  return false
}

/**
 * Chooses the cell of a new merchant. While CELL_MERCHANTS says how many a cell takes, it is the one with the fewest of those that have room
 * and answer; where none has room, the one that was added last. Without that setting it is the first cell.
 */
export async function chooseCell(gateway: Gateway): Promise<App> {
  const { config, directory, cells, cellWatch, clock } = gateway
  const { cellMerchants: limit } = config
  const [first] = cells as [App] // A gateway serves at least one cell.
  if (limit === null || cells.length === 1) return first
  const served = cellWatch.reached(cells)
  const before = addMs(clock.now(), -TAKEN_UP_MS)
  const rooms = (await readCellRooms(directory, limit)).filter(
    ({ cell, addedAt }) => (addedAt === null || addedAt <= before) && served.some((app) => app.cell === cell),
  )
  const [emptiest] = rooms.filter(({ merchants }) => merchants < limit).sort((a, b) => a.merchants - b.merchants)
  const [newest] = rooms.sort((a, b) => (b.addedAt?.getTime() ?? 0) - (a.addedAt?.getTime() ?? 0))
  const chosen = emptiest ?? newest
  return served.find(({ cell }) => cell === chosen?.cell) ?? first
}
