import type { FastifyReply, FastifyRequest } from 'fastify'
import type { FormFile } from '../http/multipart.ts'
import { readMultipartForm } from '../http/multipart.ts'
import { sentContentType } from '../http/request-body.ts'
import { bodyTooLarge, Refusal } from '../platform/refusal.ts'
import { type Fields, readFields, trimmed } from './fields.ts'
import { PARTS } from './texts.ts'

// A file lies in memory, once as it came and once as it is read, for as long as a slow phone needs to send it.
const MOST_AT_ONCE = 4
const MOST_OF_ONE_PERSON = 1
const FREE_AGAIN_IN_S = 5

/** Who sends files to this process now. */
const sending: number[] = []

/** Refuses a body with a file where too many are being received: then it is not read at all. */
export function takePlace(personId: number, reply: FastifyReply): void {
  const own = sending.filter((one) => one === personId).length
  if (sending.length >= MOST_AT_ONCE || own >= MOST_OF_ONE_PERSON)
    throw new Refusal(429, 'rate_limited', PARTS.errors.uploads, { retryAfterSeconds: FREE_AGAIN_IN_S })
  sending.push(personId)
  reply.raw.once('close', () => sending.splice(sending.indexOf(personId), 1))
}

/** The fields of a posted form, and its file where it may carry one. Throws 400 for what is no form. */
export async function readPosted(
  request: FastifyRequest,
  mayCarryFile: boolean,
): Promise<{ fields: Fields; file: FormFile | null }> {
  const { body } = request
  const type = sentContentType(request.raw) ?? ''
  if (!mayCarryFile || !Buffer.isBuffer(body) || !/^multipart\/form-data\b/i.test(type)) {
    const read = readFields(body)
    if (read === null) throw bodyTooLarge()
    if (read.isDoubled) throw new Refusal(400, 'bad_request', PARTS.errors.doubled)
    return { fields: read.fields, file: null }
  }
  const { fields, file } = await readMultipartForm(body, type).catch(() => {
    throw new Refusal(400, 'bad_request', PARTS.errors.unread)
  })
  // A browser sends an empty file where none was chosen.
  return { fields: trimmed(fields), file: file === null || file.bytes.length === 0 ? null : file }
}
