import { Type } from 'typebox'
import { statement } from '../platform/db/statement.ts'
import type { App } from '../program/app.ts'
import type { RailSide } from './rail.ts'

const STORY_KINDS = ['created', 'sent', 'answer', 'question', 'callback', 'changed', 'exception'] as const

/** One line of a movement's story (rails.md 4.8). `key` is unique among the lines of the movement. */
export type StoryLine = {
  key: string
  at: Date
  kind: (typeof STORY_KINDS)[number]
  summary: string
  /** What the summary explains: an answer, a new status, the kind of an exception. */
  word: string
  /** With a new status the operator's number, or why it failed. */
  about: string | null
  httpStatus: number | null
  operatorCode: string | null
  digest: string | null
  /** How many times in a row this answer came. */
  repeated: number
}

export const StoryLineShape = Type.Object(
  {
    at: Type.String({ format: 'date-time' }),
    kind: Type.Enum(STORY_KINDS, { $id: 'TimelineLineKind' }),
    summary: Type.String({ description: 'a sentence for people; its words may change' }),
    http_status: Type.Optional(Type.Integer()),
    operator_code: Type.Optional(Type.String({ description: 'the word of the operator' })),
    digest: Type.Optional(Type.String({ description: 'SHA-256 of what was answered' })),
    repeated: Type.Integer({ minimum: 0, description: 'how often this was answered in a row' }),
  },
  { $id: 'TimelineLine' },
)

type StoryEvidenceRow = {
  seq: string
  at: Date
  operation: string
  answer: string
  httpStatus: number | null
  operatorCode: string | null
  digest: string | null
  question: number | null
}
type StoryAttemptRow = { reference: string; side: RailSide; sentAt: Date | null; questions: number }

const ATTEMPT = statement<StoryAttemptRow>(
  'attempt of story',
  `select id as reference, side, first_sent_at as "sentAt", question_count as questions from rail_attempts
   where merchant_id = $1 and subject = $2`,
)
// Far more rows than a movement has, because equal answers in a row are stored once.
const MAX_EVIDENCE_ROWS = 2000
const EVIDENCE = statement<StoryEvidenceRow>(
  'evidence of story',
  `select seq::text, at, operation, answer, http_status as "httpStatus", operator_code as "operatorCode",
     body_sha256 as digest, question
   from rail_evidence where merchant_id = $1 and attempt_id = $2 order by seq desc limit ${MAX_EVIDENCE_ROWS}`,
)

/** Reads the questions to the operator about a movement and its answers, in no order. A test movement has none. */
export async function readRailStory(
  { db }: Pick<App, 'db'>,
  { merchantId, id }: { merchantId: number; id: string },
): Promise<StoryLine[]> {
  const [attempt] = await db.query(ATTEMPT, [merchantId, id])
  if (!attempt) return []
  const rows = await db.query(EVIDENCE, [merchantId, attempt.reference])
  const sent =
    attempt.sentAt === null
      ? []
      : [newStoryLine({ key: 'sent', at: attempt.sentAt, kind: 'sent', word: 'sent', summary: 'sent to the operator' })]
  return [...sent, ...rows.map((row, index) => presentEvidence(row, attempt, findLaterQuestion(rows, index)))]
}

/** Makes a line that is no answer of the operator. */
export const newStoryLine = (
  line: Pick<StoryLine, 'key' | 'at' | 'kind' | 'word' | 'summary'> & { about?: string | null },
): StoryLine => ({
  ...{ about: null, httpStatus: null, operatorCode: null, digest: null, repeated: 1 },
  ...line,
})

/** Finds the number of the next question with another answer than this row; rows come newest first. */
const findLaterQuestion = (rows: readonly StoryEvidenceRow[], index: number): number | null =>
  rows.slice(0, index).findLast(({ question }) => question !== null)?.question ?? null

function presentEvidence(row: StoryEvidenceRow, { side, questions }: StoryAttemptRow, later: number | null): StoryLine {
  const { seq, at, operation, answer, httpStatus, operatorCode, digest, question } = row
  const until = later ?? questions + 1
  const repeated = answer === 'pending' && question !== null ? Math.max(1, until - question) : 1
  const kind = operation === 'submit' ? 'answer' : operation === 'callback' ? 'callback' : 'question'
  const summary = SUMMARIES[kind][answer]?.[side] ?? `the operator answered: ${answer}`
  const told = { word: answer, about: null, summary }
  return { key: `answer-${seq}`, at, kind, ...told, httpStatus, operatorCode, digest, repeated }
}

const forBothSides = (text: string) => ({ collect: text, disburse: text })
/** The sentence that explains each answer to a merchant. */
const SUMMARIES: Record<'answer' | 'question' | 'callback', Record<string, Record<RailSide, string>>> = {
  answer: {
    accepted: {
      collect: 'the operator took it and asks the customer for the PIN',
      disburse: 'the operator took it and is paying',
    },
    rejected: forBothSides('the operator refused it'),
    refused: forBothSides('the operator wrote a refusal; it is asked whether that stands'),
    unavailable: forBothSides('the operator did not take it'),
    ambiguous: forBothSides('no clear answer came back; the operator is asked what happened'),
  },
  question: {
    pending: {
      collect: 'asked the operator: still waiting for the customer',
      disburse: 'asked the operator: still being paid',
    },
    not_found: forBothSides('asked the operator: it does not know the payment now'),
    unknown: forBothSides('asked the operator: no answer that can be read'),
    succeeded: forBothSides('asked the operator: the money has moved'),
    failed: forBothSides('asked the operator: it failed'),
    mismatch: forBothSides('asked the operator: it speaks of another payment; a person looks at it'),
    rejected: forBothSides('asked the operator: the refusal stands'),
  },
  callback: { callback: forBothSides('the operator called back; it is asked now') },
}
