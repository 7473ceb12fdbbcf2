import { statement } from '../platform/db/statement.ts'
import type { App } from '../program/app.ts'
import { ATTEMPT_FACTS, type AttemptFacts } from './attempt-facts.ts'
import type { RailSide } from './rail.ts'

/** The attempt of a movement at its operator, as our staff see it when they investigate. */
export type AttemptDetails = AttemptFacts & {
  reference: string
  side: RailSide
  createdAt: Date
  /** How often the operator has called back. */
  callbacks: number
  /** Whether its next question was brought forward and waits. */
  hurried: boolean
}

/** One post, question or callback with its result (rails.md 4.8). Contains no secret and no full phone number. */
export type EvidenceDetails = {
  seq: string
  at: Date
  operation: string
  answer: string
  stage: string
  installation: string | null
  httpStatus: number | null
  operatorCode: string | null
  transport: string | null
  elapsedMs: number
  digest: string | null
  head: string | null
}

// Far more rows than a movement has, because equal answers in a row are stored once.
const MAX_EVIDENCE_ROWS = 200
const ATTEMPT = statement<AttemptDetails>(
  'attempt to investigate',
  `select a.id as reference, a.side, a.created_at as "createdAt", a.callbacks, a.hurried, ${ATTEMPT_FACTS}
   from rail_attempts a where a.merchant_id = $1 and a.subject = $2`,
)
const EVIDENCE = statement<EvidenceDetails>(
  'evidence to investigate',
  `select e.seq::text as seq, e.at, e.operation, e.answer, e.stage, e.installation, e.http_status as "httpStatus",
     e.operator_code as "operatorCode", e.transport, e.elapsed_ms as "elapsedMs", e.body_sha256 as digest, e.body_head as head
   from rail_evidence e where e.merchant_id = $1 and e.attempt_id = $2 order by e.seq desc limit ${MAX_EVIDENCE_ROWS}`,
)

/** Reads the attempt of a movement with its evidence, newest first, at most 200 rows; null where it has no attempt, as in test mode. */
export async function readAttempt(
  { db }: Pick<App, 'db'>,
  { merchantId, id }: { merchantId: number; id: string },
): Promise<{ attempt: AttemptDetails; evidence: EvidenceDetails[] } | null> {
  const [attempt] = await db.query(ATTEMPT, [merchantId, id])
  if (!attempt) return null
  return { attempt, evidence: await db.query(EVIDENCE, [merchantId, attempt.reference]) }
}
