import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../crash/installation.ts'
import { launch, PROGRAM } from '../crash/processes.ts'
import type { Receiver } from '../fakes/receiver.ts'
import { commandOn, type DrillReport, drillEnvironment } from './on-program.ts'

/** What a drill works with: its folder, what it has found, and all that it must end. */
export type DrillFrame = {
  folder: string
  report: DrillReport & { note(name: string, value: string | number): void }
  started: { end(): unknown }[]
}
type FrameOptions = { name: string; maxMs: number; say?: (line: string) => void }

const LAST_CHARACTERS = 4000

/** Runs a drill in a new folder. Whatever happens, all that it has started is ended, the last first, and the folder is removed. */
export async function drillInFolder(
  { name, maxMs, say }: FrameOptions,
  drill: (frame: DrillFrame) => Promise<void>,
): Promise<DrillReport> {
  const folder = mkdtempSync(join(tmpdir(), `gateway-${name}-`))
  const report: DrillReport = { figures: {}, wrong: [] }
  const note = (what: string, value: string | number) => {
    report.figures[what] = value
    say?.(`  ${what.padEnd(58)} ${value}`)
  }
  const started: DrillFrame['started'] = []
  const endAll = async () => {
    for (const one of started.reverse().splice(0)) await one.end()
    rmSync(folder, { recursive: true, force: true })
  }
  // What hangs is worse than what fails.
  const giveUp = () => void endAll().then(() => process.exit(1))
  const late = setTimeout(giveUp, maxMs)
  process.once('SIGINT', giveUp).once('SIGTERM', giveUp)
  try {
    await drill({ folder, started, report: { ...report, note } })
    if (report.wrong.length > 0) say?.(readLog(folder))
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${readLog(folder)}`, { cause: error })
  } finally {
    clearTimeout(late)
    process.off('SIGINT', giveUp).off('SIGTERM', giveUp)
    await endAll()
  }
  return report
}

/** The last that the service said. */
function readLog(folder: string): string {
  const file = join(folder, 'service.log')
  return existsSync(file) ? readFileSync(file, 'utf8').slice(-LAST_CHARACTERS) : 'the service said nothing'
}

type StartOptions = { settings: Record<string, string>; receiver: Receiver; merchants: number }

/** Starts one service with so many merchants. Returns how each is paid, by the cell that holds it. */
export async function startWithMerchants(
  { folder, started }: DrillFrame,
  { settings, receiver, merchants }: StartOptions,
): Promise<Record<string, { url: string; key: string }>> {
  const port = await freePort()
  const service = launch({
    ...{ program: PROGRAM, args: ['serve'], logFile: join(folder, 'service.log') },
    env: { ...drillEnvironment(), ...settings, PORT: String(port) },
  })
  started.push({ end: () => service.kill() })
  if (!(await service.ready)) throw new Error(`the service did not start: ${service.said()}`)
  const by: Record<string, { url: string; key: string }> = {}
  for (let nth = 0; nth < merchants; nth++) {
    const facts = ['--name', `Drill ${nth}`, '--email', `drill${nth}@shops.invalid`]
    const { id, handle, keys } = await commandOn(settings, 'merchants', 'create', ...facts)
    await commandOn(settings, 'merchants', 'set', handle, '--webhook-url', receiver.url)
    const { cell } = await commandOn(settings, 'merchants', 'show', id)
    by[cell] = { url: `http://127.0.0.1:${port}`, key: keys.test }
  }
  return by
}
