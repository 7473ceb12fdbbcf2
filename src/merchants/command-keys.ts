import { createHash } from 'node:crypto'
import type { App } from '../app.ts'
import { type Call, call } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import { keyReused } from '../platform/idempotency/keys.ts'
import { canonicalJson } from '../platform/json.ts'

/** A command that makes something, with the key that makes a repeat harmless (contract.md 9.3). */
export type KeyedCommand = { key: string; command: string; input: object }

const FIND = statement<{ fingerprint: Buffer; answer: Buffer }>(
  'find command key',
  'select fingerprint, answer from command_keys where key = $1',
)
const KEEP = statement(
  'keep command key',
  'insert into command_keys (key, command, fingerprint, answer, created_at) values ($1, $2, $3, $4, $5)',
)
const BINDING = { merchantId: null, purpose: 'command', column: 'command_keys.answer' }

/** What the first use of this key made, or null; 409 when it was used for something else. */
export async function findCommand<Made>(app: App, used: KeyedCommand): Promise<Made | null> {
  const [row] = await app.directory.query(FIND, [used.key])
  if (!row) return null
  if (!row.fingerprint.equals(fingerprintOf(used))) throw keyReused()
  return JSON.parse(app.vault.open(row.answer, BINDING)) as Made
}

/** Keeps, sealed, what a command is about to make: in the transaction that begins it. */
export const keepCommand = (app: App, used: KeyedCommand, made: object): Call =>
  call(
    KEEP,
    used.key,
    used.command,
    fingerprintOf(used),
    app.vault.seal(JSON.stringify(made), BINDING),
    app.clock.now().toISOString(),
  )

const fingerprintOf = ({ command, input }: KeyedCommand) =>
  createHash('sha256')
    .update(`${command}\n${canonicalJson(input)}`)
    .digest()
