// npm run drill -- restore [--way embedded|own|pgbackrest] [--payments N] [--fill MB] [--seed N]
// npm run drill -- failover [--faults kill,freeze,switch,cut,etcd,twice,gone] [--rate N] [--bar SECONDS] [--seed N]
// npm run drill -- cells [--rate N] [--bar SECONDS] [--seed N]    CITUS_UP: a script that starts a cluster
// npm run drill -- growing [--rate N] [--seed N]
import { runCellsDrill } from './cells/cells-drill.ts'
import { runFailoverDrill } from './failover/failover-drill.ts'
import { runGrowingDrill } from './growing/growing-drill.ts'
import { runRestoreDrill } from './restore/restore-drill.ts'

/** Each drill by its first argument. Returns whether all was found well. */
const DRILLS: Readonly<Record<string, (args: readonly string[]) => Promise<boolean>>> = {
  restore: runRestoreDrill,
  failover: runFailoverDrill,
  cells: runCellsDrill,
  growing: runGrowingDrill,
}

const [name = '', ...args] = process.argv.slice(2)
const drill = DRILLS[name]
if (drill === undefined) throw new Error(`usage: npm run drill -- ${Object.keys(DRILLS).join('|')}`)
process.exitCode = (await drill(args)) ? 0 : 1
