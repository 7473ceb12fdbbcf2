import { CopyBox } from '../parts.tsx'
import { type PageReply, pageReply } from '../routes/surface-reply.ts'
import { ACCOUNT } from './texts.ts'

/** Makes the page of new recovery codes, which are shown only this once. `says`: what was done; `to`: the next page. */
export function codesPage(codes: readonly string[], { says, to }: { says: string; to: string }): PageReply {
  const texts = ACCOUNT.codes
  return pageReply(
    texts.title,
    <>
      <h1>{texts.title}</h1>
      <p>{says}</p>
      <p>{texts.says}</p>
      <CopyBox text={codes.join('\n')} label={texts.label} />
      <p>
        <a href={to}>{texts.done}</a>
      </p>
    </>,
  )
}
