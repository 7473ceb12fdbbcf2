import { Copy } from '../parts.tsx'
import { type PageShown, shownPage } from '../shown.ts'
import { ACCOUNT } from './texts.ts'

/** Makes the page of new recovery codes, which are shown only this once. `says`: what was done; `to`: the next page. */
export function codesPage(codes: readonly string[], { says, to }: { says: string; to: string }): PageShown {
  const texts = ACCOUNT.codes
  return shownPage(
    texts.title,
    <>
      <h1>{texts.title}</h1>
      <p>{says}</p>
      <p>{texts.says}</p>
      <Copy text={codes.join('\n')} label={texts.label} />
      <p>
        <a href={to}>{texts.done}</a>
      </p>
    </>,
  )
}
