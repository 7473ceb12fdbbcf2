import { after, before } from 'node:test'
import { assertVerified } from './live-service.ts'
import type { TestService } from './test-service.ts'

type Closing = { close(): Promise<void> }
type Ending = () => Promise<void>

/** What one file prepares before its tests and ends after them. */
type Opening = { prepared: Promise<unknown>; endings: Ending[] }

// One process runs several files, and loads all of them before the first one runs (scripts/run-room.mjs).
const openings = new Map<string, Opening>()

function ofFile(): Opening {
  const file = process.env.TEST_FILE ?? ''
  const known = openings.get(file)
  if (known) return known
  const opening: Opening = { prepared: Promise.resolve(), endings: [] }
  openings.set(file, opening)
  after(() => endAll(opening))
  return opening
}

/** Runs before the first test of the file, after all preparations above it. */
export function prepare(step: () => Promise<unknown>): void {
  const opening = ofFile()
  // The runner may start a hook as soon as it is registered, without waiting for the one before it.
  before(() => {
    opening.prepared = opening.prepared.then(step)
    return opening.prepared
  })
}

/** The result of `make`. It is filled in before the first test of the file, after everything prepared above it. */
export function made<Made extends object>(make: () => Made | Promise<Made>): Made {
  const later = {} as Made
  // Copies getters as getters: a fake uses them for what it has received since.
  prepare(async () => Object.defineProperties(later, Object.getOwnPropertyDescriptors(await make())))
  return later
}

/** Like `made`, for something to be closed after the last test: what was opened last is closed first. */
export function opened<Opened extends Closing>(open: () => Promise<Opened>): Opened {
  return endedBy(open, (opened) => opened.close())
}

/** Like `opened`, for a service: every invariant of the ledger must still hold after the last test. */
export function openedAndVerified<Service extends TestService>(open: () => Promise<Service>): Service {
  return endedBy(open, (service) => assertVerified(service).finally(() => service.close()))
}

function endedBy<Opened extends object>(open: () => Promise<Opened>, end: (it: Opened) => Promise<void>) {
  const { endings } = ofFile()
  return made(async () => {
    const one = await open()
    endings.unshift(() => end(one))
    return one
  })
}

/** Ends everything even when one of them fails; the file fails with the first failure. */
async function endAll({ endings }: Opening): Promise<void> {
  const failures: unknown[] = []
  for (const end of endings) await end().catch((error: unknown) => failures.push(error))
  if (failures.length > 0) throw failures[0]
}
