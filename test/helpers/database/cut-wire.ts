import { freePort } from '../../crash/installation.ts'
import { type CuttingProxy, cuttingProxy } from '../../fakes/cutting-proxy.ts'
import { type TestDatabase, testDatabase } from './test-database.ts'

/** The same database behind a wire that a test can cut; it starts open. `close` closes only the wire. */
export async function behindWire(database: TestDatabase): Promise<TestDatabase & { proxy: CuttingProxy }> {
  const { searchParams, pathname } = new URL(database.url)
  const proxy = cuttingProxy(`${searchParams.get('host')}/.s.PGSQL.5432`, await freePort())
  await proxy.open()
  const url = `postgresql://${searchParams.get('user')}@127.0.0.1:${proxy.port}${pathname}`
  return { ...database, url, proxy }
}

/** A new database behind such a wire: `behind` is the access through the wire. */
export async function openWire(): Promise<{
  database: TestDatabase
  behind: TestDatabase
  proxy: CuttingProxy
  close(): Promise<void>
}> {
  const database = await testDatabase()
  const { proxy, ...behind } = await behindWire(database)
  const close = async () => {
    await proxy.close()
    await database.drop()
  }
  return { database, behind, proxy, close }
}
