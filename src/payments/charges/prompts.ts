import { type Call, call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { lastNine } from '../../platform/text/phone.ts'

/** How many PIN prompts the hosted pages of all merchants have sent to a phone recently: open ones, and all that were not paid. */
export type PromptCounts = { open: number; unpaid: number }

// One open prompt for a phone at a time, so that the next one does not cover it and a stranger cannot flood a phone
// (reliability.md A46).
const OPEN_PROMPT_MS = 90_000
const UNPAID_WINDOW_MS = 600_000

const LOCK_PHONE = statement(
  'lock phone of prompts',
  `select pg_advisory_xact_lock(hashtextextended('prompts of ' || $1, 0))`,
)
const PROMPTS = statement<PromptCounts>(
  'prompts of phone',
  `select count(*) filter (where status in ('pending', 'authorized') and created_at > $3) as open, count(*) as unpaid
   from charges where phone9 = $1 and created_at > $2 and payment_link_id is not null and mode = 'live'
     and status in ('pending', 'authorized', 'failed') and voided_at is null`,
)

/** Locks a phone, before every other lock of the transaction, so that two submits for one phone are decided one after the other. */
export const lockPhone = (phone: string): Call => call(LOCK_PHONE, lastNine(phone))

/** Counts the prompts of a phone. Must be sent after the lock was answered, to see what the submit before has stored. */
export const countPrompts = (phone: string, at: Date): Call<PromptCounts> =>
  call(
    PROMPTS,
    lastNine(phone),
    new Date(at.getTime() - UNPAID_WINDOW_MS).toISOString(),
    new Date(at.getTime() - OPEN_PROMPT_MS).toISOString(),
  )
