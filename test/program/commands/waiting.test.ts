import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Server } from 'node:net'
import test from 'node:test'
import { testDatabase } from '../../helpers/database/test-database.ts'
import { oneJson, runProgram } from '../../helpers/service/command-line.ts'

const LATE_MS = 900

/** A server that accepts each new connection late, as one whose processors are busy does. */
async function slowDoor(socketPath: string): Promise<Server> {
  const server = createServer((client) => {
    client.pause().on('error', () => {})
    setTimeout(() => {
      const database = connect(socketPath)
      const end = () => {
        client.destroy()
        database.destroy()
      }
      for (const side of [client, database]) side.on('error', end).on('close', end)
      client.pipe(database).pipe(client)
    }, LATE_MS)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

test('C13: a command waits for its connections to a busy server', async () => {
  const database = await testDatabase()
  const { searchParams, pathname } = new URL(database.url)
  const door = await slowDoor(`${searchParams.get('host')}/.s.PGSQL.5432`)
  const address = door.address()
  assert.ok(typeof address === 'object' && address !== null)
  try {
    const ran = await runProgram(['merchants', 'create', '--name', 'Late', '--email', 'late@shops.invalid', '--json'], {
      DATABASE_URL: `postgresql://${searchParams.get('user')}@127.0.0.1:${address.port}${pathname}`,
      MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    })
    assert.match(oneJson(ran).id, /^mer_/)
  } finally {
    door.close()
    await database.drop()
  }
})
