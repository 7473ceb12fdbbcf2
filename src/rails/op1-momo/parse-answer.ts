import { type OperatorReply, toStorableText } from './transport.ts'

/** The JSON object in an answer of the operator. Every field may be text or a number (rails.md 3.5). */
export type AnswerBody = { [field: string]: unknown }

/** Parses the body of an answer as a JSON object; null when it is none. The content type is not trusted. */
export function parseAnswerBody({ body, whole }: Pick<OperatorReply, 'body' | 'whole'>): AnswerBody | null {
  if (!whole || body.length === 0) return null
  try {
    const value: unknown = JSON.parse(body.toString('utf8'))
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as AnswerBody) : null
  } catch {
    return null
  }
}

const MAX_WORD_CHARACTERS = 100

/** Returns a field that the operator writes as text or as a number; null when it is neither, or empty. */
export function parseWord(body: AnswerBody | null, field: string): string | null {
  const value = body !== null && Object.hasOwn(body, field) ? body[field] : undefined
  const text = typeof value === 'number' && Number.isFinite(value) ? String(value) : value
  return typeof text === 'string' && text.trim() !== '' ? toStorableText(text.trim(), MAX_WORD_CHARACTERS) : null
}

/** Returns an object field of a body; null when it is none. */
export function parseObject(body: AnswerBody | null, field: string): AnswerBody | null {
  const value = body !== null && Object.hasOwn(body, field) ? body[field] : undefined
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as AnswerBody) : null
}

/** Returns the word of an error: `code`, never `message` (rails.md 3.6). */
export const parseErrorCode = (body: AnswerBody | null): string | null => parseWord(body, 'code')

/** Returns the word of a failed status: text on one platform, an object with a code on the other. */
export const parseReason = (body: AnswerBody | null): string | null =>
  parseWord(body, 'reason') ?? parseWord(parseObject(body, 'reason'), 'code')

const WHOLE_AMOUNT = /^([0-9]{1,15})(?:\.0+)?$/

/** Returns a whole amount, written as `5`, `"5"` or `"5.0"`; null for anything else. */
export function parseWholeAmount(body: AnswerBody | null, field: string): number | null {
  const digits = WHOLE_AMOUNT.exec(parseWord(body, field) ?? '')?.[1]
  return digits === undefined ? null : Number(digits)
}

const QUOTA_TEXT = /replenished in (?:([0-9]+)\.)?([0-9]{1,2}):([0-9]{2}):([0-9]{2})/i
const MAX_WAIT_SECONDS = 3600

/** Returns in how many seconds the operator's quota is renewed, at most an hour; null when the answer is not about a quota. */
export function parseQuotaSeconds({ body }: OperatorReply): number | null {
  const text = body.toString('utf8', 0, 2000)
  if (!/quota/i.test(text)) return null
  const [, days = '0', hours = '0', minutes = '0', seconds = '0'] = QUOTA_TEXT.exec(text) ?? []
  const wait = ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds)
  return Math.min(MAX_WAIT_SECONDS, Math.max(1, wait))
}

/** Returns the seconds of `Retry-After`, at most an hour, or `usual` where it is absent. */
export function parseRetryAfter({ headers }: OperatorReply, usual: number): number {
  const text = String(headers['retry-after'] ?? '')
  return /^[0-9]{1,5}$/.test(text) ? Math.min(MAX_WAIT_SECONDS, Number(text)) : usual
}
