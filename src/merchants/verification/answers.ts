import { type Call, call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { defineSealedColumn, getRowMerchant } from '../../platform/rewrap.ts'
import type { App } from '../../program/app.ts'
import type { ApplicationKey } from './application.ts'
import type { AnswerStep, VerificationAnswers } from './steps.ts'

const SAVE = statement(
  'save verification answers',
  `insert into verification_answers (merchant_id, number, step, sealed, saved_at, saved_by) values ($1, $2, $3, $4, $5, $6)
   on conflict (merchant_id, number, step) do update
     set sealed = excluded.sealed, saved_at = excluded.saved_at, saved_by = excluded.saved_by`,
)
const FIND = statement<{ step: AnswerStep; sealed: Buffer }>(
  'verification answers',
  'select step, sealed from verification_answers where merchant_id = $1 and number = $2',
)

/** Stores the answers of one step sealed, and replaces earlier ones of the same application. */
export function saveAnswers<S extends AnswerStep>(
  { vault }: Pick<App, 'vault'>,
  { merchantId, number, step }: ApplicationKey & { step: S },
  { answers, at, by }: { answers: VerificationAnswers[S]; at: Date; by: string },
): Call {
  const sealed = vault.seal(JSON.stringify(answers), bindingOf({ merchantId, number, step }))
  return call(SAVE, merchantId, number, step, sealed, at.toISOString(), by)
}

export const findAnswers = ({ merchantId, number }: ApplicationKey): Call<{ step: AnswerStep; sealed: Buffer }> =>
  call(FIND, merchantId, number)

/** Decrypts the rows of an application into its answers. */
export function openAnswers(
  { vault }: Pick<App, 'vault'>,
  application: ApplicationKey,
  rows: readonly { step: AnswerStep; sealed: Buffer }[],
): Partial<VerificationAnswers> {
  const opened = rows.map(({ step, sealed }) => [
    step,
    JSON.parse(vault.open(sealed, bindingOf({ ...application, step }))),
  ])
  return Object.fromEntries(opened) as Partial<VerificationAnswers>
}

const bindingOf = ({ merchantId, number, step }: ApplicationKey & { step: string }) => ({
  merchantId,
  purpose: `${number} ${step}`,
  column: 'verification_answers.sealed',
})

/** Describes the sealed answers, for a change of the master key. */
export const SEALED_VERIFICATION_ANSWERS = defineSealedColumn({
  table: 'verification_answers',
  column: 'sealed',
  part: "t.number || ' ' || t.step",
  bindingOf: (row) => ({
    merchantId: getRowMerchant(row),
    purpose: row.part,
    column: 'verification_answers.sealed',
  }),
})
