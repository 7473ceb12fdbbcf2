import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type pg from 'pg'
import type { Database } from '../platform/db/database.ts'
import { connectDirectly } from '../platform/db/pool.ts'
import type { ServerPlace } from '../platform/db/servers/server-address.ts'
import { statement } from '../platform/db/statement.ts'
import { defineSealedColumn } from '../platform/rewrap.ts'
import {
  deriveLasting,
  fingerprintMasterKey,
  LASTING_PURPOSES,
  type LastingPurpose,
  openVault,
  type Vault,
} from '../platform/secrets.ts'
import type { Config } from './settings/config.ts'
import { WrongSettings } from './settings/setting-readers.ts'

const MASTER_KEY_FILE = 'master.key'
const CHECK_TEXT = 'the master key in use'
const CHECK_BINDING = { merchantId: null, purpose: 'check', column: 'master_key_check.ciphertext' }
const CHECK = statement<{ ciphertext: Buffer }>(
  'check value of the master key',
  'select ciphertext from master_key_check',
)
const lastingBinding = (purpose: string) => ({ merchantId: null, purpose, column: 'lasting_keys.ciphertext' })

type MasterKeys = { current: Buffer; readable: readonly Buffer[] }

/**
 * Opens the vault over MASTER_KEY, with the login and role of the service. Throws WrongSettings, before anything is sealed, for a key
 * that is not the one this data was sealed with (F44); during a change the old key is in MASTER_KEY_PREVIOUS.
 */
export async function unlockVault(
  config: Config,
  { connectionString, ...login }: { connectionString: string; role: string | null; place?: ServerPlace | null },
): Promise<Vault> {
  const keys: MasterKeys = { current: readMasterKey(config), readable: config.masterKeyPrevious }
  const client = await connectDirectly(connectionString, login)
  try {
    const holder = await getDataKey(client, keys)
    return openVault(keys.current, {
      readable: keys.readable,
      lasting: await ensureLastingKeys(client, keys, holder),
    })
  } finally {
    await client.end()
  }
}

/**
 * Returns the key, of those given, with which this data was sealed; the current one on a new database. Throws WrongSettings when none
 * fits.
 */
async function getDataKey(client: pg.Client, { current, readable }: MasterKeys): Promise<Buffer> {
  const sealed = (await readCheck(client)) ?? (await storeCheck(client, current))
  const holder = [current, ...readable].find((key) => sealed && canOpen(openVault(key), sealed))
  if (holder) return holder
  throw new WrongSettings('MASTER_KEY is not the key that the secrets of this database were sealed with')
}

// Written only where it is missing, so that a database that takes no writes can be read with its key.
async function storeCheck(client: pg.Client, current: Buffer): Promise<Buffer | null> {
  await client.query('insert into directory.master_key_check (ciphertext) values ($1) on conflict do nothing', [
    openVault(current).seal(CHECK_TEXT, CHECK_BINDING),
  ])
  return readCheck(client)
}

async function readCheck(client: pg.Client): Promise<Buffer | null> {
  const { rows } = await client.query<{ ciphertext: Buffer }>('select ciphertext from directory.master_key_check')
  return rows[0]?.ciphertext ?? null
}

/**
 * Reads the lasting keys. They are derived from the master key and stored at the first start; a later master key only seals them again.
 */
async function ensureLastingKeys(
  client: pg.Client,
  { current, readable }: MasterKeys,
  holder: Buffer,
): Promise<Map<LastingPurpose, Buffer>> {
  const vault = openVault(current, { readable })
  const keys = new Map<LastingPurpose, Buffer>()
  for (const purpose of LASTING_PURPOSES) {
    const newlySealed = vault.seal(deriveLasting(holder, purpose).toString('base64'), lastingBinding(purpose))
    const sealed = (await readLastingKey(client, purpose)) ?? (await storeLastingKey(client, purpose, newlySealed))
    keys.set(purpose, Buffer.from(vault.open(sealed, lastingBinding(purpose)), 'base64'))
  }
  return keys
}

async function storeLastingKey(client: pg.Client, purpose: LastingPurpose, newlySealed: Buffer): Promise<Buffer> {
  await client.query(
    'insert into directory.lasting_keys (purpose, ciphertext) values ($1, $2) on conflict do nothing',
    [purpose, newlySealed],
  )
  return (await readLastingKey(client, purpose)) ?? newlySealed
}

async function readLastingKey(client: pg.Client, purpose: LastingPurpose): Promise<Buffer | null> {
  const { rows } = await client.query<{ ciphertext: Buffer }>(
    'select ciphertext from directory.lasting_keys where purpose = $1',
    [purpose],
  )
  return rows[0]?.ciphertext ?? null
}

function canOpen(vault: Vault, sealed: Buffer): boolean {
  try {
    return vault.open(sealed, CHECK_BINDING) === CHECK_TEXT
  } catch {
    return false
  }
}

/** Fingerprints of the master keys that the secrets of this database are sealed with: the one in use, and during a change the one before. */
export async function fingerprintKeysInUse(config: Config, directory: Database): Promise<string[]> {
  const current = readMasterKey(config)
  const [row] = await directory.query(CHECK)
  const keys = [current, ...config.masterKeyPrevious].filter(
    (key) => key === current || (row !== undefined && canOpen(openVault(key), row.ciphertext)),
  )
  return [...new Set(keys.map(fingerprintMasterKey))]
}

/** The master keys at hand, without making one. `file`: the file that holds the first, where it is not in a setting. */
export function findMasterKeys(config: Config): { keys: readonly Buffer[]; file: string | null } {
  const path = join(config.dataDir, MASTER_KEY_FILE)
  const isInFile = config.masterKey === null && existsSync(path)
  const current = isInFile ? readKeyFile(path) : config.masterKey
  return {
    keys: [...(current === null ? [] : [current]), ...config.masterKeyPrevious],
    file: isInFile ? path : null,
  }
}

/** The key from the settings, or the one generated beside the embedded data. It is never stored in the database. */
function readMasterKey(config: Config): Buffer {
  if (config.masterKey !== null) return config.masterKey
  const path = join(config.dataDir, MASTER_KEY_FILE)
  if (!existsSync(path)) {
    mkdirSync(config.dataDir, { recursive: true })
    // wx: of two processes that start at once one writes, and both read what it wrote.
    try {
      writeFileSync(path, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flag: 'wx' })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
  return readKeyFile(path)
}

function readKeyFile(path: string): Buffer {
  const key = Buffer.from(readFileSync(path, 'utf8').trim(), 'base64')
  if (key.length !== 32) throw new WrongSettings(`${path} does not hold a master key (base64 of 32 bytes)`)
  return key
}

/** Keys that stay the same when the master key changes; only their seal is renewed. */
export const SEALED_LASTING_KEYS = defineSealedColumn({
  table: 'lasting_keys',
  column: 'ciphertext',
  part: 't.purpose',
  owned: false,
  bindingOf: ({ part }) => lastingBinding(part),
})

/** The check value of the master key. It is sealed last: after that the old key alone is refused. */
export const SEALED_CHECK = defineSealedColumn({
  table: 'master_key_check',
  column: 'ciphertext',
  part: "'check'",
  owned: false,
  bindingOf: () => CHECK_BINDING,
})
