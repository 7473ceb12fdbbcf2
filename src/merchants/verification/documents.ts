import { type Call, call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { defineSealedColumn, getRowMerchant } from '../../platform/rewrap.ts'
import type { App } from '../../program/app.ts'
import type { DocumentType } from './document-file.ts'

export const DOCUMENT_KINDS = ['registration', 'identity', 'tax', 'address', 'other'] as const
export type DocumentKind = (typeof DOCUMENT_KINDS)[number]

/** A document as its merchant sees it: never its bytes. */
export type Document = {
  id: string
  kind: DocumentKind
  type: DocumentType
  name: string
  bytes: number
  addedAt: Date
  addedBy: string
}

export const MAX_DOCUMENTS = 20
export const DOCUMENT_PREFIX = 'doc_'

/** The uploaded file, or the preview that was drawn from it. */
export type DocumentContent = 'file' | 'preview'

// The largest file takes some forty statements of a quarter of a megabyte, so that no statement holds a second copy of it.
const PIECE_BYTES = 256 * 1024
const PIECES_PER_BATCH = 32

const LIST = statement<Document>(
  'verification documents',
  `select d.id, d.kind, d.type, d.name, d.bytes, d.added_at as "addedAt", d.added_by as "addedBy"
   from verification_documents d where d.merchant_id = $1 order by d.added_at, d.id`,
)
// Takes the lowest free number; none is free when there are twenty documents.
const ADD = statement<{ place: number }>(
  'add verification document',
  `insert into verification_documents (merchant_id, id, place, kind, type, name, bytes, added_at, added_by)
   select $1, $2, free.place, $3, $4, $5, $6, $7, $8
   from (select p.place from generate_series(1, $9::int) as p (place)
     where not exists (select 1 from verification_documents d where d.merchant_id = $1 and d.place = p.place)
     order by p.place limit 1) free
   returning place`,
)
const ADD_PART = statement(
  'add part of verification document',
  'insert into verification_document_parts (merchant_id, document_id, content, part, sealed) values ($1, $2, $3, $4, $5)',
)
const PARTS = statement<{ part: number; sealed: Buffer }>(
  'parts of verification document',
  `select part, sealed from verification_document_parts where merchant_id = $1 and document_id = $2 and content = $3
   order by part`,
)
const REMOVE_PARTS = statement(
  'remove parts of verification document',
  'delete from verification_document_parts where merchant_id = $1 and document_id = $2',
)
const REMOVE = statement<{ kind: DocumentKind }>(
  'remove verification document',
  'delete from verification_documents where merchant_id = $1 and id = $2 returning kind',
)

type DocumentKey = { merchantId: number; id: string }

export const listDocuments = (merchantId: number): Call<Document> => call(LIST, merchantId)

/** Stores the row of a document. Returns no row where the merchant has the most documents already. */
export const addDocumentRow = (
  merchantId: number,
  { id, kind, type, name, bytes, addedAt, addedBy }: Document,
): Call<{ place: number }> =>
  call(ADD, merchantId, id, kind, type, name, bytes, addedAt.toISOString(), addedBy, MAX_DOCUMENTS)

/** Stores the bytes of a document sealed, piece by piece. */
export function addParts(
  { vault }: Pick<App, 'vault'>,
  { merchantId, id }: DocumentKey,
  { content, bytes }: { content: DocumentContent; bytes: Buffer },
): Call[] {
  const pieces = Array.from({ length: Math.ceil(bytes.length / PIECE_BYTES) }, (_none, part) =>
    bytes.subarray(part * PIECE_BYTES, (part + 1) * PIECE_BYTES),
  )
  return pieces.map((piece, part) => {
    const sealed = vault.seal(piece, bindingOf({ merchantId, part: `${id} ${content} ${part}` }))
    return call(ADD_PART, merchantId, id, content, part, sealed)
  })
}

/** Reads the bytes of a document in clear; empty where it has no such content. */
export async function readDocumentBytes(
  { db, vault }: Pick<App, 'db' | 'vault'>,
  { merchantId, id, content }: DocumentKey & { content: DocumentContent },
): Promise<Buffer> {
  const rows = await db.query(PARTS, [merchantId, id, content])
  const pieces = rows.map(({ part, sealed }) =>
    vault.openBytes(sealed, bindingOf({ merchantId, part: `${id} ${content} ${part}` })),
  )
  return Buffer.concat(pieces)
}

/** Removes a document with its bytes. The second call returns no row where there was no such document. */
export const removeDocumentRows = ({ merchantId, id }: DocumentKey) =>
  [call(REMOVE_PARTS, merchantId, id), call(REMOVE, merchantId, id)] as const

const bindingOf = ({ merchantId, part }: { merchantId: number; part: string }) => ({
  merchantId,
  purpose: part,
  column: 'verification_document_parts.sealed',
})

/** Describes the sealed bytes of documents, for a change of the master key. */
export const SEALED_DOCUMENTS = defineSealedColumn({
  table: 'verification_document_parts',
  column: 'sealed',
  part: "t.document_id || ' ' || t.content || ' ' || t.part",
  bindingOf: (row) => bindingOf({ merchantId: getRowMerchant(row), part: row.part }),
  rowsAtOnce: PIECES_PER_BATCH,
})
