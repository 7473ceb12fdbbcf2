import assert from 'node:assert/strict'
import { once } from 'node:events'
import { constants, getPriority, platform } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { giveWayToPayments } from './low-priority.ts'

const MODULE = pathToFileURL(join(import.meta.dirname, 'low-priority.js')).href
const IN_A_THREAD = `const { parentPort } = require('node:worker_threads')
import('${MODULE}').then(({ giveWayToPayments }) => {
  giveWayToPayments()
  parentPort.postMessage(require('node:os').getPriority())
})`

test('a thread that gives way to payments lowers its own priority, and the main thread keeps its', async () => {
  const before = getPriority()
  giveWayToPayments()
  const worker = new Worker(IN_A_THREAD, { eval: true })
  const [priority] = await once(worker, 'message')
  await worker.terminate()
  assert.equal(priority, platform() === 'linux' ? constants.priority.PRIORITY_LOW : before)
  assert.equal(getPriority(), before)
})
