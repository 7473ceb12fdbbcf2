import { renderToString } from 'preact-render-to-string'
import { BasicMeta } from '../../parts/document.tsx'
import { GuestPage } from '../../parts/frame.tsx'
import { PAGE_ASSETS } from '../../parts/page-assets.ts'
import { INSTALL } from '../texts/install.ts'

const { title, says, again } = INSTALL.offline

/** Renders the page that stands in for one that cannot be loaded. It holds nothing of anybody. */
export const renderOfflinePage = (reach: string): string =>
  `<!doctype html>${renderToString(<OfflinePage {...{ reach }} />)}`

const OfflinePage = ({ reach }: { reach: string }) => (
  <html lang="en">
    <head>
      <BasicMeta />
      <meta name="color-scheme" content="light dark" />
      <title>{`${title} – ${INSTALL.name}`}</title>
      <link rel="stylesheet" href={PAGE_ASSETS['pages.css'].href} />
      <script src={PAGE_ASSETS['offline.js'].href} defer />
    </head>
    <body data-reach={reach}>
      <GuestPage>
        <div class="entry">
          <h1>{title}</h1>
          <p>{says}</p>
          <button type="button" class="button">
            {again}
          </button>
        </div>
      </GuestPage>
    </body>
  </html>
)
