import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import type { Question, Told } from './service-process.ts'
import { startService } from './test-service.ts'

const DESCRIPTORS = '/proc/self/fd'
// How long this thread has been running on a processor, in ns.
const OWN_TIME = `/proc/self/task/${process.pid}/schedstat`

const service = await startService()
const { keys } = await service.merchant()

const tell = (told: Told) => process.send?.(told)
tell({ url: service.url, key: keys.test })

process.on('message', async (question: Question) => {
  if (question === 'sockets') tell({ answer: openSockets() })
  if (question === 'watch') {
    watching = true
    longestMs = 0
    watchTurns(performance.now(), ownMs())
    tell({ answer: 0 })
  }
  if (question === 'longest hold') {
    watching = false
    tell({ answer: longestMs })
  }
  if (question === 'stop') {
    await service.close()
    process.disconnect()
  }
})

let watching = false
let longestMs = 0

/**
 * Measures each turn of the event loop. On a crowded machine other processes may take up much of a turn, so where the system
 * reports it, only the time counts for which this thread was running.
 */
function watchTurns(sinceMs: number, sinceOwnMs: number): void {
  const [nowMs, nowOwnMs] = [performance.now(), ownMs()]
  longestMs = Math.max(longestMs, Math.min(nowMs - sinceMs, nowOwnMs - sinceOwnMs))
  if (watching) setImmediate(() => watchTurns(nowMs, nowOwnMs))
}

function ownMs(): number {
  try {
    const ms = Number(readFileSync(OWN_TIME, 'utf8').split(' ')[0]) / 1e6
    // Some systems have the file but write nothing useful to it.
    if (ms > 0) return ms
  } catch {}
  return performance.now()
}

function openSockets(): number {
  return readdirSync(DESCRIPTORS).filter((name) => targetOf(name).startsWith('socket:')).length
}

/** A descriptor may be closed between the listing and this look. */
function targetOf(name: string): string {
  try {
    return readlinkSync(`${DESCRIPTORS}/${name}`)
  } catch {
    return ''
  }
}
