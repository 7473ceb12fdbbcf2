import type pg from 'pg'
import { takeMigrationLock } from '../../platform/db/migration-lock.ts'
import { readCluster } from '../../platform/db/servers/node-places.ts'
import { newServerClient } from '../../platform/db/servers/server-client.ts'
import { CannotStart } from '../../platform/processes/cannot-start.ts'

/** Who changes schemas: the address of their owner, and where the person who waits is told something. */
export type OwnerAccess = { ownerUrl: string; say(line: string): void }

// A move copies a whole cell, and says how far it is only when it is there: the connection must not look idle to what lies between.
const KEEP_ALIVE_MS = 10_000

/**
 * Runs work as the owner of the schemas, which no migration and no other command like it runs beside. Throws CannotStart where the address
 * leads to a worker of Citus, or the lock is held by another one for a minute.
 */
export async function workAsOwner<T>(
  { ownerUrl, say }: OwnerAccess,
  work: (client: pg.Client, cluster: { citus: boolean }) => Promise<T>,
): Promise<T> {
  const client = newServerClient(ownerUrl, { keepAlive: true, keepAliveInitialDelayMillis: KEEP_ALIVE_MS })
  await client.connect()
  try {
    const { citus, coordinator } = await readCluster(client)
    if (!coordinator)
      throw new CannotStart(
        'this address leads to a worker of Citus: give MIGRATE_DATABASE_URL the address of the coordinator',
      )
    await takeMigrationLock(client, { say })
    return await work(client, { citus })
  } finally {
    await client.end()
  }
}

/** Runs work at the coordinator of a cluster. Throws CannotStart where there is none. */
export const workOnCluster = <T>(owner: OwnerAccess, work: (client: pg.Client) => Promise<T>): Promise<T> =>
  workAsOwner(owner, (client, { citus }) => {
    if (citus) return work(client)
    throw new CannotStart(
      'this needs Citus: without it all cells lie on the one server of DATABASE_URL, and none can be placed, moved or drained',
    )
  })
