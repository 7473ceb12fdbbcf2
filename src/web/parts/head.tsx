import { BasicMeta } from './document.tsx'
import { PAGE_ASSETS, scriptHref } from './page-assets.ts'
import type { PageReply } from './routes/surface-reply.ts'

export type HeadProps = {
  page: PageReply
  /** The merchant or surface, for the title of the window. */
  name: string
  /** The address of the page, for a browser without scripts that loads it again. */
  here: string
  /** The address of the manifest, where the surface can be installed as an app. */
  manifest?: string | undefined
  /** Scripts that pages of this visit need besides those of the page. */
  scripts?: readonly string[] | undefined
}

/** The head of the document of a surface. */
export const Head = ({ page, name, here, manifest, scripts = [] }: HeadProps) => (
  <head>
    <BasicMeta />
    <meta name="color-scheme" content="light dark" />
    <meta name="format-detection" content="telephone=no" />
    <meta name="robots" content="noindex" />
    <title>{`${page.title} – ${name}`}</title>
    <link rel="icon" type="image/svg+xml" href={PAGE_ASSETS['icon.svg'].href} />
    {manifest !== undefined && (
      <>
        <link rel="manifest" href={manifest} />
        <link rel="apple-touch-icon" href={PAGE_ASSETS['icon-whole-512.png'].href} />
      </>
    )}
    <link rel="stylesheet" href={PAGE_ASSETS['pages.css'].href} />
    {[...new Set(['pages.js', ...scripts, ...(page.scripts ?? [])])].map((script) => (
      <script src={scriptHref(script)} defer />
    ))}
    {page.refreshSeconds !== undefined && (
      <noscript>
        {/* Without the address, a browser whose address ends in the id of a form would only scroll there instead of reloading. */}
        <meta http-equiv="refresh" content={`${page.refreshSeconds};url=${here}`} />
      </noscript>
    )}
  </head>
)
