import { readdirSync, readlinkSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Question, Told } from './service-process.ts'
import { startService } from './test-service.ts'

const DESCRIPTORS = '/proc/self/fd'
const RESOLUTION_MS = 1
// What stood still is noticed by the timer that should have run meanwhile.
const NOTICED_WITHIN_MS = 20

const service = await startService()
const { keys } = await service.merchant()
const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
delays.enable()

const tell = (told: Told) => process.send?.(told)
tell({ url: service.url, key: keys.test })

process.on('message', async (question: Question) => {
  if (question === 'sockets') tell({ answer: openSockets() })
  if (question === 'watch') {
    await sleep(NOTICED_WITHIN_MS)
    delays.reset()
    tell({ answer: 0 })
  }
  if (question === 'longest hold') {
    await sleep(NOTICED_WITHIN_MS)
    tell({ answer: delays.max / 1e6 })
  }
  if (question === 'stop') {
    await service.close()
    process.disconnect()
  }
})

function openSockets(): number {
  return readdirSync(DESCRIPTORS).filter((name) => targetOf(name).startsWith('socket:')).length
}

/** A descriptor may be closed between the listing and the look at it. */
function targetOf(name: string): string {
  try {
    return readlinkSync(`${DESCRIPTORS}/${name}`)
  } catch {
    return ''
  }
}
