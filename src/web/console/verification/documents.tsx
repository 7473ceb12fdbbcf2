import type { Document } from '../../../merchants/verification/documents.ts'
import { oneLine } from '../../../platform/text/text.ts'
import { APPLICATION } from '../../parts/application-words.ts'
import { FormBox } from '../../parts/forms/form.tsx'
import { Facts, OutsideText, Section, Time } from '../../parts/parts.tsx'
import { CONSOLE_VERIFICATION_TEXTS } from '../texts/verification.ts'
import { DOCUMENT_EXPIRY_FORM, DOWNLOAD_DOCUMENT_FORM } from './review-forms.ts'
import type { ReviewPartProps } from './review-page.tsx'

const { documents } = CONSOLE_VERIFICATION_TEXTS

/** The documents with previews that we made. A file itself can only be saved and never opens in the console. */
export const ApplicationDocuments = (part: ReviewPartProps) => (
  <Section title={documents.title}>
    {part.reviewed.verification.documents.length === 0 && <p class="quiet">{documents.none}</p>}
    {part.reviewed.verification.documents.map((document) => (
      <DocumentCard part={part} document={document} />
    ))}
  </Section>
)

function DocumentCard({ part, document }: { part: ReviewPartProps; document: Document }) {
  const { visit, id, state, reviewed } = part
  const params = { id, document: document.id }
  const name = oneLine(document.name)
  // Every document has its own forms; only the form that was sent shows its fault.
  const ownState = visit.params.document === document.id ? state : null
  return (
    <article class="document">
      <h3>{APPLICATION.documentKinds[document.kind]}</h3>
      <Facts
        facts={[
          [documents.file, <OutsideText text={document.name} />],
          [documents.added, <Time at={document.addedAt} />],
        ]}
      />
      {document.type === 'application/pdf' ? (
        <p class="quiet">{documents.noPreview}</p>
      ) : (
        <img
          class="paper"
          src={visit.to(`/verification/${id}/documents/${document.id}/preview`)}
          alt={documents.preview(name)}
          loading="lazy"
        />
      )}
      <FormBox of={DOWNLOAD_DOCUMENT_FORM} visit={visit} state={ownState} params={params} compact />
      <FormBox
        of={DOCUMENT_EXPIRY_FORM}
        visit={visit}
        state={ownState}
        params={params}
        values={{ expires_on: reviewed.ends.get(document.id) ?? '' }}
        compact
      />
    </article>
  )
}
