import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type TestDatabase, testDatabase } from '../helpers/database/test-database.ts'
import { freePort } from '../helpers/service/free-port.ts'
import { eventually } from '../helpers/service/live-service.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..')
let database: TestDatabase
before(async () => {
  database = await testDatabase()
})
after(() => database.drop())

const status = (url: string) =>
  fetch(`${url}/readyz`).then(
    (answer) => answer.status,
    () => null,
  )

/** Starts the service in this way, waits until it is ready, stops what was started, and waits until nobody listens. */
async function startAndStop(program: string, words: readonly string[]): Promise<void> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const env = {
    ...{ PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' },
    ...{ DATABASE_URL: database.url, MASTER_KEY: Buffer.alloc(32, 7).toString('base64') },
    ...{ PORT: String(port), DRAIN_SECONDS: '0', LOG_LEVEL: 'silent' },
  }
  // In a group of its own, so that whatever it leaves behind can be ended.
  const child = spawn(program, words, { cwd: ROOT, env, stdio: 'ignore', detached: true })
  try {
    await eventually(`${program} is ready`, async () => (await status(url)) === 200)
    child.kill('SIGTERM')
    await once(child, 'exit')
    await eventually('nobody listens any more', async () => (await status(url)) === null)
  } finally {
    endGroup(child)
  }
}

function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch (error) {
    // Nothing is left of it, as it should be.
    assert.equal((error as NodeJS.ErrnoException).code, 'ESRCH')
  }
}

test('a SIGTERM to npm start ends the service, and leaves none behind', () => startAndStop('npm', ['start']))

test('a SIGTERM to the program that a supervisor runs ends it by itself', () =>
  startAndStop(process.execPath, ['bin/gateway.mjs', 'serve', '--role', 'web']))
