import { readCellRooms } from '../../merchants/account/choose-cell.ts'
import { readShardBytes } from '../../platform/db/servers/citus-nodes.ts'
import { formatPlace } from '../../platform/db/servers/server-address.ts'
import { statement } from '../../platform/db/statement.ts'
import type { App, Gateway } from '../../program/app.ts'

/** A cell. `node` is null where it lies on the one database server; `bytes` where it does not answer; `room` without a limit. */
export type CellFacts = {
  cell: string
  node: string | null
  merchants: number
  bytes: number | null
  room: number | null
}

const SCHEMA_BYTES = statement<{ bytes: number }>(
  'bytes of a cell',
  `select coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint as bytes
   from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = $1 and c.relkind = 'r'`,
)

/** Lists all cells, where each lies, and for how many more merchants it has room. */
export async function listCells(gateway: Gateway): Promise<CellFacts[]> {
  const limit = gateway.config.cellMerchants
  const rooms = await readCellRooms(gateway.directory)
  return Promise.all(
    rooms.map(async ({ cell, merchants }) => {
      const app = gateway.cells.find((served) => served.cell === cell)
      return {
        cell,
        node: formatPlace(gateway.nodes?.nodeOf(cell) ?? null),
        merchants,
        bytes: app === undefined ? null : await readBytes(app, gateway).catch(() => null),
        room: limit === null ? null : Math.max(0, limit - merchants),
      }
    }),
  )
}

async function readBytes({ cell, db }: App, { nodes }: Gateway): Promise<number> {
  if (nodes !== null && nodes.nodeOf(cell) !== null) return db.snapshot(readShardBytes)
  const [row] = await db.query(SCHEMA_BYTES, [cell])
  return row?.bytes ?? 0
}
