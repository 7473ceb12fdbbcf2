import { Readable } from 'node:stream'
import { Busboy, type BusboyInstance } from '@fastify/busboy'
import { letOthersRun } from '../platform/let-others-run.ts'
import { invalidRequest } from '../platform/refusal.ts'

// A form with one file has a handful of parts. Each part costs the parser a stream, and 4 MiB of boundaries would block the
// process for seconds. So the form is fed in slices and reading stops once there are too many parts. A slice has room for
// some hundred parts; other requests run after a few slices.
const MOST_PARTS = 20
const SLICE = 4 * 1024
const OTHERS_RUN_AFTER = 16 * SLICE
const LIMITS = { parts: MOST_PARTS, fieldSize: 1024, headerPairs: 20, headerSize: 8 * 1024 }

const NOT_ONE_FILE = 'multipart body must hold exactly one file'

/** The bytes of the one file of a form, under any field name; other fields are ignored. Throws `invalid request: ...`. */
export async function readMultipartFile(raw: Buffer, contentType: string): Promise<Buffer> {
  const form = openForm(contentType)
  const source = Readable.from(slicesOf(raw))
  return new Promise((resolve, reject) => {
    const files: Buffer[][] = []
    const refuse = (problem: string) => {
      source.unpipe(form)
      source.destroy()
      reject(invalidRequest(problem))
    }
    form.on('file', (_name, file) => {
      const chunks: Buffer[] = []
      if (files.push(chunks) > 1) refuse(NOT_ONE_FILE)
      // An error of the file is reported by the form as well.
      file.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', () => {})
    })
    form.on('partsLimit', () => refuse('multipart body has too many parts'))
    form.on('error', () => refuse('multipart body is malformed or cut short'))
    form.on('finish', () => (files[0] ? resolve(Buffer.concat(files[0])) : refuse(NOT_ONE_FILE)))
    source.pipe(form)
  })
}

function openForm(contentType: string): BusboyInstance {
  try {
    return new Busboy({ headers: { 'content-type': contentType }, limits: LIMITS })
  } catch {
    throw invalidRequest('multipart body has no boundary in its Content-Type')
  }
}

async function* slicesOf(raw: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < raw.length; at += SLICE) {
    if (at > 0 && at % OTHERS_RUN_AFTER === 0) await letOthersRun()
    yield raw.subarray(at, at + SLICE)
  }
}
