import { chmodSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import type { Environment } from './command.ts'
import { Refused } from './faults.ts'

/** What is kept between two commands. */
type Config = {
  api_key?: string
  base_url?: string
  /** Signs what `listen` sends on. It stays the same, so that the receiver's setting stays right. */
  listen_secret?: string
}

const [OWN_FILE, OWN_FOLDER] = [0o600, 0o700]

export const configFile = (environment: Environment): string => join(configFolder(environment), 'config.json')

function configFolder({ XDG_CONFIG_HOME: given = '', HOME = homedir() }: Environment): string {
  return join(isAbsolute(given) ? given : join(HOME, '.config'), 'mmg')
}

/** Reads what is kept; nothing where there is no file yet. Throws where the file cannot be read. */
export function readConfig(environment: Environment): Config {
  const file = configFile(environment)
  try {
    return pickTexts(JSON.parse(readFileSync(file, 'utf8')))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw new Refused(`${file} cannot be read: remove it, and log in again`)
  }
}

function pickTexts(read: Record<string, unknown>): Config {
  const text = (name: keyof Config) => (typeof read[name] === 'string' ? { [name]: read[name] } : {})
  return { ...text('api_key'), ...text('base_url'), ...text('listen_secret') }
}

/** Keeps this in place of what was kept. Only the owner of the account can read it, also while it is written. */
export function writeConfig(environment: Environment, config: Config): void {
  const folder = configFolder(environment)
  const file = configFile(environment)
  const written = `${file}.${process.pid}`
  try {
    mkdirSync(folder, { recursive: true, mode: OWN_FOLDER })
    chmodSync(folder, OWN_FOLDER)
    writeFileSync(written, `${JSON.stringify(config, null, 2)}\n`, { mode: OWN_FILE, flag: 'wx' })
    renameSync(written, file)
  } catch (error) {
    throw new Refused(`${file} cannot be written: ${(error as Error).message}`)
  }
}

/** Whether others on this machine could read the file. */
export function isOpenToOthers(environment: Environment): boolean {
  try {
    return process.platform !== 'win32' && (statSync(configFile(environment)).mode & 0o077) !== 0
  } catch {
    return false
  }
}
