import type { Actor, PersonCaller } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import type { FormFile } from '../../api/http/bodies/multipart.ts'
import { badRequest, domainRefusal, notFound } from '../../platform/refusal.ts'
import { newId, parseTag } from '../../platform/text/ids.ts'
import type { App } from '../../program/app.ts'
import type { Merchant } from '../account/merchant.ts'
import { cleanName, type DocumentType, parseDocumentFile } from './document-file.ts'
import {
  addDocumentRow,
  addParts,
  DOCUMENT_PREFIX,
  type Document,
  type DocumentContent,
  type DocumentKind,
  listDocuments,
  MAX_DOCUMENTS,
  readDocumentBytes,
  removeDocumentRows,
} from './documents.ts'
import { changeDraft } from './open-draft.ts'

/**
 * Adds a document to the draft, sealed: a PDF, JPEG or PNG by its content, at most 10 MB, at most twenty per merchant
 * (reliability.md A79). Throws Refusal.
 */
export async function addDocument(
  app: App,
  caller: PersonCaller,
  { kind, file }: { kind: DocumentKind; file: FormFile },
): Promise<Document> {
  allow(caller, 'verification.edit')
  const { merchantId, tag, name: addedBy } = caller
  const parsed = await parseDocumentFile(file.bytes)
  if (parsed === null)
    throw badRequest(
      'file must be a whole PDF, JPG or PNG of at most 10 MB; other kinds and damaged files are refused',
      { field: 'file' },
    )
  return changeDraft(app, caller, async (tx, { number }) => {
    const at = app.clock.now()
    const id = newId(DOCUMENT_PREFIX, tag)
    const [bytes, name] = [file.bytes.length, cleanName(file.name)]
    const document: Document = { id, kind, type: parsed.type, name, bytes, addedAt: at, addedBy }
    const [[added]] = await tx.send(addDocumentRow(merchantId, document))
    if (!added) throw domainRefusal('too_many', `at most ${MAX_DOCUMENTS} documents can be kept; remove one first`)
    const key = { merchantId, id }
    const act = { actor: caller, action: 'verification.edit', at, merchantId, subject: id } as const
    return {
      value: document,
      last: [
        ...addParts(app, key, { content: 'file', bytes: parsed.bytes }),
        ...(parsed.preview === null ? [] : addParts(app, key, { content: 'preview', bytes: parsed.preview })),
        auditRow({ ...act, after: { application: number, document: kind, bytes } }),
      ],
    }
  })
}

/** Removes a document, with its bytes, while the application is a draft. Throws 404, or 409 where nothing may change. */
export async function removeDocument(app: App, caller: PersonCaller, id: string): Promise<void> {
  allow(caller, 'verification.edit')
  const { merchantId, tag } = caller
  if (parseTag(DOCUMENT_PREFIX, id) !== tag) throw notFound('document')
  await changeDraft(app, caller, async (tx, { number }) => {
    const [, [removed]] = await tx.send(...removeDocumentRows({ merchantId, id }))
    if (!removed) throw notFound('document')
    const act = { actor: caller, action: 'verification.edit', at: app.clock.now(), merchantId } as const
    return {
      value: undefined,
      last: [auditRow({ ...act, subject: id, after: { application: number, removed: removed.kind } })],
    }
  })
}

/** A document for a reviewer. The file may only be downloaded, in a sandbox; the preview may be shown. */
type ReviewedDocument = { name: string; type: DocumentType | 'image/webp'; bytes: Buffer }

/** Reads the bytes of a document, for reviewers alone; the audit records who read it. Throws 404. */
export async function readDocument(
  app: App,
  actor: Actor,
  { merchant, id, content }: { merchant: Pick<Merchant, 'id' | 'tag'>; id: string; content: DocumentContent },
): Promise<ReviewedDocument> {
  allow(actor, 'verification.read', merchant.id)
  const merchantId = merchant.id
  const own = parseTag(DOCUMENT_PREFIX, id) === merchant.tag
  const list = listDocuments(merchantId)
  const document = own ? (await app.db.query(list.statement, list.values)).find((row) => row.id === id) : undefined
  if (document === undefined) throw notFound('document')
  const bytes = await readDocumentBytes(app, { merchantId, id, content })
  if (bytes.length === 0) throw notFound('document')
  const row = auditRow({
    ...{ actor, action: 'verification.read', at: app.clock.now(), merchantId, subject: id },
    after: { document: document.kind, content },
  })
  await app.db.query(row.statement, row.values)
  const type = content === 'preview' ? ('image/webp' as const) : document.type
  return { name: document.name, type, bytes }
}
