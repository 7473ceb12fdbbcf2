import { createHash } from 'node:crypto'
import { keyReused } from '../../api/idempotency/keys.ts'
import { type Call, call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { onUniqueViolation } from '../../platform/db/unique-violation.ts'
import { domainRefusal } from '../../platform/refusal.ts'
import { canonicalJson } from '../../platform/text/canonical-json.ts'
import type { App } from '../../program/app.ts'

/** A command that creates something, with the key that makes a repeat harmless (contract.md 9.3). */
type KeyedCommand = { key: string; command: string; input: object }

const FIND = statement<{ fingerprint: Buffer; answer: Buffer | null }>(
  'find command key',
  'select fingerprint, answer from command_keys where key = $1',
)
const STORE = statement(
  'keep command key',
  'insert into command_keys (key, command, fingerprint, answer, created_at) values ($1, $2, $3, $4, $5)',
)
// Answers contain secrets, and after a day a repeat is no longer the retry of a call that was cut off.
const ANSWERS_KEPT_MS = 24 * 3_600_000
const BLANK = statement<{ key: string }>(
  'blank command answers',
  'update command_keys set answer = null where answer is not null and created_at <= $1 returning key',
)

/** Erases the stored output of commands after a day. That a key was used stays stored. */
export async function blankCommandAnswers(app: App): Promise<number> {
  return (await app.directory.query(BLANK, [new Date(app.witness.earlierMs() - ANSWERS_KEPT_MS).toISOString()])).length
}

/** The binding under which an answer is sealed. */
export const COMMAND_BINDING = { merchantId: null, purpose: 'command', column: 'command_keys.answer' }

/** Finds the result of the first use of this key; null where it is new. Throws 409 when it was used for another command or input. */
export async function findCommand<Made>(
  app: Pick<App, 'directory' | 'vault'>,
  used: KeyedCommand,
): Promise<Made | null> {
  const [row] = await app.directory.query(FIND, [used.key])
  if (!row) return null
  if (!row.fingerprint.equals(makeFingerprint(used))) throw keyReused()
  if (row.answer === null)
    throw domainRefusal(
      'answer_gone',
      'this command ran under this key more than 24 hours ago; what it printed is no longer kept',
    )
  return JSON.parse(app.vault.open(row.answer, COMMAND_BINDING)) as Made
}

/** Stores the result of a command sealed, in its first transaction. */
export const storeCommand = (app: App, used: KeyedCommand, made: object): Call =>
  call(
    STORE,
    used.key,
    used.command,
    makeFingerprint(used),
    app.vault.seal(JSON.stringify(made), COMMAND_BINDING),
    app.clock.now().toISOString(),
  )

/** Stores the result where the key is new, else returns the stored one of the first use, also when that use committed a moment before. */
export async function storeOrFindCommand<Made extends object>(
  app: App,
  used: KeyedCommand,
  made: Made,
): Promise<{ made: Made; again: boolean }> {
  const keep = storeCommand(app, used, made)
  return onUniqueViolation<{ made: Made; again: boolean }>(
    async () => {
      await app.directory.query(keep.statement, keep.values)
      return { made, again: false }
    },
    async (error) => {
      const first = await findCommand<Made>(app, used)
      if (first === null) throw error
      return { made: first, again: true }
    },
  )
}

/** Makes what a command needs, or finds what it has made under the same key before (`again`). Without a key it is made anew. */
export async function draftOnce<Draft extends object>(
  app: App,
  { key, ...command }: Omit<KeyedCommand, 'key'> & { key: string | undefined },
  make: () => Draft,
): Promise<{ draft: Draft; again: boolean }> {
  if (key === undefined) return { draft: make(), again: false }
  const earlier = await findCommand<Draft>(app, { key, ...command })
  if (earlier !== null) return { draft: earlier, again: true }
  const { made, again } = await storeOrFindCommand(app, { key, ...command }, make())
  return { draft: made, again }
}

const makeFingerprint = ({ command, input }: KeyedCommand) =>
  createHash('sha256')
    .update(`${command}\n${canonicalJson(input)}`)
    .digest()
