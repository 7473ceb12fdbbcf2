import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import sharp from 'sharp'
import type { Actor } from '../../../src/api/access/actor.ts'
import { readDocument, removeDocument } from '../../../src/merchants/verification/change-documents.ts'
import { cleanName, parseDocumentFile } from '../../../src/merchants/verification/document-file.ts'
import { readVerification } from '../../../src/merchants/verification/read-application.ts'
import { opened } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { applicant, document, pdf, png } from '../../helpers/web/verification.ts'

const service = opened(() => startService())
const REVIEWER = {
  ...{ kind: 'operator', role: 'risk', name: 'Ruth', factorAgeMs: 0, origin: 'test', requestId: null },
  ...{ personId: 1, sessionId: 'ses_ruth' },
} satisfies Actor
const MEGABYTE = 1024 * 1024
const photo = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#a33' } })
    .jpeg()
    .withExif({ IFD0: { Copyright: 'Grace' } })
    .toBuffer()

test('what is not a whole PDF, JPEG or PNG is refused, whatever it is called', async () => {
  const page = '<html><script>alert(1)</script></html>'
  const jpeg = await photo(60, 40)
  const refused: [string, Buffer][] = [
    ['nothing', Buffer.alloc(0)],
    ['HTML', Buffer.from(page)],
    ['a PDF that begins with HTML', Buffer.from(`${page}\n${pdf()}`)],
    ['a PDF that ends with HTML', Buffer.concat([pdf(), Buffer.from(page)])],
    ['a PDF that is cut short', pdf().subarray(0, -20)],
    ['a PDF of no version', Buffer.from(pdf().toString('latin1').replace('1.4', '9.9'), 'latin1')],
    ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')],
    ['SVG behind the signature of a PNG', Buffer.concat([png(1, 1).subarray(0, 8), Buffer.from('<svg/>')])],
    ['a PNG of a hundred thousand by a hundred thousand', png(100_000, 100_000, 1)],
    ['a PNG with fewer lines than it says', png(400, 400, 100)],
    ['a PNG with something behind it', Buffer.concat([png(10, 10), Buffer.from('PK\u0003\u0004')])],
    ['a PNG that is cut short', png(100, 100).subarray(0, -30)],
    ['a JPEG that is cut short', jpeg.subarray(0, jpeg.length / 2)],
    ['a GIF', Buffer.from('GIF89a\u0001\u0000\u0001\u0000')],
    ['a ZIP', Buffer.from('PK\u0003\u0004')],
    ['a WebP', await sharp(jpeg).webp().toBuffer()],
    ['a PDF of 11 MB', pdf('x'.repeat(11 * MEGABYTE))],
  ]
  for (const [name, bytes] of refused) assert.equal(await parseDocumentFile(bytes), null, name)
})

test('a picture keeps its bytes, and its preview has only its pixels', async () => {
  const file = await photo(4000, 3000)
  const read = await parseDocumentFile(file)
  assert.equal(read?.type, 'image/jpeg')
  assert.deepEqual(read?.bytes, file)
  const { format, width, exif } = await sharp(read?.preview ?? undefined).metadata()
  assert.deepEqual({ format, width, exif }, { format: 'webp', width: 1600, exif: undefined })
  assert.equal((await parseDocumentFile(pdf()))?.preview, null, 'nothing reads a PDF')
})

test('the name of a file becomes a text that leads nowhere', () => {
  for (const [given, shown] of [
    ['scan.pdf', 'scan.pdf'],
    ['../../etc/passwd', 'passwd'],
    ['C:\\Users\\Grace\\my card.png', 'my card.png'],
    ['..', 'document'],
    ['-rf', 'rf'],
    ['', 'document'],
    ['a\u0000\u202egpj.exe\r\nX: y', 'a gpj.exe X y'],
    ['<img src=x onerror=alert(1)>.png', 'img src=x onerror=alert(1) .png'],
    ['Omwaka gwa 2026 – Nnamukadde.pdf', 'Omwaka gwa 2026 – Nnamukadde.pdf'],
    ['é'.repeat(300), 'é'.repeat(100)],
  ] as const)
    assert.equal(cleanName(given), shown)
})

test('documents are sealed in pieces, read by reviewers alone, and who looked stands in the audit', async () => {
  const { app } = service
  const { merchant, caller } = await applicant(service)
  const bytes = pdf(randomBytes(700 * 1024).toString('latin1'))
  const { id } = await document(service, caller, { bytes, name: '../Ssebo & co.pdf' })
  const parts = await service.rows<{ sealed: Buffer }>(
    'select sealed from verification_document_parts where document_id = $1',
    [id],
  )
  assert.equal(parts.length, 3)
  for (const { sealed } of parts) assert.equal(sealed.includes('%PDF-1.4'), false)
  const read = await readDocument(app, REVIEWER, { merchant, id, content: 'file' })
  assert.deepEqual(read.bytes, bytes)
  assert.equal(read.name, 'Ssebo co.pdf')
  await assert.rejects(readDocument(app, caller, { merchant, id, content: 'file' }), { status: 403 })
  await assert.rejects(readDocument(app, { ...REVIEWER, role: 'support' }, { merchant, id, content: 'file' }), {
    status: 403,
  })
  await assert.rejects(readDocument(app, REVIEWER, { merchant, id, content: 'preview' }), { status: 404 })
  const stranger = await applicant(service)
  await assert.rejects(readDocument(app, REVIEWER, { merchant: stranger.merchant, id, content: 'file' }), {
    status: 404,
  })
  const [row] = await service.rows(
    `select actor, after from audit where action = 'verification.read' and subject = $1`,
    [id],
  )
  assert.deepEqual(row, { actor: 'Ruth', after: { document: 'identity', content: 'file' } })
  const swapped = parts[0]?.sealed
  await service.rows('update verification_document_parts set sealed = $2 where document_id = $1 and part = 1', [
    id,
    swapped,
  ])
  await assert.rejects(readDocument(app, REVIEWER, { merchant, id, content: 'file' }), 'a piece in another place')
})

test('there are at most twenty, also when they come at once, and a removed one is gone with its bytes', async () => {
  const { app } = service
  const { merchant, caller } = await applicant(service)
  const added = await Promise.allSettled(Array.from({ length: 22 }, () => document(service, caller)))
  const refused = added.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[]
  assert.equal(refused.length, 2)
  for (const { reason } of refused) assert.match(reason.message, /^at most 20 documents/)
  const { documents } = await readVerification(app, merchant.id)
  assert.equal(documents.length, 20)
  const id = documents[7]?.id ?? ''
  const stranger = await applicant(service)
  await assert.rejects(removeDocument(app, stranger.caller, id), { status: 404 })
  await removeDocument(app, caller, id)
  await assert.rejects(removeDocument(app, caller, id), { status: 404 })
  assert.deepEqual(await service.rows('select 1 from verification_document_parts where document_id = $1', [id]), [])
  assert.notEqual((await document(service, caller)).id, id)
})
