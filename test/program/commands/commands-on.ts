import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { oneJson, type Ran, runInside, settingsOf } from '../../helpers/service/command-line.ts'
import { made } from '../../helpers/service/opened.ts'
import type { TestService } from '../../helpers/service/test-service.ts'

type Given = {
  /** Settings beside those of the database. */
  more?: () => Record<string, string>
  /** What every command line begins with. */
  first?: readonly string[]
}

/** Runs commands in this process on the service of a test file. `json` adds `--json` and answers with what was printed. */
export function commandsOn(service: TestService, { more = () => ({}), first = [] }: Given = {}) {
  const settings = made(() => ({ ...settingsOf(service), ...more() }))
  const run = (...args: string[]): Promise<Ran> => runInside([...first, ...args], settings)
  const json = async (...args: string[]) => oneJson(await run(...args, '--json'))
  return {
    settings,
    run,
    json,
    runByItsClock: (...args: string[]) => byItsClock(service, { args, settings }),
  }
}

/** Runs a command that lives in the time of the service, which the test has moved. */
async function byItsClock(
  { clock }: TestService,
  { args, settings }: { args: readonly string[]; settings: Record<string, string> },
): Promise<Ran> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-clock-'))
  const file = join(folder, 'moved')
  writeFileSync(file, String(clock.movedMs?.() ?? 0))
  const own = { TEST_HOOKS: '1', TEST_CLOCK: file }
  return runInside(args, { ...settings, ...own }).finally(() => rmSync(folder, { recursive: true }))
}
