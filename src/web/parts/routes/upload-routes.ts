import type { FastifyReply, FastifyRequest } from 'fastify'
import { allowLongBody } from '../../../api/http/bodies/long-bodies.ts'
import type { FormFile } from '../../../api/http/bodies/multipart.ts'
import { parseMultipartForm } from '../../../api/http/bodies/multipart.ts'
import { sentContentType } from '../../../api/http/bodies/request-body.ts'
import { openResponseBuffer, type ResponseBuffer } from '../../../api/http/bodies/response-buffer.ts'
import type { HttpServer } from '../../../api/http/server.ts'
import { assert } from '../../../platform/assert.ts'
import { newMerchantTurns } from '../../../platform/batches/merchant-turns.ts'
import { bodyTooLarge, invalidRequest, Refusal } from '../../../platform/refusal.ts'
import { type PostedFields, parseFields, trimFields } from '../forms/fields.ts'
import type { Upload, UploadSender, Uploads } from '../forms/uploads.ts'
import { PARTS } from '../texts.ts'

// Only a complete file is read into memory (twice: as received and as parsed), and stays there while its form is handled.
const READ_LIMITS = { places: 4, waitMs: 30_000, most: { waiting: 40, ofOne: 3 } }
/** The content type under which the framework reads the body of a form with a file. The type that the client sent is read afterwards. */
const UPLOAD_TYPE = 'application/x-form-with-file'

const expectedUploads = new WeakMap<FastifyRequest, { upload: Upload; sender: UploadSender; reply: FastifyReply }>()

/** Prepares for a body that may carry a file. Throws 429 if too many are being received; then the body is not read at all. */
export function expectUpload(
  { uploads, sender }: { uploads: Uploads; sender: UploadSender },
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const upload = uploads.begin(sender)
  reply.raw.once('close', upload.end)
  expectedUploads.set(request, { upload, sender, reply })
  allowLongBody(request.raw)
  request.raw.headers['content-type'] = UPLOAD_TYPE
}

/** Writes the bodies of expected uploads to the disk as they arrive, and reads them into memory when they are complete. */
export function receiveUploads(server: HttpServer): void {
  const turns = newMerchantTurns(READ_LIMITS)
  server.addContentTypeParser(UPLOAD_TYPE, async (request: FastifyRequest) => {
    const expectedUpload = expectedUploads.get(request)
    assert(expectedUpload !== undefined, 'only a request that is expected to carry a file has this type')
    const { upload, sender, reply } = expectedUpload
    const spool = openResponseBuffer()
    try {
      await receiveBody(request, upload, spool)
      await turns.wait(sender.personId, () => reply.raw.destroyed)
      onceClosed(reply, () => {
        turns.freeSlot()
        turns.freeMerchant(sender.personId)
      })
      return await readWhole(spool)
    } finally {
      await spool.close()
      upload.end()
    }
  })
}

/** Runs `free` when the connection closes, or at once if it is closed already. */
function onceClosed({ raw }: FastifyReply, free: () => void): void {
  if (raw.destroyed) free()
  else raw.once('close', free)
}

/** Writes the body into the spool. Throws 413, 400 if the sender closed the connection or was too slow, 429 if the upload was cut for another. */
async function receiveBody(
  { raw, routeOptions }: FastifyRequest,
  upload: Upload,
  spool: ResponseBuffer,
): Promise<void> {
  const maxBytes = routeOptions.bodyLimit ?? 0
  if (Number(raw.headers['content-length'] ?? 0) > maxBytes) throw bodyTooLarge()
  let stop = () => {}
  const read = new Promise<void>((resolve, reject) => {
    const take = (chunk: Buffer) => {
      upload.arrived(chunk.length)
      if (spool.bytes + chunk.length > maxBytes) return reject(bodyTooLarge())
      raw.pause()
      spool.add(chunk).then(() => raw.resume(), reject)
    }
    const gone = () => reject(invalidRequest('the connection was closed'))
    stop = () => void raw.off('data', take).off('end', resolve).off('close', gone)
    // The connection may still fail after we have stopped reading, so the listener for errors stays.
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

async function readWhole(spool: ResponseBuffer): Promise<Buffer> {
  const whole = Buffer.allocUnsafeSlow(spool.bytes)
  let at = 0
  for await (const piece of spool.pieces()) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

/** Parses the fields of a posted form, and its file if it may carry one. Throws 400 if the body is no form. */
export async function parsePostedForm(
  request: FastifyRequest,
  mayCarryFile: boolean,
): Promise<{ fields: PostedFields; file: FormFile | null }> {
  const { body } = request
  const type = sentContentType(request.raw) ?? ''
  if (!mayCarryFile || !Buffer.isBuffer(body) || !/^multipart\/form-data\b/i.test(type)) {
    const read = parseFields(body)
    if (read === null) throw bodyTooLarge()
    if (read.isDoubled) throw new Refusal(400, 'bad_request', PARTS.errors.doubled)
    return { fields: read.fields, file: null }
  }
  const { fields, file } = await parseMultipartForm(body, type).catch(() => {
    throw new Refusal(400, 'bad_request', PARTS.errors.unread)
  })
  // A browser sends an empty file if none was chosen.
  return { fields: trimFields(fields), file: file === null || file.bytes.length === 0 ? null : file }
}
