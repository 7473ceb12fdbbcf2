import { crc32, deflateSync } from 'node:zlib'
import type { PersonCaller } from '../../../src/api/access/actor.ts'
import type { Merchant } from '../../../src/merchants/account/merchant.ts'
import { getMerchantNamed } from '../../../src/merchants/account/set-merchant.ts'
import { addDocument } from '../../../src/merchants/verification/change-documents.ts'
import type { DocumentKind } from '../../../src/merchants/verification/documents.ts'
import { saveDirector, saveStep } from '../../../src/merchants/verification/save-step.ts'
import { owner } from '../service/actors.ts'
import type { TestService } from '../service/test-service.ts'

export const BUSINESS = {
  kind: 'company',
  legal_name: 'Nakasero Fresh Foods Ltd',
  registration_number: '80020001234567',
  tin: '1000123456',
  sells: 'Fruit and vegetables.\nDelivered in Kampala.',
  address: 'Plot 4, Market Street',
  district: 'Kampala',
  phone: '0772123456',
}
export const DIRECTOR = {
  name: 'Grace Nakato',
  part: 'director',
  id_kind: 'national_id',
  id_number: 'CF85012345ABCD',
  born: '1985-04-12',
  nationality: 'Ugandan',
  phone: '0772123456',
}
export const SETTLEMENT = { phone: '0772123456', holder: 'Nakasero Fresh Foods' }
export const QUESTIONNAIRE = {
  sector: 'food',
  monthly: '1m_10m',
  delivery: 'at_once',
  customers: 'Households in Kampala',
  exposed: 'no',
}

/** A PDF as a program writes it, and with other bytes in the middle where they are given. */
export const pdf = (middle = 'a scan'): Buffer =>
  Buffer.from(
    `%PDF-1.4\n%\u00e2\u00e3\n1 0 obj<</Type/Catalog>>endobj\n${middle}\ntrailer<</Root 1 0 R>>\nstartxref\n9\n%%EOF\n`,
    'latin1',
  )

/** A grey PNG of this size; with fewer `rows` than it says, one that is cut short. */
export function png(width: number, height: number, rows = height): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.writeUInt8(8, 8)
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(unfiltered(width, rows))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** Each line begins with its filter: none. */
function unfiltered(width: number, rows: number): Buffer {
  const lines = Buffer.alloc((width + 1) * rows, 0x77)
  for (let row = 0; row < rows; row += 1) lines[row * (width + 1)] = 0
  return lines
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const framed = Buffer.alloc(8 + body.length)
  framed.writeUInt32BE(data.length, 0)
  body.copy(framed, 4)
  framed.writeUInt32BE(crc32(body), 4 + body.length)
  return framed
}

/** A merchant with its owner as a caller in live mode, where verification lives. */
export async function applicant(service: TestService): Promise<{ merchant: Merchant; caller: PersonCaller }> {
  const made = await service.merchant()
  const { merchant, app } = await getMerchantNamed(service.gateway, made.id)
  const place = { merchantId: merchant.id, tag: merchant.tag, cell: app.cell, mode: 'live' as const }
  return { merchant, caller: owner(place) }
}

/** Adds a document under a name. */
export const document = (
  { app }: Pick<TestService, 'app'>,
  caller: PersonCaller,
  { kind = 'identity', name = 'scan.pdf', bytes = pdf() }: { kind?: DocumentKind; name?: string; bytes?: Buffer } = {},
) => addDocument(app, caller, { kind, file: { name, bytes } })

/** Answers every step and brings the documents, so that the draft can be submitted. */
export async function answerAll(service: Pick<TestService, 'app'>, caller: PersonCaller): Promise<void> {
  const { app } = service
  await saveStep(app, caller, { step: 'business', fields: BUSINESS })
  await saveDirector(app, caller, { index: null, fields: DIRECTOR })
  await saveStep(app, caller, { step: 'settlement', fields: SETTLEMENT })
  await saveStep(app, caller, { step: 'questionnaire', fields: QUESTIONNAIRE })
  await document(service, caller, { kind: 'identity', name: 'id.png', bytes: png(40, 30) })
  await document(service, caller, { kind: 'registration' })
}
