import { setTimeout as sleep } from 'node:timers/promises'
import { request } from 'undici'
import type { Installation } from '../crash/installation.ts'
import type { Running } from '../crash/processes.ts'
import { type Fleet, portOf, type Role, startSecondWorker, stopAt } from './fleet.ts'
import type { Trouble } from './troubles.ts'

const ASLEEP_WITHIN_MS = 3000
const HEARD_MS = 500
const ASLEEP_MS = 1000
const AWAKE_MS = 1000
const WRONG_MS = 2000
const RIGHT_AGAIN_MS = 1000
const LOOK_MS = 50
const ANSWER_MS = 20_000

/** A process sleeps for `forMs` of the common clock, and another worker does its work. Answers whether it slept. */
export async function sleepPast(
  installation: Installation,
  fleet: Fleet,
  { role, at, forMs }: Extract<Trouble, { kind: 'sleep' }>,
): Promise<boolean> {
  const sleeper = fleet[role]
  if (at === null || !(await fallsAsleepAt(installation, { role, sleeper }, at))) sleeper.signal('SIGSTOP')
  // What it sent before is heard before the time goes on.
  await sleep(HEARD_MS)
  const slept = await sleeper.sleeps()
  const other = role === 'worker' ? await startSecondWorker(installation) : null
  installation.advance(forMs)
  await sleep(ASLEEP_MS)
  sleeper.signal('SIGCONT')
  await sleep(AWAKE_MS)
  await other?.kill()
  return slept
}

/** Whether it has come to that point soon, and stopped there. */
async function fallsAsleepAt(
  installation: Installation,
  { role, sleeper }: { role: Role; sleeper: Running },
  point: string,
): Promise<boolean> {
  stopAt(installation, role, point)
  try {
    for (let waited = 0; waited < ASLEEP_WITHIN_MS; waited += LOOK_MS) {
      await sleep(LOOK_MS)
      if (await sleeper.sleeps()) return true
    }
    return false
  } finally {
    stopAt(installation, role, null)
  }
}

/** The clock of one process steps, and steps back after a while. Answers whether the process said that it is not ready. */
export async function beWrong(
  installation: Installation,
  fleet: Fleet,
  { role, byMs }: Extract<Trouble, { kind: 'wrong clock' }>,
): Promise<boolean> {
  const wrong = fleet[role]
  wrong.setClockWrong(byMs)
  await sleep(WRONG_MS)
  const noticed = !(await isReady(installation, role))
  wrong.setClockWrong(0)
  await sleep(RIGHT_AGAIN_MS)
  return noticed
}

async function isReady(installation: Installation, role: Role): Promise<boolean> {
  const signal = AbortSignal.timeout(ANSWER_MS)
  const answer = await request(`http://127.0.0.1:${portOf(installation, role)}/readyz`, { signal })
  await answer.body.dump()
  return answer.statusCode === 200
}
