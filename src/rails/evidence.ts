import type { Call } from '../platform/db/database.ts'
import { bigint, copyInto, integer, text, time } from '../platform/db/wire/copy.ts'
import type { AnswerEvidence } from './rail.ts'

/** An attempt, the installation that answered about it, and the number of the question. */
type QuestionedAttempt = { merchantId: number; reference: string; installation?: string; question?: number }
type NewEvidenceRow = {
  attempt: QuestionedAttempt
  answer: string
  evidence: AnswerEvidence
  number: string | null
}
const EVIDENCE = copyInto<NewEvidenceRow>('add rail evidence', 'rail_evidence', {
  merchant_id: bigint(({ attempt }) => attempt.merchantId),
  attempt_id: text(({ attempt }) => attempt.reference),
  at: time(({ evidence }) => evidence.at),
  operation: text(({ evidence }) => evidence.operation),
  answer: text(({ answer }) => answer),
  stage: text(({ evidence }) => evidence.stage),
  http_status: integer(({ evidence }) => evidence.httpStatus ?? null),
  operator_code: text(({ evidence }) => evidence.operatorCode ?? null),
  transport: text(({ evidence }) => evidence.transport ?? null),
  elapsed_ms: integer(({ evidence }) => Math.round(evidence.elapsedMs)),
  body_sha256: text(({ evidence }) => evidence.bodySha256 ?? null),
  body_head: text(({ evidence }) => evidence.bodyHead ?? null),
  installation: text(({ attempt }) => attempt.installation ?? null),
  question: integer(({ attempt }) => attempt.question ?? null),
  rail_transaction_id: text(({ number }) => number),
})

/** Stores the evidence of a callback. `bodySha256`: the digest of its body, null where it had none. */
export const addCallbackEvidence = (
  attempt: QuestionedAttempt,
  { at, bodySha256 }: { at: Date; bodySha256: string | null },
): Call => {
  const evidence = { at, operation: 'callback', stage: 'answered', elapsedMs: 0 } as const
  return addEvidence(attempt, 'callback', bodySha256 === null ? evidence : { ...evidence, bodySha256 })
}

/** Stores the evidence of an answer, in the commit that records it. `number` is the operator's transaction number of a success. */
export const addEvidence = (
  attempt: QuestionedAttempt,
  answer: string,
  evidence: AnswerEvidence,
  number: string | null = null,
): Call => EVIDENCE.row({ attempt, answer, evidence, number })
