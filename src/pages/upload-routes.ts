import type { FastifyReply, FastifyRequest } from 'fastify'
import { locationOf } from '../http/location.ts'
import type { FormFile } from '../http/multipart.ts'
import { readMultipartForm } from '../http/multipart.ts'
import { sentContentType } from '../http/request-body.ts'
import { Refusal } from '../platform/refusal.ts'
import { readCookies } from './cookies.ts'
import { type Fields, hasDoubled, readFields, trimmed } from './fields.ts'
import { sentFromHere } from './from-here.ts'
import type { Visit } from './route.ts'
import type { Surface, SurfaceOptions } from './surface.ts'
import { PARTS } from './texts.ts'

// A file lies in memory, once as it came and once as it is read, for as long as a slow phone needs to send it.
const MOST_AT_ONCE = 4
const MOST_OF_ONE_PERSON = 1
const FREE_AGAIN_IN_S = 5

/** Who sends files to this process now. */
const sending: number[] = []

/**
 * Asked before a body with a file is read: of a stranger, of another site and where too many files are being received it is not read at
 * all.
 */
export const admitUpload =
  <V extends Visit>(surface: Surface<V>, options: SurfaceOptions) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { headers } = request.raw
    if (!sentFromHere(headers, options.baseUrl())) throw new Refusal(403, 'forbidden', PARTS.errors.elsewhere)
    const cookie = readCookies(headers.cookie).get(surface.sessionCookie(options.https)) ?? null
    const signedIn = await surface.findSession(options.gateway(), cookie)
    if (signedIn === null) {
      await reply
        .code(303)
        .header('Location', locationOf(surface.signIn))
        .header('Connection', 'close')
        .send()
      return
    }
    takePlace(signedIn.person.id, reply)
  }

function takePlace(personId: number, reply: FastifyReply): void {
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
    if (hasDoubled(body)) throw new Refusal(400, 'bad_request', PARTS.errors.doubled)
    return { fields: readFields(body), file: null }
  }
  const { fields, file } = await readMultipartForm(body, type).catch(() => {
    throw new Refusal(400, 'bad_request', PARTS.errors.unread)
  })
  // A browser sends an empty file where none was chosen.
  return { fields: trimmed(fields), file: file === null || file.bytes.length === 0 ? null : file }
}
