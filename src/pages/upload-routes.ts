import type { FastifyReply, FastifyRequest } from 'fastify'
import { allowLongBody } from '../http/long-bodies.ts'
import type { FormFile } from '../http/multipart.ts'
import { readMultipartForm } from '../http/multipart.ts'
import { sentContentType } from '../http/request-body.ts'
import type { HttpServer } from '../http/server.ts'
import { openSpool, type Spool } from '../http/spool.ts'
import { assert } from '../platform/assert.ts'
import { merchantTurns } from '../platform/merchant-turns.ts'
import { bodyTooLarge, invalidRequest, Refusal } from '../platform/refusal.ts'
import { type Fields, readFields, trimmed } from './fields.ts'
import { PARTS } from './texts.ts'
import type { Sender, Upload, Uploads } from './uploads.ts'

// Only a file that is whole is read into memory, once as it came and once as it is parsed, for as long as its form takes.
const READ_AT_ONCE = { places: 4, waitMs: 30_000, most: { waiting: 40, ofOne: 3 } }
/** The type under which the body of a form with a file is read; what it calls itself is read afterwards. */
const UPLOAD = 'application/x-form-with-file'

const expected = new WeakMap<FastifyRequest, { upload: Upload; sender: Sender; reply: FastifyReply }>()

/** The body of this request may be a file. Throws 429 where too many are being received: then it is not read at all. */
export function expectUpload(
  { uploads, sender }: { uploads: Uploads; sender: Sender },
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const upload = uploads.begin(sender)
  reply.raw.once('close', upload.end)
  expected.set(request, { upload, sender, reply })
  allowLongBody(request.raw)
  request.raw.headers['content-type'] = UPLOAD
}

/** Has the bodies of such requests written to the disk as they come, and read when they are whole. */
export function receiveUploads(server: HttpServer): void {
  const turns = merchantTurns(READ_AT_ONCE)
  server.addContentTypeParser(UPLOAD, async (request: FastifyRequest) => {
    const coming = expected.get(request)
    assert(coming !== undefined, 'only a request that is expected to carry a file has this type')
    const { upload, sender, reply } = coming
    const spool = openSpool()
    try {
      await receive(request, upload, spool)
      await turns.wait(sender.personId, () => reply.raw.destroyed)
      onceClosed(reply, () => {
        turns.freePlace()
        turns.freeMerchant(sender.personId)
      })
      return await wholeOf(spool)
    } finally {
      await spool.close()
      upload.end()
    }
  })
}

/** Also where the other side has gone a moment ago. */
function onceClosed({ raw }: FastifyReply, free: () => void): void {
  if (raw.destroyed) free()
  else raw.once('close', free)
}

/** Writes the body into the spool. Throws 413, 400 for a sender who has gone or was too slow, 429 for one who gave way. */
async function receive({ raw, routeOptions }: FastifyRequest, upload: Upload, spool: Spool): Promise<void> {
  const most = routeOptions.bodyLimit ?? 0
  if (Number(raw.headers['content-length'] ?? 0) > most) throw bodyTooLarge()
  let stop = () => {}
  const read = new Promise<void>((resolve, reject) => {
    const take = (chunk: Buffer) => {
      upload.arrived(chunk.length)
      if (spool.bytes + chunk.length > most) return reject(bodyTooLarge())
      raw.pause()
      spool.add(chunk).then(() => raw.resume(), reject)
    }
    const gone = () => reject(invalidRequest('the connection was closed'))
    stop = () => void raw.off('data', take).off('end', resolve).off('close', gone)
    // What comes after the end of our patience may still fail.
    raw.on('error', gone).on('close', gone).on('end', resolve).on('data', take)
  })
  try {
    await Promise.race([read, upload.cut])
    upload.whole()
  } finally {
    stop()
    raw.resume()
  }
}

async function wholeOf(spool: Spool): Promise<Buffer> {
  const whole = Buffer.allocUnsafeSlow(spool.bytes)
  let at = 0
  for await (const piece of spool.pieces()) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
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
