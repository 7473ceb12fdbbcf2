import { createHash, randomBytes } from 'node:crypto'
import { statement } from '../../../platform/db/statement.ts'
import type { App, Gateway } from '../../../program/app.ts'

const STORE_STEP = statement(
  'keep form step',
  'insert into form_steps (token_hash, session_id, sealed, kept_at) values ($1, $2, $3, $4) returning token_hash',
)
// A session that begins a form many times must not fill the table.
const MAX_STEPS_PER_SESSION = 5
const DROP_OLDER_STEPS = statement(
  'drop older form steps',
  `delete from form_steps where token_hash in (
     select token_hash from form_steps where session_id = $1 order by kept_at desc, token_hash offset ${MAX_STEPS_PER_SESSION})
   returning token_hash`,
)
const FIND_STEP = statement<{ sealed: Buffer }>(
  'find form step',
  'select sealed from form_steps where token_hash = $1 and session_id = $2',
)
const PRUNE_STEPS = statement(
  'prune form steps',
  `delete from form_steps where token_hash in (
     select token_hash from form_steps where kept_at < $1 order by kept_at limit 1000) returning token_hash`,
)
const STEP_KEPT_MS = 2 * 3_600_000

type StepStore = Pick<Gateway, 'directory' | 'clock'>

/** Stores the sealed result of a step; returns the token with which its session finds it. */
export async function storeStep(
  { directory, clock }: StepStore,
  { sessionId, sealed }: { sessionId: string; sealed: Buffer },
): Promise<string> {
  const token = randomBytes(24).toString('base64url')
  await directory.query(STORE_STEP, [hashStepToken(token), sessionId, sealed, clock.now().toISOString()])
  await directory.query(DROP_OLDER_STEPS, [sessionId])
  return token
}

/** Finds the sealed result that was stored under this token for this session. */
export async function findStep(
  { directory }: Pick<Gateway, 'directory'>,
  { sessionId, token }: { sessionId: string; token: string },
): Promise<Buffer | null> {
  const [row] = await directory.query(FIND_STEP, [hashStepToken(token), sessionId])
  return row?.sealed ?? null
}

/** Deletes steps that are older than two hours, up to 1,000; returns how many. */
export const pruneFormSteps = async ({ directory, witness }: App): Promise<number> =>
  (await directory.query(PRUNE_STEPS, [new Date(witness.earlierMs() - STEP_KEPT_MS).toISOString()])).length

const hashStepToken = (token: string) => createHash('sha256').update(token).digest()
