import { reachedCells } from '../../platform/db/cell-watch.ts'
import { readServerAddress } from '../../platform/db/servers/server-address.ts'
import { statement } from '../../platform/db/statement.ts'
import type { Gateway } from '../app.ts'
import type { Config } from '../settings/config.ts'
import { groupByServer } from './database-servers.ts'

type CommitWait = { waits: string; names: string; standbys: number | null }

/** What the server promises of what was acknowledged, a sentence each, and what about that needs a person. */
type Durability = { promises: string[]; warnings: string[] }

// What a standby is, only a login may see that reads statistics of all.
const COMMIT_WAIT = statement<CommitWait>(
  'what a commit waits for',
  `select current_setting('synchronous_commit') as waits, current_setting('synchronous_standby_names') as names,
     case when pg_has_role('pg_read_all_stats', 'usage')
       then (select count(*) from pg_stat_replication where sync_state in ('sync', 'quorum'))::int end as standbys`,
)
const STANDBY_HAS: Readonly<Record<string, string>> = {
  on: 'is on the disk of a synchronous standby too',
  remote_apply: 'is on the disk of a synchronous standby too, and can be read there',
  remote_write: 'is in the memory of a synchronous standby too',
}

/** Reads from the settings of each server what is lost with its host, and what is not. A server that is away says nothing. */
export async function readDurability(gateway: Gateway): Promise<Durability> {
  const servers = groupByServer({ ...gateway, cells: reachedCells(gateway) })
  const each = await Promise.all(
    servers.map(async ({ name, databases: [db] }) => {
      const [wait] = (await db?.query(COMMIT_WAIT)) ?? []
      const found = wait === undefined ? { promises: [], warnings: [] } : describeWait(wait, gateway.config)
      const named = (sentence: string) => (servers.length === 1 ? sentence : `${name}: ${sentence}`)
      return { promises: found.promises.map(named), warnings: found.warnings.map(named) }
    }),
  )
  return {
    promises: each.flatMap(({ promises }) => promises),
    warnings: each.flatMap(({ warnings }) => warnings),
  }
}

function describeWait(wait: CommitWait, config: Config): Durability {
  const { names, standbys } = wait
  const has = names === '' ? undefined : STANDBY_HAS[wait.waits]
  const several = config.databaseUrl !== null && readServerAddress(config.databaseUrl).places.length > 1
  return {
    promises: has === undefined ? promiseAlone(wait) : promiseWithStandby(names, has),
    warnings: [
      ...(several && has === undefined
        ? [
            'DATABASE_URL has several servers, and a commit waits for none of them but one: a switch can lose what was acknowledged (set synchronous_standby_names; with Patroni synchronous_mode and synchronous_mode_strict)',
          ]
        : []),
      ...(has !== undefined && standbys === 0
        ? [`no standby of synchronous_standby_names (${names}) is connected: nothing is acknowledged until one is`]
        : []),
    ],
  }
}

const promiseAlone = ({ waits }: CommitWait) =>
  waits === 'off'
    ? ['what was acknowledged in the last second can be lost with a crash of the database (synchronous_commit is off)']
    : [
        'what was acknowledged is on the disk of the database; what no standby or backup has yet is lost with that disk, or when another server takes over (no standby is waited for)',
      ]

const promiseWithStandby = (names: string, has: string) => [
  `what was acknowledged ${has} (synchronous_standby_names = ${names}), and survives the loss of the host when that standby takes over`,
  'not promised: that this stays so without a standby. Whether payments are refused then or acknowledged by one server alone is decided by what manages the servers (Patroni: synchronous_mode_strict)',
]
