import { after, before } from 'node:test'
import { assertVerified } from './live-service.ts'
import type { TestService } from './test-service.ts'

type Closing = { close(): Promise<void> }
type Ending = () => Promise<void>

/** What is prepared for one file and ended after it. */
type Opening = { prepared: Promise<unknown>; endings: Ending[] }

// A process runs several files, and loads the next one while the first one runs (scripts/run-room.mjs).
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

/** Runs before the first test of the file, after everything that stands above it. */
export function prepare(step: () => Promise<unknown>): void {
  const opening = ofFile()
  // The runner may begin with each hook where it is written, without waiting for the one before it.
  before(() => {
    opening.prepared = opening.prepared.then(step)
    return opening.prepared
  })
}

/** What `make` answers. It is filled in before the first test of the file, after what was made above it. */
export function made<Made extends object>(make: () => Made | Promise<Made>): Made {
  const later = {} as Made
  // With its getters: a fake tells by them what it has heard since.
  prepare(async () => Object.defineProperties(later, Object.getOwnPropertyDescriptors(await make())))
  return later
}

/** The same of what has to be closed after the last test: what was opened last is closed first. */
export function opened<Opened extends Closing>(open: () => Promise<Opened>): Opened {
  return endedBy(open, (one) => one.close())
}

/** A service of which every invariant of the ledger must still hold after the last test. */
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

/** Also what comes after something that failed to end is ended; the first failure is the file's. */
async function endAll({ endings }: Opening): Promise<void> {
  const failures: unknown[] = []
  for (const end of endings) await end().catch((error: unknown) => failures.push(error))
  if (failures.length > 0) throw failures[0]
}
